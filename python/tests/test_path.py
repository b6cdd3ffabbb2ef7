"""svm_path: strengths, certificates, and the models of single fits."""

import numpy as np
import pandas as pd
import pytest

from sparsvm import SparseSVC, svm_path


@pytest.mark.parametrize("penalty", ["l1", "mcp", "scad"])
def test_a_path_of_certified_models(penalty, wide):
    X, y = wide
    path = svm_path(X, y, penalty, n_alphas=25)
    assert path.alphas.shape == (25,) and path.coefs.shape == (25, 200)
    assert path.n_features[0] == 0 and path.n_features[-1] >= 3 and path.alphas[0] == path.alpha_max
    assert (path.gaps <= 1e-4).all() and set(path.statuses) == {"converged"}
    assert path.alphas[-1] == pytest.approx(0.01 * path.alpha_max)
    assert np.array_equal(path.n_features, (path.coefs.toarray() != 0).sum(axis=1))
    if penalty == "l1":
        for k in (5, 15):
            alone = SparseSVC("l1", path.alphas[k]).fit(X, y)
            assert path.objectives[k] == pytest.approx(alone.objective_, rel=1e-3)


def test_it_ends_before_too_many_features(wide):
    X, y = wide
    path = svm_path(X, y, "l1", max_features=6)
    assert path.n_features.max() <= 6 and len(path.alphas) < 100


def test_decisions_and_names(wide, text_like):
    X, y = wide
    path = svm_path(pd.DataFrame(X, columns=[f"g{j}" for j in range(200)]), y, n_alphas=10, standardize=True)
    assert path.feature_names[2] == "g2" and path.decision_function(X).shape == (60, 10)
    X, y = text_like
    path = svm_path(X, y, alphas=[0.02, 0.01])
    assert path.decision_function(X).shape == (2_000, 2)
    assert np.allclose(path.decision_function(X)[:, 0], X @ path.coefs[[0]].toarray()[0] + path.intercepts[0])


def test_wrong_input_is_refused(wide, three_classes):
    X, y = wide
    for settings, words in [
        ({"n_alphas": 0}, "between 1 and 1000000"),
        ({"alpha_min_ratio": 2.0}, "between 0 and 1"),
        ({"alphas": [0.1, -0.1]}, "more than 0"),
        ({"penalty": "ridge"}, "penalty"),
    ]:
        with pytest.raises(ValueError, match=words):
            svm_path(X, y, **settings)
    with pytest.raises(ValueError, match="two classes"):
        svm_path(*three_classes)
