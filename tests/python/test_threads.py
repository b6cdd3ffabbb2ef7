"""The number of threads changes no bit of a model, on data large enough for the parallel code to run."""

import numpy as np
import pytest

from generate import text_like
from problem import Problem
from program import train


@pytest.fixture(scope="module")
def data():
    return text_like(np.random.default_rng(3), 5_000, 20_000, 50)


@pytest.mark.parametrize(
    ("loss", "penalty", "lam"),
    [("hinge", "l1", 0.001), ("squared-hinge", "l1", 0.001), ("hinge", "mcp", 0.005)],
)
def test_any_number_of_threads_gives_the_same_bits(loss, penalty, lam, data, tmp_path):
    problem = Problem(*data, lam, loss, penalty=penalty)
    fits = [train(problem, tmp_path, "--threads", threads) for threads in (1, 2, 3)]
    assert fits[0].report["nonzeros"] > 20, fits[0].command
    for fit in fits[1:]:
        assert fit.model == fits[0].model, fit.command
