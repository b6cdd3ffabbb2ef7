"""Every loss with ℓ1 and ℓ2 parts against a quadratic program that proves its own accuracy."""

import pytest

from generate import mixed
from problem import LOSSES
from program import train
from quadratic_program import optimum


@pytest.mark.parametrize("l2", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(8))
def test_elastic_net_is_the_optimum_of_the_quadratic_program(seed, loss, l2, tmp_path):
    factors = {} if l2 else {"factors": None}
    problem = mixed(seed, loss=loss, delta=[2.0, 0.3][seed % 2], l2=l2, weights=None, **factors)
    fit = train(problem, tmp_path, "--tol", "1e-9")
    low, high = optimum(problem)
    reported = fit.report["objective"]
    assert fit.report["status"] == "converged", fit.command
    assert abs(problem.objective(fit.w, fit.b) - reported) <= 1e-12 * reported, fit.command
    assert low * (1 - 1e-9) <= reported <= high * (1 + 1e-8), fit.command
