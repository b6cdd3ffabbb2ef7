"""Pictures of fitted models: paths, scores, weights, convergence.

Each class takes its numbers with `from_estimator` or `from_path`, and draws them with matplotlib, which is
imported only then (`pip install sparsvm[plot]`). A display keeps its numbers, so that `plot` draws them again
elsewhere, and has `ax_` and `figure_` to change what was drawn.
"""

from ._convergence import ConvergenceDisplay
from ._cv import CVDisplay
from ._path import PathDisplay
from ._weights import WeightsDisplay

__all__ = ["CVDisplay", "ConvergenceDisplay", "PathDisplay", "WeightsDisplay"]
