"""Compares the speed of `sparsvm predict` with that of LIBLINEAR's own predict.

    python bench/predict.py FILE [--program target/release/sparsvm]

FILE is LIBSVM text with two labels that are whole numbers, not compressed. Needs LIBLINEAR's predict program
(`liblinear-predict` or `predict` on the path; Debian: liblinear-tools). Both predict with the same weights, three
times each in turns; the medians count, and the labels must be equal. Peak memory is that of the process.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def timed(command):
    """Seconds and peak memory (MiB) of a command."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(map(str, command))} failed")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * unit / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="LIBSVM text, not compressed")
    parser.add_argument("--program", default=ROOT / "target/release/sparsvm")
    parser.add_argument("--lambda", dest="strength", default="0.001", help="of the model (default 0.001)")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    theirs = shutil.which("liblinear-predict") or shutil.which("predict")
    if theirs is None:
        sys.exit("LIBLINEAR's predict program is not on the path (Debian: apt install liblinear-tools)")
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        train = [args.program, "train", "--quiet", "--loss", "squared-hinge", "--penalty", "l1"]
        subprocess.run([*train, "--lambda", args.strength, args.file, at("model")], check=True)
        subprocess.run([args.program, "export", "--quiet", "--to", "liblinear", at("model"), at("theirs")], check=True)
        commands = {
            "sparsvm": [args.program, "predict", "--quiet", args.file, at("model"), at("ours.txt")],
            "liblinear": [theirs, args.file, at("theirs"), at("theirs.txt")],
        }
        runs = {name: [] for name in commands}
        for _ in range(args.repeat):
            for name, command in commands.items():
                runs[name].append(timed(command))
        with open(at("ours.txt")) as ours, open(at("theirs.txt")) as others:
            if ours.read().split() != others.read().split():
                sys.exit("the predictions differ")
    size = os.path.getsize(args.file)
    speed = {name: size / 1e6 / statistics.median(one[0] for one in all) for name, all in runs.items()}
    summary = {
        "file": os.path.basename(args.file),
        "mb": round(size / 1e6, 1),
        **{f"{name}_mb_per_s": round(value, 1) for name, value in speed.items()},
        "ratio": round(speed["sparsvm"] / speed["liblinear"], 2),
        **{f"{name}_peak_mib": round(max(one[1] for one in all), 1) for name, all in runs.items()},
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
