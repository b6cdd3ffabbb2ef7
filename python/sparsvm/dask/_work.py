"""What a team is asked to do: the arguments of the native module but for the rows, which each member has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from .._arrays import aligned
from .._results import Fitted, Followed, fitted, followed

if TYPE_CHECKING:
    from .._core import Team
    from .._types import Floats, Method, Objective, Progress
    from ._block import Block


@dataclass(frozen=True)
class FitWork:
    """One fit, or one for each class."""

    classes: list[str]
    alpha: float | None
    max_features: int | None
    objective: Objective
    method: Method
    names: list[str] | None
    start: tuple[Floats, list[float]] | None
    keep_history: bool

    def run(self, block: Block, team: Team, threads: int, progress: Progress | None) -> list[Fitted]:
        """On a member's rows."""
        method: Method = {**self.method, "threads": threads}
        block = block.usable()
        fits = _core.fit(
            block.X,
            block.codes,
            self.classes,
            block.weights,
            self.alpha,
            self.max_features,
            self.objective,
            method,
            self.names,
            None if self.start is None else (aligned(self.start[0]), self.start[1]),
            self.keep_history,
            progress,
            team,
        )
        return [fitted(fit) for fit in fits]


@dataclass(frozen=True)
class PathWork:
    """One path of two classes."""

    alphas: list[float] | tuple[int, float]
    max_features: int | None
    objective: Objective
    method: Method

    def run(self, block: Block, team: Team, threads: int, progress: Progress | None) -> list[Followed]:
        """On a member's rows."""
        method: Method = {**self.method, "threads": threads}
        block = block.usable()
        paths = _core.path(
            block.X,
            block.codes,
            2,
            block.weights,
            self.alphas,
            self.max_features,
            self.objective,
            method,
            progress,
            team,
        )
        return [followed(path) for path in paths]
