"""A million rows: text, and categories of which one row in fifty is a case (ads, fraud).

    python bench/millions.py [DATA_FOLDER]

Nothing is read from the folder. The data are made here and converted to .spv, which the program opens without reading it.
One run of each.
"""

import pathlib
import subprocess
import tempfile

import numpy as np
import scipy.sparse

from harness import BINARY, seconds, train, write_table

ROWS = 1_000_000
WORDS, DRAWN, INFORMATIVE = 200_000, 60, 200
LEVELS = (2, 7, 12, 24, 31, 60, 100, 300, 1_000, 3_000, 10_000, 100_000)
CASES = 0.02
STRENGTHS = (1e-3, 1e-4)
PROBLEMS = {
    "squared hinge ℓ1": ("--loss", "squared-hinge", "--penalty", "l1"),
    "hinge ℓ1": ("--penalty", "l1"),
    "hinge MCP": ("--penalty", "mcp"),
}
# MCP's λ for each of the above.
WEAKER = 100.0


def zipf(random, count, shape):
    """Draws of 0, 1, …, by Zipf's law, the first not too frequent."""
    chance = np.cumsum(1.0 / (np.arange(count) + 20.0))
    return np.searchsorted(chance, random.random(shape) * chance[-1])


def matrix(at, columns):
    """Ones at these columns of each row; those that come twice count once."""
    starts = np.arange(0, at.size + 1, at.shape[1])
    x = scipy.sparse.csr_matrix((np.ones(at.size), at.ravel().astype(np.int32), starts), (len(at), columns))
    x.sum_duplicates()
    x.data[:] = 1.0
    return x


def labels(random, x, share):
    """The highest planted scores, with noise, so many; three in a hundred are wrong."""
    truth = np.zeros(x.shape[1])
    truth[random.choice(min(x.shape[1], 5_000), INFORMATIVE, replace=False)] = random.standard_normal(INFORMATIVE)
    score = x @ truth
    score += 0.1 * score.std() * random.standard_normal(len(score))
    y = np.where(score > np.quantile(score, 1 - share), 1, -1)
    return np.where(random.random(len(y)) < 0.03 * share, -y, y)


def text(random):
    """Unit rows of words."""
    x = matrix(zipf(random, WORDS, (ROWS, DRAWN)), WORDS)
    x.data /= np.repeat(np.sqrt(np.diff(x.indptr)), np.diff(x.indptr))
    return x, labels(random, x, 0.5)


def categories(random):
    """A column for each level of each category."""
    firsts = np.cumsum((0, *LEVELS))
    at = np.stack([zipf(random, count, ROWS) + first for count, first in zip(LEVELS, firsts)], axis=1)
    x = matrix(at, firsts[-1])
    return x, labels(random, x, CASES)


def write(folder, name, x, y):
    """As .spv."""
    raw, listed, path = (pathlib.Path(folder) / (name + ending) for ending in (".npz", ".y", ".spv"))
    scipy.sparse.save_npz(raw, x, compressed=False)
    np.savetxt(listed, y, fmt="%d")
    subprocess.run([BINARY, "convert", raw, path, "--labels", listed], check=True, stdout=subprocess.DEVNULL)
    raw.unlink()
    return path


def measure(path, lam):
    """A row of the table."""
    row = [f"{lam:g}"]
    for name, problem in PROBLEMS.items():
        report = train(path, "--lambda", lam * (WEAKER if "MCP" in name else 1), *problem)
        row.append(f"{seconds(report):.2f} ({report['nonzeros']}, {report['status']})")
    return row


def main(*_):
    random, rows = np.random.default_rng(7), []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("text", text), ("categories", categories)):
            x, y = make(random)
            path = write(folder, name, x, y)
            shape = f"{name}, {x.shape[1]} features, {x.nnz / 1e6:.1f} million entries"
            rows += [[shape, *measure(path, lam)] for lam in STRENGTHS]
    heading = ["data", "λ", *(f"{name} s" for name in PROBLEMS)]
    notes = [f"MCP at {WEAKER:g} times that λ; features and status in brackets."]
    write_table("millions", f"{ROWS} rows", heading, rows, notes)


if __name__ == "__main__":
    main()
