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
    from ._core import Stability
    from ._types import Floats, Integers, Method, Objective, Progress
    from .dask._pairs import Tally


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
    fit_intercept: bool | str = True,
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
    plan = plan_of(
        X,
        y,
        penalty,
        theta=theta,
        n_pairs=n_pairs,
        threshold=threshold,
        max_features=max_features,
        alpha=alpha,
        n_alphas=n_alphas,
        alpha_min_ratio=alpha_min_ratio,
        loss=loss,
        l2=l2,
        penalty_factors=penalty_factors,
        fit_intercept=fit_intercept,
        class_weight=class_weight,
        sample_weight=sample_weight,
        standardize=standardize,
        tol=tol,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    bar = Bar("stability_selection") if verbose else None
    try:
        found = plan.draw(plan.n_pairs, plan.seed, bar)
    finally:
        if bar is not None:
            bar.close()
    return result_of(plan, found)


@dataclass(frozen=True)
class Plan:
    """What is drawn, and how halves are fitted."""

    X: Any
    signs: list[float]
    weights: list[float] | None
    #: At most so many features, or at this strength.
    selector: tuple[int | None, float | None]
    n_pairs: int
    threshold: float
    seed: int
    grid: tuple[int, float]
    objective: Objective
    method: Method
    n_features: int
    feature_names: Any

    def draw(self, n_pairs: int, seed: int, progress: Progress | None = None) -> Stability:
        """Fits so many pairs of halves."""
        return _core.stability(
            self.X,
            self.signs,
            self.weights,
            self.selector,
            (n_pairs, self.threshold, seed),
            self.grid,
            self.objective,
            self.method,
            progress,
        )


def plan_of(
    X: Any,
    y: Any,
    penalty: str = "l1",
    *,
    n_pairs: int = 50,
    threshold: float = 0.75,
    max_features: int | None = None,
    alpha: float | None = None,
    n_alphas: int = 100,
    alpha_min_ratio: float = 0.01,
    class_weight: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    **settings: Any,
) -> Plan:
    """The arguments of `stability_selection`, checked; `settings` are those of `SparseSVC`."""
    if alpha is not None and max_features is not None:
        raise ValueError("alpha and max_features are two ways to say how much is kept: give one of them")
    names = _get_feature_names(X)
    X, y, classes, codes = two_classes(X, y, "stability_selection")
    if alpha is None and max_features is None:
        max_features = max(1, int(np.sqrt(max(2 * threshold - 1, 0) * X.shape[1])))
    parameters = SparseSVC(penalty, **settings)
    parameters._validate_params()
    seed = random_state
    if not isinstance(seed, int | np.integer):
        seed = check_random_state(seed).randint(2**31)
    weights = row_weights(sample_weight, class_weight, classes, y, X)
    return Plan(
        X=X,
        signs=np.where(codes == 1, 1.0, -1.0).tolist(),
        weights=None if weights is None else weights.tolist(),
        selector=(max_features, None if alpha is None else float(alpha)),
        n_pairs=int(n_pairs),
        threshold=float(threshold),
        seed=int(seed),
        grid=(int(n_alphas), float(alpha_min_ratio)),
        objective=objective_of(parameters),
        method=method_of(parameters),
        n_features=X.shape[1],
        feature_names=names,
    )


def result_of(plan: Plan, found: Stability | Tally) -> StabilityResult:
    """What was found as users get it."""
    frequencies, positive = np.zeros(plan.n_features), np.full(plan.n_features, np.nan)
    for feature, share, sign in found.features:
        frequencies[feature], positive[feature] = share, sign
    ordered = np.array([feature for feature, _, _ in found.features], dtype=np.int64)
    return StabilityResult(
        frequencies=frequencies,
        positive=positive,
        selected=ordered[frequencies[ordered] >= plan.threshold - 1e-12],
        threshold=plan.threshold,
        q=found.q,
        bound=found.bound,
        halves=found.halves,
        failures=found.failures,
        feature_names=plan.feature_names,
    )
