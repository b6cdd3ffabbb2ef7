"""The global solver against a mixed-integer program, and the other solvers against its bound."""

import numpy as np
import pytest

from generate import gaussian
from mixed_integer_program import lowest_capped_hinge
from problem import Problem
from program import train

# HiGHS takes what is whole within 1e-6 for whole, and rows that hold within 1e-7.
THEIRS = 1e-5
OURS = 1e-6


def small(seed, penalty="capped-l1"):
    """A problem whose classes overlap: else weights past the cap could be as large as they like."""
    random = np.random.default_rng(seed)
    n, d = [(30, 5), (40, 8), (50, 10), (60, 6)][seed % 4]
    x, y = gaussian(random, n, d, density=[1.0, 0.6][seed % 2], noise=[4.0, 2.0, 6.0][seed % 3])
    lam = [0.2, 0.05, 0.1][seed % 3]
    weights = random.choice([0.5, 1.0, 3.0], n) if seed % 5 == 4 else None
    return Problem(x, y, lam, penalty=penalty, intercept=seed % 4 != 3, weights=weights)


@pytest.mark.parametrize("seed", range(12))
def test_capped_l1_is_the_optimum_of_the_mixed_integer_program(seed, tmp_path):
    problem = small(seed)
    fit = train(problem, tmp_path, "--solver", "global", "--tol", OURS)
    report, reported = fit.report, fit.report["objective"]
    assert report["status"] == "converged" and report["global_gap"] <= OURS, fit.command
    assert abs(problem.objective(fit.w, fit.b) - reported) <= 1e-12 * reported, fit.command
    low, high = lowest_capped_hinge(problem)
    assert low * (1 - THEIRS) <= reported <= high * (1 + OURS), fit.command
    assert report["global_bound"] <= high * (1 + 1e-12), fit.command


@pytest.mark.parametrize("penalty", ["scad", "mcp", "lsp", "capped-l1", "lp"])
@pytest.mark.parametrize("seed", range(4))
def test_no_solver_and_no_random_point_is_below_the_bound(seed, penalty, tmp_path):
    problem = small(seed, penalty)
    fit = train(problem, tmp_path, "--solver", "global")
    bound = fit.report["global_bound"]
    assert fit.report["global_gap"] <= 1e-4, fit.command
    for options in (["--starts", 40], ["--solver", "feadmm", "--rho-grid"]):
        assert train(problem, tmp_path, *options).report["objective"] >= bound, fit.command
    random = np.random.default_rng(seed)
    for _ in range(2000):
        near = fit.w + random.standard_normal(len(fit.w)) * 10.0 ** random.uniform(-4, 1)
        w = np.where(random.random(len(near)) < 0.5, near, fit.w)
        b = fit.b + 0.1 * random.standard_normal() if problem.intercept else 0.0
        assert problem.objective(w, b) >= bound, fit.command
