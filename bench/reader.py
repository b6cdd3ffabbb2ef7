"""Compares the speed of reading LIBSVM text with scikit-learn's.

    python bench/reader.py FILE.txt

Needs scikit-learn. Each reader runs three times in a process of its own, in turns, so that a change in the
machine's load meets both; the medians of the times inside the processes count.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

SKLEARN = """
import json, sys, time
from sklearn.datasets import load_svmlight_file
start = time.perf_counter()
x, y = load_svmlight_file(sys.argv[1], zero_based=False)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "rows": x.shape[0], "cols": x.shape[1], "nnz": int(x.count_nonzero())}))
"""


def run(command):
    """Runs a command and returns the JSON it prints."""
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="LIBSVM text, not compressed")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each reader (default 3)")
    args = parser.parse_args()
    file = os.path.abspath(args.file)
    size = os.path.getsize(file)

    cargo = ["cargo", "run", "--quiet", "--release", "-p", "sparsvm-data", "--example", "read_speed", "--", file]
    commands = {"sparsvm": cargo, "sklearn": [sys.executable, "-c", SKLEARN, file]}
    run(cargo)  # builds, and brings the file into the page cache
    results = {name: [] for name in commands}
    for _ in range(args.repeat):
        for name, command in commands.items():
            results[name].append(run(command))

    ours, theirs = results["sparsvm"][0], results["sklearn"][0]
    for key in ("rows", "cols", "nnz"):
        if ours[key] != theirs[key]:
            sys.exit(f"the readers disagree on {key}: {ours[key]} and {theirs[key]}")
    speed = {}
    for name, runs in results.items():
        seconds = statistics.median(one["seconds"] for one in runs)
        speed[name] = size / seconds / 1e6
        print(f"{name:8} {seconds:8.3f} s  {speed[name]:8.1f} MB/s", file=sys.stderr)
    summary = {
        "file": os.path.basename(file),
        "bytes": size,
        "rows": ours["rows"],
        "cols": ours["cols"],
        "nnz": ours["nnz"],
        "sparsvm_mb_per_s": round(speed["sparsvm"], 1),
        "sklearn_mb_per_s": round(speed["sklearn"], 1),
        "ratio": round(speed["sparsvm"] / speed["sklearn"], 2),
        "csr_bytes": ours["csr_bytes"],
        "peak_bytes": max((one["peak_bytes"] or 0) for one in results["sparsvm"]) or None,
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
