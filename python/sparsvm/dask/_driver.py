"""The driver's part of a fit: rows to members, a watch over them, and another attempt if a worker is lost."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from typing import TYPE_CHECKING, Any

from distributed import KilledWorker

from ._member import Abandoned, leave, open_seat, run_member

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import Points, Progress
    from ._member import Outcome
    from ._work import FitWork, PathWork

#: Attempts on top of one for each member.
ATTEMPTS = 3
#: Seconds that the cluster may be without any worker.
WITHOUT_WORKERS = 60.0
#: Seconds for the members to tell why, once one has failed.
GRACE = 5.0
#: Seconds for a result to come over.
RESULT = 60.0
#: Seconds between two looks at which workers there are.
LOOK_EVERY = 1.0

#: What a member says if it is not to blame.
OTHERS_FAULT = (Abandoned, KilledWorker)


class _Lost(Exception):
    """A member is gone, and what it held has to come back elsewhere."""

    def __init__(self, why: str, points: Points) -> None:
        super().__init__(why)
        self.points = points


def run_team(
    client: Any, blocks: list[Any], work: FitWork | PathWork, tell: Progress | None
) -> tuple[list[Any], dict[str, Any]]:
    """What the team found, and its traffic. `blocks` are futures: the rows of each member, in order of rank."""
    lost = ""
    limit = ATTEMPTS + len(blocks)
    for _ in range(limit):
        homes = _homes(client, blocks)
        try:
            outcomes = _attempt(client, blocks, homes, work, tell)
        except _Lost as again:
            # Not the exception itself, which holds on to the futures of its attempt.
            lost, work = str(again), work.resumed(again.points)
            continue
        return outcomes[0].found, _traffic(outcomes)
    raise RuntimeError(
        f"the fit was begun {limit} times, and every time a worker was lost ({lost}): see the workers' logs, "
        "most often they ran out of memory; use more or larger workers"
    )


def _traffic(outcomes: list[Outcome]) -> dict[str, Any]:
    """Sums made (all members take part in each), bytes of all members and of each, and seconds in the solver."""
    each = [outcome.traffic for outcome in outcomes]
    return {
        "rounds": each[0]["rounds"],
        "sent": sum(one["sent"] for one in each),
        "received": sum(one["received"] for one in each),
        "seconds": outcomes[0].seconds,
        "members": each,
    }


def _homes(client: Any, blocks: list[Any]) -> list[str]:
    """Where each block is. Waits for those that Dask has to make again, as long as there is somebody to do it."""
    without_since: float | None = None
    for wait in _looks():
        for block in blocks:
            if block.status == "error":
                raise _as_remedy(block.exception())
            if block.status == "cancelled":
                raise RuntimeError(
                    "rows were lost with their worker, and Dask cannot make them again, since they were scattered "
                    "to it: build X and y from files or from arrays (dask.array.from_array), and fit again"
                )
        if all(block.status == "finished" for block in blocks):
            holders = client.who_has(blocks)
            if all(holders.get(block.key) for block in blocks):
                return [min(holders[block.key]) for block in blocks]
        if client.nthreads():
            without_since = None
        elif without_since is None:
            without_since = time.monotonic()
        elif time.monotonic() - without_since > WITHOUT_WORKERS:
            raise RuntimeError(f"the cluster has had no worker for {WITHOUT_WORKERS:.0f} s: start some, and fit again")
        time.sleep(wait)
    raise AssertionError("looks never end")


def _as_remedy(error: BaseException) -> BaseException:
    """A worker that falls over its rows again and again needs more memory."""
    if isinstance(error, KilledWorker):
        return RuntimeError(f"workers died while they made ready their rows ({error}): use more or larger ones")
    return error


def _attempt(
    client: Any, blocks: list[Any], homes: list[str], work: FitWork | PathWork, tell: Progress | None
) -> list[Outcome]:
    """One run of the team at these workers."""
    run, token = secrets.token_hex(4), secrets.token_bytes(16)
    name = f"sparsvm-{run}"
    ranks = range(len(blocks))

    def submit(what: str, function: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]]) -> list[Any]:
        """One task for each member, at its home."""
        return [
            client.submit(
                function,
                name,
                rank,
                *arguments(rank),
                key=f"sparsvm-{what}-{run}-{rank}",
                workers=[homes[rank]],
                allow_other_workers=False,
                pure=False,
                retries=0,
                # Others wait for it.
                priority=100,
            )
            for rank in ranks
        ]

    if tell is not None:
        show = tell
        client.subscribe_topic(name, lambda event: show(*event[1]))
    tasks: list[Any] = []
    try:
        tasks += submit("seat", open_seat, lambda _: ())
        addresses = _watched(client, tasks, homes)
        members = submit("fit", run_member, lambda rank: (addresses, token, blocks[rank], work))
        tasks += members
        return _watched(client, members, homes)
    except BaseException:
        _call_off(client, name, homes)
        client.cancel(tasks)
        raise
    finally:
        if tell is not None:
            client.unsubscribe_topic(name)


def _watched(client: Any, tasks: list[Any], homes: list[str]) -> list[Any]:
    """The results of all tasks, or why there are none."""
    looked = time.monotonic()
    failing_since: float | None = None
    gone: set[str] = set()
    for wait in _looks():
        states = [task.status for task in tasks]
        if all(state == "finished" for state in states):
            try:
                return [task.result(timeout=RESULT) for task in tasks]
            except (TimeoutError, asyncio.TimeoutError):
                # Whoever had it is gone: what follows finds out.
                continue
        now = time.monotonic()
        if gone or any(state not in ("pending", "finished") for state in states):
            failing_since = failing_since or now
            if "pending" not in states or now - failing_since > GRACE:
                raise _fault(tasks, gone)
        if now - looked > LOOK_EVERY:
            looked = now
            gone = set(homes) - set(client.nthreads())
            if gone and all(home in gone for home, state in zip(homes, states) if state == "pending"):
                raise _fault(tasks, gone)
        time.sleep(wait)
    raise AssertionError("looks never end")


def _fault(tasks: list[Any], gone: set[str]) -> BaseException:
    """A member's own fault if there is one, as it is; else somebody was lost."""
    faults: list[BaseException] = [task.exception() for task in tasks if task.status == "error"]
    own = [fault for fault in faults if not isinstance(fault, OTHERS_FAULT)]
    if own:
        return own[0]
    abandoned = [fault for fault in faults if isinstance(fault, Abandoned)]
    whys = sorted(gone) if gone else [fault.why for fault in abandoned[:1]]
    return _Lost(", ".join(whys), next((fault.points for fault in abandoned if fault.points), {}))


def _call_off(client: Any, name: str, homes: list[str]) -> None:
    """Tells the members that are there to leave; whether they hear it or not, it does not take long."""

    def tell() -> None:
        there = sorted(set(homes) & set(client.nthreads()))
        if there:
            client.run(leave, name, workers=there, on_error="ignore")

    # A worker may be frozen, and an answer then never comes.
    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    teller.join(GRACE)


def _looks() -> Any:
    """Pauses between looks at the futures' states, which are known here: short at first."""
    pause = 0.002
    while True:
        yield pause
        pause = min(0.05, pause * 1.5)
