"""Shards that the program has written, fitted by the workers of a Dask cluster."""

import subprocess

import numpy as np
import pytest
import scipy.sparse
from program import BINARY
from sklearn.datasets import dump_svmlight_file

distributed = pytest.importorskip("distributed")
sparsvm = pytest.importorskip("sparsvm")


def test_mapped_shards(tmp_path):
    from sparsvm.dask import train

    random = np.random.default_rng(6)
    X = scipy.sparse.random(900, 300, density=0.05, format="csr", random_state=6)
    scores = X[:, :20] @ random.standard_normal(20)
    y = np.where(scores > np.median(scores), 2, 1)
    files = []
    for k in range(3):
        text = tmp_path / f"part{k}.svm"
        rows = slice(300 * k, 300 * (k + 1))
        dump_svmlight_file(X[rows], y[rows], str(text), zero_based=False)
        files.append(tmp_path / f"part{k}.spv")
        subprocess.run([BINARY, "convert", "--features", "300", text, files[-1]], check=True, capture_output=True)
    settings = {"penalty": "l1", "alpha": 0.005, "tol": 1e-9, "loss": "squared_hinge"}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = train(client, files, **settings)
    local = sparsvm.SparseSVC(**settings).fit(X, y)
    assert found.objective_ == pytest.approx(local.objective_, rel=1e-9) and list(found.classes_) == [1, 2]
    assert np.array_equal(found.support_, local.support_) and found.n_workers_ == 2
