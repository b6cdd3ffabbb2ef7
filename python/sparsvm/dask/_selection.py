"""Cross-validation and stability selection: independent fits to parts of the rows, each one a task.

A task has all rows, which must therefore fit a worker; they travel once to each.
"""

from __future__ import annotations

import copy
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from distributed import as_completed, get_worker

from .._arrays import aligned, for_core
from .._cv import SparseSVCCV
from .._progress import Bar, Teller
from .._results import Followed, followed
from .._settings import warn_unless_converged
from .._stability import plan_of, result_of
from ._block import block_of
from ._client import client_of
from ._collect import collect
from ._pairs import Pair, pair_of, seed_of_pair, tally
from ._predict import is_lazy

if TYPE_CHECKING:
    from .._cv import Prepared
    from .._stability import Plan, StabilityResult
    from .._types import Floats, Method
    from ._outline import Outline
    from ._part import Part


def train_cv(
    client: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    **settings: Any,
) -> SparseSVCCV:
    """`SparseSVCCV` with a task for the path on all rows and one for the path of each fold.

    Parameters
    ----------
    client : distributed.Client
        The cluster. Each worker that takes part must hold all rows.
    X, y, sample_weight
        In memory as `SparseSVCCV.fit` takes them, or as `DaskSparseSVC.fit` does.
    groups : array-like of shape (n_samples,), default=None
        For a `cv` that keeps groups together.
    **settings
        Those of `SparseSVCCV`; `n_jobs` does not count, since workers have threads of their own.

    Returns
    -------
    SparseSVCCV
        Fitted, and the same as without a cluster.
    """
    model = SparseSVCCV(**settings)
    model._validate_params()
    client, tasks = client_of(client), _Tasks(client, "cv", "train_cv" if model.verbose else None)
    with tasks:
        ready = _at_workers(client, tasks, _prepare, (X, y, sample_weight), (model, groups))
        count = tasks.submit("count", _count, ready).result()
        whole = tasks.submit("path", _whole, ready)
        folds = [tasks.submit(f"fold{k}", _fold, ready, k) for k in range(count)]
        tasks.show([whole, *folds])
        fitted: SparseSVCCV = tasks.submit("finish", _finish, ready, whole, folds).result()
    warn_unless_converged(fitted.status_, fitted.tol, "The model")
    return fitted


def stability_selection(
    client: Any,
    X: Any,
    y: Any = None,
    penalty: str = "l1",
    *,
    sample_weight: Any = None,
    verbose: int = 0,
    **settings: Any,
) -> StabilityResult:
    """`sparsvm.stability_selection` with a task for each pair of halves.

    Parameters
    ----------
    client : distributed.Client
        The cluster. Each worker that takes part must hold all rows.
    X, y, sample_weight
        In memory as `sparsvm.stability_selection` takes them, or as `DaskSparseSVC.fit` does.

    The others are those of `sparsvm.stability_selection`.

    Returns
    -------
    StabilityResult
        The same as without a cluster.
    """
    client, tasks = client_of(client), _Tasks(client, "stability", "stability_selection" if verbose else None)
    with tasks:
        ready = _at_workers(client, tasks, _plan, (X, y, sample_weight), (penalty, settings))
        plan = tasks.submit("plan", _without_rows, ready).result()
        # None at all is refused where the others would be drawn.
        at_once = min(1, plan.n_pairs)
        seeds = [seed_of_pair(plan.seed, k) for k in range(max(1, plan.n_pairs))]
        pairs = [tasks.submit(f"pair{k}", _pair, ready, at_once, seed) for k, seed in enumerate(seeds)]
        tasks.show(pairs)
        return result_of(plan, tally(plan, client.gather(pairs)))


