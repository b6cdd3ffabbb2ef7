"""What a fit tells while it runs: a bar, and scikit-learn's callbacks where there are any."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from ._types import Progress, Record

__all__ = ["Bar", "CallbackSupportMixin", "Teller", "with_callbacks"]

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method


WIDTH = 24


class Bar:
    """A line that is written over; in a terminal, and in a notebook, which knows carriage returns too."""

    def __init__(self, title: str, to: TextIO | None = None) -> None:
        self.title = title
        self.to = to or sys.stderr
        self.began = time.monotonic()
        self.length = 0

    def __call__(self, phase: str, done: int, all_: int, step: Record | None) -> None:
        if all_:
            full = WIDTH * done // all_
            text = f"{self.title}: [{'=' * full}{' ' * (WIDTH - full)}] {done}/{all_}"
        else:
            text = f"{self.title}: {phase or 'at work'}"
        if step:
            iteration, _, objective, kept = step
            text += f", iteration {iteration}, {kept} features kept"
            if objective < float("inf"):
                text += f", objective {objective:.5g}"
        self.write(f"{text}, {time.monotonic() - self.began:.1f} s")

    def write(self, text: str) -> None:
        self.to.write("\r" + text.ljust(self.length))
        self.to.flush()
        self.length = len(text)

    def close(self) -> None:
        """Wipes the line."""
        if self.length:
            self.to.write("\r" + " " * self.length + "\r")
            self.to.flush()


class Teller:
    """Passes news on to a bar and to the estimator's callbacks; use it in a `with` statement."""

    def __init__(self, estimator: Any, parts: int | None = None) -> None:
        self.estimator = estimator
        self.bar = Bar(type(estimator).__name__) if estimator.verbose else None
        self.told = 0
        self.context: Any = None
        if hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx"):
            self.context = estimator._init_callback_context(max_subtasks=parts)

    def __enter__(self) -> Teller:
        if self.context is not None:
            self.context.call_on_fit_task_begin(estimator=self.estimator)
        return self

    def __exit__(self, fault: object, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
        if self.context is not None and fault is None:
            self.context.call_on_fit_task_end(estimator=self.estimator)

    def progress(self) -> Progress | None:
        """For the native module: nothing if nobody looks on."""
        return self.tell if self.bar is not None or self.context is not None else None

    def tell(self, phase: str, done: int, all_: int, step: Record | None) -> None:
        """Shows where a fit is."""
        if self.bar is not None:
            self.bar(phase, done, all_, step)
        if self.context is not None and self.context.max_subtasks is None:
            self.part(done)

    def part(self, done: int) -> None:
        """So many parts are behind us: each is a task that has begun and ended."""
        while self.context is not None and self.told < done:
            task = self.context.subcontext(task_name="part")
            task.call_on_fit_task_begin(estimator=self.estimator)
            task.call_on_fit_task_end(estimator=self.estimator)
            self.told += 1
