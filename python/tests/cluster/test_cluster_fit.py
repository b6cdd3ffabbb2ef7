"""Fits on a cluster are those of one machine, however the rows are split."""

import threading

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sparsvm import SparseSVC, svm_path
from sparsvm.dask import DaskSparseSVC, path, train


def same(found, local, tolerance=1e-9):
    """The objective, the support and the certificate."""
    assert found.objective_ == pytest.approx(local.objective_, rel=tolerance)
    assert np.array_equal(found.support_, local.support_)
    assert found.status_ == local.status_ == "converged" and found.gap_ <= found.tol


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_any_number_of_workers(cluster, rows, chunked, workers):
    X, y = rows
    client = cluster.of(workers)
    dX, dy = chunked(X, 30), chunked(y, 30)
    for loss in ("hinge", "squared_hinge"):
        for penalty, alpha in (("l1", 0.05), ("mcp", 0.08)):
            settings = {"penalty": penalty, "alpha": alpha, "loss": loss, "tol": 1e-9, "n_starts": 2}
            found = DaskSparseSVC(client=client, **settings).fit(dX, dy)
            same(found, SparseSVC(**settings).fit(X, y))
            assert found.n_workers_ == workers and len(found.traffic_["members"]) == workers
    assert (found.traffic_["sent"] > 0) == (workers > 1) and found.traffic_["rounds"] > 0
    assert found.traffic_["sent"] == found.traffic_["received"]


def test_how_rows_are_cut_does_not_matter(client, rows):
    X, y = rows
    local = SparseSVC("l1", 0.05, tol=1e-9).fit(X, y)
    for cuts in [(420,), (60,) * 7, (1, 2, 3, 414), (100, 0, 0, 320), tuple([7] * 60)]:
        dX, dy = da.from_array(X, chunks=(cuts, (60,))), da.from_array(y, chunks=(cuts,))
        found = train(client, dX, dy, penalty="l1", alpha=0.05, tol=1e-9)
        same(found, local)
        assert found.n_workers_ <= min(3, len(cuts))


def test_the_same_bits_again(client, rows, chunked):
    X, y = rows
    fits = [train(client, chunked(X), y, penalty="mcp", alpha=0.08, n_starts=4) for _ in range(2)]
    assert fits[0].coef_.tobytes() == fits[1].coef_.tobytes()
    assert fits[0].intercept_.tobytes() == fits[1].intercept_.tobytes()


def test_feadmm(client, rows, chunked):
    X, y = rows
    settings = {"penalty": "l1", "alpha": 0.05, "solver": "feadmm", "max_iter": 400, "tol": 0.05}
    found, local = train(client, chunked(X), y, **settings), SparseSVC(**settings).fit(X, y)
    assert found.objective_ == pytest.approx(local.objective_, rel=1e-9) and found.n_iter_ == local.n_iter_


def test_three_classes(client, three_classes, chunked):
    X, y = three_classes
    found = train(client, chunked(X, 20), chunked(y, 20), penalty="l1", alpha=0.02, tol=1e-9)
    local = SparseSVC("l1", 0.02, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(found.objective_, local.objective_, rtol=1e-9)
    assert list(found.classes_) == [10, 20, 30] and found.coef_.shape == (3, 8)
    assert (found.predict(X) == local.predict(X)).all()


def test_weights(client, rows, chunked):
    X, y = rows
    weights = np.random.default_rng(0).integers(0, 4, 420)
    for class_weight in (None, "balanced", {"yes": 3.0}):
        settings = {"penalty": "l1", "alpha": 0.05, "tol": 1e-9, "class_weight": class_weight}
        found = train(client, chunked(X), chunked(y), sample_weight=chunked(weights, 70), **settings)
        same(found, SparseSVC(**settings).fit(X, y, weights))


@pytest.mark.parametrize("standardize", [False, True])
def test_sparse_chunks(client, text_like, standardize):
    X, y = text_like
    # Scaled, rare columns with an entry in the same row are equal, and which of them is kept would be a matter of luck.
    X = X[:, :100]
    parts = [X[k : k + 500] for k in range(0, 2_000, 500)]
    lazy = [da.from_delayed(dask.delayed(part), shape=part.shape, meta=sparse.csr_array((0, 0))) for part in parts]
    settings = {"penalty": "l1", "alpha": 0.005, "tol": 1e-9, "loss": "squared_hinge", "standardize": standardize}
    found = train(client, da.concatenate(lazy), y, **settings)
    same(found, SparseSVC(**settings).fit(X, y))


def test_standardized_dense_chunks(client, rows, chunked):
    X, y = rows
    X = X * np.geomspace(0.1, 10, 60)
    settings = {"penalty": "mcp", "alpha": 0.08, "standardize": True, "tol": 1e-7, "n_starts": 4}
    same(train(client, chunked(X), chunked(y), **settings), SparseSVC(**settings).fit(X, y))


def test_data_frames_have_names(client, rows):
    dd = pytest.importorskip("dask.dataframe")
    X, y = rows
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(60)])
    whole = dd.from_pandas(frame.assign(label=y), npartitions=5)
    found = DaskSparseSVC("l1", 0.05, client=client, tol=1e-9).fit(whole.drop(columns="label"), whole["label"])
    local = SparseSVC("l1", 0.05, tol=1e-9).fit(frame, y)
    same(found, local)
    assert list(found.get_feature_names_out()) == list(local.get_feature_names_out())
    same(DaskSparseSVC("l1", 0.05, client=client, tol=1e-9).fit(whole.drop(columns="label"), y), local)


