"""Exported models, as LIBLINEAR and onnxruntime understand them. `tests/golden` has what the program itself cannot
train yet: three classes, and calibrated models (`crates/exchange/tests/golden.rs` writes them)."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

from generate import gaussian
from problem import Problem
from program import BINARY, ROOT, train

try:
    from liblinear import liblinearutil
except ImportError:
    liblinearutil = None
try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = None

CI = os.environ.get("CI") == "true"
GOLDEN = ROOT / "tests" / "golden"
needs_liblinear = pytest.mark.skipif(
    liblinearutil is None and not CI,
    reason="notice: liblinear-official is not installed: with a C compiler, `rm -r .venv` and `make test`",
)
needs_onnx = pytest.mark.skipif(
    onnx is None and not CI,
    reason="notice: onnx and onnxruntime are not installed: this Python has no wheels of them",
)

#: What crates/exchange/tests/golden.rs writes down.
W = np.zeros((10, 3))
W[[0, 3], 0] = 0.1, -2.5
W[[3, 8], 2] = 1 / 3, -0.7
B = np.array([0.0, 0.125, -0.2])
SIGMOIDS = np.array([[-1.5, 0.2], [-2.0, 0.0], [-0.3, -0.4]])
#: Reads rows and prints labels and decisions.
READER = r"""
#include <stdio.h>
#include "m.h"
int main(void) {
    double x[m_FEATURES];
    size_t j = 0;
    while (scanf("%lf", &x[j]) == 1)
        if (++j == m_FEATURES) {
            printf("%s %.17g\n", m_classes[m_predict(x)], m_decision(x));
            j = 0;
        }
    return 0;
}
"""


def sparsvm(*args):
    done = subprocess.run([str(BINARY), *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(seed, n=300, d=10):
    """Rows of which many decide nothing: some have no entry at all."""
    random = np.random.default_rng(seed)
    return np.where(random.random((n, d)) < 0.5, random.standard_normal((n, d)), 0.0)


@pytest.fixture(scope="module", params=range(3))
def fitted(request, tmp_path_factory):
    """A folder with `model`, what it says of `data`, and the data: also one without intercept, so that empty rows
    have a decision of exactly 0, and one that keeps nothing."""
    seed, folder = request.param, tmp_path_factory.mktemp("export")
    x, y = gaussian(np.random.default_rng(seed), 200, 30, density=0.3, noise=1.0)
    x[:5] = 0.0
    fit = train(Problem(x, y, [0.02, 0.01, 1e3][seed], intercept=seed != 1), folder)
    decisions = sparsvm("predict", "--quiet", "--decision", folder / "data", folder / "model", "-").split()
    labels = sparsvm("predict", "--quiet", folder / "data", folder / "model", "-").split()
    assert (len(fit.model["weights"]) > 0) == (seed != 2)
    return folder, x, np.array(decisions, dtype=float), np.array(labels, dtype=int), fit


def predict_with_liblinear(path, x):
    model = liblinearutil.load_model(str(path))
    assert model is not None
    labels, _, values = liblinearutil.predict([], [dict(enumerate(row.tolist(), 1)) for row in x], model, "-q")
    return model, np.array(labels), np.array(values)


@needs_liblinear
def test_liblinear_predicts_the_same_labels(fitted):
    folder, x, decisions, labels, fit = fitted
    sparsvm("export", "--to", "liblinear", folder / "model", folder / "liblinear")
    _, theirs, values = predict_with_liblinear(folder / "liblinear", x)
    assert np.array_equal(theirs, labels)
    assert np.allclose(values[:, 0], decisions, rtol=1e-14, atol=1e-14)
    if fit.b == 0.0:
        assert np.any(decisions == 0.0), "ties are there, and go to the same class"


@needs_liblinear
def test_liblinear_reads_every_bit(fitted):
    folder, *_, fit = fitted
    sparsvm("export", "--to", "liblinear", folder / "model", folder / "liblinear")
    model = liblinearutil.load_model(str(folder / "liblinear"))
    w, b = model.get_decfun()
    assert (w, b) == (fit.w.tolist(), fit.b)


@needs_liblinear
def test_liblinear_predicts_three_classes():
    x = rows(0)
    x[0] = 0.0
    model, labels, values = predict_with_liblinear(GOLDEN / "three.liblinear", x)
    expected = x @ W + B
    assert model.get_labels() == [-1, 4, 7]
    assert np.allclose(values, expected, rtol=1e-14, atol=1e-14)
    assert np.array_equal(labels, np.array([-1, 4, 7])[expected.argmax(axis=1)])


@needs_liblinear
@pytest.mark.parametrize("options", ["-s 5 -B 1", "-s 0", "-s 1 -B 0.5", "-s 4 -B 1", "-s 7 -B -1"])
def test_models_of_liblinear_are_imported(options, tmp_path):
    x, y = gaussian(np.random.default_rng(7), 120, 15, noise=1.0)
    y = np.where(y > 0, 3, 8)
    dicts = [dict(enumerate(row.tolist(), 1)) for row in x]
    model = liblinearutil.train(y.tolist(), dicts, f"{options} -q")
    liblinearutil.save_model(str(tmp_path / "theirs"), model)
    with open(tmp_path / "data", "w", encoding="ascii") as to:
        for label, row in zip(y, x):
            to.write(f"{label} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(row.tolist(), 1)) + "\n")
    theirs, _, values = liblinearutil.predict(y.tolist(), dicts, model, "-q")
    sparsvm("import", "--from", "liblinear", tmp_path / "theirs", tmp_path / "model")
    labels = sparsvm("predict", "--quiet", tmp_path / "data", tmp_path / "model", "-").split()
    decisions = sparsvm("predict", "--quiet", "--decision", tmp_path / "data", tmp_path / "model", "-").split()
    assert [int(label) for label in labels] == theirs
    assert np.allclose(np.array(decisions, dtype=float), np.array(values)[:, 0], rtol=1e-12, atol=1e-14)


@pytest.mark.skipif(shutil.which("cc") is None and not CI, reason="notice: there is no C compiler here")
def test_a_header_decides_the_same(fitted):
    folder, x, decisions, labels, _ = fitted
    sparsvm("export", "--to", "c", "--name", "m", folder / "model", folder / "m.h")
    (folder / "main.c").write_text(READER)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off"]
    subprocess.run(["cc", *strict, folder / "main.c", "-o", folder / "main"], check=True)
    rows = "\n".join(" ".join(map(repr, row)) for row in x.tolist())
    said = subprocess.run([folder / "main"], input=rows, capture_output=True, text=True, check=True).stdout.split()
    assert np.array_equal(np.array(said[0::2], dtype=int), labels)
    # The same products, maybe added in another order.
    assert np.allclose(np.array(said[1::2], dtype=float), decisions, rtol=1e-15, atol=4e-16)


def run(path, x):
    """The outputs by name, and the session."""
    onnx.checker.check_model(onnx.load(str(path)), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": x}))), session


@needs_onnx
def test_onnxruntime_predicts_the_same(fitted):
    folder, x, decisions, labels, fit = fitted
    sparsvm("export", "--to", "onnx", folder / "model", folder / "model.onnx")
    found, session = run(folder / "model.onnx", x)
    assert list(found) == ["label", "decision"]
    assert found["decision"].shape == (len(x), 1) and found["label"].dtype == np.int64
    assert np.allclose(found["decision"][:, 0], decisions, rtol=1e-13, atol=1e-14)
    assert np.array_equal(found["label"], labels)
    about = session.get_modelmeta().custom_metadata_map
    assert json.loads(about["classes"]) == ["-1", "1"] and about["program"].startswith("sparsvm ")
    kept = [j + 1 for j in fit.model["indices"]] or [1]
    assert json.loads(about["features"]) == kept


@needs_onnx
@pytest.mark.parametrize("name", ["three", "three-named-calibrated"])
def test_onnxruntime_predicts_three_classes(name):
    x = rows(1)
    found, session = run(GOLDEN / f"{name}.onnx", x)
    expected = x @ W + B
    classes = np.array([-1, 4, 7]) if name == "three" else np.array(["a", "b", "ç"])
    assert np.allclose(found["decision"], expected, rtol=1e-13, atol=1e-14)
    assert np.array_equal(found["label"], classes[expected.argmax(axis=1)])
    assert ("probability" in found) == (name != "three")
    about = session.get_modelmeta().custom_metadata_map
    assert json.loads(about["feature_names"]) == ["first", 'sec"ond', 'sec"ond']
    if name != "three":
        alone = 1 / (1 + np.exp(SIGMOIDS[:, 0] * expected + SIGMOIDS[:, 1]))
        assert np.allclose(found["probability"], alone / alone.sum(axis=1, keepdims=True), rtol=1e-12, atol=0)


@needs_onnx
def test_onnxruntime_gives_probabilities_of_two_classes():
    x = rows(2)
    x[0, 3] = 1e6
    found, _ = run(GOLDEN / "two-calibrated.onnx", x)
    decisions = x @ W[:, 0] + B[0]
    with np.errstate(over="ignore"):
        positive = 1 / (1 + np.exp(SIGMOIDS[0, 0] * decisions + SIGMOIDS[0, 1]))
    assert np.allclose(found["probability"], np.column_stack([1 - positive, positive]), rtol=1e-12, atol=1e-15)
    assert np.array_equal(found["label"], (decisions > 0).astype(int))


@needs_onnx
def test_a_ranking_has_scores_only(tmp_path):
    lines = [f"{i % 3} qid:{i // 10} 1:{i % 3 + 0.1 * (i % 7)} 4:{(i * i) % 5}" for i in range(60)]
    (tmp_path / "data").write_text("\n".join(lines) + "\n")
    sparsvm("train", "--quiet", "--task", "rank", "--lambda", "0.001", tmp_path / "data", tmp_path / "model")
    sparsvm("export", "--to", "onnx", tmp_path / "model", tmp_path / "model.onnx")
    scores = np.array(sparsvm("predict", "--quiet", tmp_path / "data", tmp_path / "model", "-").split(), dtype=float)
    x = np.array([[i % 3 + 0.1 * (i % 7), 0, 0, (i * i) % 5] for i in range(60)])
    found, _ = run(tmp_path / "model.onnx", x)
    assert list(found) == ["score"]
    assert np.allclose(found["score"][:, 0], scores, rtol=1e-13) and np.ptp(scores) > 0
