"""The Python package and the program: the same data and settings give the same model, to the last bit."""

import json

import numpy as np
import pytest
import scipy.sparse

import sparsvm
from generate import text_like
from problem import Problem
from program import train


@pytest.fixture(scope="module")
def data():
    x, y = text_like(np.random.default_rng(5), 1_500, 4_000, 40)
    return scipy.sparse.csr_array(x), y


@pytest.mark.parametrize(
    ("penalty", "loss", "settings", "options"),
    [
        ("l1", "hinge", {"alpha": 0.003}, []),
        ("mcp", "hinge", {"alpha": 0.01}, []),
        ("scad", "squared-hinge", {"alpha": 0.01, "l2": 1e-3}, []),
        ("lsp", "huber-hinge", {"alpha": 0.005, "fit_intercept": False}, ["--no-intercept"]),
        ("mcp", "hinge", {"alpha": 0.02, "standardize": True}, ["--scale", "standard"]),
        ("mcp", "hinge", {"alpha": 0.01, "class_weight": "balanced"}, ["--class-weight", "balanced"]),
        ("scad", "hinge", {"alpha": 0.01, "solver": "feadmm", "max_iter": 40}, ["--solver", "feadmm", "--max-iter", 40]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*not proved")
def test_a_fit(penalty, loss, settings, options, data, tmp_path):
    x, y = data
    problem = Problem(x, y, settings["alpha"], loss, penalty=penalty, l2=settings.get("l2", 0.0))
    program = train(problem, tmp_path, *options)
    fitted = sparsvm.SparseSVC(penalty, loss=loss.replace("-", "_"), **settings).fit(x, y)
    fitted.save(tmp_path / "from-python")
    model = json.loads((tmp_path / "from-python").read_text())
    assert len(model["indices"]) > 3
    assert model["provenance"].pop("data") != program.model["provenance"].pop("data")
    assert model == program.model, program.command
    loaded = sparsvm.load(tmp_path / "model")
    assert np.array_equal(loaded.decision_function(x), fitted.decision_function(x))
