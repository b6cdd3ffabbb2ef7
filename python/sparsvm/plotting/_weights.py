"""WeightsDisplay: the features that a model kept, and how much each counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ._axes import BLUE, VERMILION, axes_for, ink, shortened
from ._fitted import checked_names, deviations, last_step, names_of, problem_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class WeightsDisplay:
    """The coefficients that are not zero as signed bars, the largest on top. See `from_estimator`.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
    feature_names : sequence of str, default=None
        None is x0, x1, …
    towards : str, default=None
        The class that positive coefficients speak for.
    unit : str, default="coefficient"
        What the horizontal axis shows.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    bars_ : BarContainer
    note_ : Text or None
        How many more there are.
    shown_ : ndarray of int
        The features that have a bar, from the top.
    """

    def __init__(
        self, coef: Any, *, feature_names: Any = None, towards: str | None = None, unit: str = "coefficient"
    ) -> None:
        self.coef = np.asarray(coef, dtype=np.float64).ravel()
        self.feature_names = checked_names(feature_names, len(self.coef))
        self.towards = towards
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        X: Any = None,
        class_of_interest: Any = None,
        feature_names: Any = None,
        max_features: int = 30,
        ax: Axes | None = None,
    ) -> WeightsDisplay:
        """Draws the coefficients of a fitted `SparseSVC` or `SparseSVCCV`, or of a pipeline that ends in one.

        Parameters
        ----------
        estimator : SparseSVC, SparseSVCCV or Pipeline
        X : array-like or sparse matrix, default=None
            The data, as given to `fit`: coefficients are then shown per standard deviation of each column,
            so that columns with different units can be compared.
        class_of_interest : label, default=None
            With more than two classes: whose model to show.
        feature_names : sequence of str, default=None
            None takes those of the columns in `fit`, or behind the pipeline's other steps.
        max_features : int, default=30
            How many bars at most.
        ax : matplotlib axes, default=None
            None makes a new figure, as high as the bars need.

        Returns
        -------
        WeightsDisplay
        """
        model = last_step(estimator, "coef_", "draw a linear model, such as SparseSVC")
        problem, towards = problem_of(model, class_of_interest)
        coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_)
        scale, unit = deviations(estimator, X), "coefficient"
        if scale is not None:
            coef, unit = coef * scale, "coefficient per standard deviation"
        names = names_of(estimator, feature_names)
        display = cls(coef[problem], feature_names=names, towards=towards, unit=unit)
        return display.plot(ax, max_features=max_features)

    def plot(self, ax: Axes | None = None, *, max_features: int = 30) -> WeightsDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            None makes a new figure, as high as the bars need.
        max_features : int, default=30
            How many bars at most.

        Returns
        -------
        self
        """
        if max_features < 1:
            raise ValueError(f"max_features = {max_features}: at least one bar is needed")
        kept = np.flatnonzero(self.coef)
        kept = kept[np.argsort(-abs(self.coef[kept]), kind="stable")]
        self.shown_ = kept[:max_features]
        ax = axes_for(ax, (6.5, max(1.7, 0.9 + 0.24 * len(self.shown_))))
        places = np.arange(len(self.shown_))
        values = self.coef[self.shown_]
        colours = [BLUE if value > 0 else VERMILION for value in values]
        self.bars_ = ax.barh(places, values, height=0.68, color=colours, zorder=2)
        ax.axvline(0.0, color=ink(), linewidth=0.8, zorder=3)
        ax.set_yticks(places, labels=[shortened(self.feature_names[j]) for j in self.shown_])
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(max(len(places), 1) - 0.4, -0.6)
        ax.grid(axis="x", linewidth=0.5, alpha=0.4, zorder=0)
        ax.set_axisbelow(True)
        ax.set_xlabel(self.unit if self.towards is None else f"{self.unit} (positive: class {self.towards})")
        ax.spines[["top", "right", "left"]].set_visible(False)
        self.note_ = self._note(ax, len(kept) - len(self.shown_))
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _note(self, ax: Axes, more: int) -> Any:
        if not len(self.shown_):
            ax.set_xlim(-1.0, 1.0)
            ax.set_xticks([0.0])
            return ax.text(0.5, 0.5, "no feature is kept", transform=ax.transAxes, ha="center", va="center",
                           bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none"}, zorder=4)  # fmt: skip
        if more == 0:
            return None
        # The smallest bars are at the bottom, so that a line of its own below them is free; at the left, with
        # the names, where the list goes on.
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom + 0.9, top)
        return ax.annotate(
            f"and {more:,} smaller", (0.0, len(self.shown_)), xycoords=("axes fraction", "data"),
            xytext=(-4, 0), textcoords="offset points", ha="right", va="center", style="italic", alpha=0.75,
            fontsize=9,
        )  # fmt: skip
