"""Item 5: whole paths, against the single fit at their last λ; and an ℓ1 path on dense gene-like data.

    python bench/paths.py DATA_FOLDER
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from harness import BINARY, FEATURES, interleaved, opened, seconds, train, write_table

SETS = ("leu", "colon-cancer", "rcv1sub.binary")
MCP = ("--penalty", "mcp")
LONG = ("--n-lambda", "100", "--lambda-min-ratio", "0.01", "--max-features", "1000")
DENSE = ("--penalty", "l1", "--n-lambda", "50", "--lambda-min-ratio", "0.05", "--tol", "1e-4")


def follow(path, *options):
    """One run of `sparsvm path`; returns its report."""
    command = [BINARY, "path", "--json", *options, path]
    if path.name in FEATURES:
        command += ["--features", FEATURES[path.name]]
    done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def compare(path):
    """A row: the path, and the fit at its last λ."""
    last = {}

    def whole():
        last.update(follow(path, *MCP, *LONG))
        return sum(last["seconds"])

    def single():
        last["single"] = train(path, *MCP, "--lambda", last["lambda"][-1])
        return seconds(last["single"])

    times = interleaved({"path": whole, "single": single})
    cells = [f"{times['path']:.2f}", f"{times['single']:.3f}", f"{times['path'] / times['single']:.1f}"]
    ends = [len(last["lambda"]), last["nonzeros"][-1], last["single"]["nonzeros"]]
    objectives = [f"{last['objective'][-1]:.6g}", f"{last['single']['objective']:.6g}"]
    return [path.name, *cells, *ends, *objectives, f"{max(last['gap']):.1e}"]


def gene_like(path, seed, n=102, d=12_600, informative=20):
    """Dense data of a micro-array's size."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, d))
    w = np.zeros(d)
    w[random.choice(d, informative, replace=False)] = random.standard_normal(informative)
    y = np.where(x @ w + random.standard_normal(n) > 0, 1, -1)
    with open(path, "w", encoding="ascii") as file:
        for label, row in zip(y, x, strict=True):
            file.write(f"{label} " + " ".join(f"{j + 1}:{value:.5g}" for j, value in enumerate(row)) + "\n")


def dense_rows(folder):
    rows = []
    for seed in range(3):
        path = pathlib.Path(folder) / f"dense{seed}"
        gene_like(path, seed)
        reports = [follow(path, *DENSE) for _ in range(3)]
        time = sorted(sum(report["seconds"]) for report in reports)[1]
        rows.append([seed, f"{time:.3f}", reports[0]["nonzeros"][-1], f"{max(reports[0]['gap']):.1e}"])
    return rows


def main(folder):
    with opened(folder) as data:
        rows = [compare(data.path(name)) for name in SETS]
    heading = ["data", "path s", "single fit s", "ratio", "λ fitted", "features", "single's features"]
    heading += ["F", "single's F", "largest gap"]
    write_table("paths", "5. MCP paths, 100 λ down to 0.01·λ_max or 1,000 features", heading, rows)
    with tempfile.TemporaryDirectory() as made:
        heading = ["seed", "path s", "features at the end", "largest gap"]
        title = "5. ℓ1 path, 50 λ down to 0.05·λ_max, dense 102 × 12,600"
        write_table("paths_dense", title, heading, dense_rows(made))


if __name__ == "__main__":
    main(sys.argv[1])
