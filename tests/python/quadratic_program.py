"""Every loss with ℓ1 and ℓ2 penalties as a quadratic program, by an interior-point method in plain numpy.

The answer is an interval that is proved to hold the optimum: its upper end is F at a point, its lower end
the value of a dual point, both evaluated directly. A fault in the method can only make it wide.
"""

import itertools

import numpy as np
import scipy.linalg

from problem import Problem

ROUNDS = 60
# Keeps the Newton matrix regular along directions that change nothing; the optimum stays where it is.
PROXIMAL = 1e-8
# The part of the way to the boundary that a step may go.
SHORTENED = 0.995


def optimum(problem: Problem):
    """(low, high) around the minimum of F for the ℓ1 penalty, narrower than 1e-9 · F."""
    d, low, high = problem.x.shape[1], -np.inf, np.inf
    for x, beta in itertools.islice(interior_points(*formulate(problem)), ROUNDS):
        w, b = x[:d] - x[d : 2 * d], (x[2 * d] if problem.intercept else 0.0)
        low, high = max(low, dual_value(problem, beta)), min(high, problem.objective(w, b))
        if high - low <= 1e-9 * high:
            return low, high
    raise AssertionError(f"the oracle itself is not accurate: {low} to {high}")


def formulate(problem):
    """½xᵀ diag(p) x + qᵀx subject to Ax ≥ rhs, for x = (w⁺, w⁻, b, u, v), of which the slacks are ξ = u + v.

    Hinge: v only. Squared: u². Huberised: u²/(2δ) + v. What a loss has no use for stays out.
    """
    h, n = problem.signed_rows(), len(problem.y)
    d, shares = h.shape[1], problem.shares
    bend = {"hinge": None, "squared-hinge": 2 * shares, "huber-hinge": shares / problem.delta}[problem.loss]
    line = None if problem.loss == "squared-hinge" else shares
    intercept = [problem.y[:, None]] if problem.intercept else []
    slacks = [part for part in (bend, line) if part is not None]
    a = np.hstack([h, -h, *intercept, *[np.eye(n)] * len(slacks)])
    k = a.shape[1]
    p, q = np.zeros(k), np.zeros(k)
    p[: 2 * d] = problem.l2  # of w⁺ and w⁻ one is 0, so that their squares add up to w²
    q[: 2 * d] = np.tile(problem.lam * problem.kappa, 2)
    first = k - n * len(slacks)
    if bend is not None:
        p[first : first + n] = bend
    if line is not None:
        q[k - n :] = line
    signed = np.arange(k) != (2 * d if problem.intercept else k)
    return p, q, a, signed


def interior_points(p, q, a, signed):
    """Mehrotra's predictor-corrector for Ax ≥ 1 and x ≥ 0 where `signed`; yields x and A's multipliers.

    The Newton system is kept whole, (diagonal, -Aᵀ; A, diagonal): to eliminate either half cancels digits.
    """
    m, k = a.shape
    at = np.flatnonzero(signed)
    x, size = np.zeros(k), max(q.max(), p.max())
    s, z = np.ones(m + len(at)), np.full(m + len(at), size)
    rhs = np.concatenate([np.ones(m), np.zeros(len(at))])
    matrix = np.block([[np.zeros((k, k)), -a.T], [a, np.zeros((m, m))]])
    diagonal = np.arange(k + m)
    while True:
        dual = p * x + q - a.T @ z[:m]
        dual[at] -= z[m:]
        primal, mu = np.concatenate([a @ x, x[at]]) - s - rhs, s @ z / len(s)
        matrix[diagonal, diagonal] = np.concatenate([p + PROXIMAL * size, s[:m] / z[:m]])
        matrix[at, at] += z[m:] / s[m:]
        factor = scipy.linalg.lu_factor(matrix)

        def step(target):
            right = np.concatenate([-dual, (target / z - s - primal)[:m]])
            right[at] += ((target - z * primal) / s - z)[m:]
            dx, dz = np.split(scipy.linalg.lu_solve(factor, right), [k])
            balance = dual + p * dx - a.T @ dz  # what the dual constraints need, rather than a division
            return dx, np.concatenate([a @ dx, dx[at]]) + primal, np.concatenate([dz, balance[at]])

        def longest(ds, dz):
            limits = np.concatenate([-s[ds < 0] / ds[ds < 0], -z[dz < 0] / dz[dz < 0], [1.0 / SHORTENED]])
            return SHORTENED * limits.min()

        _, ds, dz = step(np.zeros(len(s)))
        length = min(1.0, longest(ds, dz))
        after = (s + length * ds) @ (z + length * dz) / len(s)
        dx, ds, dz = step((after / mu) ** 3 * mu - ds * dz)
        length = min(1.0, longest(ds, dz))
        x, s, z = x + length * dx, s + length * ds, z + length * dz
        yield x, z[:m]


def dual_value(problem, beta):
    """The lower bound that β proves, after β was made feasible: balanced if b is free, then scaled."""
    shares, y = problem.shares, problem.y
    beta = np.maximum(beta, 0.0)
    if problem.intercept:
        positive, negative = beta[y > 0].sum(), beta[y < 0].sum()
        beta = beta * np.where(y > 0, min(1.0, negative / positive), min(1.0, positive / negative))
    if problem.loss != "squared-hinge":
        beta = np.minimum(beta, shares) if not problem.intercept else beta / max(1.0, (beta / shares).max())
    slopes, force = problem.lam * problem.kappa, np.abs(problem.signed_rows().T @ beta)
    if problem.l2 == 0.0:
        assert (slopes > 0).all(), "an unpenalised feature needs a ridge here"
        scale = max(1.0, (force / slopes).max())
        beta, force = beta / scale, force / scale
    pull = beta / shares
    bend = {"hinge": 0.0, "squared-hinge": 1 / 4, "huber-hinge": problem.delta / 2}[problem.loss]
    excess = np.maximum(force - slopes, 0.0)
    return shares @ (pull - bend * pull**2) - (excess @ excess / (2 * problem.l2) if problem.l2 else 0.0)
