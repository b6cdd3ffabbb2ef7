"""Sparse linear support vector machines with nonconvex penalties, certified.

>>> from sklearn.datasets import load_breast_cancer
>>> from sparsvm import SparseSVC
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = SparseSVC("mcp", standardize=True).fit(X, y)
>>> len(model.support_) < 10 and model.gap_ < 1e-4
True
"""

from ._core import __version__
from ._cv import SparseSVCCV
from ._nested import NestedResult, nested_cv
from ._path import PathResult, svm_path
from ._stability import StabilityResult, stability_selection
from ._svc import SparseSVC, load

__all__ = [
    "NestedResult",
    "PathResult",
    "SparseSVC",
    "SparseSVCCV",
    "StabilityResult",
    "__version__",
    "load",
    "nested_cv",
    "stability_selection",
    "svm_path",
]
