"""Cross-validation and stability selection by tasks: what they give on one machine, to the bit."""

import numpy as np
import pytest

from sparsvm import SparseSVCCV, stability_selection
from sparsvm.dask import stability_selection as distributed_selection
from sparsvm.dask import train_cv


def test_cross_validation(client, rows, chunked):
    X, y = rows
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 420)
    settings = {"n_alphas": 8, "cv": 3, "class_weight": "balanced", "n_jobs": 1}
    local = SparseSVCCV(**settings).fit(X, y, weights)
    for data in ((X, y, weights), (chunked(X), chunked(y), chunked(weights))):
        found = train_cv(client, *data[:2], sample_weight=data[2], **settings)
        assert type(found) is SparseSVCCV and found.get_params() == local.get_params()
        assert np.array_equal(found.scores_, local.scores_) and found.alpha_ == local.alpha_
        assert np.array_equal(found.coef_, local.coef_)
        assert (found.predict(X) == local.predict(X)).all()
    assert np.array_equal(train_cv(client, X, y, cv=3, n_alphas=5).coef_, SparseSVCCV(cv=3, n_alphas=5).fit(X, y).coef_)


def test_cross_validation_refuses(client, rows):
    X, y = rows
    with pytest.raises(ValueError, match="rule"):
        train_cv(client, X, y, rule="best")
    one_class = np.flatnonzero(y == "no")
    with pytest.raises(ValueError, match="stratified"):
        train_cv(client, X, y, cv=[(one_class, np.arange(9))], n_alphas=3)


@pytest.mark.parametrize("settings", [{"random_state": 3}, {"penalty": "mcp", "alpha": 0.15, "random_state": 2**40}])
def test_stability_selection(client, rows, chunked, settings):
    X, y = rows
    local = stability_selection(X, y, n_pairs=5, **settings)
    for data in ((X, y), (chunked(X), chunked(y))):
        found = distributed_selection(client, *data, n_pairs=5, **settings)
        assert np.array_equal(found.frequencies, local.frequencies)
        np.testing.assert_array_equal(found.positive, local.positive)
        assert list(found.selected) == list(local.selected) and found.halves == local.halves == 10
        assert (found.q, found.bound, found.failures) == (local.q, local.bound, local.failures)


def test_stability_selection_refuses(client, rows):
    X, y = rows
    for settings, words in [({"n_pairs": 0}, "pairs"), ({"threshold": 0.4}, "threshold"), ({"max_features": 0}, "1")]:
        with pytest.raises(ValueError, match=words):
            distributed_selection(client, X, y, **settings)
