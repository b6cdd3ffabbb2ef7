"""More than two classes and probabilities: the program, the Python package and scikit-learn agree."""

import json
import subprocess

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from program import BINARY

sparsvm = pytest.importorskip("sparsvm")

LABELS = {"three": [0, 1, 2], "far apart": [-3, 7, 12]}


def run(*options):
    done = subprocess.run([str(BINARY), *map(str, options)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=LABELS)
def data(request, tmp_path):
    random = np.random.default_rng(4)
    centres = 1.5 * random.standard_normal((3, 10))
    codes = np.repeat([0, 1, 2], [40, 60, 50])
    x = centres[codes] + random.standard_normal((150, 10))
    y = np.array(LABELS[request.param])[codes]
    with open(tmp_path / "data", "w", encoding="ascii") as to:
        for label, row in zip(y.tolist(), x.tolist()):
            to.write(f"{label} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row)) + "\n")
    return x, y, tmp_path


def predicted(folder, model):
    """Labels, decision values and probabilities as the program writes them."""
    labels = np.loadtxt(run("predict", "--quiet", folder / "data", model).splitlines())
    values = np.loadtxt(run("predict", "--quiet", "--decision", folder / "data", model).splitlines())
    head, *lines = run("predict", "--quiet", "--probability", folder / "data", model).splitlines()
    table = np.loadtxt(lines)
    assert np.array_equal(table[:, 0], labels)
    return labels, values, [float(label) for label in head.split()[1:]], table[:, 1:]


@pytest.mark.parametrize("options", [["--lambda", "0.03", "--scale", "standard"], ["--penalty", "l1"]])
def test_python_says_the_same_of_a_model_of_the_program(options, data):
    x, y, folder = data
    run("train", "--quiet", "--probability", *options, folder / "data", folder / "model")
    loaded = sparsvm.load(folder / "model")
    labels, values, classes, probabilities = predicted(folder, folder / "model")
    assert list(loaded.classes_) == classes == sorted(set(y))
    assert np.array_equal(loaded.predict(x), labels)
    assert np.allclose(loaded.decision_function(x), values, rtol=1e-12, atol=1e-12)
    assert np.allclose(loaded.predict_proba(x), probabilities, rtol=0, atol=1e-12)
    loaded.save(folder / "again")
    assert (folder / "again").read_text() == (folder / "model").read_text()


@pytest.mark.parametrize("two", [False, True])
def test_the_program_says_the_same_of_a_model_of_python(two, data):
    x, y, folder = data
    target = np.where(y == y.max(), 1, 0) if two else y
    model = sparsvm.SparseSVC("scad", 0.05, probability=True, random_state=0).fit(x, target)
    model.save(folder / "model")
    labels, values, classes, probabilities = predicted(folder, folder / "model")
    assert list(model.classes_) == classes
    assert np.array_equal(model.predict(x), labels)
    assert np.allclose(model.decision_function(x), values, rtol=1e-12, atol=1e-12)
    assert np.allclose(model.predict_proba(x), probabilities, rtol=0, atol=1e-12)


def test_machines_are_those_of_python_and_of_scikit_learn(data):
    x, y, folder = data
    report = json.loads(run("train", "--json", "--lambda", "0.03", folder / "data", folder / "model"))
    ours = sparsvm.load(folder / "model")
    python = sparsvm.SparseSVC("mcp", 0.03).fit(x, y)
    assert np.allclose(ours.coef_, python.coef_, rtol=1e-12, atol=1e-12)
    assert np.allclose([machine["objective"] for machine in report["machines"]], python.objective_, rtol=1e-12)
    theirs = OneVsRestClassifier(sparsvm.SparseSVC("mcp", 0.03)).fit(x, y)
    assert np.array_equal(ours.predict(x), theirs.predict(x))
    assert np.allclose(ours.decision_function(x), theirs.decision_function(x), rtol=1e-9, atol=1e-9)


def test_the_score_is_near_that_of_other_folds(data):
    x, y, folder = data
    report = json.loads(run("train", "--json", "--penalty", "l1", "--rule", "min", folder / "data", folder / "m"))
    mean = cross_val_score(sparsvm.SparseSVC("l1", report["machines"][0]["lambda"]), x, y, cv=5).mean()
    # Other folds, and lambda is a share of each fold's largest one: near, not equal.
    assert abs(mean - report["cv"]["score"]) < 0.05
