"""What the pictures share: matplotlib on demand, colours, the axis of strengths and the one above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._types import Floats

#: From Okabe and Ito: told apart by colour-blind readers, and legible on white and on black.
BLUE, VERMILION, GREEN, PINK, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
COLOURS = (BLUE, VERMILION, GREEN, PINK, ORANGE, SKY)


def pyplot() -> Any:
    """matplotlib.pyplot, imported on demand: fitting needs no matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib, which is not here: pip install sparsvm[plot]") from None
    return plt


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes that are given, or those of a new figure that makes room for what is written around them."""
    if ax is None:
        _, ax = pyplot().subplots(figsize=size, layout="constrained")
    assert ax is not None
    return ax


def ink() -> Any:
    """The colour of text: black on white, white on black, or what the style says."""
    return pyplot().rcParams["text.color"]


def tidy(ax: Axes) -> None:
    """No frame where nothing is read off."""
    ax.spines[["top", "right"]].set_visible(False)


def alpha_axis(ax: Axes, alphas: Floats) -> None:
    """A logarithmic axis from the largest alpha, at the left, to the smallest."""
    from matplotlib.ticker import FuncFormatter

    high, low = float(alphas.max()), float(alphas.min())
    room = 1.5 if high == low else (high / low) ** 0.02
    ax.set_xscale("log")
    ax.set_xlim(high * room, low / room)
    ax.set_xlabel("alpha (strength of the penalty)")

    def between(alpha: float, _: Any) -> str:
        """Plain numbers; between the decades as many as can be read on axes as wide as they are by now."""
        left, right = ax.get_xlim()
        points = 72.0 / ax.figure.dpi * ax.get_window_extent().width / abs(np.log10(left / right))
        written = "2357" if points > 300.0 else "25" if points > 100.0 else ""
        return f"{alpha:g}" if f"{alpha:e}"[0] in written else ""

    ax.xaxis.set_major_formatter(FuncFormatter(lambda alpha, _: f"{alpha:g}"))
    ax.xaxis.set_minor_formatter(FuncFormatter(between))
    # Short ticks hold their numbers as far off as long ones.
    ax.tick_params(axis="x", which="major", length=3.5, pad=3.5)
    ax.tick_params(axis="x", which="minor", length=2.0, pad=5.0)


def features_axis(ax: Axes, alphas: Floats, n_features: Any, most: int = 7) -> Any:
    """An axis above that says how many features are kept, at places as far apart as each other."""
    from matplotlib.ticker import NullLocator

    wanted = np.geomspace(alphas.max(), alphas.min(), most)
    nearest = [int(np.argmin(abs(np.log(alphas) - np.log(alpha)))) for alpha in wanted]
    places = list(dict.fromkeys(nearest))
    # The scale is taken over from the axis below when this is made, so that one has to be logarithmic by now.
    upper = ax.secondary_xaxis("top")
    upper.set_ticks([float(alphas[k]) for k in places], labels=[f"{n_features[k]:,}" for k in places])
    upper.xaxis.set_minor_locator(NullLocator())
    upper.tick_params(length=2, pad=2)
    upper.set_xlabel("features kept")
    upper.spines["top"].set_visible(False)
    return upper


def on_log_axis(alphas: Any) -> Any:
    """Which strengths have a place on a logarithmic axis: not 0."""
    usable = np.asarray(alphas, dtype=float) > 0
    if not usable.any():
        raise ValueError("there is no alpha above 0 to draw")
    return usable


def shortened(name: str, most: int = 40) -> str:
    """A name that leaves room for the picture; both ends stay, since long names often differ at the end."""
    end = most // 3
    return name if len(name) <= most else f"{name[: most - end - 1]}…{name[-end:]}"
