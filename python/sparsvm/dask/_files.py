"""Files as data: every worker reads its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Files:
    """Files that hold rows and labels, in any format that the command line reads; a list of paths is one too.

    Every worker must find them under the same paths. They are read again if a worker is lost.
    """

    paths: tuple[str, ...]
    #: Columns in all; None takes the most that any file has. LIBSVM text does not tell of empty last columns.
    features: int | None = None
    #: LIBSVM text counts columns from 0 instead of 1.
    zero_based: bool = False
    #: The column of a table that holds the labels.
    label: str | None = None

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        features: int | None = None,
        zero_based: bool = False,
        label: str | None = None,
    ) -> None:
        found = (paths,) if isinstance(paths, str | os.PathLike) else tuple(paths)
        object.__setattr__(self, "paths", tuple(os.path.abspath(os.fspath(path)) for path in found))
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "zero_based", zero_based)
        object.__setattr__(self, "label", label)
        if not self.paths:
            raise ValueError("the list of files is empty: give one path at least")


def as_files(X: Any) -> Files | None:
    """Files, or a list of paths; nothing if X is something else."""
    if isinstance(X, Files):
        return X
    listed = isinstance(X, list | tuple) and len(X) > 0
    if listed and all(isinstance(path, str | os.PathLike) for path in X):
        return Files(X)
    return None
