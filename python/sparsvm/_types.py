"""Types that the Python files and the native module's stubs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
#: Iteration, seconds, objective, features kept.
Record = tuple[int, float, float, int]
#: Called now and then with phase, parts done, parts in all (0: unknown) and the last step.
Progress = Callable[[str, int, int, "Record | None"], object]

#: Of each problem the indices and values of its coefficients, and the intercept.
Points = dict[int, tuple[list[int], list[float], float]]


class Objective(TypedDict):
    penalty: str
    theta: float | None
    loss: str
    l2: float
    penalty_factors: list[float] | None
    intercept: str
    standardize: bool


class Method(TypedDict):
    solver: str
    tol: float
    max_iter: int | None
    max_time: float | None
    n_starts: int
    threads: int
