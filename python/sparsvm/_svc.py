"""SparseSVC: one model, at one strength or with at most so many features."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from . import _core
from ._arrays import ACCEPTED, aligned, coded, for_core, row_weights
from ._calibration import sigmoids_by_folds
from ._linear import SparseLinearClassifier
from ._progress import Teller, with_callbacks
from ._settings import SHARED_CONSTRAINTS, SOLVERS, threads, warn_unless_converged

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._core import Fit
    from ._types import Floats, Integers

#: What a step of `history_` holds.
STEP = np.dtype(
    [("iteration", np.int64), ("seconds", np.float64), ("objective", np.float64), ("n_features", np.int64)]
)


class SparseSVC(SparseLinearClassifier):
    """A linear support vector classifier that keeps few features, with a proof of how good it is.

    It minimises, over coefficients w and intercept b,

        (1/n) Σ c_i loss(y_i (x_i·w + b)) + Σ k_j penalty(|w_j|; alpha, theta) + (l2/2) ‖w‖²

    Parameters
    ----------
    penalty : {"mcp", "scad", "l1", "lsp", "capped_l1", "lp"}, default="mcp"
        "l1" is convex and shrinks every coefficient. The others level off: large coefficients are left
        alone, and fewer features are kept at the same accuracy.
    alpha : float, default=None
        Strength of the penalty, the λ of the literature: a larger one keeps fewer features. None takes 0.3
        times the largest strength that keeps any feature (for several classes each its own); see
        `SparseSVCCV` for a choice by cross-validation.
    theta : float, default=None
        Shape of the penalty; None is 3.7 for "scad", 3 for "mcp", 1 for "lsp" and "capped_l1", 0.5 for "lp"
        (its exponent). "l1" has none.
    loss : {"hinge", "squared_hinge", "huber_hinge"}, default="hinge"
        What a row costs that is not beyond the margin.
    l2 : float, default=0.0
        Adds a ridge part: an elastic net.
    penalty_factors : array-like of shape (n_features,), default=None
        How much each feature is penalised, relative to the others; 0 keeps it always.
    fit_intercept : bool or "penalised", default=True
        False fixes b = 0. "penalised" lets b cost what the coefficient of a feature costs that is 1 in every row, as
        LIBLINEAR has it: where rows are few a free one leans to the larger class.
    class_weight : dict or "balanced", default=None
        How much the rows of each class count; "balanced" makes classes count the same.
    solver : {"auto", "exact", "feadmm", "gist", "sqa", "reweighted", "global"}, default="auto"
        "auto" is "exact", which needs no tuning and takes everything. The others are for comparison, and
        "global" for the proven global optimum of a small problem.
    tol : float, default=1e-4
        Relative duality gap at which the fit is proved good enough.
    max_iter : int, default=None
        The most iterations; None is the solver's own limit.
    max_time : float, default=None
        The most seconds.
    n_starts : int, default=20
        From how many points "exact" descends at most if the penalty is not convex. 1 is a quick look; from
        10,000 samples on all up to 20 are one start, and more search the whole path of the l1 penalty; 40 also
        double the work that the search may take, 60 triple it.
    max_features : int, default=None
        Instead of `alpha`: of the models along a path of 100 strengths that keep at most so many features
        the one with the lowest loss; unless the penalty is "l1", fits at other strengths that find a lower
        one with as few features are compared as well.
    warm_start : bool, default=False
        Start from the model that is there; for a penalty that is not convex it is one start more.
    standardize : bool, default=False
        Fit on columns that are scaled to a standard deviation of 1, so that the penalty treats them alike;
        `coef_` is for the raw columns all the same. Sparse data stays sparse, but its values are copied.
    probability : bool, default=False
        Fit five more models to parts of the rows, for `predict_proba`.
    record_history : bool, default=False
        Keep the steps of the fit in `history_`.
    n_jobs : int, default=None
        Threads; None and -1 are one for each core (within joblib's workers, None is as many as they have).
        The number never changes a result.
    random_state : int, RandomState instance or None, default=None
        Of the folds for `probability`. Nothing else is random.
    verbose : int, default=0
        1 shows a progress bar on standard error.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients for raw data; see also `sparsify`.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_selected,)
        Indices of the features that are kept.
    alpha_ : float, or ndarray of shape (n_classes,)
        The strength that was used.
    objective_ : float, or ndarray of shape (n_classes,)
        The minimum that was found.
    gap_ : float
        The relative duality gap, recomputed from the data: for a convex penalty no model is better by more;
        for another no solution of its last convex majoriser is. The largest over the classes.
    violation_ : float
        How far the optimality conditions are missed, relative to their size.
    status_ : {"converged", "max_iter", "max_time", "stalled"}
        "converged" only if `gap_` and `violation_` are within `tol`.
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples)
        Dual variable times label (±1) of each row: rows with 0 are beyond the margin.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names that are strings.
    history_ : structured array, or a list of them for several classes
        Iteration, seconds, objective and number of features of each step, with `record_history`. For
        "exact" the objective is that of the convex problem at hand.

    Notes
    -----
    More than two classes are fitted one against the rest, in parallel on the same X. X is not copied if it
    is a float64 array that is contiguous by rows or by columns, or a float64 CSR or CSC matrix; 64-bit
    positions are narrowed to 32 bits. Other types are converted to float64 once. Sample weights are brought
    to a mean of 1, so that a weight of 2 counts as two rows.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "solver": [StrOptions(SOLVERS)],
        "n_starts": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "probability": ["boolean"],
        "record_history": ["boolean"],
    }

    def __init__(
        self,
        penalty: str = "mcp",
        alpha: float | None = None,
        theta: float | None = None,
        *,
        loss: str = "hinge",
        l2: float = 0.0,
        penalty_factors: Any = None,
        fit_intercept: bool | str = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        n_starts: int = 20,
        max_features: int | None = None,
        warm_start: bool = False,
        standardize: bool = False,
        probability: bool = False,
        record_history: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.theta = theta
        self.loss = loss
        self.l2 = l2
        self.penalty_factors = penalty_factors
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.n_starts = n_starts
        self.max_features = max_features
        self.warm_start = warm_start
        self.standardize = standardize
        self.probability = probability
        self.record_history = record_history
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if self.alpha is not None and self.max_features is not None:
            raise ValueError("alpha and max_features are two ways to say how much is kept: give one of them")
        X, y = validate_data(self, X, y, **ACCEPTED)
        check_classification_targets(y)
        X = for_core(X)
        classes, codes = coded(y)
        weights = row_weights(sample_weight, self.class_weight, classes, y, X)
        with Teller(self) as teller:
            fits = self._fit_problems(
                X,
                codes,
                classes,
                weights,
                self.alpha,
                max_features=self.max_features,
                start=self._start(classes, X.shape[1]),
                keep_history=bool(self.record_history),
                progress=teller.progress(),
            )
        for fit in fits:
            warn_unless_converged(fit.status, self.tol, "The model")
        self._keep(fits, classes)
        if self.record_history:
            steps = [np.array(fit.history, dtype=STEP) for fit in fits]
            self.history_ = steps[0] if len(steps) == 1 else steps
        if self.probability:
            self._calibrate(X, codes, classes, weights)
        return self

    def _start(self, classes: Any, n_features: int) -> tuple[Floats, list[float]] | None:
        """The model that is there, if it is wanted and fits."""
        known = getattr(self, "classes_", None)
        if not self.warm_start or known is None or not np.array_equal(known, classes):
            return None
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
        if coef.shape[1] != n_features:
            return None
        return aligned(np.ascontiguousarray(coef, dtype=np.float64)), self.intercept_.tolist()

    def _calibrate(self, X: Any, codes: Integers, classes: Any, weights: Floats | None) -> None:
        def fit(X: Any, codes: Integers, weights: Floats | None) -> list[Fit]:
            return self._fit_problems(X, codes, classes, weights, self.alpha, max_features=self.max_features)

        self.sigmoids_ = sigmoids_by_folds(fit, X, codes, weights, self.random_state, threads(self.n_jobs))


def load(path: str | os.PathLike[str]) -> SparseSVC:
    """Reads a model file that the command line or `save` wrote.

    Returns
    -------
    SparseSVC
        Fitted: it predicts, selects and can be saved. What only a fit on the data knows, such as
        `dual_coef_`, it has not. A model that `sparsvm import` took over from another program has no
        `alpha_`, `objective_`, `gap_` and `violation_` either, and its settings are the usual ones.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        classes, models = _core.read_models(text)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
    model, alone = models[0], len(models) == 1
    if model.is_ranking:
        raise ValueError(f"{os.fspath(path)}: the model ranks, and SparseSVC classifies: use `sparsvm predict`")
    found = SparseSVC() if model.certificate is None else _with_settings_of(models)
    found.classes_ = _labels(classes)
    found.coef_ = np.vstack([machine.coef() for machine in models])
    found.intercept_ = np.array([machine.intercept for machine in models])
    found.n_features_in_ = found.coef_.shape[1]
    found.status_ = next((m.status for m in models if m.status != "converged"), "converged")
    if model.certificate is not None and model.alpha is not None:
        alphas = np.array([machine.alpha for machine in models])
        certificates = np.array([machine.certificate for machine in models])
        found.alpha_ = model.alpha if alone else alphas
        found.objective_ = float(certificates[0, 0]) if alone else certificates[:, 0]
        found.gap_, found.violation_ = certificates[:, 2].max().item(), certificates[:, 3].max().item()
    sigmoids = [machine.sigmoid for machine in models if machine.sigmoid is not None]
    if sigmoids:
        found.sigmoids_ = sigmoids
    found._models = models
    return found


def _with_settings_of(models: list[_core.Model]) -> SparseSVC:
    """What would fit such a model."""
    model = models[0]
    penalty = (model.penalty or "").replace("-", "_")
    return SparseSVC(
        penalty,
        model.alpha if all(machine.alpha == model.alpha for machine in models) else None,
        None if penalty == "l1" else model.theta,
        loss=(model.loss or "").replace("-", "_"),
        l2=model.l2 or 0.0,
        standardize=model.scaling == "standard",
        probability=model.sigmoid is not None,
    )


def _labels(texts: list[str]) -> Any:
    """Numbers if all of them are, whole ones if possible."""
    for kind in (int, float):
        try:
            return np.array([kind(text) for text in texts])
        except ValueError:
            pass
    return np.array(texts)
