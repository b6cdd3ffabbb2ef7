"""Pairs of halves that were fitted apart, counted together as the native module counts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._core import Stability
    from .._stability import Plan

MASK = (1 << 64) - 1


def seed_of_pair(seed: int, pair: int) -> int:
    """The seed whose first pair is this one of `seed`: the rule of `crates/core/src/select/random.rs`."""
    if pair == 0:
        return seed & MASK
    state = (seed ^ pair * 0xD1B54A32D192ED03) + 0x9E3779B97F4A7C15 & MASK
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ state >> 27) * 0x94D049BB133111EB & MASK
    return state ^ state >> 31


@dataclass(frozen=True)
class Pair:
    """What the halves of a pair selected."""

    halves: int
    failures: list[str]
    #: Feature, halves that selected it, and those of them where its weight was positive.
    counts: list[tuple[int, int, int]]


def pair_of(found: Stability) -> Pair:
    """Shares as counts."""
    counts = []
    for feature, share, sign in found.features:
        kept = round(share * found.halves)
        counts.append((feature, kept, round(sign * kept)))
    return Pair(found.halves, found.failures, counts)


@dataclass(frozen=True)
class Tally:
    """All pairs: what `Stability` holds."""

    features: list[tuple[int, float, float]]
    halves: int
    failures: list[str]
    q: float
    bound: float


def tally(plan: Plan, pairs: list[Pair]) -> Tally:
    """The most frequent first, then those with the steadier sign, then by number."""
    halves = sum(pair.halves for pair in pairs)
    failures = [failure for pair in pairs for failure in pair.failures]
    if not halves:
        raise ValueError(f"every half of the data failed; the first one: {failures[0]}")
    totals: dict[int, list[int]] = {}
    for pair in pairs:
        for feature, kept, positive in pair.counts:
            total = totals.setdefault(feature, [0, 0])
            total[0] += kept
            total[1] += positive
    order = sorted(totals, key=lambda j: (-totals[j][0], -max(totals[j][1], totals[j][0] - totals[j][1]), j))
    most, _ = plan.selector
    selected = sum(kept for kept, _ in totals.values())
    q = float(most) if most is not None else selected / halves
    return Tally(
        features=[(j, totals[j][0] / halves, totals[j][1] / max(1, totals[j][0])) for j in order],
        halves=halves,
        failures=failures,
        q=q,
        bound=q * q / ((2.0 * plan.threshold - 1.0) * plan.n_features),
    )
