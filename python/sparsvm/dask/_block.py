"""A member's rows, brought together once: what the native module borrows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from .._arrays import aligned, for_core

if TYPE_CHECKING:
    from .._types import Floats, Integers
    from ._outline import Outline
    from ._part import Part


@dataclass(frozen=True)
class Block:
    """Rows, the place of each one's class, and weights whose mean over all blocks is 1."""

    X: Any
    codes: Integers
    weights: Floats | None

    def usable(self) -> Block:
        """As the native module can borrow it: what came out of a message may have to be copied."""
        weights = None if self.weights is None else aligned(self.weights)
        return Block(for_core(self.X), aligned(self.codes), weights)


def block_of(parts: list[Part], outline: Outline) -> Block:
    """The parts one below the other. A single one is not copied."""
    filled = [part for part in parts if part.X.shape[0]]
    X = _stacked([part.X for part in filled], outline)
    y = _joined([part.y for part in filled])
    codes = np.ascontiguousarray(outline.places[np.searchsorted(outline.known, y)])
    weights: Floats | None = None
    if outline.weight_factor is not None:
        weights = _joined([part.weights for part in filled]) * outline.weight_factor
    if outline.class_weights is not None:
        of_row = outline.class_weights[codes]
        weights = of_row if weights is None else weights * of_row
    return Block(X, codes, weights).usable()


def _joined(pieces: list[Any]) -> Any:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _stacked(pieces: list[Any], outline: Outline) -> Any:
    if not outline.is_sparse:
        return _joined(pieces)
    wide = [_widened(sparse.csr_array(piece), outline.columns) for piece in pieces]
    return wide[0] if len(wide) == 1 else sparse.vstack(wide, format="csr")


def _widened(X: Any, columns: int) -> Any:
    """With empty columns at the end, so that all parts have as many."""
    if X.shape[1] == columns:
        return X
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], columns))
