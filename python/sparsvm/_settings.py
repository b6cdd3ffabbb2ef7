"""An estimator's parameters as the native module takes them, and what they may be."""

from __future__ import annotations

import os
import sys
import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

if TYPE_CHECKING:
    from ._types import Method, Objective

PENALTIES = {"l1", "scad", "mcp", "lsp", "capped_l1", "lp"}
LOSSES = {"hinge", "squared_hinge", "huber_hinge"}
SOLVERS = {"auto", "exact", "feadmm", "gist", "sqa", "reweighted", "global"}

#: For scikit-learn's validation; what only the core can judge, such as theta, it judges itself.
SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "penalty": [StrOptions(PENALTIES)],
    "theta": [Real, None],
    "loss": [StrOptions(LOSSES)],
    "l2": [Interval(Real, 0, None, closed="left")],
    "penalty_factors": ["array-like", None],
    "fit_intercept": ["boolean", StrOptions({"penalised"})],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "tol": [Interval(Real, 0, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    "max_time": [Interval(Real, 0, None, closed="neither"), None],
    "max_features": [Interval(Integral, 1, None, closed="left"), None],
    "standardize": ["boolean"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


def objective_of(parameters: Any) -> Objective:
    """What is minimised."""
    factors = parameters.penalty_factors
    return {
        "penalty": parameters.penalty,
        "theta": None if parameters.theta is None else float(parameters.theta),
        "loss": parameters.loss,
        "l2": float(parameters.l2),
        "penalty_factors": None if factors is None else np.asarray(factors, dtype=np.float64).tolist(),
        "intercept": intercept_of(parameters.fit_intercept),
        "standardize": bool(parameters.standardize),
    }


def intercept_of(fit_intercept: Any) -> str:
    """What becomes of it, as the native module has it."""
    if isinstance(fit_intercept, str):
        return fit_intercept
    return "free" if fit_intercept else "none"


def method_of(parameters: Any) -> Method:
    """How it is minimised."""
    return {
        "solver": getattr(parameters, "solver", "auto"),
        "tol": float(parameters.tol),
        "max_iter": None if parameters.max_iter is None else int(parameters.max_iter),
        "max_time": None if parameters.max_time is None else float(parameters.max_time),
        "n_starts": int(getattr(parameters, "n_starts", 1)),
        "threads": threads(parameters.n_jobs),
    }


def threads(n_jobs: int | None) -> int:
    """How many threads; 0 is one for each core.

    None is what the surroundings say: joblib sets OMP_NUM_THREADS in its workers, so that these do not get
    into each other's way, and without that it is one for each core. -1 is one for each core too, -2 one
    fewer, as usual. The number never changes a result.
    """
    if n_jobs is None:
        told = os.environ.get("OMP_NUM_THREADS", "")
        return int(told) if told.isdigit() else 0
    if n_jobs == 0:
        raise ValueError("n_jobs = 0 means nothing: give a number of threads, or -1 for one for each core")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    return int(n_jobs)


#: Why a fit may end without a proof, and what to do.
REMEDIES = {
    "max_iter": "it ran out of iterations: raise max_iter",
    "max_time": "it ran out of time: raise max_time",
    "stalled": "it could get no further: raise tol, or see that columns are of similar scale (standardize)",
}


def warn_unless_converged(status: str, tol: float, what: str) -> None:
    """A fit that has not converged is still an answer, but an unproved one."""
    if status in REMEDIES:
        warnings.warn(
            f"{what} is not proved optimal to {tol:g}, since {REMEDIES[status]}",
            ConvergenceWarning,
            stacklevel=depth_of_caller(),
        )


def depth_of_caller() -> int:
    """How far up the stack the code is that is neither ours nor scikit-learn's."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("sparsvm", "sklearn"):
        depth, frame = depth + 1, frame.f_back
    return depth
