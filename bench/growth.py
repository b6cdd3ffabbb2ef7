"""Item 6: how time and memory grow with the data.

    python bench/growth.py DATA_FOLDER

Synthetic text-like data: n doubled four times at fixed d, and d doubled four times at fixed n (entries of a
row doubled with it, so that nonzeros double). λ is chosen for a support of the same size throughout.
"""

import pathlib
import subprocess
import sys

import numpy as np

import text_like
from feature_counts import lambda_for
from harness import BINARY, FEATURES, ROOT, interleaved, opened, seconds, train, write_table

SUPPORT = 100
DOUBLINGS = 5
PROBLEMS = {
    "squared hinge ℓ1": ("--loss", "squared-hinge", "--penalty", "l1"),
    "hinge ℓ1": ("--penalty", "l1"),
    "hinge MCP": ("--penalty", "mcp"),
}
# n, d, entries of a row drawn (duplicates fall together).
BY_ROWS = [(4_000 * 2**k, 40_000, 80) for k in range(DOUBLINGS)]
BY_COLUMNS = [(8_000, 20_000 * 2**k, 30 * 2**k) for k in range(DOUBLINGS)]


def measure(path, shape, nonzeros):
    """Seconds of each problem, at the λ that keeps the wanted support."""
    key = "text-like " + " ".join(map(str, shape))
    dimension = ("--features", shape[1])
    options = {}
    for name, problem in PROBLEMS.items():
        lam = lambda_for(path, SUPPORT, *problem, *dimension, key=key)
        options[name] = ("--lambda", lam, *problem, *dimension)
    tasks = {name: lambda name=name: seconds(train(path, *options[name])) for name in PROBLEMS}
    times = interleaved(tasks)
    peaks = [peak(path, *options[name]) for name in PROBLEMS]
    ratio = max(peaks) / sparse_bytes(shape[0], nonzeros)
    row = [*shape, nonzeros, *(f"{time:.3f}" for time in times.values())]
    return [*row, f"{max(peaks) / 2**20:.0f}", f"{ratio:.2f}"], times


def peak(path, *options):
    """Bytes that a run holds at most."""
    command = [sys.executable, ROOT / "bench" / "peak_memory.py", BINARY, "train", "--json", "--no-model"]
    command += [*options, path]
    done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.splitlines()[-1])


def sparse_bytes(n, nonzeros):
    """Of compressed rows: a value and a position for each nonzero, a pointer for each row."""
    return 12 * nonzeros + 8 * n


def exponent(nonzeros, times):
    """The slope of log time against log nonzeros."""
    return np.polyfit(np.log(nonzeros), np.log(times), 1)[0]


def grow(name, title, shapes, folder):
    """A table for one series of shapes."""
    rows, sizes, times = [], [], {problem: [] for problem in PROBLEMS}
    for shape in shapes:
        path = pathlib.Path(folder) / "text-like"
        sizes.append(text_like.write(path, *shape))
        row, measured = measure(path, shape, sizes[-1])
        rows.append(row)
        for problem, time in measured.items():
            times[problem].append(time)
    heading = ["n", "d", "drawn a row", "nonzeros", *(f"{problem} s" for problem in PROBLEMS)]
    exponents = ", ".join(f"{problem} {exponent(sizes, taken):.2f}" for problem, taken in times.items())
    notes = [f"Time grows as nonzeros^x: {exponents}. Peak: the largest of the three."]
    write_table(name, title, [*heading, "peak MiB", "peak / sparse"], rows, notes)


def peak_on_news(data):
    """Peak memory on the largest real set."""
    path = data.path("news20like.binary")
    with open(path, "rb") as lines:
        counts = [line.count(b":") for line in lines]
    matrix = sparse_bytes(len(counts), sum(counts))
    rows = []
    for name, problem in PROBLEMS.items():
        used = peak(path, *problem, "--lambda", "0.002", "--features", FEATURES[path.name])
        rows.append([name, f"{matrix / 2**20:.0f}", f"{used / 2**20:.0f}", f"{used / matrix:.2f}"])
    heading = ["problem", "sparse matrix MiB", "peak MiB", "ratio"]
    write_table("memory", "6. Peak memory on news20like, λ = 0.002", heading, rows)


def main(folder):
    with opened(folder) as data:
        grow("growth_rows", "6. Growth, n doubled", BY_ROWS, data.unpacked)
        grow("growth_columns", "6. Growth, d doubled", BY_COLUMNS, data.unpacked)
        peak_on_news(data)


if __name__ == "__main__":
    main(sys.argv[1])