class _Tasks:
    """Named tasks of one run; those that are left are cancelled at its end."""

    def __init__(self, client: Any, kind: str, title: str | None) -> None:
        self.client = client
        self.name = f"sparsvm-{kind}", secrets.token_hex(4)
        self.futures: list[Any] = []
        self.bar = Bar(title) if title else None

    def submit(self, what: str, function: Any, *arguments: Any) -> Any:
        kind, run = self.name
        future = self.client.submit(function, *arguments, key=f"{kind}-{run}-{what}", pure=False)
        self.futures.append(future)
        return future

    def show(self, futures: list[Any]) -> None:
        """Waits for all, and tells how many are there; the first fault ends it."""
        for done, future in enumerate(as_completed(futures)):
            if future.status == "error":
                future.result()
            if self.bar is not None:
                self.bar("", done + 1, len(futures), None)

    def __enter__(self) -> _Tasks:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
        self.client.cancel(self.futures)


def _at_workers(client: Any, tasks: _Tasks, make: Any, data: tuple[Any, Any, Any], rest: tuple[Any, ...]) -> Any:
    """A future of `make` on all rows: made here and sent to all workers, or made at a worker from its parts."""
    X, y, sample_weight = data
    if not is_lazy(X):
        return client.scatter(make(X, y, sample_weight, None, *rest), broadcast=True, hash=False)
    collected = collect(client, X, y, sample_weight, None)
    return tasks.submit("rows", _made, make, collected.parts, collected.outline, rest)


def _made(make: Any, parts: list[Part], outline: Outline, rest: tuple[Any, ...]) -> Any:
    """All rows in one place."""
    # With the weights that were given: `make` divides them by their mean, and twice would change bits.
    given = outline if outline.weight_factor is None else replace(outline, weight_factor=1.0)
    rows = block_of(parts, given)
    return make(rows.X, outline.classes[rows.codes], rows.weights, outline.names, *rest)


def _prepare(
    X: Any, y: Any, sample_weight: Any, names: list[str] | None, model: SparseSVCCV, groups: Any
) -> tuple[SparseSVCCV, Prepared]:
    rows = model._prepare(X, y, sample_weight, groups)
    if names is not None:
        model.feature_names_in_ = np.asarray(names, dtype=object)
    return model, rows


def _count(ready: tuple[SparseSVCCV, Prepared]) -> int:
    return len(ready[1].folds)


def _here(ready: tuple[SparseSVCCV, Prepared]) -> tuple[SparseSVCCV, Prepared]:
    """With the worker's threads, and silent; the rows came in a message, perhaps."""
    model, rows = copy.copy(ready[0]), ready[1]
    model.n_jobs, model.verbose = get_worker().state.nthreads, 0
    weights = None if rows.weights is None else aligned(rows.weights)
    return model, replace(rows, X=for_core(rows.X), codes=aligned(rows.codes), weights=weights)


def _whole(ready: tuple[SparseSVCCV, Prepared]) -> list[Followed]:
    model, rows = _here(ready)
    paths = model._paths(rows.X, rows.codes, len(rows.classes), rows.weights, Teller(model))
    return [followed(path) for path in paths]


def _fold(ready: tuple[SparseSVCCV, Prepared], k: int) -> Floats:
    model, rows = _here(ready)
    return model._score_fold(rows, k, Teller(model))


def _finish(ready: tuple[SparseSVCCV, Prepared], whole: list[Followed], scores: list[Floats]) -> SparseSVCCV:
    model, rows = _here(ready)
    model._finish(rows, whole, scores, Teller(model))
    model.n_jobs, model.verbose = ready[0].n_jobs, ready[0].verbose
    return model


def _plan(
    X: Any, y: Any, sample_weight: Any, names: list[str] | None, penalty: str, settings: dict[str, Any]
) -> Plan:
    plan = plan_of(X, y, penalty, sample_weight=sample_weight, **settings)
    return plan if names is None else replace(plan, feature_names=np.asarray(names, dtype=object))


def _without_rows(plan: Plan) -> Plan:
    """All that the driver needs."""
    return replace(plan, X=None, signs=[], weights=None)


def _pair(plan: Plan, n_pairs: int, seed: int) -> Pair:
    method: Method = {**plan.method, "threads": get_worker().state.nthreads}
    try:
        return pair_of(replace(plan, X=for_core(plan.X), method=method).draw(n_pairs, seed))
    except ValueError as error:
        if not str(error).startswith("every half of the data failed"):
            raise
        return Pair(0, [str(error)], [])
