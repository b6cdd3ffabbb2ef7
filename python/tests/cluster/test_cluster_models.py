"""What a fit on a cluster leaves: an ordinary model; and predictions that are computed when asked for."""

import json
import pickle
import subprocess
import sys

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import sparsvm
from sparsvm import SparseSVC
from sparsvm.dask import DaskSparseSVC, decision_function, predict


@pytest.fixture(scope="module")
def fitted(cluster, rows, chunked):
    return DaskSparseSVC("l1", 0.05, client=cluster.of(3), tol=1e-9).fit(chunked(rows[0]), rows[1])


def test_nothing_of_dask_is_left(fitted, rows, tmp_path):
    X, y = rows
    local = fitted.to_local()
    assert type(local) is SparseSVC and local.get_params() == SparseSVC("l1", 0.05, tol=1e-9).get_params()
    again = pickle.loads(pickle.dumps(local))
    assert (again.predict(X) == fitted.predict(X)).all() and b"distributed" not in pickle.dumps(local)
    ours, theirs = tmp_path / "ours.model", tmp_path / "theirs.model"
    fitted.save(ours)
    SparseSVC("l1", 0.05, tol=1e-9).fit(X, y).save(theirs)
    ours, theirs = (json.loads(file.read_text()) for file in (ours, theirs))
    assert ours.keys() == theirs.keys()
    assert {key for key in ours if ours[key] != theirs[key]} <= {"weights", "intercept", "certificate", "iterations"}
    np.testing.assert_allclose(ours["weights"], theirs["weights"], rtol=1e-6)


def test_saved_and_read_again(fitted, rows, tmp_path):
    fitted.save(tmp_path / "model")
    assert (sparsvm.load(tmp_path / "model").predict(rows[0]) == fitted.predict(rows[0])).all()


def test_estimators_travel_without_their_client(fitted, rows):
    again = pickle.loads(pickle.dumps(fitted))
    assert again.client is None and (again.predict(rows[0]) == fitted.predict(rows[0])).all()
    other = clone(fitted)
    assert other.client is fitted.client and not hasattr(other, "coef_")


def test_lazy_predictions(fitted, rows, chunked):
    X, y = rows
    local = fitted.to_local()
    dX = chunked(X, 90)
    labels, values = fitted.predict(dX), fitted.decision_function(dX)
    assert isinstance(labels, da.Array) and labels.chunks == values.chunks == (dX.chunks[0],)
    assert (labels.compute() == local.predict(X)).all()
    np.testing.assert_array_equal(values.compute(), local.decision_function(X))
    assert fitted.score(dX, y) == fitted.score(dX, chunked(y)) == local.score(X, y) == fitted.score(X, y)
    columns = da.from_array(X, chunks=(90, 20))
    assert (predict(fitted.client, local, columns).compute() == local.predict(X)).all()
    np.testing.assert_array_equal(decision_function(None, fitted, X), local.decision_function(X))
    shorn = dX.map_blocks(sparse.csr_array, meta=sparse.csr_array((0, 0)))
    assert (predict(fitted.client, local, shorn).compute() == local.predict(X)).all()


def test_predictions_of_frames_and_of_several_classes(client, three_classes, chunked):
    dd = pytest.importorskip("dask.dataframe")
    X, y = three_classes
    frame = pd.DataFrame(X, columns=list("abcdefgh"), index=np.arange(150) + 7)
    lazy = dd.from_pandas(frame, npartitions=4)
    model = DaskSparseSVC("l1", 0.02, client=client).fit(lazy, y)
    local = model.to_local()
    pd.testing.assert_series_equal(model.predict(lazy).compute(), pd.Series(local.predict(frame), index=frame.index))
    values = model.decision_function(lazy).compute()
    assert list(values.columns) == [10, 20, 30] and (values.index == frame.index).all()
    np.testing.assert_array_equal(values, local.decision_function(frame))
    nameless = DaskSparseSVC("l1", 0.02, client=client).fit(chunked(X, 30), y)
    found = nameless.decision_function(chunked(X, 40))
    assert found.shape == (150, 3)
    np.testing.assert_array_equal(found.compute(), nameless.to_local().decision_function(X))


def test_the_bar_is_the_driver_s(client, rows, chunked, capfd):
    random = np.random.default_rng(0)
    X = random.standard_normal((400, 300))
    y = X[:, :20].sum(axis=1) + 3 * random.standard_normal(400) > 0
    DaskSparseSVC("lsp", 0.01, client=client, verbose=1, tol=1e-9, n_starts=40).fit(chunked(X, 100), y)
    assert "DaskSparseSVC" in capfd.readouterr().err


def test_dask_is_imported_only_if_asked_for():
    code = "import sys, sparsvm; assert not {'dask', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys; sys.modules['distributed'] = None\nimport sparsvm.dask"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: sparsvm.dask needs Dask: pip install 'sparsvm[dask]'" in done.stderr
