"""The best model with at most K features: what a path has, and what `train --max-features K` finds.

    python bench/few_features.py DATA_FOLDER

Loss on the training rows, accuracy on the test rows where there are any; ℓ1 beside MCP.
"""

import sys

from harness import opened, seconds, train, write_table
from paths import follow

SETS = ("rcv1sub.binary", "imdb", "dexter", "a9a", "w8a", "leu", "colon-cancer", "heart_scale")
TESTED = ("rcv1sub.binary", "imdb", "dexter", "a9a", "leu")
COUNTS = (5, 10, 20, 50)


def on_path(path, most, *options):
    """The path's model with the lowest loss, and the time of the path."""
    report = follow(path, *options, "--max-features", most)
    k = min(range(len(report["lambda"])), key=lambda k: report["loss"][k])
    accuracy = report["test_accuracy"][k] if report.get("test_accuracy") else None
    return cells(report["nonzeros"][k], report["loss"][k], accuracy, sum(report["seconds"]))


def trained(path, most, *options):
    report = train(path, *options, "--max-features", most)
    return cells(report["nonzeros"], report["loss"], report.get("test_accuracy"), seconds(report))


def cells(features, loss, accuracy, time):
    shown = "" if accuracy is None else f"{100 * accuracy:.1f}"
    return [features, f"{loss:.4f}", shown, f"{time:.2f}"]


def main(folder):
    rows = []
    with opened(folder) as data:
        for name in SETS:
            path = data.path(name)
            test = ("--test", data.path(f"{name}.t")) if name in TESTED else ()
            for most in COUNTS:
                found = [on_path(path, most, "--penalty", "mcp", *test)]
                found += [trained(path, most, "--penalty", penalty, *test) for penalty in ("mcp", "l1")]
                rows.append([name, most, *sum(found, [])])
    each = ["features", "loss", "test %", "s"]
    heading = ["data", "K", *(f"{what} {cell}" for what in ("MCP path:", "MCP:", "ℓ1:") for cell in each)]
    write_table("few_features", "5. The best model with at most K features", heading, rows)


if __name__ == "__main__":
    main(sys.argv[1])
