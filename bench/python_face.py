"""The Python package beside the program, and beside scikit-learn's LinearSVC.

    python bench/python_face.py DATA_FOLDER

1. rcv1sub: `SparseSVC.fit` on arrays in memory against the program's own setup and solve time, alternating.
2. news20like: the most memory of a Python process that fits the arrays, less that of one which imports the same
   packages and does nothing, against the program's.
3. LinearSVC(penalty="l1", dual=False) and SparseSVC(max_features=k) at the same number of features: accuracy on
   rows that were put aside, means of five splits, and the time of a fit.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

import harness
from sparsvm import SparseSVC

SEEDS = range(5)
#: Features to match on each set.
COUNTS = {"rcv1sub.binary": (50, 300), "imdb": (50, 300), "colon-cancer": (5, 15), "leu": (5, 15)}

IMPORT = """
import sys, numpy as np, scipy.sparse
from sparsvm import SparseSVC
"""
FIT = IMPORT + """
x = scipy.sparse.load_npz(sys.argv[1] + "/x.npz")
SparseSVC(sys.argv[2], float(sys.argv[3]), loss=sys.argv[4]).fit(x, np.load(sys.argv[1] + "/y.npy"))
"""


def read(path):
    x, y = load_svmlight_file(str(path), n_features=harness.FEATURES.get(path.name))
    x = scipy.sparse.csr_array(x)
    # LinearSVC takes no other.
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
    return x, y


def speed(data, repeats):
    """Rows: penalty, alpha, seconds of both, ratio."""
    path = data.path("rcv1sub.binary")
    x, y = read(path)
    for penalty, alpha in (("l1", 0.002), ("l1", 0.0005), ("mcp", 2**-6), ("mcp", 0.008)):
        ours, program = [], []
        for _ in range(repeats):
            report = harness.train(path, "--penalty", penalty, "--lambda", repr(alpha))
            program.append(harness.seconds(report))
            began = time.perf_counter()
            model = SparseSVC(penalty, alpha).fit(x, y)
            ours.append(time.perf_counter() - began)
            assert model.objective_ == report["objective"], "not the same model"
        ours, program = statistics.median(ours), statistics.median(program)
        yield [penalty, f"{alpha:g}", len(model.support_), f"{program:.3f}", f"{ours:.3f}", f"{ours / program:.3f}"]


def peak(command):
    done = subprocess.run(
        [sys.executable, harness.ROOT / "bench" / "peak_memory.py", *map(str, command)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.splitlines()[-1])


def memory(data):
    """Rows: what, MiB of both, ratio."""
    path = data.path("news20like.binary")
    x, y = read(path)
    with tempfile.TemporaryDirectory() as folder:
        scipy.sparse.save_npz(folder + "/x.npz", x, compressed=False)
        np.save(folder + "/y.npy", y)
        del x, y
        empty = peak([sys.executable, "-c", IMPORT])
        features = ["--features", harness.FEATURES[path.name]]
        for penalty, loss, alpha in (
            ("l1", "squared_hinge", 0.001),
            ("l1", "hinge", 0.001),
            ("mcp", "hinge", 0.01),
        ):
            options = ["--penalty", penalty, "--lambda", alpha, "--loss", loss.replace("_", "-"), "--no-model"]
            program = peak([harness.BINARY, "train", "--quiet", *features, *options, path])
            python = peak([sys.executable, "-c", FIT, folder, penalty, alpha, loss]) - empty
            yield [f"{penalty}, {loss}", program >> 20, python >> 20, empty >> 20, f"{python / program:.2f}"]


def linear_svc(x, y, count):
    """LinearSVC with about so many features, by bisection on C; and the time of that fit."""
    low, high = 1e-4, 1e4
    best = None
    for _ in range(25):
        c = (low * high) ** 0.5
        began = time.perf_counter()
        model = LinearSVC(penalty="l1", dual=False, C=c, max_iter=5_000).fit(x, y)
        took = time.perf_counter() - began
        kept = np.count_nonzero(model.coef_)
        if best is None or abs(kept - count) < abs(np.count_nonzero(best[0].coef_) - count):
            best = (model, took)
        if kept == count:
            break
        low, high = (c, high) if kept < count else (low, c)
    return best


def against_linear_svc(data):
    """Rows: data, who, features, accuracy, seconds."""
    for name, counts in COUNTS.items():
        x, y = read(data.path(name))
        for count in counts:
            found = {"LinearSVC l1": [], "SparseSVC mcp": [], "SparseSVC l1": []}
            for seed in SEEDS:
                x_train, x_test, y_train, y_test = train_test_split(
                    x, y, test_size=0.25, stratify=y, random_state=seed
                )
                model, took = linear_svc(x_train, y_train, count)
                kept = np.count_nonzero(model.coef_)
                found["LinearSVC l1"].append((kept, model.score(x_test, y_test), took))
                for penalty in ("mcp", "l1"):
                    began = time.perf_counter()
                    model = SparseSVC(penalty, max_features=max(1, kept)).fit(x_train, y_train)
                    took = time.perf_counter() - began
                    found[f"SparseSVC {penalty}"].append((len(model.support_), model.score(x_test, y_test), took))
            for who, rows in found.items():
                kept, score, took = np.mean(rows, axis=0)
                se = np.std([row[1] for row in rows], ddof=1) / len(rows) ** 0.5
                yield [name, count, who, f"{kept:.1f}", f"{100 * score:.2f} ± {100 * se:.2f}", f"{took:.3f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    with harness.opened(arguments.folder) as data:
        heading = ["penalty", "alpha", "features", "program s", "Python s", "ratio"]
        harness.write_table("python_speed", "Speed, rcv1sub", heading, speed(data, arguments.repeats))
        heading = ["", "program MiB", "Python MiB, but for", "the interpreter's own", "ratio"]
        harness.write_table("python_memory", "Peak memory, news20like", heading, memory(data))
        heading = ["data", "asked", "", "features", "accuracy %", "s"]
        harness.write_table("python_linear_svc", "Beside LinearSVC", heading, against_linear_svc(data))


if __name__ == "__main__":
    main()
