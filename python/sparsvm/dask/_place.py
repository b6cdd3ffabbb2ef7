"""Which rows go together: contiguous runs of parts, one for each worker, made into one block where most of them are."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from ._block import block_of

if TYPE_CHECKING:
    from ._collect import Collected


def place(client: Any, collected: Collected) -> list[Any]:
    """Futures of blocks, in the order of their rows.

    Which parts make a block depends on their lengths and on the number of workers alone, never on where Dask has
    happened to compute them: so the same data on as many workers gives the same bits. Each block may be made again
    on any other worker, and stays the same.
    """
    rows = [summary.rows for summary in collected.summaries]
    workers = sorted(client.nthreads())
    if not workers:
        raise RuntimeError("the cluster has no workers: start some, and fit again")
    groups = runs(rows, len(workers))
    holders = client.who_has(collected.parts)
    held = [[holders.get(collected.parts[k].key, ()) for k in group] for group in groups]
    homes = _homes(groups, held, rows, workers)
    name = secrets.token_hex(4)
    return [
        client.submit(
            block_of,
            [collected.parts[k] for k in group],
            collected.outline,
            key=f"sparsvm-block-{name}-{rank}",
            workers=[home],
            allow_other_workers=True,
            pure=False,
        )
        for rank, (group, home) in enumerate(zip(groups, homes))
    ]


def runs(rows: list[int], count: int) -> list[list[int]]:
    """At most `count` runs of parts that have rows, cut where the shares of all rows are nearest to equal."""
    filled = [k for k, length in enumerate(rows) if length]
    total, behind = sum(rows), 0
    groups: dict[int, list[int]] = {}
    for k in filled:
        # The share in which the part's middle lies.
        share = (2 * behind + rows[k]) * count // (2 * total)
        groups.setdefault(share, []).append(k)
        behind += rows[k]
    return list(groups.values())


def _homes(groups: list[list[int]], held: list[Any], rows: list[int], workers: list[str]) -> list[str]:
    """A worker for each group, none for two: the pair with the most rows in place first."""
    there = {
        (worker, rank): sum(rows[k] for k, holders in zip(groups[rank], held[rank]) if worker in holders)
        for rank in range(len(groups))
        for worker in workers
    }
    homes: dict[int, str] = {}
    taken: set[str] = set()
    for worker, rank in sorted(there, key=lambda pair: (-there[pair], pair)):
        if rank not in homes and worker not in taken:
            homes[rank] = worker
            taken.add(worker)
    return [homes[rank] for rank in range(len(groups))]
