"""What the benchmarks share: the data folder, runs of the program, medians, Markdown tables.

Times of ours are `seconds.setup + seconds.solve` as the program reports them: everything between the data as
it was read (compressed rows in memory) and the solution. The compressed columns are made in there, on first
use. Reading the file, and judging the solution by the certificate, are outside.
"""

import bz2
import contextlib
import json
import lzma
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "bench" / "out"
BINARY = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "sparsvm"

# The largest index in a file may be smaller than the dimension.
FEATURES = {"rcv1sub.binary": 47_236, "news20like.binary": 1_409_654, "imdb": 29_237}
OPENERS = {".xz": lzma.open, ".bz2": bz2.open}


class Data:
    """A folder of data sets, which are unpacked into another one on first use."""

    def __init__(self, folder, unpacked):
        self.folder, self.unpacked = pathlib.Path(folder), pathlib.Path(unpacked)

    def path(self, name):
        """The plain text of a data set."""
        plain = self.folder / name
        if plain.exists():
            return plain
        target = self.unpacked / name
        for ending, opener in OPENERS.items():
            packed = self.folder / (name + ending)
            if not target.exists() and packed.exists():
                with opener(packed, "rb") as source, open(target, "wb") as to:
                    shutil.copyfileobj(source, to)
        if not target.exists():
            raise SystemExit(f"{self.folder} has no {name}, plain or compressed")
        return target


@contextlib.contextmanager
def opened(folder):
    """The data in a folder; what was unpacked is removed at the end."""
    with tempfile.TemporaryDirectory() as unpacked:
        yield Data(folder, unpacked)


def train(path, *options, model=None):
    """One run of the program; returns its report."""
    command = [BINARY, "train", "--json", *options]
    if path.name in FEATURES:
        command += ["--features", FEATURES[path.name]]
    command += [path, model] if model else ["--no-model", path]
    done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def seconds(report):
    """Setup and solve."""
    return report["seconds"]["setup"] + report["seconds"]["solve"]


def interleaved(tasks, repeat=3):
    """Runs tasks (name → function that returns seconds) in turns, so that load meets all; their medians."""
    times = {name: [] for name in tasks}
    for _ in range(repeat):
        for name, task in tasks.items():
            times[name].append(task())
    return {name: statistics.median(all_times) for name, all_times in times.items()}


def write_table(name, title, heading, rows, notes=()):
    """Prints a Markdown table and puts it into bench/out/NAME.md."""
    lines = [f"### {title}", "", "| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    lines += ["", *notes] if notes else []
    text = "\n".join(lines) + "\n"
    print(text, flush=True)
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.md").write_text(text)
