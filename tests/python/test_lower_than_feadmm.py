"""The default solver ends no higher than FEADMM's best of 36 pairs of parameters."""

import numpy as np
import pytest

from generate import gaussian, text_like
from problem import Problem
from program import train

# Newton steps; a few thousand are usual, and a solver that goes round in circles makes more than this.
MANY = 200_000


def genes(random):
    return gaussian(random, 50, 400, noise=1.0)


def clinic(random):
    return gaussian(random, 250, 15, noise=2.0)


def rare(random):
    return gaussian(random, 300, 30, density=0.3, minority=0.05, noise=1.0)


def words(random):
    return text_like(random, 200, 500, 20)


@pytest.mark.parametrize("lam", [0.05, 2.0**-6, 0.004])
@pytest.mark.parametrize("penalty", ["scad", "mcp", "lsp", "capped-l1"])
@pytest.mark.parametrize("kind", [genes, clinic, rare, words], ids=lambda kind: kind.__name__)
def test_exact_ends_no_higher_than_the_best_of_the_rho_grid(kind, penalty, lam, tmp_path):
    problem = Problem(*kind(np.random.default_rng(11)), lam, penalty=penalty)
    exact = train(problem, tmp_path)
    grid = train(problem, tmp_path, "--solver", "feadmm", "--rho-grid")
    assert exact.report["iterations"] < MANY, exact.command
    assert exact.report["objective"] <= grid.report["objective"] * (1 + 1e-12), exact.command