def test_other_settings(client, rows, chunked):
    X, y = rows
    for settings in (
        {"penalty": "scad", "max_features": 3},
        {"penalty": "l1", "alpha": None, "loss": "huber_hinge"},
        {"penalty": "l1", "alpha": 0.03, "fit_intercept": "penalised"},
        {"penalty": "l1", "alpha": 0.03, "l2": 0.1, "fit_intercept": False, "penalty_factors": [0.0] + [1.0] * 59},
    ):
        same(train(client, chunked(X), y, tol=1e-9, **settings), SparseSVC(tol=1e-9, **settings).fit(X, y))


def test_warm_start_and_history(client, rows, chunked):
    X, y = rows
    model = DaskSparseSVC("l1", 0.05, client=client, warm_start=True, record_history=True, tol=1e-9)
    first = model.fit(chunked(X), y).n_iter_
    assert len(model.history_) and model.fit(chunked(X), y).n_iter_ <= first
    same(model, SparseSVC("l1", 0.05, tol=1e-9).fit(X, y))


def test_odd_partitions(client, rows):
    X, y = rows
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    local = SparseSVC("l1", 0.05, tol=1e-9).fit(X, y)
    # One class in most chunks; a filter that leaves nothing of some, and nobody knows how long they are.
    keep = np.arange(420) % 140 < 70
    dX, dy, dk = (da.from_array(array, chunks=(70, *array.shape[1:])) for array in (X, y, keep))
    same(train(client, dX, dy, penalty="l1", alpha=0.05, tol=1e-9), local)
    some = train(client, dX[dk], dy[dk], penalty="l1", alpha=0.05, tol=1e-9)
    same(some, SparseSVC("l1", 0.05, tol=1e-9).fit(X[keep], y[keep]))
    same(train(client, dX[dk], y[keep], penalty="l1", alpha=0.05, tol=1e-9), some)
    # All rows on one worker, in one chunk or in several.
    home = min(client.nthreads())
    for pieces in (1, 6):
        held = client.persist(dX.rechunk((420 // pieces, 60)), workers=[home])
        same(train(client, held, y, penalty="l1", alpha=0.05, tol=1e-9), local)


def test_two_fits_at_once(client, rows, chunked):
    X, y = rows
    found = {}

    def fit(alpha):
        found[alpha] = train(client, chunked(X), y, penalty="mcp", alpha=alpha, tol=1e-9, n_starts=4)

    threads = [threading.Thread(target=fit, args=(alpha,)) for alpha in (0.05, 0.1)]
    [thread.start() for thread in threads]
    [thread.join(timeout=600) for thread in threads]
    for alpha in (0.05, 0.1):
        same(found[alpha], SparseSVC("mcp", alpha, tol=1e-9, n_starts=4).fit(X, y))


def test_paths(client, rows, chunked):
    X, y = rows
    found = path(client, chunked(X), chunked(y), "mcp", n_alphas=12, tol=1e-9)
    local = svm_path(X, y, "mcp", n_alphas=12, tol=1e-9)
    np.testing.assert_allclose(found.alphas, local.alphas, rtol=1e-12)
    np.testing.assert_allclose(found.objectives, local.objectives, rtol=1e-9)
    assert list(found.n_features) == list(local.n_features) and list(found.classes) == ["no", "yes"]


def test_workers_that_are_threads(rows, chunked):
    from distributed import Client, LocalCluster

    X, y = rows
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as local,
        Client(local, set_as_default=False) as client,
    ):
        found = train(client, chunked(X), y, penalty="l1", alpha=0.05, tol=1e-9)
        assert found.n_workers_ == 2
    same(found, SparseSVC("l1", 0.05, tol=1e-9).fit(X, y))
