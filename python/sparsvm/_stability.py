"""stability_selection: the features that halves of the data agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _get_feature_names

from . import _core
from ._arrays import row_weights, two_classes
from ._progress import Bar
from ._settings import method_of, objective_of
from ._svc import SparseSVC

if TYPE_CHECKING:
    from ._types import Floats, Integers


@dataclass(frozen=True)
class StabilityResult:
    """How often each feature was selected on halves of the data."""

    #: Share of the halves that selected each feature, of shape (n_features,).
    frequencies: Floats
    #: Share of these where its weight was positive (nan if none selected it).
    positive: Floats
    #: The features at or above the threshold, the most frequent first.
    selected: Integers
    threshold: float
    #: The most that a half could select (or, at a given alpha, the mean of what they did).
    q: float
    #: On the expected number of falsely selected features: q² / ((2·threshold - 1)·n_features).
    bound: float
    #: Halves that were fitted, and why others failed.
    halves: int
    failures: list[str]
    feature_names: Any = None


def stability_selection(
    X: Any,
    y: Any,
    penalty: str = "l1",
    *,
    theta: float | None = None,
    n_pairs: int = 50,
    threshold: float = 0.75,
    max_features: int | None = None,
    alpha: float | None = None,
    n_alphas: int = 100,
    alpha_min_ratio: float = 0.01,
    loss: str = "hinge",
    l2: float = 0.0,
    penalty_factors: Any = None,
    fit_intercept: bool = True,
    class_weight: Any = None,
    sample_weight: Any = None,
    standardize: bool = False,
    tol: float = 1e-4,
    n_jobs: int | None = None,
    random_state: Any = 0,
    verbose: int = 0,
) -> StabilityResult:
    """Selects features on complementary halves of the rows (Shah and Samworth 2013) and counts.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two classes.
    n_pairs : int, default=50
        Pairs of disjoint halves, drawn with the same share of each class.
    threshold : float, default=0.75
        A feature is selected if this share of the halves selects it; more than 0.5.
    max_features : int, default=None
        The most features that a half may select; it decides the bound. None takes the most for which the
        bound is at most 1.
    alpha : float, default=None
        Instead of `max_features`: the strength.

    Other parameters are those of `SparseSVC` and `svm_path`.

    Returns
    -------
    StabilityResult
    """
    if alpha is not None and max_features is not None:
        raise ValueError("alpha and max_features are two ways to say how much is kept: give one of them")
    names = _get_feature_names(X)
    X, y, classes, codes = two_classes(X, y, "stability_selection")
    if alpha is None and max_features is None:
        max_features = max(1, int(np.sqrt(max(2 * threshold - 1, 0) * X.shape[1])))
    parameters = SparseSVC(
        penalty,
        theta=theta,
        loss=loss,
        l2=l2,
        penalty_factors=penalty_factors,
        fit_intercept=fit_intercept,
        standardize=standardize,
        tol=tol,
        n_jobs=n_jobs,
    )
    parameters._validate_params()
    seed = random_state
    if not isinstance(seed, int | np.integer):
        seed = check_random_state(seed).randint(2**31)
    weights = row_weights(sample_weight, class_weight, classes, y, X)
    bar = Bar("stability_selection") if verbose else None
    try:
        found = _core.stability(
            X,
            np.where(codes == 1, 1.0, -1.0).tolist(),
            None if weights is None else weights.tolist(),
            (max_features, None if alpha is None else float(alpha)),
            (int(n_pairs), float(threshold), int(seed)),
            (int(n_alphas), float(alpha_min_ratio)),
            objective_of(parameters),
            method_of(parameters),
            bar,
        )
    finally:
        if bar is not None:
            bar.close()
    frequencies, positive = np.zeros(X.shape[1]), np.full(X.shape[1], np.nan)
    for feature, share, sign in found.features:
        frequencies[feature], positive[feature] = share, sign
    ordered = np.array([feature for feature, _, _ in found.features], dtype=np.int64)
    return StabilityResult(
        frequencies=frequencies,
        positive=positive,
        selected=ordered[frequencies[ordered] >= threshold - 1e-12],
        threshold=float(threshold),
        q=found.q,
        bound=found.bound,
        halves=found.halves,
        failures=found.failures,
        feature_names=names,
    )
