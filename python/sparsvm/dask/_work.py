"""What a team is asked to do: the arguments of the native module but for the rows, which each member has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .._arrays import aligned
from .._results import Fitted, Followed, fitted, followed

if TYPE_CHECKING:
    from .._core import Team
    from .._types import Floats, Method, Objective, Points, Progress
    from ._block import Block


@dataclass(frozen=True)
class FitWork:
    """One fit, or one for each class."""

    classes: list[str]
    alpha: float | None
    max_features: int | None
    objective: Objective
    method: Method
    columns: int
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

    def resumed(self, points: Points) -> FitWork:
        """The same, from where others had got.

        A convex problem has one solution, and it is found from anywhere. For others the search has to begin anew: a
        point would be one start more, and perhaps another answer.
        """
        if not points or self.objective["penalty"] != "l1":
            return self
        problems = 1 if len(self.classes) == 2 else len(self.classes)
        coef, intercepts = np.zeros((problems, self.columns)), [0.0] * problems
        for problem, (indices, values, intercept) in points.items():
            coef[problem, indices] = values
            intercepts[problem] = intercept
        return replace(self, start=(coef, intercepts))


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

    def resumed(self, points: Points) -> PathWork:
        """The same: a path begins at its largest strength."""
        return self
