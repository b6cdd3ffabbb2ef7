"""The ℓ1-hinge problem as a linear program, solved by HiGHS."""

import numpy as np
import scipy.optimize
import scipy.sparse

from problem import Problem


def lowest_hinge(problem: Problem, slopes):
    """The minimum of (1/n) Σ c_i [1 - m_i]₊ + Σ slopes_j |w_j|; a slope of ∞ keeps a feature at 0.

    Variables are w⁺, w⁻, b and the slacks ξ, with m_i + ξ_i ≥ 1.
    """
    h, n = problem.signed_rows(), len(problem.y)
    d = h.shape[1]
    allowed = np.where(np.isinf(slopes), 0.0, np.inf)
    cost = np.concatenate([*[np.where(np.isinf(slopes), 0.0, slopes)] * 2, [0.0], problem.shares])
    reach = np.inf if problem.intercept else 0.0
    lower = np.concatenate([np.zeros(2 * d), [-reach], np.zeros(n)])
    upper = np.concatenate([allowed, allowed, [reach], np.full(n, np.inf)])
    rows = scipy.sparse.hstack([-h, h, -problem.y[:, None], -scipy.sparse.eye_array(n)]).tocsr()
    exact = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = scipy.optimize.linprog(
        cost, rows, np.full(n, -1.0), bounds=np.column_stack([lower, upper]), method="highs", options=exact
    )
    assert result.status == 0, result.message
    # The LP's own value is the loss and penalty of its own w: HiGHS did not cheat on the constraints.
    w, b = result.x[:d] - result.x[d : 2 * d], result.x[2 * d]
    lost = problem.shares @ np.maximum(1.0 - problem.margins(w, b), 0.0)
    used = w != 0.0
    value = lost + slopes[used] @ np.abs(w[used])
    assert abs(value - result.fun) <= 1e-10 * value + 1e-12, (value, result.fun)
    return result.fun
