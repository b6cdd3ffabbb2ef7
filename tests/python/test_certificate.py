"""What the program claims about its solutions, checked from the outside."""

import numpy as np
import pytest

from generate import mixed
from linear_program import lowest_hinge
from problem import LOSSES, PENALTIES, loss_pull
from program import train
from quadratic_program import optimum

ROUNDING = 1e-11


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-4])
@pytest.mark.parametrize("seed", range(10, 20))
def test_gap_of_the_l1_hinge_is_no_less_than_the_true_one(seed, tol, tmp_path):
    problem = mixed(seed)
    fit = train(problem, tmp_path, "--tol", tol)
    lowest = lowest_hinge(problem, problem.slopes(fit.w))
    judge(fit, lowest, tol)


@pytest.mark.parametrize("tol", [1e-1, 1e-3])
@pytest.mark.parametrize("l2", [0.0, 0.1])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(2))
def test_gap_of_l1_with_ridge_is_no_less_than_the_true_one(seed, loss, l2, tol, tmp_path):
    problem = mixed(seed, loss=loss, l2=l2, weights=None, factors=None)
    fit = train(problem, tmp_path, "--tol", tol)
    _, high = optimum(problem)
    judge(fit, high, tol)


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("penalty", PENALTIES[1:])
@pytest.mark.parametrize("seed", range(4))
def test_gap_of_a_nonconvex_hinge_is_no_less_than_that_of_its_tangent_problem(seed, penalty, tol, tmp_path):
    problem = mixed(seed, penalty=penalty)
    fit = train(problem, tmp_path, "--tol", tol)
    slopes, used = problem.slopes(fit.w), fit.w != 0.0
    touching = lowest_hinge(problem, slopes)
    whole = problem.objective(fit.w, fit.b)
    constant = whole - hinge_and_l1(problem, fit, slopes, used)
    judge(fit, touching + constant, tol)


@pytest.mark.parametrize("l2", [0.0, 0.01])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES[1:])
@pytest.mark.parametrize("seed", range(3))
def test_a_smooth_loss_ends_where_the_slopes_balance(seed, loss, penalty, l2, tmp_path):
    tol = 1e-6
    problem = mixed(seed, loss=loss, penalty=penalty, l2=l2)
    fit = train(problem, tmp_path, "--tol", tol)
    assert fit.report["status"] == "converged", fit.command
    w = fit.w
    pulls = problem.y * problem.shares * loss_pull(problem, problem.margins(w, fit.b))
    force, slopes = problem.x.T @ pulls, problem.slopes(w)
    with np.errstate(invalid="ignore"):
        off = np.abs(problem.l2 * w + np.sign(w) * slopes - force)
    outside = np.maximum(np.abs(force) - slopes, 0.0)
    violation = np.where(w != 0.0, off, outside).max()
    at_zero = problem.slopes(np.zeros_like(w))
    scale = max(np.abs(force).max(), at_zero[np.isfinite(at_zero)].max(initial=0.0))
    assert violation <= tol * scale, fit.command
    if problem.intercept:
        assert abs(pulls.sum()) <= tol * problem.shares.sum(), fit.command


def hinge_and_l1(problem, fit, slopes, used):
    """The tangent problem's value at the fit, without its constant."""
    lost = problem.shares @ np.maximum(1.0 - problem.margins(fit.w, fit.b), 0.0)
    return lost + slopes[used] @ np.abs(fit.w[used])


def judge(fit, lowest, tol):
    """The claims hold for a `lowest` that is at or above the optimum; `converged` means what it says."""
    report, certificate = fit.report, fit.model["certificate"]
    true_gap = (report["objective"] - lowest) / report["objective"]
    assert true_gap <= report["gap"] + ROUNDING, fit.command
    assert certificate["lower_bound"] <= lowest + ROUNDING * report["objective"], fit.command
    assert (report["status"] == "converged") == (max(report["gap"], report["violation"]) <= tol), fit.command
    assert report["status"] == "converged", fit.command
