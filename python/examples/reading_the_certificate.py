"""What gap_, violation_ and status_ say, and the gap recomputed by hand.

    python reading_the_certificate.py [FIGURE]

writes reading_the_certificate.png unless told otherwise. The data is scikit-learn's breast cancer data.
"""

from __future__ import annotations

import sys
import warnings

import matplotlib

matplotlib.use("Agg")  # a file is written, no window is opened

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from sparsvm import SparseSVC
from sparsvm.plotting import ConvergenceDisplay

ALPHA = 0.01


def objective(X: np.ndarray, signs: np.ndarray, w: np.ndarray, b: float) -> float:
    """Mean hinge loss plus alpha Σ|w_j|: what is minimised."""
    return float(np.maximum(0.0, 1.0 - signs * (X @ w + b)).mean() + ALPHA * abs(w).sum())


def lower_bound(X: np.ndarray, signs: np.ndarray, dual: np.ndarray) -> float:
    """A number below which no w and b whatever can bring the objective.

    Take any beta with 0 ≤ beta_i ≤ 1/n. The hinge is at least n beta_i (1 - margin_i) for each row, so

        objective ≥ Σ beta_i - w·g - b Σ y_i beta_i + alpha Σ|w_j|,     g = Xᵀ(y beta).

    If Σ y_i beta_i = 0, b is gone; if moreover |g_j| ≤ alpha for every j, then w·g ≤ alpha Σ|w_j|, and what
    is left is Σ beta_i. `dual_coef_` is y beta of the solver: make it feasible, and add up.
    """
    beta = np.clip(signs * dual, 0.0, 1.0 / len(signs))
    # Σ y beta = 0: scale the heavier class down.
    heavy, light = beta[signs > 0].sum(), beta[signs < 0].sum()
    beta[signs > 0] *= min(1.0, light / heavy)
    beta[signs < 0] *= min(1.0, heavy / light)
    # |g_j| ≤ alpha: scale all of it down. Both steps keep 0 ≤ beta_i ≤ 1/n.
    g = X.T @ (signs * beta)
    return float(min(1.0, ALPHA / abs(g).max()) * beta.sum())


def show(title: str, model: SparseSVC) -> None:
    print(
        f"{title:28} {model.status_:10} gap {model.gap_:.1e}  violation {model.violation_:.1e}  "
        f"objective {model.objective_:.8f}  {len(model.support_)} features"
    )


def main(figure: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    signs = np.where(y == 1, 1.0, -1.0)  # the second class is the positive one

    # 1. l1 is convex: the gap is a proof. With gap 1e-2, no model has an objective that is lower by more than
    # 1 %. violation_ is how far the optimality conditions are missed; `converged`: both are within tol.
    print("l1, tolerances from loose to tight:")
    for tol in (1e-1, 1e-2, 1e-4, 1e-8):
        model = SparseSVC("l1", ALPHA, tol=tol).fit(X, y)
        show(f"  tol={tol:g}", model)
        # 2. The same by hand, from coef_, intercept_ and dual_coef_ alone.
        upper = objective(X, signs, model.coef_[0], model.intercept_[0])
        lower = lower_bound(X, signs, model.dual_coef_[0])
        print(f"    by hand: objective {upper:.8f}, at least {lower:.8f}: gap {(upper - lower) / upper:.1e}")
        # The package repairs beta with more care than the two steps above, so its gap may be smaller.
        assert np.isclose(upper, model.objective_, rtol=1e-9)
        assert lower <= upper

    # 3. mcp is not convex. The gap then speaks of the convex problem that touches the objective at the
    # solution: the model is stationary, and no reweighting improves it. It does not say that no other valley
    # is deeper, so more starts may find a better one, with a certificate that is just as good.
    print("mcp, numbers of starts:")
    for n_starts in (1, 5, 20):
        model = SparseSVC("mcp", ALPHA, n_starts=n_starts, record_history=True).fit(X, y)
        show(f"  n_starts={n_starts}", model)

    # 4. Stopped early, a fit says so, by a warning and in status_. It is still a model, with a true gap.
    print("mcp, stopped:")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        stopped = SparseSVC("mcp", ALPHA, max_time=0.002).fit(X, y)
    show("  max_time=0.002", stopped)
    for warning in caught:
        print(f"    {warning.message}")

    display = ConvergenceDisplay.from_estimator(model)
    display.figure_.suptitle("mcp from 20 starts", fontsize=11)
    display.figure_.savefig(figure, dpi=120)
    print(f"figure: {figure}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "reading_the_certificate.png")
