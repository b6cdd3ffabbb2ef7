"""nested_cv: how good the whole procedure is, the choice of alpha with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_validate

from ._cv import SparseSVCCV

if TYPE_CHECKING:
    from ._types import Floats, Integers


@dataclass(frozen=True)
class NestedResult:
    """How good the whole procedure is, the choice of its settings with it."""

    #: One for each outer fold.
    scores: Floats
    mean: float
    #: Standard error of the mean.
    se: float
    #: What was chosen and kept in each outer fold.
    alphas: Floats
    n_features: Integers
    #: Share of the outer folds whose model keeps each feature.
    frequencies: Floats
    estimators: list[Any]


def nested_cv(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
) -> NestedResult:
    """Scores the whole procedure, choice of alpha included, on rows that it has never seen.

    Parameters
    ----------
    X, y
        The data.
    estimator : estimator, default=None
        What chooses for itself: a `SparseSVCCV` (None is one with its defaults), or a pipeline that ends in
        one.
    cv : int, splitter or iterable, default=5
        The outer folds.
    scoring : str or callable, default=None
        None is the estimator's own score.

    Returns
    -------
    NestedResult
    """
    estimator = SparseSVCCV() if estimator is None else clone(estimator)
    params = None if groups is None else {"groups": groups}
    found = cross_validate(
        estimator, X, y, cv=cv, scoring=scoring, n_jobs=n_jobs, return_estimator=True, params=params
    )
    fitted = found["estimator"]
    last = [model[-1] if hasattr(model, "steps") else model for model in fitted]
    scores = found["test_score"]
    masks = np.array([model.get_support() for model in last])
    return NestedResult(
        scores=scores,
        mean=float(scores.mean()),
        se=float(scores.std(ddof=1) / np.sqrt(len(scores))),
        alphas=np.array([model.alpha_ for model in last]),
        n_features=masks.sum(axis=1),
        frequencies=masks.mean(axis=0),
        estimators=fitted,
    )
