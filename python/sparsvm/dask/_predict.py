"""Predictions of collections: lazy, a chunk at a time, by an ordinary model that travels once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import dask
import dask.array
import numpy as np
from dask.delayed import delayed

from .._arrays import texts
from ._client import client_of
from ._collect import by_rows, is_frame, lazy_parts
from ._files import as_files
from ._part import read_part

if TYPE_CHECKING:
    from .._linear import SparseLinearClassifier
    from ._files import Files
    from ._part import Part


def predict(client: Any, model: SparseLinearClassifier, X: Any) -> Any:
    """The label of each row.

    Parameters
    ----------
    client : distributed.Client
        The cluster that will compute it; None leaves that to the caller.
    model : SparseSVC or SparseSVCCV
        A fitted model, however it was fitted.
    X : dask.array, dask.dataframe, `Files` or list of paths
        Local data is predicted at once.

    Returns
    -------
    dask.array, or a series of Dask for a data frame
        Computed when it is asked for.
    """
    return _on(client, model, X, labels_of)


def decision_function(client: Any, model: SparseLinearClassifier, X: Any) -> Any:
    """How far each row is on the positive side; arguments and results are as those of `predict`."""
    return _on(client, model, X, decisions_of)


def _on(client: Any, model: SparseLinearClassifier, X: Any, of: Any) -> Any:
    if client is not None:
        client_of(client)
    local = model.to_local() if hasattr(model, "to_local") else model
    if not is_lazy(X):
        return local.predict(X) if of is labels_of else local.decision_function(X)
    return of(local, X)


def is_lazy(X: Any) -> bool:
    """Whether X is elsewhere."""
    return bool(dask.is_dask_collection(X)) or as_files(X) is not None


def labels_of(model: SparseLinearClassifier, X: Any) -> Any:
    """Lazy labels."""
    return _mapped(_labels, model, X, np.empty(0, dtype=model.classes_.dtype))


def decisions_of(model: SparseLinearClassifier, X: Any) -> Any:
    """Lazy decision values."""
    several = len(model.classes_) > 2
    return _mapped(_decisions, model, X, np.empty((0, len(model.classes_)) if several else 0))


def _mapped(function: Any, model: SparseLinearClassifier, X: Any, like: Any) -> Any:
    """`like` is what comes out of no rows."""
    if is_frame(X):
        return X.map_partitions(_of_frame, function, model, meta=_as_frame(like, X._meta.index, model.classes_))
    # The model is one task, and goes to each worker once.
    held = delayed(model, name=f"sparsvm-model-{dask.base.tokenize(model.coef_, model.intercept_)}", pure=True)
    files = as_files(X)
    if files is not None:
        pieces = [delayed(_of_file)(function, path, files, held) for path in files.paths]
        shape = (np.nan, *like.shape[1:])
        return dask.array.concatenate(
            [dask.array.from_delayed(piece, shape=shape, meta=like) for piece in pieces], allow_unknown_chunksizes=True
        )
    X = by_rows(X)
    return X.map_blocks(
        function,
        held,
        dtype=like.dtype,
        meta=like,
        name=f"sparsvm-{function.__name__.strip('_')}-{dask.base.tokenize(X.name, model.coef_, model.intercept_)}",
        **({"drop_axis": 1} if like.ndim == 1 else {"chunks": (X.chunks[0], (like.shape[1],))}),
    )


def _labels(X: Any, model: SparseLinearClassifier) -> Any:
    return model.predict(X) if X.shape[0] else model.classes_[:0]


def _decisions(X: Any, model: SparseLinearClassifier) -> Any:
    if X.shape[0]:
        return model.decision_function(X)
    return np.empty((0, len(model.classes_)) if len(model.classes_) > 2 else 0)


def _of_file(function: Any, path: str, files: Files, model: SparseLinearClassifier) -> Any:
    columns = int(model.n_features_in_)
    X = read_part(path, replace(files, features=files.features or columns)).X
    return function(X, model)


def _of_frame(X: Any, function: Any, model: SparseLinearClassifier) -> Any:
    return _as_frame(function(X, model), X.index, model.classes_)


def _as_frame(values: Any, index: Any, classes: Any) -> Any:
    """With the rows' own index, and a column for each class if there are several."""
    import pandas

    if values.ndim == 1:
        return pandas.Series(values, index=index)
    return pandas.DataFrame(values, index=index, columns=classes)


def score_of(client: Any, model: SparseLinearClassifier, X: Any, y: Any, sample_weight: Any) -> float:
    """Accuracy: each part counts its own."""
    lazy, _ = lazy_parts(client, X, y, sample_weight)
    spelled = np.asarray(texts(model.classes_)) if as_files(X) is not None else None
    parts, held = client.compute(lazy), client.scatter(model, hash=False)
    counts = client.gather(client.map(_hits, parts, model=held, spelled=spelled, pure=False))
    hits, total = np.sum(counts, axis=0)
    return float(hits / total)


def _hits(part: Part, model: SparseLinearClassifier, spelled: Any) -> tuple[float, float]:
    """The weight of the rows that are given their label, and of all. Files have labels as they spell them."""
    weights = np.ones(len(part.y)) if part.weights is None else part.weights
    if not len(part.y):
        return 0.0, 0.0
    found = _labels(part.X, model)
    if spelled is not None:
        found = spelled[np.searchsorted(model.classes_, found)]
    return float(weights @ (found == part.y)), float(weights.sum())
