"""What holds for all rows together, from the summaries of their parts: classes, weights, columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from .._arrays import one_class
from .._svc import _labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._types import Floats, Integers
    from ._part import Summary


@dataclass(frozen=True)
class Outline:
    """All rows, in a few numbers."""

    rows: int
    columns: int
    is_sparse: bool
    names: list[str] | None
    classes: Any
    #: Labels as parts have them, in order, and the place of each one's class.
    known: Any
    places: Integers
    #: What brings sample weights to a mean of 1, and the weight of each class.
    weight_factor: float | None
    class_weights: Floats | None


def outline_of(summaries: Sequence[Summary], titles: Sequence[str], class_weight: Any, padded: bool) -> Outline:
    """`titles` name the parts in faults; `padded` parts may have fewer columns than others."""
    filled = [(summary, title) for summary, title in zip(summaries, titles) if summary.rows]
    if not filled:
        raise ValueError("there are no rows: all partitions are empty")
    columns, names = _columns(filled, padded)
    of_rows = [summary for summary, _ in filled]
    known = _union(of_rows)
    labels = np.asarray(_labels(list(known))) if padded else known
    classes, places = np.unique(labels, return_inverse=True)
    check_classification_targets(classes)
    if len(classes) < 2:
        raise one_class(classes)

    def gathered(of: str) -> Any:
        """A figure of each class, over all parts."""
        total = np.zeros(len(classes))
        for summary in of_rows:
            np.add.at(total, places[np.searchsorted(known, summary.labels)], getattr(summary, of))
        return total

    counts, factor = gathered("counts").astype(np.int64), None
    if of_rows[0].weights is not None:
        weight = float(gathered("weights").sum())
        if not weight > 0:
            raise ValueError("sample_weight: the weights are all zero, but one at least must be positive")
        factor = float(counts.sum()) / weight
        if np.count_nonzero(gathered("positive")) < 2:
            raise ValueError("sample_weight leaves rows of one class only: a classifier needs two classes")
    return Outline(
        rows=int(counts.sum()),
        columns=columns,
        is_sparse=any(summary.is_sparse for summary in of_rows),
        names=names,
        classes=classes,
        known=known,
        places=places.astype(np.int64),
        weight_factor=factor,
        class_weights=_class_weights(class_weight, classes, counts),
    )


def _columns(filled: list[tuple[Summary, str]], padded: bool) -> tuple[int, list[str] | None]:
    """How many, and their names."""
    first, title = filled[0]
    for summary, other in filled[1:]:
        if summary.names != first.names:
            raise ValueError(f"the columns of {other} have other names than those of {title}: give all the same")
        if summary.columns != first.columns and not (padded and first.names is None):
            raise ValueError(
                f"{other} has {summary.columns} columns and {title} has {first.columns}: give all the same"
            )
    return max(summary.columns for summary, _ in filled), first.names


def _union(summaries: list[Summary]) -> Any:
    try:
        return np.unique(np.concatenate([summary.labels for summary in summaries]))
    except TypeError:
        raise ValueError("labels of different kinds cannot be told apart: give all numbers, or all text") from None


def _class_weights(class_weight: Any, classes: Any, counts: Integers) -> Floats | None:
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        # What scikit-learn computes from all labels, from their counts.
        return np.asarray(counts.sum() / (len(classes) * counts), dtype=np.float64)
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes), dtype=np.float64)
