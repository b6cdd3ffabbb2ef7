"""What a worker does as a member of a team: opens a seat, joins, and runs the solver on its own rows."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distributed import get_worker, secede
from distributed.comm import get_address_host
from distributed.utils import ensure_ip

from .._core import Seat, TeamError

if TYPE_CHECKING:
    from .._core import Team
    from .._types import Points, Progress, Record
    from ._block import Block
    from ._work import FitWork, PathWork

#: Seconds that a member waits for the others to come: their tasks may be queued behind other work. The driver
#: watches meanwhile, and calls everybody off if one is lost.
PATIENCE = 300.0
#: Seconds between two reports of where the fit is.
REPORT_EVERY = 0.5

#: Seats and teams of this process by attempt and rank; workers may be threads of one process.
_seats: dict[tuple[str, int], Seat] = {}
_teams: dict[tuple[str, int], Team] = {}
_lock = threading.Lock()


class Abandoned(RuntimeError):
    """A member could not go on, and is not to blame: why, and the last points that it knows."""

    def __init__(self, why: str, points: Points) -> None:
        super().__init__(why, points)
        self.why, self.points = why, points


@dataclass(frozen=True)
class Outcome:
    """What a member brings back; only the first one brings what was found, since all have found the same."""

    found: Any
    traffic: dict[str, int]
    #: In the solver, the waiting for others with it.
    seconds: float


def open_seat(attempt: str, rank: int) -> str:
    """Listens at the worker's own address; returns where."""
    seat = Seat(ensure_ip(get_address_host(get_worker().address)))
    with _lock:
        _seats[attempt, rank] = seat
    return seat.address


def run_member(
    attempt: str, rank: int, addresses: list[str], token: bytes, block: Block, work: FitWork | PathWork
) -> Outcome:
    """The whole fit, as one of the team."""
    worker = get_worker()
    # Not one of the worker's threads any more: two fits on one cluster never wait for each other's.
    secede()
    with _lock:
        seat = _seats.get((attempt, rank))
    team: Team | None = None
    try:
        if seat is None:
            raise TeamError(f"worker {worker.address} was started anew")
        team = seat.join(rank, addresses, token, PATIENCE)
        with _lock:
            _teams[attempt, rank] = team
        progress = _reports(attempt, worker) if rank == 0 else None
        began = time.perf_counter()
        found = work.run(block, team, worker.state.nthreads, progress)
        return Outcome(found if rank == 0 else None, team.traffic, time.perf_counter() - began)
    except TeamError as error:
        raise Abandoned(str(error), {} if team is None else team.points) from None
    finally:
        leave(attempt, rank)


def leave(attempt: str, rank: int | None = None) -> None:
    """Gives up seats and teams of an attempt; whoever waits for a sum fails at once."""
    with _lock:
        keys = {key for key in (*_seats, *_teams) if key[0] == attempt and rank in (None, key[1])}
        seats = [_seats.pop(key) for key in keys if key in _seats]
        teams = [_teams.pop(key) for key in keys if key in _teams]
    for team in teams:
        team.abort()
    for seat in seats:
        seat.close()


def _reports(topic: str, worker: Any) -> Progress:
    """Tells the driver now and then where the fit is."""
    last = time.monotonic()

    def report(phase: str, done: int, all_: int, step: Record | None) -> None:
        nonlocal last
        if time.monotonic() - last >= REPORT_EVERY:
            last = time.monotonic()
            worker.log_event(topic, [phase, done, all_, step])

    return report
