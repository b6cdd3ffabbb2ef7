"""The same fits on a Dask cluster: rows are split over workers, which take the steps of one solver together.

`docs/distributed.md` tells how, what is promised, and how clusters are set up.
"""

try:
    import dask.array
    import distributed
except ImportError as error:
    raise ImportError("sparsvm.dask needs Dask: pip install 'sparsvm[dask]'") from error

del dask, distributed

from ._estimator import DaskSparseSVC, train
from ._files import Files
from ._follow import path
from ._predict import decision_function, predict
from ._selection import stability_selection, train_cv

__all__ = [
    "DaskSparseSVC",
    "Files",
    "decision_function",
    "path",
    "predict",
    "stability_selection",
    "train",
    "train_cv",
]
