"""How far the solvers end from the global optimum, on 30 small random problems that `--solver global` closes.

    python bench/global_gap.py [DATA_FOLDER]

The folder is not used: the problems are made here, from fixed seeds.
"""

import pathlib
import sys
import tempfile

import numpy as np

from harness import seconds, train, write_table

PENALTIES = ("scad", "mcp", "capped-l1")
# n, d, λ, noise: wide and tall, separable and not.
SHAPES = (
    (30, 6, 0.1, 1.0), (60, 10, 0.05, 2.0), (100, 12, 0.03, 2.0), (40, 15, 0.1, 1.0), (20, 20, 0.15, 1.0),
    (80, 8, 0.02, 3.0), (15, 25, 0.15, 0.5), (50, 12, 0.05, 1.0), (120, 15, 0.05, 2.0), (25, 18, 0.1, 0.5),
)
# The global optimum is known this well, relatively, and what is nearer counts as it.
TOL = 1e-6


def write_problem(path, seed, n, d, noise):
    """Normal columns, of which five decide, with noise in the labels."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, d))
    truth = np.zeros(d)
    truth[:5] = random.uniform(0.5, 2.0, 5) * random.choice([-1, 1], 5)
    scores = x @ truth + noise * random.standard_normal(n)
    y = np.where(scores > np.median(scores), 1, -1)
    with open(path, "w", encoding="ascii") as to:
        for label, row in zip(y, x.tolist()):
            to.write(f"{label:+d} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row)) + "\n")


def compare(path, penalty, shape):
    """A row of the table, and by how much exact and FEADMM are above the optimum."""
    n, d, lam, noise = shape
    options = ["--penalty", penalty, "--lambda", lam]
    best = train(path, *options, "--solver", "global", "--tol", TOL, "--max-time", 120)
    exact = train(path, *options, "--tol", 1e-8)
    admm = train(path, *options, "--solver", "feadmm", "--rho-grid")
    above = [max(0.0, fit["objective"] / best["objective"] - 1.0) for fit in (exact, admm)]
    row = [
        penalty, n, d, lam, noise, f"{best['objective']:.6g}", best["nonzeros"], f"{best['global_gap']:.0e}",
        "all" if best["global_everywhere"] else "horizon", best["iterations"], f"{seconds(best):.2f}",
        told(above[0]), exact["nonzeros"], f"{seconds(exact):.2f}", told(above[1]),
    ]
    return row, above


def told(above):
    """0, or so many percent."""
    return "0" if above <= TOL else f"**{100 * above:.3g} %**"


def main():
    rows, excess = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "small"
        for kind, penalty in enumerate(PENALTIES):
            for number, (n, d, lam, noise) in enumerate(SHAPES):
                write_problem(path, 100 * kind + number, n, d, noise)
                row, above = compare(path, penalty, (n, d, lam, noise))
                rows.append(row)
                excess.append(above)
    notes = []
    for name, all_of in zip(("exact, default starts", "feadmm, best of 36 pairs"), zip(*excess)):
        hits = sum(above <= TOL for above in all_of)
        notes.append(f"{name}: at the optimum in {hits} of {len(rows)}, at worst {100 * max(all_of):.3g} % above.  ")
    heading = ["penalty", "n", "d", "λ", "noise", "global F", "features", "gap", "proved for", "boxes", "s"]
    heading += ["exact above by", "features", "s", "FEADMM above by"]
    write_table("global_gap", "8. Distance from the global optimum", heading, rows, notes)


if __name__ == "__main__":
    assert len(sys.argv) <= 2, __doc__
    main()
