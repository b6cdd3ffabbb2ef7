"""The capped ℓ1 hinge problem as a mixed-integer linear program, solved by HiGHS."""

import numpy as np
import scipy.optimize
import scipy.sparse

from problem import THETA, Problem

# |w_j| is at most this in the program; an optimum near it would prove nothing, so it is checked.
REACH = 100.0


def lowest_capped_hinge(problem: Problem):
    """A bound that HiGHS proves, and the F of its own point: the optimum lies between them.

    λ min(|w_j|, θ) is the least λ(v_j + θ q_j) with |w_j| ≤ v_j + REACH·q_j, v_j ≥ 0 and q_j either 0 or 1.
    Variables are w, v, q, b and the slacks ξ, with m_i + ξ_i ≥ 1.
    """
    h, n, theta = problem.signed_rows(), len(problem.y), THETA["capped-l1"]
    d = h.shape[1]
    slopes = problem.lam * problem.kappa
    cost = np.concatenate([np.zeros(d), slopes, slopes * theta, [0.0], problem.shares])
    one, none = scipy.sparse.eye_array(d), scipy.sparse.csr_array((d, 1 + n))
    rows = scipy.sparse.vstack([
        scipy.sparse.hstack([h, scipy.sparse.csr_array((n, 2 * d)), problem.y[:, None], scipy.sparse.eye_array(n)]),
        scipy.sparse.hstack([-one, one, REACH * one, none]),
        scipy.sparse.hstack([one, one, REACH * one, none]),
    ]).tocsr()
    least = np.concatenate([np.ones(n), np.zeros(2 * d)])
    free = np.inf if problem.intercept else 0.0
    lower = np.concatenate([np.full(d, -REACH), np.zeros(2 * d), [-free], np.zeros(n)])
    upper = np.concatenate([np.full(d, REACH), np.full(d, np.inf), np.ones(d), [free], np.full(n, np.inf)])
    whole = np.concatenate([np.zeros(2 * d), np.ones(d), np.zeros(1 + n)])
    result = scipy.optimize.milp(
        cost,
        constraints=scipy.optimize.LinearConstraint(rows, least),
        bounds=scipy.optimize.Bounds(lower, upper),
        integrality=whole,
        options={"mip_rel_gap": 1e-9, "time_limit": 60},
    )
    assert result.status == 0, result.message
    w, b = result.x[:d], result.x[3 * d]
    assert np.abs(w).max() < 0.9 * REACH, "the reach is too short to prove anything"
    return result.mip_dual_bound, problem.objective(w, b)
