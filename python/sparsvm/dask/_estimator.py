"""DaskSparseSVC: SparseSVC on rows that are spread over a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from .._arrays import texts
from .._progress import Teller, with_callbacks
from .._settings import method_of, objective_of, warn_unless_converged
from .._svc import STEP, SparseSVC
from ._client import client_of
from ._collect import collect
from ._driver import run_team
from ._place import place
from ._predict import decisions_of, is_lazy, labels_of, score_of
from ._work import FitWork

if TYPE_CHECKING:
    from typing_extensions import Self

#: Those that sum over rows and nothing else.
SOLVERS = ("auto", "exact", "feadmm")


class DaskSparseSVC(SparseSVC):
    """`SparseSVC`, fitted by the workers of a Dask cluster together.

    Every worker keeps its rows, and all take the same steps: the model is that of `SparseSVC` on all rows, up to
    rounding, with the same certificate. A worker that dies does not end the fit if Dask can make its rows again.

    Parameters are those of `SparseSVC`, and

    client : distributed.Client, default=None
        The cluster; None is the client that was made last.

    `solver` is "auto", "exact" or "feadmm"; `probability` is refused; `n_jobs` is that of predictions on local
    data, since workers have threads of their own.

    Attributes are those of `SparseSVC` but for `dual_coef_`, which stays with the rows, and

    n_workers_ : int
        Workers that had rows.
    traffic_ : dict
        "rounds" (sums over all members), bytes "sent" and "received" by all, "seconds" in the solver, and the
        figures of each worker in "members".
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseSVC._parameter_constraints,
        "client": [object],
    }

    def __init__(
        self,
        penalty: str = "mcp",
        alpha: float | None = None,
        theta: float | None = None,
        *,
        client: Any = None,
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
        super().__init__(
            penalty,
            alpha,
            theta,
            loss=loss,
            l2=l2,
            penalty_factors=penalty_factors,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            max_time=max_time,
            n_starts=n_starts,
            max_features=max_features,
            warm_start=warm_start,
            standardize=standardize,
            probability=probability,
            record_history=record_history,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.client = client

    @with_callbacks  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fits the model.

        Parameters
        ----------
        X : dask.array (dense or scipy.sparse chunks), dask.dataframe, `Files` or list of paths
        y : dask.array, series of Dask or array-like of shape (n_samples,)
            With the partitions of X. None for files, which hold their labels.
        sample_weight : like y, default=None

        Returns
        -------
        self
        """
        self._refuse_what_is_not_there()
        client = client_of(self.client)
        collected = collect(client, X, y, sample_weight, self.class_weight)
        outline = collected.outline
        blocks = place(client, collected)
        # Blocks hold all rows. Parts are made again only if a block is lost.
        del collected
        work = FitWork(
            classes=texts(outline.classes),
            alpha=self.alpha,
            max_features=self.max_features,
            objective=objective_of(self),
            method=method_of(self),
            columns=outline.columns,
            names=outline.names,
            start=self._start(outline.classes, outline.columns),
            keep_history=bool(self.record_history),
        )
        with Teller(self) as teller:
            fits, traffic = run_team(client, blocks, work, teller.progress())
        for fit in fits:
            warn_unless_converged(fit.status, self.tol, "The model")
        self._keep(fits, outline.classes)
        self.n_features_in_ = outline.columns
        self.__dict__.pop("feature_names_in_", None)
        if outline.names is not None:
            self.feature_names_in_ = np.asarray(outline.names, dtype=object)
        self.n_workers_, self.traffic_ = len(blocks), traffic
        if self.record_history:
            steps = [np.array(fit.history, dtype=STEP) for fit in fits]
            self.history_ = steps[0] if len(steps) == 1 else steps
        return self

    def _refuse_what_is_not_there(self) -> None:
        if self.alpha is not None and self.max_features is not None:
            raise ValueError("alpha and max_features are two ways to say how much is kept: give one of them")
        if self.solver not in SOLVERS:
            raise ValueError(
                f"solver={self.solver!r} needs all rows in one place: use one of {', '.join(SOLVERS)} on a cluster"
            )
        if self.probability:
            raise ValueError(
                "probability=True is not there on a cluster: fit without it, and put "
                "sklearn.calibration.CalibratedClassifierCV around to_local(), with rows that were put aside"
            )

    def decision_function(self, X: Any) -> Any:
        """How far each row is on the positive side: lazily for a collection of Dask, at once for local data."""
        check_is_fitted(self)
        return decisions_of(self.to_local(), X) if is_lazy(X) else super().decision_function(X)

    def predict(self, X: Any) -> Any:
        """The label of each row: lazily for a collection of Dask, at once for local data."""
        check_is_fitted(self)
        return labels_of(self.to_local(), X) if is_lazy(X) else super().predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are given their label."""
        if not is_lazy(X):
            return float(super().score(X, y, sample_weight))
        check_is_fitted(self)
        return score_of(client_of(self.client), self.to_local(), X, y, sample_weight)

    def to_local(self) -> SparseSVC:
        """The same model as an ordinary `SparseSVC`, in which nothing is left of Dask."""
        check_is_fitted(self)
        settings = self.get_params(deep=False)
        del settings["client"]
        local = SparseSVC(**settings)
        local.__dict__.update({name: value for name, value in self.__dict__.items() if _is_fitted_part(name)})
        return local

    def __getstate__(self) -> Any:
        # A connection cannot be sent: whoever reads this has one of their own.
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self) -> DaskSparseSVC:
        return type(self)(**self.get_params(deep=False))


def _is_fitted_part(name: str) -> bool:
    return name == "_models" or (name.endswith("_") and not name.startswith("_"))


def train(client: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **settings: Any) -> SparseSVC:
    """Fits a model on a cluster; returns a local one.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    X, y, sample_weight
        As `DaskSparseSVC.fit` takes them.
    **settings
        Those of `SparseSVC`.

    Returns
    -------
    SparseSVC
    """
    model = DaskSparseSVC(client=client, **settings)
    model.fit(X, y, sample_weight)
    return model.to_local()
