"""What a picture wants to know of a fitted estimator: which model it is, names, classes, units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from .._types import Floats


def last_step(estimator: Any, needs: str, remedy: str) -> Any:
    """The fitted model itself, which may be at the end of a pipeline, if it has what the picture needs."""
    model = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if not hasattr(model, "fit"):
        raise TypeError(f"{type(model).__name__} is no estimator: {remedy}")
    check_is_fitted(model)
    if not hasattr(model, needs):
        raise TypeError(f"{type(model).__name__} has no {needs}: {remedy}")
    return model


def names_of(estimator: Any, feature_names: Any) -> list[str]:
    """Given ones, else what the columns were called in `fit` or by a pipeline's steps, else x0, x1, …"""
    model = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    width = int(model.n_features_in_)
    if feature_names is None:
        if isinstance(estimator, Pipeline) and len(estimator) > 1:
            feature_names = names_after(estimator[:-1])
        if feature_names is None:
            feature_names = getattr(model, "feature_names_in_", None)
        if feature_names is None:
            feature_names = names_in_file(model, width)
    return checked_names(feature_names, width)


def names_in_file(model: Any, width: int) -> Any:
    """The names that a model file brought along, which are those of the features that are kept."""
    models = getattr(model, "_models", [])
    known = models[0].names if len(models) == 1 else None
    if known is None or len(known) != len(model.support_):
        return None
    names = [f"x{j}" for j in range(width)]
    for j, name in zip(model.support_, known):
        names[j] = name
    return names


def names_after(steps: Any) -> Any:
    """What the columns are called behind these steps; nothing if one of them cannot say."""
    try:
        return steps.get_feature_names_out()
    except (AttributeError, ValueError):
        return None


def checked_names(feature_names: Any, width: int) -> list[str]:
    """A name for each feature."""
    if feature_names is None:
        return [f"x{j}" for j in range(width)]
    names = [str(name) for name in feature_names]
    if len(names) != width:
        raise ValueError(f"feature_names has {len(names)} entries, and there are {width} features")
    return names


def deviations(estimator: Any, X: Any) -> Floats | None:
    """The standard deviation of each column of X as the model sees it, or nothing without X."""
    if X is None:
        return None
    if isinstance(estimator, Pipeline) and len(estimator) > 1:
        X = estimator[:-1].transform(X)
    return np.asarray(StandardScaler(with_mean=False).fit(X).scale_, dtype=np.float64)


def problem_of(model: Any, class_of_interest: Any) -> tuple[int, str]:
    """Which of the model's problems tells this class from the rest, and towards which class it is positive.

    Two classes share one problem, positive towards the second.
    """
    classes = list(model.classes_)
    if len(classes) == 2:
        if class_of_interest is not None and class_of_interest != classes[1]:
            raise ValueError(
                f"with two classes, there is one model, positive towards {classes[1]!r}: "
                "leave class_of_interest out"
            )
        return 0, label_text(classes[1])
    if class_of_interest is None:
        raise ValueError(f"there is a model for each class: choose one of {classes} by class_of_interest")
    if class_of_interest not in classes:
        raise ValueError(f"class_of_interest = {class_of_interest!r} is none of the classes {classes}")
    return classes.index(class_of_interest), label_text(class_of_interest)


def label_text(label: Any) -> str:
    """A label as people write it: 1 and not 1.0."""
    return f"{label:g}" if isinstance(label, float | np.floating) else str(label)
