"""svm_path: the models from the strongest penalty to a weak one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _get_feature_names

from . import _core
from ._arrays import row_weights, two_classes
from ._progress import Bar
from ._settings import method_of, objective_of, warn_unless_converged
from ._svc import SparseSVC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._core import Path
    from ._results import Followed
    from ._types import Floats, Integers


@dataclass(frozen=True)
class PathResult:
    """A path. Rows of `coefs` and entries of the arrays belong to `alphas`, from the largest down."""

    alphas: Floats
    #: CSR array of shape (n_alphas, n_features), for raw data.
    coefs: Any
    intercepts: Floats
    objectives: Floats
    #: The loss alone, without the penalty.
    losses: Floats
    #: Relative duality gaps.
    gaps: Floats
    violations: Floats
    n_features: Integers
    #: Of each fit alone.
    seconds: Floats
    #: How each fit ended: "converged" if it is proved within the tolerance.
    statuses: list[str]
    #: From here on nothing is kept.
    alpha_max: float
    #: Negative, positive.
    classes: Any
    feature_names: Any = None

    def decision_function(self, X: Any) -> Floats:
        """Decision values, a column for each alpha."""
        return np.asarray((X @ self.coefs.T).toarray() if sparse.issparse(X) else X @ self.coefs.T) + self.intercepts


def coefficients(path: Path | Followed, n_features: int) -> Any:
    """The coefficients of a path as a CSR array, a row for each alpha."""
    shape = (len(path.alphas), n_features)
    return sparse.csr_array((path.values, path.indices, path.indptr), shape=shape)


def coefficients_at(paths: Sequence[Path | Followed], k: int, n_features: int) -> Floats:
    """The coefficients at the k-th alpha, a row for each path: for scores at every alpha, where CSR rows are slow."""
    coef = np.zeros((len(paths), n_features))
    for row, path in zip(coef, paths):
        inside = slice(path.indptr[k], path.indptr[k + 1])
        row[path.indices[inside]] = path.values[inside]
    return coef


def svm_path(
    X: Any,
    y: Any,
    penalty: str = "mcp",
    *,
    theta: float | None = None,
    alphas: Any = None,
    n_alphas: int = 100,
    alpha_min_ratio: float = 0.01,
    max_features: int | None = None,
    loss: str = "hinge",
    l2: float = 0.0,
    penalty_factors: Any = None,
    fit_intercept: bool | str = True,
    class_weight: Any = None,
    sample_weight: Any = None,
    standardize: bool = False,
    tol: float = 1e-4,
    max_iter: int | None = None,
    max_time: float | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PathResult:
    """Fits two classes at many strengths, each from where the last one ended.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two classes.
    alphas : array-like, default=None
        The strengths; None takes `n_alphas`, log-spaced from the largest that keeps any feature down to
        `alpha_min_ratio` of it.
    max_features : int, default=None
        The path ends before it keeps more.

    Other parameters are those of `SparseSVC`; `max_iter` and `max_time` are for the whole path.

    Returns
    -------
    PathResult
    """
    names = _get_feature_names(X)
    X, y, classes, codes = two_classes(X, y, "svm_path")
    parameters = SparseSVC(
        penalty,
        theta=theta,
        loss=loss,
        l2=l2,
        penalty_factors=penalty_factors,
        fit_intercept=fit_intercept,
        standardize=standardize,
        tol=tol,
        max_iter=max_iter,
        max_time=max_time,
        n_jobs=n_jobs,
    )
    parameters._validate_params()
    bar = Bar("svm_path") if verbose else None
    try:
        [path] = _core.path(
            X,
            codes,
            2,
            row_weights(sample_weight, class_weight, classes, y, X),
            grid(alphas, n_alphas, alpha_min_ratio),
            max_features,
            objective_of(parameters),
            method_of(parameters),
            bar,
        )
    finally:
        if bar is not None:
            bar.close()
    warn_unless_converged(path.status, tol, "A model of the path")
    return result_of(path, X.shape[1], classes, names)


def result_of(path: Path | Followed, n_features: int, classes: Any, names: Any) -> PathResult:
    """A path as users get it."""
    return PathResult(
        alphas=path.alphas,
        coefs=coefficients(path, n_features),
        intercepts=path.intercepts,
        objectives=path.objectives,
        losses=path.losses,
        gaps=path.gaps,
        violations=path.violations,
        n_features=np.diff(path.indptr),
        seconds=path.seconds,
        statuses=path.statuses,
        alpha_max=path.alpha_max,
        classes=classes,
        feature_names=names,
    )


def grid(alphas: Any, n_alphas: int, alpha_min_ratio: float) -> list[float] | tuple[int, float]:
    """The strengths as the native module takes them; those that are given may come in any order."""
    if alphas is None:
        return (int(n_alphas), float(alpha_min_ratio))
    return sorted({float(alpha) for alpha in np.asarray(alphas).ravel()}, reverse=True)
