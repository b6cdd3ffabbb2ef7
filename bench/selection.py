"""Features and accuracy of the one-command default, beside ℓ1 SVMs whose strength is chosen by cross-validation.

    python bench/selection.py DATA_FOLDER [NAME…]

Ours is `sparsvm train DATA` with nothing else. LIBLINEAR is scikit-learn's LinearSVC(penalty="l1"), SGD its
SGDClassifier(penalty="l1"); both have their strength chosen by 5-fold cross-validation (GridSearchCV, accuracy).
A set with a test file is trained and tested once (its standard error is that of a share of so many rows); the
others are held out in 5 stratified parts, the same for all methods (mean ± standard error over the parts).
"""

import math
import pathlib
import sys
import tempfile
import time
import warnings

import numpy
from harness import FEATURES, opened, train, write_table
from sklearn.datasets import dump_svmlight_file, load_svmlight_files
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

SETS = ("heart_scale", "mushrooms", "colon-cancer", "duke", "leu", "rcv1sub.binary")
TESTED = ("leu", "rcv1sub.binary")
LINEAR = {"C": numpy.logspace(-2, 2, 9)}
SGD = {"alpha": numpy.logspace(-6, -1, 11)}


def ours(x, y, x_test, y_test):
    """The program on files, as a user runs it."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/train", f"{folder}/test"]
        for file, (rows, labels) in zip(files, ((x, y), (x_test, y_test)), strict=True):
            dump_svmlight_file(rows, labels, file, zero_based=False)
        report = train(pathlib.Path(files[0]), "--features", x.shape[1], "--test", files[1])
    return report["nonzeros"], report["test_accuracy"]


def sklearn_one(model, grid):
    """A classifier with its strength by cross-validation."""

    def fit(x, y, x_test, y_test):
        search = GridSearchCV(model, grid, cv=5).fit(x, y)
        return int((search.best_estimator_.coef_ != 0).sum()), search.score(x_test, y_test)

    return fit


METHODS = {
    "ours": ours,
    "LIBLINEAR ℓ1": sklearn_one(LinearSVC(penalty="l1", dual=False, max_iter=5000, random_state=0), LINEAR),
    "SGD ℓ1": sklearn_one(SGDClassifier(penalty="l1", random_state=0), SGD),
}


def narrow(x):
    """With the 32-bit indices that LinearSVC wants; dense data stays dense."""
    if x.nnz > 0.3 * x.shape[0] * x.shape[1]:
        return x.toarray()
    x.indices, x.indptr = x.indices.astype("int32"), x.indptr.astype("int32")
    return x


def parts(data, name):
    """Training and test rows: the files', or five times four fifths and the rest."""
    if name in TESTED:
        paths = [str(data.path(file)) for file in (name, f"{name}.t")]
        x, y, x_test, y_test = load_svmlight_files(paths, n_features=FEATURES.get(name))
        return [(narrow(x), y, narrow(x_test), y_test)]
    x, y = load_svmlight_files([str(data.path(name))])
    x = narrow(x)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(x, y)
    return [(x[a], y[a], x[b], y[b]) for a, b in folds]


def cell(found, tested):
    """Features and accuracy ± se."""
    features, scores = zip(*found, strict=True)
    mean = numpy.mean(scores)
    if len(scores) == 1:
        error = math.sqrt(mean * (1 - mean) / tested)
    else:
        error = numpy.std(scores, ddof=1) / math.sqrt(len(scores))
    return [f"{numpy.mean(features):.0f}", f"{100 * mean:.1f} ± {100 * error:.1f}"]


def main(folder, *names):
    warnings.filterwarnings("ignore")
    rows = []
    with opened(folder) as data:
        for name in names or SETS:
            row, sets = [name], parts(data, name)
            for method in METHODS.values():
                began = time.monotonic()
                found = [method(*part) for part in sets]
                row += [*cell(found, len(sets[0][3])), f"{(time.monotonic() - began) / len(sets):.1f}"]
            rows.append(row)
            print(row, flush=True)
    heading = ["data"] + [f"{name}: {what}" for name in METHODS for what in ("features", "accuracy %", "s")]
    write_table("selection", "Choosing the model", heading, rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
