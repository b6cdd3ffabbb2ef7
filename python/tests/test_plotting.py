"""The pictures: what is on the axes, for few features and for thousands, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparsvm
from sparsvm import SparseSVC, SparseSVCCV, load, svm_path
from sparsvm.plotting import ConvergenceDisplay, CVDisplay, PathDisplay, WeightsDisplay
from sparsvm.plotting._labels import spread


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def chosen(tumours):
    return SparseSVCCV("mcp", n_alphas=20, cv=3, standardize=True).fit(*tumours)


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return SparseSVCCV("l1", n_alphas=8, cv=3).fit(data.data, data.target_names[data.target])


def overlap(texts):
    """Whether any two texts lie on top of each other, once drawn."""
    texts[0].figure.canvas.draw()
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    return any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def inside(texts):
    """Whether all texts are on the paper, once drawn."""
    figure = texts[0].figure
    figure.canvas.draw()
    for text in texts:
        box = text.get_window_extent()
        if box.x0 < 0 or box.y0 < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1:
            return False
    return True


def upper_labels(display):
    display.figure_.canvas.draw()
    return [label.get_text() for label in display.upper_.get_xticklabels()]


# --- PathDisplay


def test_a_path_has_a_line_for_each_feature(tumours):
    path = svm_path(*tumours, "mcp", n_alphas=30, standardize=True)
    display = PathDisplay.from_path(path, max_named=4)
    ever = np.flatnonzero(abs(path.coefs).sum(axis=0))
    assert len(display.lines_) == 4
    assert len(display.lines_) + len(display.rest_.get_segments()) == len(ever)
    names = [line.get_label() for line in display.lines_]
    assert set(names) <= set(path.feature_names[ever])
    # A line shows its own feature, wherever it is not 0.
    for line in display.lines_:
        j = list(path.feature_names).index(line.get_label())
        shown, coefs = line.get_ydata(), path.coefs[:, [j]].toarray().ravel()
        assert np.allclose(shown[~np.isnan(shown)], coefs[~np.isnan(shown)])
        assert not coefs[np.isnan(shown)].any()
    assert display.chosen_ is None
    assert display.figure_ is display.ax_.figure


def test_the_axes_of_a_path(tumours):
    path = svm_path(*tumours, n_alphas=30, standardize=True)
    display = PathDisplay.from_path(path, alpha=0.05)
    left, right = display.ax_.get_xlim()
    assert left > path.alphas[0] > path.alphas[-1] > right
    assert display.ax_.get_xscale() == "log"
    assert "alpha" in display.ax_.get_xlabel()
    assert display.upper_.get_xlabel() == "features kept"
    counts = upper_labels(display)
    assert counts[0] == str(path.n_features[0])
    assert counts[-1] == str(path.n_features[-1])
    assert np.allclose(display.chosen_.get_xdata(), 0.05)


def test_a_path_of_a_cross_validation_is_marked_where_it_chose(chosen, tumours):
    display = PathDisplay.from_estimator(chosen, X=tumours[0])
    assert np.allclose(display.chosen_.get_xdata(), chosen.alpha_)
    assert "standard deviation" in display.ax_.get_ylabel()
    name = display.lines_[0].get_label()
    j = list(chosen.feature_names_in_).index(name)
    scaled = chosen.coefs_path_[0][[-1]].toarray()[0, j] * tumours[0][name].std(ddof=0)
    assert display.lines_[0].get_ydata()[-1] == pytest.approx(scaled)
    # What is kept at the mark is named before anything else.
    kept = chosen.coefs_path_[0][[chosen.chosen_index_]].toarray()[0] != 0
    named = {line.get_label() for line in display.lines_}
    assert set(chosen.feature_names_in_[kept]) <= named


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_names_keep_apart_and_on_the_paper(chosen, layout):
    figure, ax = plt.subplots(figsize=(5, 3), layout=layout)
    display = PathDisplay.from_estimator(chosen, ax=ax, max_named=12)
    assert display.figure_ is figure
    names = [text for text in ax.texts if not text.get_text().startswith("alpha")]
    assert len(names) >= 5
    assert not overlap(names)
    assert inside(names)
    high, low = ax.get_xlim()
    ticks = [label for label in ax.get_xticklabels(which="both") if low < label.get_position()[0] < high]
    assert not overlap(ticks)


def test_thousands_of_lines_are_one_collection():
    rng = np.random.default_rng(0)
    coefs = np.cumsum(rng.standard_normal((40, 5000)), axis=0)
    coefs[0] = 0.0
    display = PathDisplay(np.geomspace(1.0, 0.01, 40), coefs).plot()
    assert len(display.lines_) == 10
    assert len(display.rest_.get_segments()) == 4990
    # Named ones, their leaders and the zero line: the others are no artists of their own.
    assert len(display.ax_.lines) == 10 + 10 + 1
    assert upper_labels(display)[0] == "0"
    assert upper_labels(display)[-1] == "5,000"
    least = min(np.nanmean(abs(line.get_ydata())) for line in display.lines_)
    assert least > np.median(abs(coefs).mean(axis=0))


def test_a_path_of_nothing_and_of_one_point_are_drawn():
    empty = PathDisplay([1.0, 0.5], sparse.csr_array((2, 3))).plot()
    assert empty.lines_ == []
    single = PathDisplay([0.3], [[1.0, 0.0, -2.0]]).plot()
    assert [line.get_label() for line in single.lines_] == ["x2", "x0"]
    single.figure_.canvas.draw()
    # There is no place for 0 on a logarithmic axis.
    assert PathDisplay([0.3, 0.0], [[1.0], [2.0]]).plot().lines_[0].get_xdata().tolist() == [0.3]
    with pytest.raises(ValueError, match="no alpha above 0"):
        PathDisplay([0.0], [[1.0]]).plot()
    with pytest.raises(ValueError, match="coefs has 1 rows"):
        PathDisplay([0.3, 0.2], [[1.0]])
    with pytest.raises(ValueError, match="feature_names has 2"):
        PathDisplay([0.3], [[1.0]], feature_names=["a", "b"])


def test_a_class_of_several_is_chosen_by_name(iris):
    display = PathDisplay.from_estimator(iris, class_of_interest="virginica")
    assert "virginica" in display.ax_.get_ylabel()
    k = list(iris.classes_).index("virginica")
    assert upper_labels(display)[-1] == str(np.count_nonzero(iris.coefs_path_[k][[-1]].toarray()))
    with pytest.raises(ValueError, match="choose one of"):
        PathDisplay.from_estimator(iris)
    with pytest.raises(ValueError, match="none of the classes"):
        WeightsDisplay.from_estimator(iris, class_of_interest="rose")


# --- CVDisplay


@pytest.mark.parametrize("errors", ["band", "bars"])
def test_scores_with_the_best_and_the_chosen(chosen, errors):
    display = CVDisplay.from_estimator(chosen, errors=errors)
    assert np.allclose(display.line_.get_ydata(), chosen.mean_score_)
    assert np.allclose(display.line_.get_xdata(), chosen.alphas_)
    assert display.chosen_.get_xdata()[0] == pytest.approx(chosen.alpha_)
    assert display.best_.get_ydata()[0] == pytest.approx(chosen.mean_score_.max())
    assert "accuracy" in display.ax_.get_ylabel() and "3 folds" in display.ax_.get_ylabel()
    assert display.upper_.get_xlabel() == "features kept"
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert any("chosen: alpha = " in text for text in texts)


def test_the_best_and_the_chosen_are_two_marks():
    display = CVDisplay(
        [1.0, 0.5, 0.1], [0.5, 0.89, 0.9], [0.02, 0.02, 0.02], [0, 1, 2000], best_index=2, chosen_index=1
    ).plot()
    assert display.best_.get_xdata()[0] == 0.1
    assert display.chosen_.get_xdata()[0] == 0.5
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["best - 1 SE", "chosen: alpha = 0.5, 1 feature", "best: alpha = 0.1, 2,000 features"]


def test_the_best_may_be_the_chosen(tumours):
    model = SparseSVCCV("l1", n_alphas=6, cv=2, rule="min", scoring="roc_auc", standardize=True).fit(*tumours)
    display = CVDisplay.from_estimator(model)
    assert display.best_ is display.chosen_
    assert "roc auc" in display.ax_.get_ylabel()
    with pytest.raises(ValueError, match="band"):
        display.plot(errors="violins")


# --- WeightsDisplay


def test_bars_are_the_coefficients_by_size(chosen):
    display = WeightsDisplay.from_estimator(chosen)
    widths = [bar.get_width() for bar in display.bars_]
    assert sorted(abs(np.array(widths)), reverse=True) == [abs(width) for width in widths]
    assert np.allclose(widths, chosen.coef_[0, display.shown_])
    assert sorted(display.shown_) == list(chosen.support_)
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == list(chosen.feature_names_in_[display.shown_])
    assert display.note_ is None
    # The largest is on top: the axis goes down.
    bottom, top = display.ax_.get_ylim()
    assert top < bottom
    assert inside(display.ax_.get_yticklabels())


def test_many_bars_end_in_a_note():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 5000)), np.arange(80) % 2
    model = SparseSVC("l1", alpha=0.05).fit(X, y)
    display = WeightsDisplay.from_estimator(model, max_features=12)
    assert len(display.bars_) == 12
    assert display.note_.get_text() == f"and {len(model.support_) - 12:,} smaller"
    assert not overlap([display.note_, *display.ax_.get_yticklabels()])
    assert inside([display.note_])
    nothing = WeightsDisplay.from_estimator(SparseSVC("l1", alpha=100.0).fit(X, y))
    assert nothing.note_.get_text() == "no feature is kept"
    with pytest.raises(ValueError, match="max_features = 0"):
        display.plot(max_features=0)


def test_names_come_from_a_pipeline_and_from_a_file(tumours, tmp_path):
    X, y = tumours
    pipeline = make_pipeline(StandardScaler(), SparseSVC("mcp", 0.05)).fit(X, y)
    labels = [t.get_text() for t in WeightsDisplay.from_estimator(pipeline, X=X).ax_.get_yticklabels()]
    assert set(labels) == set(X.columns[pipeline[-1].support_])
    # Columns that are scaled already have a standard deviation of 1.
    assert np.allclose(
        WeightsDisplay.from_estimator(pipeline, X=X).coef, WeightsDisplay.from_estimator(pipeline).coef
    )
    model = SparseSVC("mcp", 0.05, standardize=True).fit(X, y)
    model.save(tmp_path / "saved.model")
    display = WeightsDisplay.from_estimator(load(tmp_path / "saved.model"))
    assert [display.feature_names[j] for j in display.shown_] == list(X.columns[display.shown_])
    assert sorted(display.shown_) == list(model.support_)
    display = WeightsDisplay.from_estimator(pipeline[-1], feature_names=[f"f{j}" for j in range(30)])
    assert display.ax_.get_yticklabels()[0].get_text().startswith("f")


def test_long_names_are_shortened_in_the_middle():
    names = [f"mean intensity of the reflected signal in channel {j}" for j in range(3)]
    display = WeightsDisplay([1.0, 2.0, 0.0], feature_names=names).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert all(len(label) <= 40 and "…" in label for label in labels)
    assert [label[-1] for label in labels] == ["1", "0"]


def test_sparse_coefficients_are_drawn_too(tumours):
    model = SparseSVC("mcp", 0.05, standardize=True).fit(*tumours)
    dense = WeightsDisplay.from_estimator(model).coef
    assert np.array_equal(WeightsDisplay.from_estimator(model.sparsify()).coef, dense)


# --- ConvergenceDisplay


@pytest.mark.parametrize("x", ["seconds", "iterations"])
def test_steps_of_a_fit(tumours, x):
    model = SparseSVC("mcp", 0.05, standardize=True, n_starts=2, record_history=True).fit(*tumours)
    display = ConvergenceDisplay.from_estimator(model, x=x)
    assert display.ax_.get_yscale() == "log"
    assert display.features_ax_.get_xlabel() == x
    assert np.array_equal(display.features_line_.get_ydata(), model.history_["n_features"])
    shown = display.line_.get_ydata()
    expected = model.history_["objective"] / model.objective_ - 1.0
    assert np.allclose(shown[~np.isnan(shown)], expected[~np.isnan(shown)], rtol=1e-6, atol=1e-12)
    # Of several convex problems one after another it is said that they are.
    assert "convex problem at hand" in display.ax_.get_title(loc="left")
    lowest = display.best_.get_ydata()
    assert (np.diff(lowest[~np.isnan(lowest)]) <= 0).all()


def test_a_convex_fit_alone_on_given_axes(tumours):
    model = SparseSVC("l1", 0.05, standardize=True, record_history=True).fit(*tumours)
    _, ax = plt.subplots()
    display = ConvergenceDisplay.from_estimator(model, ax=ax)
    assert display.ax_ is ax and display.features_ax_ is None
    assert display.ax_.get_title(loc="left") == ""
    with pytest.raises(ValueError, match="3 axes"):
        display.plot(plt.subplots(3)[1])
    with pytest.raises(ValueError, match="seconds"):
        display.plot(x="hours")


def test_steps_of_one_class_among_several():
    data = load_iris()
    model = SparseSVC("l1", 0.05, record_history=True).fit(*load_iris(return_X_y=True))
    display = ConvergenceDisplay.from_estimator(model, class_of_interest=data.target[-1])
    assert display.final_objective == model.objective_[2]


# --- what all of them share


@pytest.mark.parametrize("display", [PathDisplay, CVDisplay, WeightsDisplay, ConvergenceDisplay])
def test_what_is_not_fitted_or_the_wrong_thing_is_refused(display, tumours):
    with pytest.raises(NotFittedError):
        display.from_estimator(SparseSVCCV())
    with pytest.raises(TypeError, match="no estimator"):
        display.from_estimator("model")
    if display is not WeightsDisplay:
        with pytest.raises(TypeError, match="SparseSVC has no"):
            display.from_estimator(SparseSVC("l1", 0.1, standardize=True).fit(*tumours))


def test_a_dark_style_and_no_warnings(chosen):
    with warnings.catch_warnings(), plt.style.context("dark_background"):
        warnings.simplefilter("error")
        display = PathDisplay.from_estimator(chosen)
        CVDisplay.from_estimator(chosen).figure_.canvas.draw()
        WeightsDisplay.from_estimator(chosen).figure_.canvas.draw()
        assert display.chosen_.get_color() == "white"
        display.figure_.canvas.draw()


def test_names_spread_as_little_as_they_must():
    assert spread([0.0, 50.0], 10.0, 0.0, 100.0) == [0.0, 50.0]
    assert spread([50.0, 50.0, 50.0], 10.0, 0.0, 100.0) == [40.0, 50.0, 60.0]
    assert spread([1.0, 1.0, 99.0, 100.0], 10.0, 0.0, 100.0) == [0.0, 10.0, 90.0, 100.0]
    assert spread([], 10.0, 0.0, 1.0) == []


def test_without_matplotlib_the_remedy_is_named():
    # In another process, where matplotlib cannot be imported; fitting and importing go on without it.
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from sparsvm.plotting import WeightsDisplay\n"
        "try:\n    WeightsDisplay([1.0, 0.0]).plot()\n"
        "except ImportError as error:\n    print(error)\n"
    )
    surroundings = {**os.environ, "PYTHONPATH": str(Path(sparsvm.__file__).parent.parent)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    assert "pip install sparsvm[plot]" in done.stdout
