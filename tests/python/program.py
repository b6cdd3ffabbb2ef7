"""Runs the real program on a `Problem` and reads what it wrote."""

import dataclasses
import json
import os
import pathlib
import shlex
import subprocess

import numpy as np
import scipy.sparse

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: `make test` says which one it has built.
BUILT = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "sparsvm"
BINARY = pathlib.Path(os.environ.get("SPARSVM", BUILT))


@dataclasses.dataclass(frozen=True)
class Fit:
    """What the program said (`report`, its --json) and wrote (`model`), and the command that did it."""

    report: dict
    model: dict
    command: str

    @property
    def w(self):
        """The weights, dense."""
        w = np.zeros(self.model["features"])
        w[self.model["indices"]] = self.model["weights"]
        return w

    @property
    def b(self):
        """The intercept."""
        return self.model["intercept"]


def train(problem, folder, *options):
    """Trains on the problem; `folder` takes the files, and keeps them for whoever wants to reproduce."""
    command = [str(BINARY), "train", "--json", *arguments(problem, folder), *map(str, options)]
    command += [str(folder / "data"), str(folder / "model")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stderr}\n{shlex.join(command)}"
    return Fit(json.loads(done.stdout), json.loads((folder / "model").read_text()), shlex.join(command))


def arguments(problem, folder):
    """Writes the problem's files and returns the options that state it."""
    write_libsvm(problem, folder / "data")
    options = ["--features", problem.x.shape[1], "--lambda", repr(problem.lam), "--penalty", problem.penalty]
    options += ["--loss", problem.loss, "--l2", repr(problem.l2)]
    if problem.loss == "huber-hinge":
        options += ["--delta", repr(problem.delta)]
    if not problem.intercept:
        options += ["--no-intercept"]
    for name, numbers in (("weights", problem.weights), ("penalty-factors", problem.factors)):
        if numbers is not None:
            (folder / name).write_text("".join(f"{float(number)!r}\n" for number in numbers))
            options += [f"--{name}", folder / name]
    return [str(option) for option in options]


def write_libsvm(problem, path):
    """LIBSVM text in which every number survives to the last bit."""
    rows = scipy.sparse.csr_array(problem.x)
    rows.sort_indices()
    with open(path, "w", encoding="ascii") as to:
        for i, label in enumerate(problem.y):
            span = slice(rows.indptr[i], rows.indptr[i + 1])
            pairs = zip(rows.indices[span].tolist(), rows.data[span].tolist())
            to.write(f"{int(label):+d} " + " ".join(f"{j + 1}:{value!r}" for j, value in pairs) + "\n")
