"""What the native module found, as plain data that can be sent to another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Fit, Model, Path
    from ._types import Floats, Integers, Record


@dataclass(frozen=True)
class Fitted:
    """A fit, without the dual variables of its rows."""

    coef: Floats
    intercept: float
    alpha: float
    status: str
    n_iter: int
    objective: float
    gap: float
    violation: float
    history: list[Record] | None
    model: Model
    dual: None = None


def fitted(fit: Fit) -> Fitted:
    """A copy that can travel."""
    return Fitted(
        coef=fit.coef,
        intercept=fit.intercept,
        alpha=fit.alpha,
        status=fit.status,
        n_iter=fit.n_iter,
        objective=fit.objective,
        gap=fit.gap,
        violation=fit.violation,
        history=fit.history,
        model=fit.model,
    )


@dataclass(frozen=True)
class Followed:
    """A path."""

    alphas: Floats
    indptr: Integers
    indices: Integers
    values: Floats
    intercepts: Floats
    objectives: Floats
    losses: Floats
    gaps: Floats
    violations: Floats
    seconds: Floats
    statuses: list[str]
    n_iter: int
    alpha_max: float
    status: str


def followed(path: Path) -> Followed:
    """A copy that can travel."""
    return Followed(
        alphas=path.alphas,
        indptr=path.indptr,
        indices=path.indices,
        values=path.values,
        intercepts=path.intercepts,
        objectives=path.objectives,
        losses=path.losses,
        gaps=path.gaps,
        violations=path.violations,
        seconds=path.seconds,
        statuses=list(path.statuses),
        n_iter=path.n_iter,
        alpha_max=path.alpha_max,
        status=path.status,
    )
