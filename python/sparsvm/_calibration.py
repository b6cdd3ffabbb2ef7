"""Probabilities by Platt's sigmoid, from decision values of rows that the model has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from . import _core

if TYPE_CHECKING:
    from ._core import Fit
    from ._types import Floats, Integers

FOLDS = 5


def sigmoids_by_folds(
    fit: Callable[[Any, Integers, Floats | None], list[Fit]],
    X: Any,
    codes: Integers,
    weights: Floats | None,
    random_state: Any,
    threads: int,
) -> list[tuple[float, float]]:
    """One sigmoid for each problem. `fit` trains on some of the rows."""
    smallest = int(np.bincount(codes).min())
    if smallest < 2:
        raise ValueError(
            "probability=True needs at least two rows of each class, since it puts some aside: "
            "give more rows, or probability=False"
        )
    problems = 1 if codes.max() == 1 else int(codes.max()) + 1
    scores = np.empty((problems, len(codes)))
    folds = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=random_state)
    for train, test in folds.split(codes, codes):
        fits = fit(_safe_indexing(X, train), codes[train], None if weights is None else weights[train])
        unseen = _safe_indexing(X, test)
        for k, fitted in enumerate(fits):
            scores[k, test] = _core.decisions(unseen, fitted.coef, fitted.intercept, threads)
    weights = np.ones(len(codes)) if weights is None else weights
    return [
        _core.fit_sigmoid(scores[k], np.where(codes == (1 if problems == 1 else k), 1.0, -1.0), weights)
        for k in range(problems)
    ]


def probabilities_of(scores: Floats, sigmoids: list[tuple[float, float]]) -> Floats:
    """A column for each class; those of several problems are brought to a sum of 1."""
    if scores.ndim == 1:
        positive = _core.probabilities(np.ascontiguousarray(scores), sigmoids[0])
        return np.column_stack([1.0 - positive, positive])
    columns = [_core.probabilities(np.ascontiguousarray(s), g) for s, g in zip(scores.T, sigmoids)]
    each = np.column_stack(columns)
    total = each.sum(axis=1, keepdims=True)
    # Where every class is ruled out, none is likelier than another.
    each = np.where(total > 0, each, 1.0)
    return np.asarray(each / each.sum(axis=1, keepdims=True))
