"""SparseSVCCV: the rule, the folds, and that no row is judged by a model that has seen it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from sparsvm import SparseSVCCV, svm_path
from sparsvm._cv import choose


def test_the_rule_goes_toward_fewer_features():
    mean, se = np.array([0.5, 0.80, 0.86, 0.90, 0.90, 0.89]), np.full(6, 0.05)
    features = np.array([0, 2, 3, 8, 7, 20])
    assert choose(mean, se, features, "min") == (4, 4), "of equals the one with fewer features"
    assert choose(mean, se, features, "1se") == (4, 2), "the sparsest within one standard error of the best"
    assert choose(mean, np.zeros(6), features, "1se") == (4, 4)


def test_chooses_and_fits(wide):
    X, y = wide
    model = SparseSVCCV(cv=4).fit(X, y)
    assert {3, 17} <= set(model.support_) and len(model.support_) < 15
    k = len(model.alphas_)
    assert model.scores_.shape == (k, 4) and model.mean_score_.shape == model.n_features_path_.shape == (k,)
    assert model.alpha_ == model.alphas_[model.chosen_index_] and (np.diff(model.alphas_) < 0).all()
    assert len(model.support_) <= len(SparseSVCCV(cv=4, rule="min").fit(X, y).support_)
    assert len(model.support_) == model.n_features_path_[model.chosen_index_], "what was measured is what is kept"
    point = model.coefs_path_[0][[model.chosen_index_]].toarray()
    assert np.allclose(model.coef_, point, rtol=1e-3) and model.status_ == "converged"


def test_scores_are_those_of_unseen_rows(wide):
    X, y = wide
    folds = list(StratifiedKFold(3).split(X, y))
    model = SparseSVCCV(cv=folds, n_alphas=20).fit(X, y)
    train, test = folds[1]
    path = svm_path(X[train], y[train], n_alphas=20)
    predicted = path.classes[(path.decision_function(X[test]) > 0).astype(int)]
    assert np.allclose((predicted == y[test][:, None]).mean(axis=0), model.scores_[:, 1])


def test_scores_of_other_kinds(wide, three_classes):
    X, y = wide
    by_auc = SparseSVCCV(cv=3, n_alphas=15, scoring="roc_auc").fit(X, y)
    assert by_auc.mean_score_[0] == 0.5 and by_auc.mean_score_.max() > 0.9 and by_auc.scores_.shape == (len(by_auc.alphas_), 3)
    custom = SparseSVCCV(cv=3, n_alphas=15, scoring=lambda model, X, y: model.score(X, y)).fit(X, y)
    assert np.array_equal(custom.scores_, SparseSVCCV(cv=3, n_alphas=15).fit(X, y).scores_)
    assert SparseSVCCV(scoring="f1_macro", n_alphas=20).fit(*three_classes).score(*three_classes) > 0.9


def test_groups_and_splitters(wide):
    X, y = wide
    model = SparseSVCCV(cv=GroupKFold(5), n_alphas=10).fit(X, y, groups=np.arange(60) % 10)
    assert model.scores_.shape[1] == 5
    assert SparseSVCCV(cv=KFold(4, shuffle=True, random_state=0), n_alphas=10).fit(X, y).scores_.shape[1] == 4
    with pytest.warns(UserWarning, match="become 3"):
        few = np.r_[np.flatnonzero(y == "no")[:20], np.flatnonzero(y == "yes")[:3]]
        assert SparseSVCCV(n_alphas=10).fit(X[few], y[few]).scores_.shape[1] == 3


def test_given_alphas_and_weights(wide):
    X, y = wide
    model = SparseSVCCV(alphas=[0.1, 0.3, 0.2, 0.1], cv=3).fit(X, y, sample_weight=np.linspace(0.5, 2, 60))
    assert list(model.alphas_) == [0.3, 0.2, 0.1]
    limited = SparseSVCCV(cv=3, max_features=4).fit(X, y)
    assert limited.n_features_path_.max() <= 4


def test_three_classes_and_frames(three_classes):
    X, y = three_classes
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = SparseSVCCV(n_alphas=30, standardize=True).fit(frame, y)
    assert model.score(frame, y) > 0.9 and len(model.coefs_path_) == 3
    assert set(model.get_feature_names_out()) <= set("abcdefgh")
    assert clone(model).get_params()["n_alphas"] == 30


def test_noise_gives_an_answer():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((30, 1)), np.arange(30) % 3
    assert SparseSVCCV(n_alphas=5).fit(X, y).predict(X).shape == (30,)
