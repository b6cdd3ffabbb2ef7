"""Data that solvers dislike, under every loss, penalty, ridge and intercept: all end with a certificate."""

import itertools
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from generate import gaussian, text_like
from problem import LOSSES, PENALTIES, Problem
from program import train

TOL = 1e-4


def ordinary(random):
    return gaussian(random, 100, 30, density=0.5, noise=2.0)


def huge_column(random):
    x, y = ordinary(random)
    x[:, 3] *= 1e6
    return x, y


def tiny_column(random):
    x, y = ordinary(random)
    x[:, 3] *= 1e-6
    return x, y


def duplicate_columns(random):
    x, y = ordinary(random)
    return np.hstack([x, x[:, :10], -x[:, :5]]), y


def constant_columns(random):
    x, y = ordinary(random)
    x[:, 5], x[:, 6] = 1.0, 0.0
    return x, y


def separable(random):
    return gaussian(random, 60, 90, noise=0.0)


def rare_class(random):
    return gaussian(random, 200, 30, density=0.3, minority=0.03, noise=1.0)


KINDS = [huge_column, tiny_column, duplicate_columns, constant_columns, separable, rare_class]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_combination_converges(kind, loss, penalty, tmp_path):
    x, y = kind(np.random.default_rng(7))

    def complaint(l2, intercept):
        folder = tmp_path / f"l2-{l2}-intercept-{intercept}"
        folder.mkdir()
        problem = Problem(x, y, 0.02, loss, penalty=penalty, l2=l2, intercept=intercept)
        fit = train(problem, folder, "--max-time", 10, "--threads", 1)
        report, true = fit.report, problem.objective(fit.w, fit.b)
        within = max(report["gap"], report["violation"]) <= TOL
        right = abs(true - report["objective"]) <= 1e-10 * true
        if report["status"] == "converged" and within and right:
            return []
        told = {key: report[key] for key in ("status", "gap", "violation", "objective")}
        return [f"{told}, true objective {true}\n  {fit.command}"]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = pool.map(complaint, *zip(*itertools.product([0.0, 0.01], [True, False])))
        assert not (said := sum(complaints, [])), "\n".join(said)


def test_many_features_that_nothing_shrinks_take_few_steps(tmp_path):
    # Weights grow past the flat end of the penalty until the classes are separated: steep ramps let them creep there.
    x, y = text_like(np.random.default_rng(5), 1_500, 4_000, 40)
    fit = train(Problem(x, y, 0.02, "hinge", penalty="mcp"), tmp_path, "--scale", "standard")
    assert fit.report["status"] == "converged", fit.command
    assert fit.report["iterations"] < 20_000, "it was 190,754 before rounds became flatter"
