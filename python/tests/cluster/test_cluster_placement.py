"""Which rows go to which member: a matter of lengths alone."""

import numpy as np

from sparsvm.dask._pairs import seed_of_pair
from sparsvm.dask._place import _homes, runs


def test_runs_are_contiguous_and_even():
    assert runs([10] * 6, 3) == [[0, 1], [2, 3], [4, 5]]
    assert runs([0, 5, 0, 5], 4) == [[1], [3]]
    assert runs([1, 1, 100], 3) == [[0, 1], [2]]
    assert runs([7], 5) == [[0]]
    random = np.random.default_rng(0)
    for _ in range(200):
        rows, count = random.integers(0, 50, random.integers(1, 40)).tolist(), int(random.integers(1, 9))
        if not sum(rows):
            continue
        groups = runs(rows, count)
        assert sum(groups, []) == [k for k, length in enumerate(rows) if length] and len(groups) <= count
        assert max(sum(rows[k] for k in group) for group in groups) <= sum(rows) / count + max(rows)


def test_blocks_are_made_where_most_rows_are():
    held = [[("b",), ("b",)], [("a",), ("b",)]]
    assert _homes([[0, 1], [2, 3]], held, [5, 5, 5, 5], ["a", "b", "c"]) == ["b", "a"]
    assert _homes([[0], [1]], [[()], [()]], [1, 1], ["a", "b"]) == ["a", "b"]


def test_seeds_of_pairs_are_the_core_s():
    assert seed_of_pair(9, 0) == 9
    # SplitMix64's first number for seed 1234567, reached through the seed that the pair's number is mixed into.
    assert seed_of_pair(1_234_567 ^ 0xD1B54A32D192ED03, 1) == 6_457_827_717_110_365_317
