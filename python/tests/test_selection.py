"""Stability selection and nested cross-validation."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsvm import SparseSVCCV, nested_cv, stability_selection


def test_planted_features_are_stable(wide):
    X, y = wide
    found = stability_selection(pd.DataFrame(X, columns=[f"g{j}" for j in range(200)]), y, n_pairs=20)
    assert {3} <= set(found.selected) <= {3, 17, 90} and found.frequencies[17] > 0.5 and found.halves == 40 and not found.failures
    assert found.positive[3] == 1.0 and found.positive[17] == 0.0 and found.feature_names[3] == "g3"
    assert found.q == 10 and found.bound == pytest.approx(10**2 / (0.5 * 200))
    assert (np.diff(found.frequencies[found.selected]) <= 0).all()


def test_the_same_seed_the_same_answer(wide):
    X, y = wide
    runs = [stability_selection(X, y, n_pairs=5, random_state=3, n_jobs=jobs).frequencies for jobs in (1, 2)]
    assert np.array_equal(*runs)
    assert not np.array_equal(runs[0], stability_selection(X, y, n_pairs=5, random_state=4).frequencies)
    at_alpha = stability_selection(X, y, "mcp", alpha=0.2, n_pairs=5)
    assert at_alpha.q == pytest.approx(at_alpha.frequencies.sum())


def test_wrong_settings_are_refused(wide, three_classes):
    X, y = wide
    for settings, words in [({"threshold": 0.4}, "threshold"), ({"n_pairs": 0}, "pairs"), ({"max_features": 0}, "1")]:
        with pytest.raises(ValueError, match=words):
            stability_selection(X, y, **settings)
    with pytest.raises(ValueError, match="two classes"):
        stability_selection(*three_classes)


def test_nested_scores_are_of_unseen_rows(wide):
    X, y = wide
    found = nested_cv(X, y, SparseSVCCV(cv=3, n_alphas=20), cv=4)
    assert found.scores.shape == (4,) and 0.6 < found.mean <= 1.0 and found.se > 0
    assert found.frequencies[3] == 1.0 and len(found.estimators) == 4
    shuffled = np.random.default_rng(0).permutation(y)
    assert nested_cv(X, shuffled, SparseSVCCV(cv=3, n_alphas=20), cv=4).mean < 0.75, "no leak"
    pipeline = make_pipeline(StandardScaler(), SparseSVCCV(cv=3, n_alphas=20))
    assert nested_cv(X, y, pipeline, cv=3, scoring="roc_auc").mean > 0.7
