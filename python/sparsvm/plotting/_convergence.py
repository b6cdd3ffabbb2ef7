"""ConvergenceDisplay: how a fit went on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._axes import BLUE, SKY, VERMILION, ink, pyplot, tidy
from ._fitted import last_step, problem_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AT_HAND = "objective of the convex problem at hand, not of the model so far"


class ConvergenceDisplay:
    """Objective, relative to the final one, and number of features at each step. See `from_estimator`.

    Parameters
    ----------
    history : structured array
        With the fields iteration, seconds, objective and n_features, as in `history_`.
    final_objective : float
        What the objective is compared with.
    gap : float, default=None
        The certified relative gap of the final model, to be shown beside.
    at_hand : bool, default=False
        Whether the objective is that of the convex problem at hand, as it is for "exact" with a penalty that
        is not convex: such a fit solves one convex problem after another, from several starts, and their
        objectives are not those of one model that gets better.

    Attributes
    ----------
    ax_, features_ax_, figure_ : matplotlib axes and figure
        Of the objective, and of the number of features (None if it is not drawn).
    line_, features_line_ : Line2D
    best_ : Line2D or None
        The lowest objective so far, if some steps go up.
    """

    def __init__(
        self, history: Any, final_objective: float, *, gap: float | None = None, at_hand: bool = False
    ) -> None:
        self.history = history
        self.final_objective = float(final_objective)
        self.gap = gap
        self.at_hand = at_hand

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, x: str = "seconds", class_of_interest: Any = None, ax: Any = None
    ) -> ConvergenceDisplay:
        """Draws the steps of a `SparseSVC`, or of a pipeline that ends in one, with `record_history=True`.

        Parameters
        ----------
        estimator : SparseSVC or Pipeline
        x : {"seconds", "iterations"}, default="seconds"
        class_of_interest : label, default=None
            With more than two classes: whose fit to show.
        ax : one or two matplotlib axes, default=None
            As for `plot`.

        Returns
        -------
        ConvergenceDisplay
        """
        model = last_step(estimator, "history_", "fit a SparseSVC with record_history=True")
        problem, _ = problem_of(model, class_of_interest)
        alone = not isinstance(model.history_, list)
        display = cls(
            model.history_ if alone else model.history_[problem],
            model.objective_ if alone else model.objective_[problem],
            gap=model.gap_,
            # Of a convex penalty there is one problem only, and its objective is the model's.
            at_hand=model.solver in ("auto", "exact") and model.penalty != "l1",
        )
        return display.plot(ax, x=x)

    def plot(self, ax: Any = None, *, x: str = "seconds") -> ConvergenceDisplay:
        """Draws.

        Parameters
        ----------
        ax : one or two matplotlib axes, default=None
            Two are for objective and number of features, one for the objective alone; None makes a new
            figure with two.
        x : {"seconds", "iterations"}, default="seconds"

        Returns
        -------
        self
        """
        if x not in ("seconds", "iterations"):
            raise ValueError(f'x = {x!r}: "seconds" or "iterations"')
        if ax is None:
            _, ax = pyplot().subplots(
                2, 1, sharex=True, figsize=(7.0, 5.0), layout="constrained", height_ratios=(2, 1)
            )
        given = list(np.ravel(ax))
        if len(given) > 2:
            raise ValueError(f"{len(given)} axes: one for the objective, and perhaps one for the features")
        at = self.history["seconds" if x == "seconds" else "iteration"]
        self._objective(given[0], at)
        self.features_ax_: Axes | None = given[1] if len(given) == 2 else None
        self.features_line_: Any = None
        if self.features_ax_ is not None:
            lower = self.features_ax_
            (self.features_line_,) = lower.step(
                at, self.history["n_features"], where="post", color=VERMILION, linewidth=1.0
            )
            lower.set_ylim(bottom=0)
            lower.yaxis.get_major_locator().set_params(integer=True)
            lower.set_ylabel("features kept")
            tidy(lower)
        given[-1].set_xlabel(x)
        self.ax_, self.figure_ = given[0], given[0].figure
        return self

    def _objective(self, ax: Axes, at: Any) -> None:
        reference = abs(self.final_objective) or 1.0
        excess = (self.history["objective"] - self.final_objective) / reference
        # What is equal to the final objective has no place on a logarithmic axis, and what comes before the
        # first solution is infinite.
        drawn = np.where(np.isfinite(excess) & (excess > 0), excess, np.nan)
        goes_up = bool((np.diff(self.history["objective"]) > 0).any())
        (self.line_,) = ax.step(
            at, drawn, where="post", color=SKY if goes_up else BLUE, linewidth=0.6 if goes_up else 1.6,
            label="each step" if goes_up else "_steps",
        )  # fmt: skip
        self.best_: Any = None
        if goes_up:
            lowest = np.fmin.accumulate(np.where(np.isnan(drawn) & (excess > 0), np.inf, drawn))
            lowest[~np.isfinite(lowest)] = np.nan
            (self.best_,) = ax.step(at, lowest, where="post", color=BLUE, lw=1.8, label="lowest so far")
        if self.gap is not None and self.gap > 0:
            label = f"certified: gap_ = {self.gap:.1e}"
            ax.axhline(self.gap, color=ink(), linewidth=0.9, linestyle=":", label=label)
        ax.set_yscale("log")
        ax.set_ylabel("(objective - final) / final")
        tidy(ax)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(frameon=False, fontsize=9, loc="best")
        if self.at_hand:
            ax.set_title(AT_HAND, fontsize=9, loc="left", alpha=0.8)
