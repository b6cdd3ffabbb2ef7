"""Probabilities: Platt's sigmoid against an independent fit, and against what happens."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sparsvm import SparseSVC, _core


def test_the_sigmoid_is_the_likeliest():
    random = np.random.default_rng(0)
    scores = random.standard_normal(200)
    signs = np.where(scores + random.standard_normal(200) > 0.4, 1.0, -1.0)
    positive, negative = (signs > 0).sum(), (signs < 0).sum()
    target = np.where(signs > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def cost(point):
        z = point[0] * scores + point[1]
        return (np.logaddexp(0, -z) * (1 - target) + np.logaddexp(0, z) * target).sum()

    found = _core.fit_sigmoid(scores, signs, np.ones(200))
    assert np.allclose(found, minimize(cost, [-1.0, 0.0], tol=1e-12).x, atol=1e-4)


def test_probabilities_are_calibrated():
    random = np.random.default_rng(1)
    X = random.standard_normal((3_000, 6))
    truth = 1 / (1 + np.exp(-2 * X[:, 0] + X[:, 1]))
    y = random.random(3_000) < truth
    model = SparseSVC(probability=True, random_state=0).fit(X[:1_500], y[:1_500])
    chance = model.predict_proba(X[1_500:])[:, 1]
    assert abs(chance - truth[1_500:]).mean() < 0.06
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_three_classes(three_classes):
    X, y = three_classes
    model = SparseSVC(probability=True, random_state=0).fit(X, y)
    chance = model.predict_proba(X)
    assert chance.shape == (150, 3) and np.allclose(chance.sum(axis=1), 1.0)
    assert (model.classes_[chance.argmax(axis=1)] == y).mean() > 0.9


def test_only_on_request(wide):
    X, y = wide
    model = SparseSVC().fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(X)
    lonely = np.r_[np.flatnonzero(y == "no"), np.flatnonzero(y == "yes")[:1]]
    with pytest.raises(ValueError, match="two rows of each class"):
        SparseSVC(probability=True).fit(X[lonely], y[lonely])
