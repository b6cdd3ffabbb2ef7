"""PathDisplay: coefficients along a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ._axes import COLOURS, alpha_axis, axes_for, features_axis, ink, on_log_axis, shortened, tidy
from ._fitted import checked_names, deviations, last_step, names_of, problem_of
from ._labels import name_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._path import PathResult
    from .._types import Floats


class PathDisplay:
    """Coefficients against alpha, from the strongest penalty to the weakest.

    The largest few are coloured and named, the others thin and grey. See `from_path` and `from_estimator`.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,)
    coefs : array or sparse array of shape (n_alphas, n_features)
    feature_names : sequence of str, default=None
        None is x0, x1, …
    n_features : array-like of shape (n_alphas,), default=None
        How many features are kept; None counts them in `coefs`.
    alpha : float, default=None
        The strength that was chosen, to be marked.
    unit : str, default="coefficient"
        What the vertical axis shows.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    upper_ : the axis with the number of features
    lines_ : list of Line2D
        The named lines, from the lowest end up.
    rest_ : LineCollection or None
        The grey ones.
    chosen_ : Line2D or None
        The mark of the chosen alpha.
    """

    def __init__(
        self,
        alphas: Any,
        coefs: Any,
        *,
        feature_names: Any = None,
        n_features: Any = None,
        alpha: float | None = None,
        unit: str = "coefficient",
    ) -> None:
        self.alphas = np.asarray(alphas, dtype=np.float64)
        self.coefs = sparse.csr_array(coefs)
        if self.coefs.shape[0] != len(self.alphas):
            raise ValueError(f"coefs has {self.coefs.shape[0]} rows, and there are {len(self.alphas)} alphas")
        self.feature_names = checked_names(feature_names, self.coefs.shape[1])
        self.n_features = (self.coefs != 0).sum(axis=1) if n_features is None else np.asarray(n_features)
        self.alpha = alpha
        self.unit = unit

    @classmethod
    def from_path(
        cls,
        path: PathResult,
        *,
        X: Any = None,
        alpha: float | None = None,
        feature_names: Any = None,
        max_named: int = 10,
        ax: Axes | None = None,
    ) -> PathDisplay:
        """Draws what `svm_path` returned.

        Parameters
        ----------
        path : PathResult
        X : array-like or sparse matrix, default=None
            The data: coefficients are then shown per standard deviation of each column, so that columns
            with different units can be compared.
        alpha : float, default=None
            A strength to mark.
        feature_names : sequence of str, default=None
            None takes those of the path.
        max_named : int, default=10
            How many lines are coloured and named.
        ax : matplotlib axes, default=None
            None makes a new figure.

        Returns
        -------
        PathDisplay
        """
        names = path.feature_names if feature_names is None else feature_names
        coefs, unit = _per_deviation(path.coefs, deviations(None, X))
        display = cls(
            path.alphas, coefs, feature_names=names, n_features=path.n_features, alpha=alpha, unit=unit
        )
        return display.plot(ax, max_named=max_named)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        X: Any = None,
        class_of_interest: Any = None,
        feature_names: Any = None,
        max_named: int = 10,
        ax: Axes | None = None,
    ) -> PathDisplay:
        """Draws the path of a fitted `SparseSVCCV`, or of a pipeline that ends in one, and marks its choice.

        Parameters
        ----------
        estimator : SparseSVCCV or Pipeline
        X : array-like or sparse matrix, default=None
            The data, as given to `fit`: coefficients are then shown per standard deviation of each column.
        class_of_interest : label, default=None
            With more than two classes: whose model to show.
        feature_names, max_named, ax :
            As for `from_path`.

        Returns
        -------
        PathDisplay
        """
        remedy = "draw a SparseSVCCV, or what svm_path returns with PathDisplay.from_path"
        model = last_step(estimator, "coefs_path_", remedy)
        problem, towards = problem_of(model, class_of_interest)
        coefs, unit = _per_deviation(model.coefs_path_[problem], deviations(estimator, X))
        alone = len(model.coefs_path_) == 1
        display = cls(
            model.alphas_,
            coefs,
            feature_names=names_of(estimator, feature_names),
            n_features=model.n_features_path_ if alone else None,
            alpha=model.alpha_,
            unit=unit if alone else f"{unit}, class {towards}",
        )
        return display.plot(ax, max_named=max_named)

    def plot(self, ax: Axes | None = None, *, max_named: int = 10) -> PathDisplay:
        """Draws.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            None makes a new figure. Given axes give some of their width to the names, unless their figure
            has a layout engine, such as `layout="constrained"`, which makes room by itself.
        max_named : int, default=10
            How many lines are coloured and named.

        Returns
        -------
        self
        """
        ax = axes_for(ax, (7.5, 4.6))
        from matplotlib.collections import LineCollection

        shown = on_log_axis(self.alphas)
        alphas, n_features = self.alphas[shown], self.n_features[shown]
        by_feature = sparse.csc_array(self.coefs[shown])
        kept = np.flatnonzero(np.diff(by_feature.indptr))
        values = by_feature[:, kept].toarray().T
        named = self._largest(alphas, values)[: max(0, max_named)]
        # Neighbours at the right end, where the names are, get different colours.
        named = named[np.argsort(values[named, -1], kind="stable")]
        others = np.setdiff1d(np.arange(len(kept)), named)
        lines = _only_where_kept(values)

        ax.axhline(0.0, color=ink(), linewidth=0.6, alpha=0.5, zorder=1, label="_zero")
        self.rest_: LineCollection | None = None
        if len(others):
            segments = np.stack([np.broadcast_to(alphas, lines[others].shape), lines[others]], axis=2)
            # The more lines, the fainter each, so that a thousand are a texture and not a wall.
            faint = float(np.clip(4.0 / np.sqrt(len(others)), 0.05, 0.45))
            self.rest_ = LineCollection(
                list(segments), colors=[ink()], linewidths=0.6, alpha=faint, zorder=1.5
            )
            ax.add_collection(self.rest_)
        colours = [COLOURS[k % len(COLOURS)] for k in range(len(named))]
        names = [self.feature_names[j] for j in kept[named]]
        self.lines_ = [
            ax.plot(alphas, lines[k], color=colour, linewidth=1.6, label=name, zorder=2.5)[0]
            for k, colour, name in zip(named, colours, names)
        ]
        alpha_axis(ax, alphas)
        ax.set_ylabel(self.unit)
        low, high = min(float(values.min(initial=0.0)), 0.0), max(float(values.max(initial=0.0)), 0.0)
        room = 0.05 * (high - low) or 1.0
        # A mark is written at the top.
        ax.set_ylim(low - room, high + room * (1.0 if self.alpha is None else 2.0))
        self.chosen_ = self._mark(ax)
        tidy(ax)
        self.upper_ = features_axis(ax, alphas, n_features)
        short = [shortened(name, 28) for name in names]
        name_ends(ax, float(alphas[-1]), values[named, -1].tolist(), short, colours)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _largest(self, alphas: Floats, values: Floats) -> Any:
        """The features in the order of their size: at the chosen alpha first, then along all of the path."""
        along = abs(values).mean(axis=1)
        if self.alpha is None or not self.alpha > 0:
            return np.argsort(-along, kind="stable")
        at = abs(values[:, np.argmin(abs(np.log(alphas) - np.log(self.alpha)))])
        return np.lexsort((-along, -at))

    def _mark(self, ax: Axes) -> Any:
        if self.alpha is None or not self.alpha > 0:
            return None
        return chosen_mark(ax, self.alpha)


def chosen_mark(ax: Axes, alpha: float) -> Any:
    """A vertical line that says which alpha it stands for."""
    line = ax.axvline(
        alpha, color=ink(), linewidth=0.9, linestyle=(0, (4, 3)), alpha=0.8, label="_chosen", zorder=2
    )
    # Beside the line, on the side that has more room.
    left, right = np.log(ax.get_xlim())
    near_end = (np.log(alpha) - left) / (right - left) > 0.7
    ax.annotate(
        f"alpha = {alpha:.3g}", (alpha, 1.0), xycoords=("data", "axes fraction"), fontsize=9, alpha=0.9,
        xytext=(-5 if near_end else 5, -2), textcoords="offset points", zorder=4,
        ha="right" if near_end else "left", va="top",
        bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.7, "pad": 1.5},
    )  # fmt: skip
    return line


def _per_deviation(coefs: Any, scale: Floats | None) -> tuple[Any, str]:
    if scale is None:
        return coefs, "coefficient"
    return sparse.csr_array(coefs.multiply(scale)), "coefficient per standard deviation"


def _only_where_kept(values: Floats) -> Floats:
    """Zeros between zeros are left out: otherwise all lines would lie on top of each other there."""
    zero = values == 0
    before = np.concatenate([np.ones_like(zero[:, :1]), zero[:, :-1]], axis=1)
    after = np.concatenate([zero[:, 1:], np.ones_like(zero[:, :1])], axis=1)
    return np.where(zero & before & after, np.nan, values)
