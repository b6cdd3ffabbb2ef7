"""Collections of Dask, and lists of files, as parts: one future for each chunk of rows."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dask
import dask.array
import numpy as np
from dask.delayed import delayed
from scipy import sparse

from ._files import as_files
from ._outline import outline_of
from ._part import part_of, read_part, rows_of, summary_of

if TYPE_CHECKING:
    from ._outline import Outline
    from ._part import Summary


@dataclass(frozen=True)
class Collected:
    """The parts on the workers, and what the driver knows of them."""

    parts: list[Any]
    summaries: list[Summary]
    outline: Outline


def collect(client: Any, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> Collected:
    """Computes every part where Dask likes, checks it there, and gathers summaries only."""
    lazy, titles = lazy_parts(client, X, y, sample_weight)
    parts = client.compute(lazy)
    run = secrets.token_hex(4)
    keys = [f"sparsvm-summary-{run}-{k}" for k in range(len(parts))]
    summaries = client.gather(client.map(summary_of, parts, key=keys, pure=False))
    outline = outline_of(summaries, titles, class_weight, padded=as_files(X) is not None)
    return Collected(parts, summaries, outline)


def lazy_parts(client: Any, X: Any, y: Any, sample_weight: Any) -> tuple[list[Any], list[str]]:
    """The parts, not computed yet, and what to call them."""
    run = secrets.token_hex(4)
    files = as_files(X)
    if files is not None:
        if y is not None or sample_weight is not None:
            raise ValueError("files hold their labels: give no y and no sample_weight with them")
        make, titles = delayed(read_part, pure=False), list(files.paths)
        pieces: list[Any] = [(path, files) for path in files.paths]
    else:
        make, pieces = delayed(part_of, pure=False), _pieces(client, X, y, sample_weight)
        titles = [f"partition {k}" for k in range(len(pieces))]
        pieces = [(k, *piece) for k, piece in enumerate(pieces)]
    lazy = [make(*piece, dask_key_name=f"sparsvm-part-{run}-{k}") for k, piece in enumerate(pieces)]
    return lazy, titles


def is_frame(X: Any) -> bool:
    """Whether X is a data frame or a series of Dask."""
    return dask.is_dask_collection(X) and hasattr(X, "divisions") and hasattr(X, "to_delayed")


def by_rows(X: Any) -> Any:
    """An array whose chunks are whole rows."""
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions instead of 2: reshape it")
    if X.numblocks[1] == 1:
        return X
    if sparse.issparse(X._meta):
        raise ValueError(
            "the chunks of X cut its columns apart, and sparse ones cannot be joined again: make chunks of whole rows"
        )
    return X.rechunk({1: -1})


def _pieces(client: Any, X: Any, y: Any, sample_weight: Any) -> list[tuple[Any, Any, Any]]:
    """The parts of X, each with its labels and weights."""
    if isinstance(X, dask.array.Array):
        X = by_rows(X)
        lengths: Any = X.chunks[0]
        rows = [row[0] for row in X.to_delayed()]
    elif is_frame(X):
        lengths = (np.nan,) * X.npartitions
        rows = list(X.to_delayed())
    else:
        raise TypeError(
            f"X is a {type(X).__name__}, but a dask.array, a dask.dataframe or a list of files is expected: "
            "use sparsvm.SparseSVC for data in memory, or dask.array.from_array to split it"
        )
    if y is None:
        raise ValueError("y is missing: give the labels; only files bring them along")
    if any(_is_local(values) for values in (y, sample_weight)) and np.isnan(lengths).any():
        # How long the parts are only they know, and they should not be computed twice.
        rows = client.compute(rows)
        lengths = client.gather(client.map(rows_of, rows, pure=False))
    labels = _split(y, lengths, "y")
    weights = [None] * len(rows) if sample_weight is None else _split(sample_weight, lengths, "sample_weight")
    return list(zip(rows, labels, weights))


def _is_local(values: Any) -> bool:
    return values is not None and not dask.is_dask_collection(values)


def _split(values: Any, lengths: Any, what: str) -> list[Any]:
    """Labels or weights in the parts of X."""
    if _is_local(values):
        local = np.asarray(values)
        if len(local) != sum(lengths):
            raise ValueError(f"X has {sum(lengths)} rows and {what} has {len(local)}: give both the same")
        return list(np.split(local, np.cumsum(lengths)[:-1]))
    if isinstance(values, dask.array.Array):
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise ValueError(f"{what} has {values.ndim} dimensions instead of 1")
        have, known = values.chunks[0], not np.isnan(lengths).any()
        if known and not np.isnan(have).any() and have != tuple(lengths):
            if sum(have) != sum(lengths):
                raise ValueError(f"X has {sum(lengths)} rows and {what} has {sum(have)}: give both the same")
            values = values.rechunk((tuple(lengths),))
    elif not is_frame(values):
        raise TypeError(f"{what} is a {type(values).__name__}, but an array or a series of Dask is expected")
    pieces = list(values.to_delayed().ravel() if hasattr(values, "chunks") else values.to_delayed())
    if len(pieces) != len(lengths):
        raise ValueError(
            f"X has {len(lengths)} partitions and {what} has {len(pieces)}: make them from the same collection"
        )
    return pieces
