"""SparseSVC: what is minimised, what comes out, and how it fits into scikit-learn."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsvm import SparseSVC, svm_path


def mcp_hinge(X, signs, w, b, alpha, theta=3.0):
    """The objective, as the paper writes it."""
    t = np.abs(w)
    penalty = np.where(t <= theta * alpha, alpha * t - t**2 / (2 * theta), theta * alpha**2 / 2)
    return np.maximum(0, 1 - signs * (X @ w + b)).mean() + penalty.sum()


def test_finds_the_features_and_proves_it(wide):
    X, y = wide
    model = SparseSVC(alpha=0.1).fit(X, y)
    assert {3, 17} <= set(model.support_) and len(model.support_) <= 6
    assert model.status_ == "converged" and model.gap_ <= 1e-4 and model.violation_ <= 1e-4
    assert list(model.classes_) == ["no", "yes"] and model.coef_.shape == (1, 200)
    signs = np.where(y == "yes", 1.0, -1.0)
    by_hand = mcp_hinge(X, signs, model.coef_[0], model.intercept_[0], 0.1)
    assert model.objective_ == pytest.approx(by_hand, rel=1e-12)
    assert model.score(X, y) > 0.9 and model.n_iter_ >= 1


def test_the_dual_proves_the_l1_optimum(wide):
    X, y = wide
    model = SparseSVC("l1", alpha=0.05, tol=1e-8).fit(X, y)
    dual = model.dual_coef_[0]
    signs = np.where(y == "yes", 1.0, -1.0)
    beta = dual * signs
    assert beta.min() >= -1e-12 and beta.max() <= 1 / 60 + 1e-12 and abs(dual.sum()) < 1e-8
    assert np.abs(X.T @ dual).max() <= 0.05 * (1 + 1e-6)
    assert beta.sum() == pytest.approx(model.objective_, rel=1e-6)


@pytest.mark.parametrize("penalty", ["l1", "scad", "mcp", "lsp", "capped_l1", "lp"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "huber_hinge"])
def test_every_combination(penalty, loss, wide):
    X, y = wide
    model = SparseSVC(penalty, loss=loss, l2=0.01).fit(X, y)
    assert model.status_ == "converged" and 0 < len(model.support_) < 60


@pytest.mark.filterwarnings("ignore:The model is not proved")
@pytest.mark.parametrize("solver", ["exact", "feadmm", "gist", "sqa", "reweighted"])
def test_every_solver(solver, wide):
    X, y = wide
    loss = "squared_hinge" if solver in ("gist", "reweighted") else "hinge"
    model = SparseSVC("mcp", alpha=0.1, loss=loss, solver=solver).fit(X, y)
    assert model.score(X, y) > 0.8
    # Every one has its own steps, and none ends below the solver that searches.
    assert model.objective_ >= SparseSVC("mcp", alpha=0.1, loss=loss).fit(X, y).objective_ * (1 - 1e-4)


def test_the_global_solver_is_never_worse():
    random = np.random.default_rng(5)
    X = random.standard_normal((20, 3))
    y = X[:, 0] + 0.5 * random.standard_normal(20) > 0
    best = SparseSVC("capped_l1", alpha=0.05, solver="global").fit(X, y)
    assert best.objective_ <= SparseSVC("capped_l1", alpha=0.05).fit(X, y).objective_ * (1 + 1e-4)


def bits(model):
    return model.coef_.tobytes(), model.intercept_.tobytes(), model.dual_coef_.tobytes()


def test_the_layout_changes_no_bit(wide, text_like):
    X, y = wide
    spread = np.zeros((120, 400))
    spread[::2, ::2] = X
    by_rows = bits(SparseSVC(alpha=0.1).fit(np.ascontiguousarray(X), y))
    for other in (np.asfortranarray(X), spread[::2, ::2], pd.DataFrame(X), X.tolist()):
        assert bits(SparseSVC(alpha=0.1).fit(other, y)) == by_rows
    X, y = text_like
    by_rows = bits(SparseSVC(alpha=0.01).fit(X, y))
    wide_positions = X.copy()
    wide_positions.indices = wide_positions.indices.astype(np.int64)
    wide_positions.indptr = wide_positions.indptr.astype(np.int64)
    shuffled = X.copy()
    shuffled.indices[: X.indptr[1]] = shuffled.indices[: X.indptr[1]][::-1]
    shuffled.data[: X.indptr[1]] = shuffled.data[: X.indptr[1]][::-1]
    shuffled.has_sorted_indices = False
    before = shuffled.indices.copy()
    for other in (X.tocsc(), sparse.csr_matrix(X), sparse.csc_matrix(X), wide_positions, shuffled, X.tocoo()):
        assert bits(SparseSVC(alpha=0.01).fit(other, y)) == by_rows
    assert np.array_equal(shuffled.indices, before), "the caller's matrix is his own"


def off_by_one(array):
    """The same numbers where no number may begin: so they come out of messages."""
    moved = np.empty(array.nbytes + 1, dtype=np.uint8)[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    assert not moved.flags.aligned
    return moved


def test_arrays_that_are_not_aligned_are_copied(wide, text_like):
    X, y = wide
    model = SparseSVC(alpha=0.1).fit(X, y)
    assert bits(SparseSVC(alpha=0.1).fit(off_by_one(X), y)) == bits(model)
    assert (model.predict(off_by_one(X)) == model.predict(X)).all()
    model.coef_ = off_by_one(model.coef_)
    assert (model.predict(X) == SparseSVC(alpha=0.1).fit(X, y).predict(X)).all()
    X, y = text_like
    moved = X.copy()
    moved.data, moved.indices = off_by_one(moved.data), off_by_one(moved.indices)
    assert bits(SparseSVC("l1", 0.01).fit(moved, y)) == bits(SparseSVC("l1", 0.01).fit(X, y))


def test_dense_and_sparse_agree(text_like):
    X, y = text_like
    few, y = X[:300], y[:300]
    for standardize in (False, True):
        model = SparseSVC("l1", 0.02, standardize=standardize, tol=1e-8)
        objective = clone(model).fit(few, y).objective_
        assert clone(model).fit(few.toarray(), y).objective_ == pytest.approx(objective, rel=1e-7)


def test_standardize_is_a_scaler_in_front(wide):
    X, y = wide
    X = X * np.geomspace(0.01, 100, 200)
    inside = SparseSVC("l1", 0.05, standardize=True, tol=1e-9).fit(X, y)
    scaler = StandardScaler(with_mean=False).fit(X)
    outside = SparseSVC("l1", 0.05, tol=1e-9).fit(scaler.transform(X), y)
    assert inside.objective_ == pytest.approx(outside.objective_, rel=1e-8)
    assert np.allclose(inside.decision_function(X), outside.decision_function(scaler.transform(X)), atol=1e-4)


def test_other_number_types_are_converted(wide):
    X, y = wide
    rounded = np.round(10 * X)
    model = SparseSVC(alpha=0.5).fit(rounded, y)
    for other in (rounded.astype(np.float32), rounded.astype(np.int32), sparse.csr_matrix(rounded.astype(np.int64))):
        assert SparseSVC(alpha=0.5).fit(other, y).objective_ == pytest.approx(model.objective_, rel=1e-4)


def test_threads_change_no_bit(three_classes):
    X, y = three_classes
    assert len({bits(SparseSVC(n_jobs=jobs).fit(X, y)) for jobs in (1, 2, 3, None, -1)}) == 1


def test_three_classes_are_three_problems(three_classes):
    X, y = three_classes
    model = SparseSVC(alpha=0.02).fit(X, y)
    assert model.coef_.shape == (3, 8) and model.dual_coef_.shape == (3, 150)
    assert model.decision_function(X).shape == (150, 3) and model.score(X, y) > 0.9
    alone = SparseSVC(alpha=0.02).fit(X, y == 20)
    assert np.array_equal(alone.coef_[0], model.coef_[1]) and alone.objective_ == model.objective_[1]


def test_a_weight_counts_as_rows(wide):
    X, y = wide
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = SparseSVC("l1", 0.05, tol=1e-9).fit(X, y, sample_weight=weights)
    repeated = SparseSVC("l1", 0.05, tol=1e-9).fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7)
    assert SparseSVC().fit(X, y, sample_weight=np.full(60, 7.0)).alpha_ == pytest.approx(SparseSVC().fit(X, y).alpha_)


def test_class_weights_shift_the_decision(wide):
    X, y = wide
    plain = SparseSVC(alpha=0.4).fit(X, y).predict(X)
    eager = SparseSVC(alpha=0.4, class_weight={"yes": 100}).fit(X, y).predict(X)
    assert (eager == "yes").sum() > (plain == "yes").sum()
    few = np.r_[np.flatnonzero(y == "no"), np.flatnonzero(y == "yes")[:6]]
    balanced = SparseSVC(class_weight="balanced").fit(X[few], y[few])
    assert (balanced.predict(X[few]) == "yes").sum() >= 6


def test_penalty_factors(wide):
    X, y = wide
    factors = np.ones(200)
    factors[[5, 6]] = 0.0
    factors[3] = 1e3
    model = SparseSVC(alpha=0.1, penalty_factors=factors).fit(X, y)
    assert {5, 6} <= set(model.support_) and 3 not in model.support_
    with pytest.raises(ValueError, match="200"):
        SparseSVC(penalty_factors=[1.0, 2.0]).fit(X, y)


def test_at_most_so_many_features(wide):
    X, y = wide
    model = SparseSVC(max_features=3).fit(X, y)
    assert 1 <= len(model.support_) <= 3 and model.score(X, y) > 0.85
    with pytest.raises(ValueError, match="give one of them"):
        SparseSVC(alpha=0.1, max_features=3).fit(X, y)


def test_without_an_intercept(wide):
    X, y = wide
    assert SparseSVC(fit_intercept=False).fit(X, y).intercept_[0] == 0.0


@pytest.mark.parametrize("settings", [{}, {"standardize": True}, {"max_features": 4, "alpha": None}])
def test_a_penalised_intercept_is_a_feature_that_is_one_everywhere(wide, settings):
    X, y = wide[0], wide[0][:, 3] + wide[0][:, 17] > 1
    settings = {"penalty": "l1", "alpha": 0.05, "tol": 1e-8} | settings
    model = SparseSVC(fit_intercept="penalised", **settings).fit(X, y)
    scaled = X / X.std(axis=0) if settings.get("standardize") else X
    ones = np.hstack([scaled, np.ones((len(y), 1))])
    plain = SparseSVC("l1", model.alpha_, tol=1e-8, fit_intercept=False).fit(ones, y)
    assert plain.coef_[0, -1] != 0 and model.intercept_[0] == pytest.approx(plain.coef_[0, -1], rel=1e-4)
    assert model.coef_.shape == (1, X.shape[1]) and model.objective_ == pytest.approx(plain.objective_, rel=1e-7)
    assert np.allclose(model.decision_function(X), plain.decision_function(ones), atol=1e-4)
    path = svm_path(X, y, "l1", alphas=[model.alpha_], fit_intercept="penalised", tol=1e-8)
    if not settings.get("standardize"):
        assert path.intercepts[0] == pytest.approx(plain.coef_[0, -1], rel=1e-4)
    with pytest.raises(ValueError, match="fit_intercept"):
        SparseSVC(fit_intercept="some").fit(X, y)


def test_a_warm_start_is_a_start(wide):
    X, y = wide
    model = SparseSVC("l1", 0.1, warm_start=True).fit(X, y)
    cold = SparseSVC("l1", 0.09).fit(X, y)
    warm = model.set_params(alpha=0.09).fit(X, y)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-4) and warm.n_iter_ < cold.n_iter_
    shaped = SparseSVC(alpha=0.05).fit(X, y)
    again = SparseSVC(alpha=0.05, warm_start=True).fit(X, y).fit(X, y)
    assert again.objective_ <= shaped.objective_ * (1 + 1e-8)


def test_history_when_asked(wide, three_classes):
    model = SparseSVC(record_history=True).fit(*wide)
    assert list(model.history_["iteration"]) == list(range(1, model.n_iter_ + 1))
    assert (np.diff(model.history_["seconds"]) >= 0).all()
    assert len(SparseSVC(record_history=True).fit(*three_classes).history_) == 3
    assert not hasattr(SparseSVC().fit(*wide), "history_")


def test_selects_features_itself(wide):
    X, y = wide
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(200)])
    model = SparseSVC(alpha=0.1).set_output(transform="pandas").fit(frame, y)
    kept = model.transform(frame)
    assert list(kept.columns) == [f"gene{j}" for j in model.support_] == list(model.get_feature_names_out())
    assert model.get_support().sum() == len(model.support_)
    assert list(model.feature_names_in_[:2]) == ["gene0", "gene1"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"gene0": "other"}))


def test_sparse_coefficients_predict_the_same(text_like):
    X, y = text_like
    model = SparseSVC(alpha=0.01).fit(X, y)
    before, support = model.decision_function(X), model.support_
    assert sparse.issparse(model.sparsify().coef_)
    assert np.array_equal(model.decision_function(X), before) and np.array_equal(model.support_, support)
    assert np.array_equal(model.densify().decision_function(X), before)
    assert np.allclose(before, X @ model.coef_[0] + model.intercept_[0], rtol=1e-12)


def test_copies_and_files_of_it(wide, tmp_path):
    X, y = wide
    model = SparseSVC(alpha=0.1, probability=True, random_state=0).fit(X, y)
    joblib.dump(model, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model")):
        assert np.array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "coef_")


def test_searches_and_pipelines(wide):
    X, y = wide
    pipeline = make_pipeline(StandardScaler(), SparseSVC())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7
    grid = {"sparsesvc__alpha": [0.05, 0.1, 0.2], "sparsesvc__penalty": ["l1", "mcp"]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.75


def test_sample_weights_are_routed(wide):
    X, y = wide
    weights = np.linspace(0.5, 1.5, 60)
    with sklearn.config_context(enable_metadata_routing=True):
        model = SparseSVC(alpha=0.1).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model).fit(X, y, sample_weight=weights)
    alone = SparseSVC(alpha=0.1).fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    assert np.array_equal(pipeline[-1].coef_, alone.coef_)


def test_what_does_not_converge_says_so(wide):
    X, y = wide
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = SparseSVC("l1", 0.01, max_iter=1, tol=1e-10).fit(X, y)
    assert model.status_ == "max_iter" and model.gap_ > 1e-10


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"theta": -1.0}, "theta"),
        ({"penalty": "l1", "theta": 2.0}, "no shape"),
        ({"penalty": "l2"}, "penalty"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"solver": "newton"}, "solver"),
        ({"solver": "gist"}, "squared-hinge"),
        ({"tol": -1}, "tol"),
        ({"max_features": 0}, "max_features"),
        ({"max_time": 0}, "max_time"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_settings_are_refused_in_words(settings, words, wide):
    with pytest.raises(ValueError, match=words):
        SparseSVC(**settings).fit(*wide)


def test_wrong_data_is_refused_in_words(wide):
    X, y = wide
    broken = X.copy()
    broken[3, 4] = np.nan
    for wrong, labels, words in [
        (broken, y, "NaN"),
        (X, np.full(60, "yes"), "one class"),
        (X, y[:10], "inconsistent"),
        (X[:0], y[:0], "0 sample"),
        (X, np.linspace(0, 1, 60), "continuous"),
    ]:
        with pytest.raises(ValueError, match=words):
            SparseSVC().fit(wrong, labels)
    with pytest.raises(ValueError, match="one class"):
        SparseSVC().fit(X, y, sample_weight=(y == "yes").astype(float))
    with pytest.raises(NotFittedError):
        SparseSVC().predict(X)
    with pytest.raises(ValueError, match="200 features"):
        SparseSVC().fit(X, y).predict(X[:, :5])


def test_a_damaged_matrix_is_refused(text_like):
    X, y = text_like
    for damage in (lambda x: x.indices.__setitem__(0, -5), lambda x: x.indptr.__setitem__(3, 10**6)):
        broken = X.copy()
        damage(broken)
        with pytest.raises(ValueError):
            SparseSVC().fit(broken, y)
