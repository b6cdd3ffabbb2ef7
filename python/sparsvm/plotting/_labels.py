"""Names at the ends of lines, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: From the axes to the names, in points.
LEADER = 14.0


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels that want to be at `wanted` (ascending), at least `gap` apart and within low..high.

    They move as little as possible (least squares: an isotonic regression), as in the command line's plots.
    """
    # With the gaps taken out, the places need only ascend: neighbours that do not are pooled.
    pools: list[tuple[float, int]] = []
    for k, want in enumerate(wanted):
        mean, count = want - k * gap, 1
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean = (before * many + mean * count) / (many + count)
            count += many
        pools.append((mean, count))
    room = high - gap * max(len(wanted) - 1, 0)
    flat = [mean for mean, count in pools for _ in range(count)]
    return [max(min(place, room), low) + k * gap for k, place in enumerate(flat)]


def name_ends(
    ax: Axes, x: float, ends: Sequence[float], names: Sequence[str], colours: Sequence[str]
) -> list[str]:
    """Writes names to the right of the axes, each joined to its line's end; returns those that had room.

    The lines end at `x`, with the values `ends`, ascending. If there are too many, the smallest go without.
    """
    size = 9.0
    figure = ax.figure
    box = ax.get_window_extent()
    points = 72.0 / figure.dpi
    height, width = box.height * points, box.width * points
    gap = 1.3 * size / height
    most = max(1, int(1.0 / gap))
    entries = sorted(range(len(ends)), key=lambda k: -abs(ends[k]))[:most]
    entries.sort()
    to_share = ax.transData - ax.transAxes
    at_end = [tuple(to_share.transform((x, ends[k]))) for k in entries]
    wanted = [float(y) for _, y in at_end]
    places = spread(wanted, gap, gap / 2, 1.0 - gap / 2)
    texts = []
    reach = 1.0 + LEADER / width
    for k, (right, at), place in zip(entries, at_end, places):
        ax.plot(
            [right, reach - 3.0 / width], [at, place], color=colours[k], linewidth=0.7, alpha=0.7,
            transform=ax.transAxes, clip_on=False, label="_leader",
        )  # fmt: skip
        text = ax.text(reach, place, names[k], color=colours[k], fontsize=size, va="center")
        text.set_transform(ax.transAxes)
        texts.append(text)
    if figure.get_layout_engine() is None and texts:
        # As a colour bar does, take the room from the axes: nothing else would keep the names from being cut.
        widest = max(text.get_window_extent().x1 for text in texts) - box.x1
        place_now = ax.get_position()
        taken = widest / figure.bbox.width
        ax.set_position((place_now.x0, place_now.y0, place_now.width - min(taken, place_now.width / 2),
                         place_now.height))  # fmt: skip
    return [names[k] for k in entries]
