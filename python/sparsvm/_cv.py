"""SparseSVCCV: the strength by cross-validation along the path."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from . import _core
from ._arrays import ACCEPTED, coded, for_core, row_weights
from ._linear import SparseLinearClassifier
from ._path import coefficients, coefficients_at, grid
from ._progress import Teller, with_callbacks
from ._settings import SHARED_CONSTRAINTS, method_of, objective_of, warn_unless_converged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from ._core import Path
    from ._results import Followed
    from ._types import Floats, Integers


@dataclass(frozen=True)
class Prepared:
    """The rows of all paths, and which of them each fold trains on and puts aside."""

    X: Any
    y: Any
    codes: Integers
    classes: Any
    #: As it was given, and with the weights of classes.
    sample_weight: Any
    weights: Floats | None
    folds: list[tuple[Integers, Integers]]


class SparseSVCCV(SparseLinearClassifier):
    """`SparseSVC` with its strength chosen by cross-validation.

    Follows the path on all rows and on the training rows of each fold, scores every model on the rows that
    it has not seen, chooses alpha by `rule`, and takes the model there of the path on all rows.

    Parameters
    ----------
    n_alphas : int, default=100
        How many strengths, log-spaced from the largest that keeps any feature. Each fold takes the same
        shares of its own largest one, which differs from fold to fold.
    alpha_min_ratio : float, default=0.01
        The last strength relative to the first.
    alphas : array-like, default=None
        The strengths themselves, the same in all folds.
    cv : int, splitter or iterable, default=5
        As everywhere in scikit-learn; a number is that of stratified folds, which are not shuffled.
    rule : {"1se", "min"}, default="1se"
        "min" takes the best mean score, "1se" the model with the fewest features whose mean score is within
        one standard error of the best. Ties go to fewer features.
    scoring : str or callable, default=None
        None is the accuracy; greater is better.
    max_features : int, default=None
        Ends every path before it keeps more.
    theta, l2, loss, penalty_factors, fit_intercept, class_weight, tol, max_iter, max_time, standardize, \
