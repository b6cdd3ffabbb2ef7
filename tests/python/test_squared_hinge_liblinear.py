"""ℓ1 squared hinge against LIBLINEAR (-s 5), which minimises ‖w‖₁ + C Σ [1-m]₊² = F/λ with C = 1/(nλ)."""

import dataclasses
import os

import numpy as np
import pytest
import scipy.sparse

from generate import gaussian
from problem import Problem
from program import train

try:
    from liblinear import liblinearutil
except ImportError:
    liblinearutil = None

needs_liblinear = pytest.mark.skipif(
    liblinearutil is None and os.environ.get("CI") != "true",
    reason="notice: liblinear-official is not installed: with a C compiler, `rm -r .venv` and `make test`",
)


def liblinear(problem, is_penalised=False):
    """LIBLINEAR's w and b, with a bias that is not regularised, or is."""
    cost = 1.0 / (len(problem.y) * problem.lam)
    bias = "-B 1" if is_penalised else "-B 1 -R" if problem.intercept else "-B -1"
    rows = scipy.sparse.csr_matrix(problem.x)
    model = liblinearutil.train(problem.y, rows, f"-s 5 {bias} -c {cost!r} -e 1e-10 -q")
    w, b = model.get_decfun()
    return np.array(w), b


def friendly(seed):
    """A problem that LIBLINEAR solves to the end within its limit of 1,000 sweeps."""
    random = np.random.default_rng(seed)
    shapes = [(300, 30, 0.003), (150, 300, 0.04), (500, 100, 0.01), (200, 200, 0.03), (1000, 400, 0.005)]
    n, d, lam = shapes[seed % 5]
    x, y = gaussian(random, n, d, [0.3, 0.05][seed % 2], [0.2, 0.5, 0.5][seed % 3], noise=1.0)
    return Problem(x, y, lam, loss="squared-hinge", intercept=seed % 4 != 3)


@needs_liblinear
@pytest.mark.parametrize("seed", range(10))
def test_l1_squared_hinge_is_as_low_as_liblinear(seed, tmp_path):
    problem = friendly(seed)
    fit = train(problem, tmp_path, "--tol", "1e-9")
    assert fit.report["status"] == "converged", fit.command
    theirs = problem.objective(*liblinear(problem))
    assert abs(fit.report["objective"] - theirs) <= 1e-6 * theirs, fit.command


@needs_liblinear
@pytest.mark.parametrize("seed", range(5))
def test_a_penalised_intercept_is_liblinears_own(seed, tmp_path):
    problem = dataclasses.replace(friendly(seed), intercept=True)
    fit = train(problem, tmp_path, "--tol", "1e-9", "--intercept", "penalised")
    assert fit.report["status"] == "converged" and fit.report["intercept_is"] == "penalised", fit.command
    w, b = liblinear(problem, is_penalised=True)
    theirs = problem.objective(w, b) + problem.lam * abs(b)
    ours = problem.objective(fit.w, fit.b) + problem.lam * abs(fit.b)
    assert abs(fit.report["objective"] - ours) <= 1e-12 * ours, fit.command
    assert abs(ours - theirs) <= 1e-6 * theirs, fit.command
