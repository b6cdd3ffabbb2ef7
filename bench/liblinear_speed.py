"""Item 3: time to the same ℓ1 squared-hinge objective (1e-4 relative), ours against LIBLINEAR's.

    python bench/liblinear_speed.py DATA_FOLDER

LIBLINEAR (liblinear-official, -s 5 -B 1 -R) runs in this process; only its train() is timed, on a problem
that is in its own form already. Its -e comes down from 0.1 until it is there. Ours runs at the default --tol.
"""

import gc
import statistics
import sys
import time

import numpy as np
from liblinear import liblinearutil
from sklearn.datasets import load_svmlight_file

from feature_counts import lambda_for
from harness import FEATURES, interleaved, opened, seconds, train, write_table

SETS = ("rcv1sub.binary", "imdb", "news20like.binary")
COUNTS = (50, 300, 1500)
OURS = ("--loss", "squared-hinge", "--penalty", "l1")
CLOSE = 1e-4


class Liblinear:
    """A data set in LIBLINEAR's form."""

    def __init__(self, x, y):
        self.x, self.y = x, y
        self.problem = liblinearutil.problem(y, x, bias=1)

    def train(self, lam, accuracy):
        """Seconds, and F."""
        options = f"-s 5 -B 1 -R -q -c {1.0 / (len(self.y) * lam)!r} -e {accuracy!r}"
        parameter = liblinearutil.parameter(options)
        began = time.perf_counter()
        model = liblinearutil.train(self.problem, parameter)
        took = time.perf_counter() - began
        w = np.ctypeslib.as_array(model.w, (self.x.shape[1] + 1,)) * model.label[0]
        slack = np.maximum(1.0 - self.y * (self.x @ w[:-1] + w[-1]), 0.0)
        return took, slack @ slack / len(self.y) + lam * np.abs(w[:-1]).sum()

    def loosest(self, lam, goal):
        """The largest of 0.1, 0.1/√10, 0.01, … at which F is low enough, or None."""
        accuracies = (10.0 ** (-1 - k / 2) for k in range(16))
        return next((accuracy for accuracy in accuracies if self.train(lam, accuracy)[1] <= goal), None)


def compare(path, theirs, count):
    """A row of the table, and the two ratios of times, ours to theirs."""
    lam = lambda_for(path, count, *OURS)
    options = ("--lambda", lam, *OURS)
    optimum = train(path, *options, "--tol", "1e-8")
    ours = train(path, *options)
    above = ours["objective"] / optimum["objective"] - 1
    accuracy = theirs.loosest(lam, optimum["objective"] * (1 + CLOSE))
    if accuracy is None:
        return [path.name, f"{lam:.3g}", ours["nonzeros"], f"{above:.1e}", "LIBLINEAR never got there"], None
    times = interleaved({
        "ours": lambda: seconds(train(path, *options)),
        "one thread": lambda: seconds(train(path, *options, "--threads", "1")),
        "theirs": lambda: theirs.train(lam, accuracy)[0],
    })
    ratios = times["ours"] / times["theirs"], times["one thread"] / times["theirs"]
    verdict = "" if above <= CLOSE else " **too high**"
    row = [path.name, f"{lam:.3g}", ours["nonzeros"], f"{above:.1e}{verdict}"]
    row += [f"{times[name]:.3f}" for name in times] + [f"{accuracy:.1e}"]
    return row + [f"{ratio:.2f}" for ratio in ratios], ratios


def main(folder):
    rows, notes, overall = [], [], []
    with opened(folder) as data:
        for name in SETS:
            path = data.path(name)
            theirs = Liblinear(*load_svmlight_file(str(path), n_features=FEATURES[name], zero_based=False))
            results = [compare(path, theirs, count) for count in COUNTS]
            rows += [row for row, _ in results]
            ratios = [both for _, both in results if both]
            overall += ratios
            notes.append(f"{name}: {means(ratios)}.")
            del theirs
            gc.collect()
    notes.append(f"\nAll: {means(overall)}.")
    notes.append("\nMedians of 3, in turns. LIBLINEAR: train() only, its data structure ready; one thread.")
    notes.append("Ours: setup and solve, with the making of compressed columns; without the certificate.")
    heading = ["data", "λ", "features", "above optimum", "ours s", "ours, 1 thread s", "LIBLINEAR s"]
    heading += ["its -e", "ratio", "ratio, 1 thread"]
    write_table("liblinear", "3. Speed against LIBLINEAR, ℓ1 squared hinge", heading, rows, notes)


def means(ratios):
    """Geometric means, in words."""
    default, single = (statistics.geometric_mean(column) for column in zip(*ratios))
    return f"geometric mean {default:.2f}, on one thread {single:.2f}"


if __name__ == "__main__":
    main(sys.argv[1])
