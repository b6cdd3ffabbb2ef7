"""ℓ1-hinge against the optimum of the linear program."""

import pytest

from generate import mixed
from linear_program import lowest_hinge
from program import train


@pytest.mark.parametrize("seed", range(50))
def test_l1_hinge_is_the_optimum_of_the_linear_program(seed, tmp_path):
    problem = mixed(seed)
    fit = train(problem, tmp_path, "--tol", "1e-9")
    reported = fit.report["objective"]
    assert fit.report["status"] == "converged", fit.command
    assert abs(problem.objective(fit.w, fit.b) - reported) <= 1e-12 * reported, fit.command
    lowest = lowest_hinge(problem, problem.slopes(fit.w))
    assert reported <= lowest * (1 + 1e-7), fit.command
    assert reported >= lowest * (1 - 1e-9), fit.command
