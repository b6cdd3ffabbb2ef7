"""What a fitted linear classifier can do, however it was fitted: decide, select, save."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._arrays import ACCEPTED, aligned, for_core, texts
from ._calibration import probabilities_of
from ._progress import CallbackSupportMixin
from ._settings import method_of, objective_of, threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from ._core import Fit
    from ._results import Fitted
    from ._types import Floats, Integers, Progress


def _wants_probability(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is there only if probability=True is given before fit")
    return True


class SparseLinearClassifier(CallbackSupportMixin, SelectorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Decisions, probabilities, selected features and model files; `fit` is its children's."""

    coef_: Any

    def _fit_problems(
        self,
        X: Any,
        codes: Integers,
        classes: Any,
        weights: Floats | None,
        alpha: float | None,
        *,
        max_features: int | None = None,
        n_starts: int | None = None,
        start: tuple[Floats, list[float]] | None = None,
        keep_history: bool = False,
        progress: Progress | None = None,
    ) -> list[Fit]:
        """One fit for two classes, else one for each class; `n_starts` overrides the estimator's own."""
        names = getattr(self, "feature_names_in_", None)
        method = method_of(self)
        if n_starts is not None:
            method["n_starts"] = n_starts
        return _core.fit(
            X,
            codes,
            texts(classes),
            weights,
            alpha,
            max_features,
            objective_of(self),
            method,
            None if names is None else [str(name) for name in names],
            start,
            keep_history,
            progress,
        )

    def _keep(self, fits: Sequence[Fit | Fitted], classes: Any) -> None:
        """Takes over what was fitted: one problem for two classes, else one for each class."""
        alone = len(fits) == 1
        self.classes_ = classes
        self.coef_ = np.vstack([fit.coef for fit in fits])
        self.intercept_ = np.array([fit.intercept for fit in fits])
        duals = [fit.dual for fit in fits if fit.dual is not None]
        if duals:
            self.dual_coef_ = np.vstack(duals)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.alpha_ = fits[0].alpha if alone else np.array([fit.alpha for fit in fits])
        self.objective_ = fits[0].objective if alone else np.array([fit.objective for fit in fits])
        self.gap_ = max(fit.gap for fit in fits)
        self.violation_ = max(fit.violation for fit in fits)
        self.status_ = next((fit.status for fit in fits if fit.status != "converged"), "converged")
        self._models = [fit.model for fit in fits]

    def decision_function(self, X: Any) -> Floats:
        """How far each row is on the positive side.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            The model's sign is the decision; among several classes the largest value is.
        """
        check_is_fitted(self)
        return self._decide(for_core(validate_data(self, X, reset=False, **ACCEPTED)))

    def _decide(self, X: Any) -> Floats:
        """Decision values of an X that is checked already."""
        rows = zip(self._rows(), self.intercept_.tolist())
        columns = [_core.decisions(X, row, b, threads(self.n_jobs)) for row, b in rows]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def _rows(self) -> list[Floats]:
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
        return [aligned(np.ascontiguousarray(row, dtype=np.float64)) for row in coef]

    def predict(self, X: Any) -> Any:
        """The label of each row."""
        return self._labels(self.decision_function(X))

    def _labels(self, scores: Floats) -> Any:
        places = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[places]

    @available_if(_wants_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, by a sigmoid that was fitted to cross-validated decision values."""
        return probabilities_of(self.decision_function(X), self.sigmoids_)

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return np.asarray((self.coef_ != 0).sum(axis=0)).ravel() > 0

    @property
    def support_(self) -> Integers:
        """Indices of the features that are kept, for any class."""
        return np.flatnonzero(self._get_support_mask())

    def sparsify(self) -> Self:
        """Holds `coef_` as a CSR matrix: small if the model is."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Holds `coef_` as an array, as after `fit`."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file of the command line; `sparsvm predict` and `sparsvm.load` read it.

        The file appears whole or not at all. It holds all classes, and what `predict_proba` needs if
        `probability=True` was given; what only a fit on the data knows, such as `dual_coef_`, it has not.
        """
        check_is_fitted(self)
        sigmoids = getattr(self, "sigmoids_", None) if self.probability else None
        text = _core.models_text(texts(self.classes_), self._models, sigmoids)
        folder, name = os.path.split(os.path.abspath(os.fspath(path)))
        # Not tempfile's: its files are for the user alone, and a model is as readable as any other file.
        temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
        with open(temporary, "x", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
