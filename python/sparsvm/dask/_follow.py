"""path: the models from the strongest penalty to a weak one, on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._path import grid, result_of
from .._progress import Bar
from .._settings import method_of, objective_of, warn_unless_converged
from .._svc import SparseSVC
from ._client import client_of
from ._collect import collect
from ._driver import run_team
from ._place import place
from ._work import PathWork

if TYPE_CHECKING:
    from .._path import PathResult


def path(
    client: Any,
    X: Any,
    y: Any = None,
    penalty: str = "mcp",
    *,
    alphas: Any = None,
    n_alphas: int = 100,
    alpha_min_ratio: float = 0.01,
    max_features: int | None = None,
    class_weight: Any = None,
    sample_weight: Any = None,
    verbose: int = 0,
    **settings: Any,
) -> PathResult:
    """`svm_path` on a cluster: two classes at many strengths, each from where the last one ended.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    X, y, sample_weight
        As `DaskSparseSVC.fit` takes them.

    The others are those of `svm_path`.

    Returns
    -------
    PathResult
    """
    parameters = SparseSVC(penalty, **settings)
    parameters._validate_params()
    client = client_of(client)
    collected = collect(client, X, y, sample_weight, class_weight)
    outline = collected.outline
    if len(outline.classes) != 2:
        raise ValueError(f"path tells two classes apart, and y has {len(outline.classes)}: see train_cv for more")
    blocks = place(client, collected)
    del collected
    work = PathWork(
        grid(alphas, n_alphas, alpha_min_ratio), max_features, objective_of(parameters), method_of(parameters)
    )
    bar = Bar("path") if verbose else None
    try:
        [found], _ = run_team(client, blocks, work, bar)
    finally:
        if bar is not None:
            bar.close()
    warn_unless_converged(found.status, parameters.tol, "A model of the path")
    names = None if outline.names is None else np.asarray(outline.names, dtype=object)
    return result_of(found, outline.columns, outline.classes, names)
