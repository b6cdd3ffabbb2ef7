"""Files that NumPy and SciPy write give the same fit as LIBSVM text of the same data, to the last bit."""

import json
import shlex
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from generate import gaussian
from problem import Problem
from program import BINARY, write_libsvm


@pytest.fixture(scope="module")
def data():
    x, y = gaussian(np.random.default_rng(8), 120, 60, density=0.2)
    return scipy.sparse.csr_array(x), y.astype(int)


def fit(path, *options):
    """What the program says of a fit, but for times and the file's name."""
    command = [str(BINARY), "train", str(path), "--lambda", "0.01", "--json", "--no-model", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stderr}\n{shlex.join(command)}"
    report = json.loads(done.stdout)
    del report["seconds"], report["data"]
    return report


@pytest.fixture(scope="module")
def reference(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "data.svm"
    x, y = data
    write_libsvm(Problem(x, y, 0.01), path)
    report = fit(path, "--features", x.shape[1])
    assert report["nonzeros"] > 0
    return report


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_dense_archives(save, order, data, reference, tmp_path):
    x, y = data
    save(tmp_path / "d.npz", X=np.asarray(x.toarray(), order=order), y=y)
    assert fit(tmp_path / "d.npz") == reference
    save(tmp_path / "d.npz", data=np.asarray(x.toarray(), order=order, dtype=">f8"), target=y.astype("f4"))
    assert fit(tmp_path / "d.npz") == reference


def test_an_array_and_labels(data, reference, tmp_path):
    x, y = data
    np.save(tmp_path / "x.npy", x.toarray())
    np.save(tmp_path / "y.npy", y)
    np.savetxt(tmp_path / "y.txt", y, fmt="%d")
    assert fit(tmp_path / "x.npy", "--labels", tmp_path / "y.npy") == reference
    assert fit(tmp_path / "x.npy", "--labels", tmp_path / "y.txt") == reference
    np.save(tmp_path / "both.npy", np.column_stack([y, x.toarray()]))
    assert fit(tmp_path / "both.npy", "--label", "1") == reference


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array, scipy.sparse.csr_matrix])
def test_sparse_archives(make, compressed, data, reference, tmp_path):
    x, y = data
    np.save(tmp_path / "y.npy", y)
    scipy.sparse.save_npz(tmp_path / "x.npz", make(x), compressed=compressed)
    assert fit(tmp_path / "x.npz", "--labels", tmp_path / "y.npy") == reference
    # Labels beside it, and wide indices.
    x = scipy.sparse.csr_matrix(x)
    wide = {"indices": x.indices.astype("i8"), "indptr": x.indptr.astype("i8")}
    np.savez(tmp_path / "xy.npz", format=b"csr", shape=x.shape, data=x.data, **wide, y=y)
    assert fit(tmp_path / "xy.npz") == reference


@pytest.mark.parametrize("dense", [False, True])
def test_matrix_market(dense, data, reference, tmp_path):
    x, y = data
    np.savetxt(tmp_path / "y.txt", y, fmt="%d")
    scipy.io.mmwrite(tmp_path / "x.mtx", x.toarray() if dense else x, comment="made by a test", precision=17)
    assert fit(tmp_path / "x.mtx", "--labels", tmp_path / "y.txt") == reference


def test_names_of_classes(data, tmp_path):
    x, y = data
    np.savez(tmp_path / "d.npz", X=x.toarray(), y=np.where(y > 0, "yes", "no"), feature_names=[f"f{j}" for j in range(x.shape[1])])
    assert fit(tmp_path / "d.npz")["samples"] == len(y)
