"""Model files: there and back, whole or not at all."""

import json
import os

import numpy as np
import pandas as pd
import pytest

import sparsvm
from sparsvm import SparseSVC, SparseSVCCV


def test_there_and_back(wide, tmp_path):
    X, y = wide
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(200)])
    for model in (SparseSVC("scad", 0.1, standardize=True).fit(frame, y), SparseSVCCV(cv=3).fit(X, y)):
        model.save(tmp_path / "model")
        loaded = sparsvm.load(tmp_path / "model")
        assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
        assert list(loaded.predict(X)) == list(model.predict(X)) and loaded.alpha_ == model.alpha_
        assert loaded.penalty == model.penalty and loaded.gap_ == model.gap_
        loaded.save(tmp_path / "again")
        assert (tmp_path / "again").read_text() == (tmp_path / "model").read_text()


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_others_may_read_it_as_any_file(wide, tmp_path):
    (tmp_path / "plain").write_text("")
    SparseSVC().fit(*wide).save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_labels_come_back_as_they_were(wide, tmp_path):
    X, y = wide
    for labels in ([-1, 1], [1.0, 2.0], ["no", "yes"]):
        model = SparseSVC().fit(X, np.array(labels)[(y == "yes").astype(int)])
        model.save(tmp_path / "model")
        assert list(sparsvm.load(tmp_path / "model").classes_) == labels


def test_several_classes_and_probabilities_go_there_and_back(wide, three_classes, tmp_path):
    for X, y in (wide, three_classes):
        for settings in ({"alpha": 0.05}, {"max_features": 2}, {"alpha": 0.05, "probability": True}):
            model = SparseSVC("scad", standardize=True, random_state=0, **settings).fit(X, y)
            model.save(tmp_path / "model")
            loaded = sparsvm.load(tmp_path / "model")
            assert list(loaded.classes_) == list(model.classes_)
            assert np.array_equal(loaded.coef_, model.coef_)
            assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
            assert list(loaded.predict(X)) == list(model.predict(X))
            assert np.array_equal(loaded.alpha_, model.alpha_) and loaded.gap_ == model.gap_
            assert np.array_equal(loaded.objective_, model.objective_)
            assert loaded.status_ == model.status_
            assert loaded.probability == model.probability
            if model.probability:
                assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
            else:
                assert not hasattr(loaded, "predict_proba")
            loaded.save(tmp_path / "again")
            assert (tmp_path / "again").read_text() == (tmp_path / "model").read_text()


def test_what_cannot_be_done_is_said(wide, tmp_path):
    (tmp_path / "broken").write_text('{"format": "sparsvm-model", "version": 1')
    with pytest.raises(ValueError, match="broken.*cut off"):
        sparsvm.load(tmp_path / "broken")
    with pytest.raises(OSError):
        sparsvm.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        SparseSVC().fit(*wide).save(tmp_path / "nowhere" / "model")
    assert os.listdir(tmp_path) == ["broken"]


def test_an_imported_model_predicts_and_claims_nothing(tmp_path):
    fields = {
        "format": "sparsvm-model",
        "version": 3,
        "classes": ["3", "8"],
        "features": 3,
        "intercept": 0.5,
        "indices": [0, 2],
        "weights": [1.5, -2.0],
        "scaling": "none",
        "status": "imported",
        "provenance": {"program": "x", "data": "y", "samples": 0, "solver": "liblinear (L2R_LR)"},
    }
    (tmp_path / "model").write_text(json.dumps(fields))
    loaded = sparsvm.load(tmp_path / "model")
    assert loaded.predict([[1.0, 9.0, 0.0], [0.0, 9.0, 1.0]]).tolist() == [8, 3]
    assert loaded.decision_function([[1.0, 9.0, 0.0]]).tolist() == [2.0]
    assert loaded.status_ == "imported"
    assert not hasattr(loaded, "gap_") and not hasattr(loaded, "alpha_")
    loaded.save(tmp_path / "again")
    assert json.loads((tmp_path / "again").read_text()) == fields
