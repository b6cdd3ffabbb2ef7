"""Runs every benchmark on a folder of data, one after the other, each in a process of its own.

    python bench/run.py DATA_FOLDER [NAME…]

Tables go to the terminal and to bench/out/. NAME is one of optima, liblinear_speed, hinge_speed, paths, few_features,
growth, millions, global_gap, selection, python_face, cluster.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BENCHMARKS = (
    "optima",
    "liblinear_speed",
    "hinge_speed",
    "paths",
    "few_features",
    "growth",
    "millions",
    "global_gap",
    "selection",
    "python_face",
    "cluster",
)


def main(folder, *names):
    failed = [
        name
        for name in names or BENCHMARKS
        if subprocess.run([sys.executable, HERE / f"{name}.py", folder], check=False).returncode != 0
    ]
    if failed:
        sys.exit(f"these did not run to the end: {', '.join(failed)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
