"""A part of the rows on a worker: one chunk, partition or file, checked; and what the driver must know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.validation import _get_feature_names, check_non_negative

from .. import _core
from .._arrays import ACCEPTED

if TYPE_CHECKING:
    from .._types import Floats, Integers
    from ._files import Files


@dataclass(frozen=True)
class Part:
    """Rows with their labels, and weights if there are any."""

    X: Any
    y: Any
    weights: Floats | None
    #: Of the columns, if they have any that are strings.
    names: list[str] | None


@dataclass(frozen=True)
class Summary:
    """What is small about a part."""

    rows: int
    columns: int
    is_sparse: bool
    names: list[str] | None
    #: Distinct labels, and for each its rows, their weight, and those of positive weight.
    labels: Any
    counts: Integers
    weights: Floats | None
    positive: Integers


def part_of(number: int, X: Any, y: Any, sample_weight: Any) -> Part:
    """A chunk of an array or a partition of a data frame; faults name it by its number."""
    try:
        return _checked(X, y, sample_weight)
    except ValueError as error:
        raise ValueError(f"partition {number}: {error}") from None


def _checked(X: Any, y: Any, sample_weight: Any) -> Part:
    names = _get_feature_names(X)
    # Nothing to look at; and data frames without rows may have columns of any type.
    if X.shape[0] == 0:
        X = sparse.csr_array(X.shape) if sparse.issparse(X) else np.empty(X.shape)
    else:
        X = check_array(X, **ACCEPTED, input_name="X", estimator="DaskSparseSVC")
    y = column_or_1d(np.asarray(y))
    if len(y) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and y has {len(y)}: give both the same partitions")
    assert_all_finite(y, input_name="y")
    weights = None if sample_weight is None else _checked_weights(sample_weight, len(y))
    return Part(X, y, weights, None if names is None else [str(name) for name in names])


def _checked_weights(sample_weight: Any, rows: int) -> Floats:
    """A part's may all be 0."""
    weights = column_or_1d(np.asarray(sample_weight, dtype=np.float64))
    if len(weights) != rows:
        raise ValueError(f"X has {rows} rows and sample_weight has {len(weights)}: give both the same partitions")
    assert_all_finite(weights, input_name="sample_weight")
    if rows:
        check_non_negative(weights, "`sample_weight`")
    return np.asarray(weights)


def read_part(path: str, files: Files) -> Part:
    """A file; labels are as it spells them."""
    indptr, indices, values, shape, spelled, codes, names = _core.read(
        path, features=files.features, zero_based=files.zero_based, label=files.label
    )
    X = sparse.csr_array((values, indices, indptr), shape=shape)
    return Part(X, np.asarray(spelled, dtype=object)[codes], None, names)


def rows_of(X: Any) -> int:
    """Of a part that says nothing of it beforehand."""
    return int(X.shape[0])


def sums_by(codes: Integers, weights: Floats, count: int) -> Floats:
    """The weight of each label."""
    return np.bincount(codes, weights, minlength=count).astype(np.float64)


def summary_of(part: Part) -> Summary:
    """What the driver must know to bring parts together."""
    labels, codes = np.unique(part.y, return_inverse=True)
    weights = part.weights
    positive = codes if weights is None else codes[weights > 0]
    return Summary(
        rows=part.X.shape[0],
        columns=part.X.shape[1],
        is_sparse=sparse.issparse(part.X),
        names=part.names,
        labels=labels,
        counts=np.bincount(codes, minlength=len(labels)),
        weights=None if weights is None else sums_by(codes, weights, len(labels)),
        positive=np.bincount(positive, minlength=len(labels)),
    )
