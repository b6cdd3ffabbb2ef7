"""What the native module takes: float64, contiguous or canonical, copied only where it has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_X_y

if TYPE_CHECKING:
    from ._types import Floats, Integers

#: For scikit-learn's validation of X. Other types than float64 are converted once, by NumPy, in blocks.
ACCEPTED: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": np.float64, "accept_large_sparse": True}


def for_core(X: Any) -> Any:
    """X as the native module can borrow it.

    An array that is contiguous by rows or by columns, and a CSR or CSC matrix with sorted positions, are
    handed over as they are; anything else is copied into that form.
    """
    if sparse.issparse(X):
        # SciPy itself reads beyond its arrays if they are damaged.
        X.check_format(full_check=True)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        arrays = (X.data, X.indices, X.indptr)
        if not all(array.flags.aligned for array in arrays):
            X = type(X)(tuple(aligned(array) for array in arrays), shape=X.shape)
        return X
    if not (X.flags.c_contiguous or X.flags.f_contiguous):
        X = np.ascontiguousarray(X)
    return aligned(X)


def aligned(array: Any) -> Any:
    """An array whose numbers begin where numbers of their size do; others come out of messages and mapped files."""
    return array if array.flags.aligned else array.copy(order="K")


def coded(y: Any) -> tuple[Any, Integers]:
    """The distinct labels in order, and the place of each row's."""
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise one_class(classes)
    return classes, np.ascontiguousarray(codes, dtype=np.int64)


def one_class(classes: Any) -> ValueError:
    """The error of labels that are all the same."""
    return ValueError(
        f"the labels have only one class ({classes[0]!r}): a classifier needs at least two classes"
    )


def two_classes(X: Any, y: Any, who: str) -> tuple[Any, Any, Any, Integers]:
    """X and y, checked, for a function that tells two classes apart; and the classes with the rows' codes."""
    X, y = check_X_y(X, y, **ACCEPTED)
    check_classification_targets(y)
    classes, codes = coded(y)
    if len(classes) != 2:
        raise ValueError(f"{who} tells two classes apart, and y has {len(classes)}: see SparseSVCCV for more")
    return for_core(X), y, classes, codes


def texts(classes: Any) -> list[str]:
    """Labels as model files spell them: numbers without a point if they are whole."""
    if classes.dtype.kind == "f":
        return [str(int(label)) if label.is_integer() else repr(float(label)) for label in classes]
    return [str(label) for label in classes]


def row_weights(sample_weight: Any, class_weight: Any, classes: Any, y: Any, X: Any) -> Floats | None:
    """One weight a row, or nothing if all count the same.

    Sample weights are brought to a mean of 1, as scikit-learn's Lasso does: a row of weight 2 then counts
    exactly as two rows, and alpha keeps its meaning.
    """
    weights: Floats | None = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        total = weights.sum()
        if not total > 0:
            raise ValueError("sample_weight: the weights are all zero, but one at least must be positive")
        weights = weights * (len(weights) / total)
        if len(np.unique(y[weights > 0])) < 2:
            raise ValueError("sample_weight leaves rows of one class only: a classifier needs two classes")
    if class_weight is not None:
        of_class = compute_class_weight(class_weight, classes=classes, y=y)
        of_row = np.ascontiguousarray(of_class[np.searchsorted(classes, y)], dtype=np.float64)
        weights = of_row if weights is None else weights * of_row
    return weights
