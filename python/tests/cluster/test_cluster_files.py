"""Files that the workers read themselves."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from sparsvm import SparseSVC
from sparsvm.dask import DaskSparseSVC, Files, path, predict, stability_selection, train, train_cv


@pytest.fixture(scope="module")
def shards(text_like, tmp_path_factory):
    """LIBSVM text in five files, the first with one class only, one with a single row."""
    X, y = text_like
    order = np.argsort(y[:100], kind="stable")
    X, y = X.tolil()[np.r_[order, 100:2000]].tocsr(), np.r_[y[:100][order], y[100:]]
    folder = tmp_path_factory.mktemp("shards")
    files = []
    for k, rows in enumerate(np.split(np.arange(2_000), [30, 500, 1_000, 1_001])):
        files.append(folder / f"part{k}.svm")
        dump_svmlight_file(X[rows], np.where(y[rows] == 1, 1, -1), str(files[-1]), zero_based=False)
    return files, X, np.where(y == 1, 1, -1)


def test_text(client, shards):
    files, X, y = shards
    settings = {"penalty": "l1", "alpha": 0.005, "tol": 1e-9, "loss": "squared_hinge"}
    model = DaskSparseSVC(client=client, **settings).fit(Files(files, features=X.shape[1]))
    local = SparseSVC(**settings).fit(X, y)
    assert model.objective_ == pytest.approx(local.objective_, rel=1e-9)
    assert np.array_equal(model.support_, local.support_) and list(model.classes_) == [-1, 1]
    assert (predict(client, model, files).compute() == local.predict(X)).all()
    assert model.score(files, None) == pytest.approx(local.score(X, y))
    # Without a number of columns it is the largest that any file has.
    narrow = train(client, files, **settings)
    assert narrow.n_features_in_ <= X.shape[1] and narrow.objective_ == pytest.approx(local.objective_, rel=1e-9)


def test_everything_takes_files(client, shards):
    files, X, y = shards
    assert path(client, files, penalty="l1", n_alphas=4).alphas.shape == (4,)
    assert len(train_cv(client, files, n_alphas=4, cv=2, penalty="l1").support_) >= 0
    assert stability_selection(client, files, n_pairs=1, n_alphas=10).halves == 2


def test_tables_have_names(client, rows, tmp_path):
    X, y = rows
    frame = pd.DataFrame(X[:, :20], columns=[f"gene{j}" for j in range(20)]).assign(kind=y)
    files = [tmp_path / "first.csv", tmp_path / "second.csv"]
    frame[:200].to_csv(files[0], index=False)
    frame[200:].to_csv(files[1], index=False)
    found = train(client, Files(files, label="kind"), penalty="l1", alpha=0.05, tol=1e-9)
    local = SparseSVC("l1", 0.05, tol=1e-9).fit(frame.drop(columns="kind"), y)
    assert list(found.get_feature_names_out()) == list(local.get_feature_names_out())
    assert found.objective_ == pytest.approx(local.objective_, rel=1e-9) and list(found.classes_) == ["no", "yes"]
    frame[200:].rename(columns={"gene3": "other"}).to_csv(files[1], index=False)
    with pytest.raises(ValueError, match=r"second\.csv have other names than those of .*first\.csv"):
        train(client, Files(files, label="kind"))


def test_faults_name_the_file(client, shards, tmp_path):
    broken = tmp_path / "broken.svm"
    broken.write_text("1 1:0.5\n-1 2:x\n")
    with pytest.raises(ValueError, match=r"broken\.svm.*line 2"):
        train(client, [shards[0][0], broken])
    with pytest.raises((ValueError, OSError), match="nowhere"):
        train(client, [tmp_path / "nowhere.svm"])