n_jobs, verbose
        As those of `SparseSVC`. The model is a point of the path on all rows; there are no probabilities. With
        1,000 rows or more, folds are fitted to ten times `tol`, if that is at most 1e-3: their scores have larger
        errors than that.

    Attributes
    ----------
    alpha_ : float
        The strength that was chosen.
    alphas_ : ndarray of shape (n_alphas,)
        From the largest down; those that the paths of all folds have reached.
    scores_ : ndarray of shape (n_alphas, n_folds)
        On the rows that were put aside.
    mean_score_, se_score_ : ndarray of shape (n_alphas,)
        Mean and standard error over the folds.
    best_index_, chosen_index_ : int
        The best mean score, and what the rule takes.
    n_features_path_ : ndarray of shape (n_alphas,)
        Features kept by the path on all rows.
    coefs_path_ : list of CSR arrays of shape (n_alphas, n_features)
        The path on all rows; one for each class if there are more than two.
    intercepts_path_ : ndarray of shape (n_alphas, 1) or (n_alphas, n_classes)

    The others are those of `SparseSVC`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "n_alphas": [Interval(Integral, 1, None, closed="left")],
        "alpha_min_ratio": [Interval(Real, 0, 1, closed="neither")],
        "alphas": ["array-like", None],
        "cv": ["cv_object"],
        "rule": [StrOptions({"1se", "min"})],
        "scoring": [str, callable, None],
    }
    probability = False

    def __init__(
        self,
        penalty: str = "mcp",
        theta: float | None = None,
        *,
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.01,
        alphas: Any = None,
        cv: Any = 5,
        rule: str = "1se",
        scoring: Any = None,
        loss: str = "hinge",
        l2: float = 0.0,
        penalty_factors: Any = None,
        fit_intercept: bool | str = True,
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        max_features: int | None = None,
        standardize: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.penalty = penalty
        self.theta = theta
        self.n_alphas = n_alphas
        self.alpha_min_ratio = alpha_min_ratio
        self.alphas = alphas
        self.cv = cv
        self.rule = rule
        self.scoring = scoring
        self.loss = loss
        self.l2 = l2
        self.penalty_factors = penalty_factors
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.max_features = max_features
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Chooses the strength and fits the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in the fits; scores count every row alike.
        groups : array-like of shape (n_samples,), default=None
            For a `cv` that keeps groups together.

        Returns
        -------
        self
        """
        rows = self._prepare(X, y, sample_weight, groups)
        with Teller(self, parts=len(rows.folds) + 2) as teller:
            whole = self._paths(rows.X, rows.codes, len(rows.classes), rows.weights, teller)
            teller.part(1)
            scores = []
            for k in range(len(rows.folds)):
                scores.append(self._score_fold(rows, k, teller))
                teller.part(k + 2)
            self._finish(rows, whole, scores, teller)
            teller.part(len(rows.folds) + 2)
        warn_unless_converged(self.status_, self.tol, "The model")
        return self

    def _prepare(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Prepared:
        """What all paths need, checked."""
        X, y = validate_data(self, X, y, **ACCEPTED)
        check_classification_targets(y)
        X = for_core(X)
        classes, codes = coded(y)
        weights = row_weights(sample_weight, self.class_weight, classes, y, X)
        return Prepared(X, y, codes, classes, sample_weight, weights, self._folds(X, y, codes, groups))

    def _finish(
        self, rows: Prepared, whole: Sequence[Path | Followed], scores: list[Floats], teller: Teller
    ) -> None:
        """Chooses by the scores of the folds, and fits what is chosen."""
        alphas = whole[0].alphas[: min(len(path.alphas) for path in whole)]
        self._choose(whole, alphas, np.column_stack([of_fold[: len(alphas)] for of_fold in scores]))
        # What the folds have measured is the path: its point is taken to the end, and no other sought.
        fits = self._fit_problems(
            rows.X,
            rows.codes,
            rows.classes,
            rows.weights,
            float(self.alphas_[self.chosen_index_]),
            n_starts=0,
            start=self._point(self.chosen_index_),
            progress=teller.progress(),
        )
        self._keep(fits, rows.classes)
        self.alpha_ = float(self.alphas_[self.chosen_index_])
        self.n_iter_ = max(path.n_iter + fit.n_iter for path, fit in zip(whole, fits))

    def _folds(self, X: Any, y: Any, codes: Integers, groups: Any) -> list[tuple[Integers, Integers]]:
        """Training and test rows; a number of folds that the smallest class cannot fill is lowered."""
        cv, smallest = self.cv, int(np.bincount(codes).min())
        if isinstance(cv, int | np.integer) and 2 <= smallest < cv:
            warnings.warn(
                f"cv={cv} folds become {smallest}, since a class has only {smallest} rows", stacklevel=4
            )
            cv = smallest
        return list(check_cv(cv, y, classifier=True).split(X, y, groups))

    def _paths(
        self,
        X: Any,
        codes: Integers,
        n_classes: int,
        weights: Floats | None,
        teller: Teller,
        tol: float | None = None,
    ) -> list[Path]:
        """To another tolerance than the model's, if there is one."""
        objective, method = objective_of(self), method_of(self)
        if tol is not None:
            method["tol"] = tol
        alphas = grid(self.alphas, self.n_alphas, self.alpha_min_ratio)
        paths = _core.path(
            X, codes, n_classes, weights, alphas, self.max_features, objective, method, teller.progress()
        )
        if not all(len(path.alphas) for path in paths):
            raise ValueError(
                f"max_features = {self.max_features}: the path keeps more from the first alpha on; give more"
            )
        return paths

    def _score_fold(self, rows: Prepared, k: int, teller: Teller) -> Floats:
        """The score at each strength of a fold's path; nan where the path ended before it."""
        train, test = rows.folds[k]
        X, y, codes, classes = rows.X, rows.y, rows.codes, rows.classes
        if len(np.unique(codes[train])) != len(classes):
            raise ValueError("a fold has no rows of some class to train on: use fewer folds, or stratified ones")
        weights = None if rows.sample_weight is None else np.asarray(rows.sample_weight)[train]
        X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, test)
        weights = row_weights(weights, self.class_weight, classes, y[train], X_train)
        tol = _core.fold_tol(float(self.tol), len(y))
        paths = self._paths(X_train, codes[train], len(classes), weights, teller, tol)
        scorer = None if self.scoring is None else check_scoring(self, scoring=self.scoring)
        judged = copy.copy(self)
        judged.classes_, judged.n_features_in_ = classes, X.shape[1]
        judged.__dict__.pop("feature_names_in_", None)
        strengths = grid(self.alphas, self.n_alphas, self.alpha_min_ratio)
        count = strengths[0] if isinstance(strengths, tuple) else len(strengths)
        scores = np.full(count, np.nan)
        for at in range(min(len(path.alphas) for path in paths)):
            judged.coef_ = coefficients_at(paths, at, X.shape[1])
            judged.intercept_ = np.array([path.intercepts[at] for path in paths])
            if scorer is None:
                scores[at] = np.mean(judged._labels(judged._decide(X_test)) == y[test])
            else:
                scores[at] = scorer(judged, X_test, y[test])
        return scores

    def _choose(self, whole: Sequence[Path | Followed], alphas: Floats, scores: Floats) -> None:
        reached = ~np.isnan(scores).any(axis=1)
        last = len(alphas) if reached.all() else int(np.argmin(reached))
        if last == 0:
            raise ValueError("no alpha was fitted in all folds: raise max_features, max_iter or max_time")
        self.alphas_, self.scores_ = alphas[:last], scores[:last]
        coefs = [coefficients(path, self.n_features_in_) for path in whole]
        self.coefs_path_ = [coef[:last] for coef in coefs]
        self.intercepts_path_ = np.column_stack([path.intercepts[:last] for path in whole])
        kept = sum(abs(coef) for coef in self.coefs_path_)
        self.n_features_path_ = np.diff(kept.tocsr().indptr)
        self.mean_score_ = self.scores_.mean(axis=1)
        folds = self.scores_.shape[1]
        spread = self.scores_.std(axis=1, ddof=1) if folds > 1 else np.zeros(last)
        self.se_score_ = spread / np.sqrt(folds)
        self.best_index_, self.chosen_index_ = choose(
            self.mean_score_, self.se_score_, self.n_features_path_, self.rule
        )

    def _point(self, k: int) -> tuple[Floats, list[float]]:
        """A point of the path on all rows, for the last fit to start from."""
        coef = np.vstack([coef[[k]].toarray() for coef in self.coefs_path_])
        return np.ascontiguousarray(coef), self.intercepts_path_[k].tolist()


def choose(mean: Floats, se: Floats, n_features: Integers, rule: str) -> tuple[int, int]:
    """The best, and what the rule takes: of equals the one with fewer features, and then the larger alpha."""
    order = range(len(mean))
    best = min(order, key=lambda k: (-mean[k], n_features[k], k))
    if rule == "min":
        return best, best
    near = [k for k in order if mean[k] >= mean[best] - se[best]]
    return best, min(near, key=lambda k: (n_features[k], -mean[k], k))
