"""A problem as the tests state it, and F in numpy: nothing here comes from the program under test.

    F(w,b) = (1/n) Σ c_i ℓ(y_i (x_i·w + b)) + Σ κ_j p(|w_j|) + (μ/2)‖w‖²
"""

import dataclasses

import numpy as np
import scipy.sparse

THETA = {"scad": 3.7, "mcp": 3.0, "lsp": 1.0, "capped-l1": 1.0, "lp": 0.5}
LOSSES = ("hinge", "squared-hinge", "huber-hinge")
PENALTIES = ("l1", *THETA)


@dataclasses.dataclass(frozen=True)
class Problem:
    """Data, loss and penalty. `x` is dense or sparse; `weights` is c and `factors` is κ, 1 if not given."""

    x: np.ndarray | scipy.sparse.csr_array
    y: np.ndarray
    lam: float
    loss: str = "hinge"
    delta: float = 2.0
    penalty: str = "l1"
    l2: float = 0.0
    intercept: bool = True
    weights: np.ndarray | None = None
    factors: np.ndarray | None = None

    @property
    def shares(self):
        """c_i / n, the weight of each row in F."""
        n = len(self.y)
        return np.full(n, 1.0 / n) if self.weights is None else self.weights / n

    @property
    def kappa(self):
        """κ_j, the factor of each feature's penalty."""
        return np.ones(self.x.shape[1]) if self.factors is None else self.factors

    def signed_rows(self):
        """diag(y) X, dense."""
        dense = self.x.toarray() if scipy.sparse.issparse(self.x) else self.x
        return self.y[:, None] * dense

    def margins(self, w, b):
        """y_i (x_i·w + b)."""
        return self.y * (self.x @ w + b)

    def objective(self, w, b):
        """F(w, b)."""
        lost = self.shares @ loss_value(self, self.margins(w, b))
        return lost + self.kappa @ penalty_value(self, np.abs(w)) + 0.5 * self.l2 * (w @ w)

    def slopes(self, w):
        """κ_j p'(|w_j|+): the weights of the ℓ1 norm in the convex problem that touches F at w from above."""
        slopes = penalty_slope(self, np.abs(w))
        return self.kappa * np.where(self.kappa == 0.0, 0.0, slopes)  # of 0 · ∞ the 0 counts


def loss_value(problem, m):
    """ℓ at the margins m."""
    slack, delta = np.maximum(1.0 - m, 0.0), problem.delta
    match problem.loss:
        case "hinge":
            return slack
        case "squared-hinge":
            return slack**2
        case "huber-hinge":
            return np.where(slack < delta, slack**2 / (2 * delta), slack - delta / 2)


def loss_pull(problem, m):
    """-ℓ' at the margins m, for the smooth losses."""
    slack = np.maximum(1.0 - m, 0.0)
    match problem.loss:
        case "squared-hinge":
            return 2 * slack
        case "huber-hinge":
            return np.minimum(slack / problem.delta, 1.0)


def penalty_value(problem, t):
    """p at t ≥ 0."""
    lam, theta = problem.lam, THETA.get(problem.penalty)
    match problem.penalty:
        case "l1":
            return lam * t
        case "scad":
            middle = (2 * theta * lam * t - t**2 - lam**2) / (2 * (theta - 1))
            flat = (theta + 1) * lam**2 / 2
            return np.where(t <= lam, lam * t, np.where(t <= theta * lam, middle, flat))
        case "mcp":
            return np.where(t <= theta * lam, lam * t - t**2 / (2 * theta), theta * lam**2 / 2)
        case "lsp":
            return lam * np.log1p(t / theta)
        case "capped-l1":
            return lam * np.minimum(t, theta)
        case "lp":
            return lam * t**theta


def penalty_slope(problem, t):
    """p'(t+) at t ≥ 0."""
    lam, theta = problem.lam, THETA.get(problem.penalty)
    match problem.penalty:
        case "l1":
            return np.full_like(t, lam)
        case "scad":
            return np.where(t <= lam, lam, np.maximum(theta * lam - t, 0.0) / (theta - 1))
        case "mcp":
            return np.maximum(lam - t / theta, 0.0)
        case "lsp":
            return lam / (theta + t)
        case "capped-l1":
            return np.where(t < theta, lam, 0.0)
        case "lp":
            with np.errstate(divide="ignore"):
                return lam * theta * t ** (theta - 1)
