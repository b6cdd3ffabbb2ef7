"""CVDisplay: scores of cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._axes import BLUE, VERMILION, alpha_axis, axes_for, features_axis, ink, on_log_axis, tidy
from ._fitted import last_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CVDisplay:
    """Mean score and its standard error against alpha, the best and the chosen one marked.

    See `from_estimator`.

    Parameters
    ----------
    alphas, mean_score, se_score, n_features : array-like of shape (n_alphas,)
    best_index, chosen_index : int
    score_name : str, default="score"
    n_folds : int, default=None
        For the label only.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    upper_ : the axis with the number of features
    line_ : Line2D
        The mean scores.
    errors_ : the band, or the container of the bars
    best_, chosen_ : Line2D
        The marks; the same one if the best is chosen.
    """

    def __init__(
        self,
        alphas: Any,
        mean_score: Any,
        se_score: Any,
        n_features: Any,
        *,
        best_index: int,
        chosen_index: int,
        score_name: str = "score",
        n_folds: int | None = None,
    ) -> None:
        self.alphas = np.asarray(alphas, dtype=np.float64)
        self.mean_score = np.asarray(mean_score, dtype=np.float64)
        self.se_score = np.asarray(se_score, dtype=np.float64)
        self.n_features = np.asarray(n_features)
        self.best_index = int(best_index)
        self.chosen_index = int(chosen_index)
        self.score_name = score_name
        self.n_folds = n_folds

    @classmethod
    def from_estimator(cls, estimator: Any, *, errors: str = "band", ax: Axes | None = None) -> CVDisplay:
        """Draws the scores of a fitted `SparseSVCCV`, or of a pipeline that ends in one.

        Parameters
        ----------
        estimator : SparseSVCCV or Pipeline
        errors : {"band", "bars"}, default="band"
            How the standard errors are shown.
        ax : matplotlib axes, default=None
            None makes a new figure.

        Returns
        -------
        CVDisplay
        """
        model = last_step(estimator, "mean_score_", "only SparseSVCCV has scores along a path")
        if model.scoring is None:
            name = "accuracy"
        else:
            name = model.scoring.replace("_", " ") if isinstance(model.scoring, str) else "score"
        display = cls(
            model.alphas_,
            model.mean_score_,
            model.se_score_,
            model.n_features_path_,
            best_index=model.best_index_,
            chosen_index=model.chosen_index_,
            score_name=name,
            n_folds=model.scores_.shape[1],
        )
        return display.plot(ax, errors=errors)

    def plot(self, ax: Axes | None = None, *, errors: str = "band") -> CVDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            None makes a new figure.
        errors : {"band", "bars"}, default="band"
            How the standard errors are shown.

        Returns
        -------
        self
        """
        if errors not in ("band", "bars"):
            raise ValueError(f'errors = {errors!r}: "band" or "bars"')
        ax = axes_for(ax, (7.0, 4.4))
        shown = on_log_axis(self.alphas)
        alphas, mean, se = self.alphas[shown], self.mean_score[shown], self.se_score[shown]
        (self.line_,) = ax.plot(alphas, mean, color=BLUE, linewidth=1.6, label="_mean", zorder=3)
        if errors == "band":
            self.errors_: Any = ax.fill_between(
                alphas, mean - se, mean + se, color=BLUE, alpha=0.3, linewidth=0, label="_band"
            )
        else:
            self.errors_ = ax.errorbar(
                alphas, mean, se, fmt="o", color=BLUE, markersize=2.5, elinewidth=0.7, label="_bars"
            )
        alpha_axis(ax, alphas)
        folds = f" over {self.n_folds} folds" if self.n_folds else ""
        ax.set_ylabel(f"{self.score_name} (mean ± 1 SE{folds})")
        self._mark(ax)
        tidy(ax)
        self.upper_ = features_axis(ax, alphas, self.n_features[shown])
        ax.legend(frameon=False, loc="best", fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _mark(self, ax: Axes) -> None:
        """The best and the chosen strength; what is within one standard error lies above the dotted line."""
        best, chosen = self.best_index, self.chosen_index
        if best != chosen:
            level = self.mean_score[best] - self.se_score[best]
            ax.axhline(level, color=ink(), linewidth=0.8, linestyle=":", alpha=0.7, label="best - 1 SE")
        self.chosen_ = self._point(ax, chosen, "chosen" if best != chosen else "best, chosen", filled=True)
        self.best_ = self.chosen_ if best == chosen else self._point(ax, best, "best", filled=False)

    def _point(self, ax: Axes, k: int, what: str, filled: bool) -> Any:
        alpha, count = float(self.alphas[k]), int(self.n_features[k])
        if filled:
            ax.axvline(alpha, color=VERMILION, linewidth=0.9, linestyle=(0, (4, 3)), label="_chosen")
        (mark,) = ax.plot(
            [alpha], [self.mean_score[k]], linestyle="none", marker="o", markersize=7, markeredgewidth=1.5,
            color=VERMILION if filled else BLUE, markerfacecolor=VERMILION if filled else ax.get_facecolor(),
            label=f"{what}: alpha = {alpha:.3g}, {count:,} feature{'' if count == 1 else 's'}", zorder=4,
        )  # fmt: skip
        return mark
