"""Synthetic data that looks like text: columns by Zipf's law, unit rows, labels from a planted separator."""

import numpy as np

# Rows made at a time, so that memory stays small.
ROWS = 4096


def write(path, n, d, entries, informative=100, noise=0.02, seed=1):
    """Writes LIBSVM text; the planted columns are the same for every n. Returns the number of nonzeros."""
    ranks = np.random.default_rng(seed).permutation(d)
    random = np.random.default_rng([seed, d])
    chance = np.cumsum(1.0 / np.arange(1, d + 1))
    truth = np.zeros(d)
    # Frequent columns decide, but not the very first ones, which nearly every row has.
    truth[ranks[10 : 10 + informative]] = random.standard_normal(informative)
    nonzeros = 0
    with open(path, "w", encoding="ascii") as to:
        for first in range(0, n, ROWS):
            drawn = np.searchsorted(chance, random.random((min(ROWS, n - first), entries)) * chance[-1])
            for row in ranks[np.minimum(drawn, d - 1)]:
                at = np.unique(row)
                values = random.uniform(0.5, 1.5, len(at))
                values /= np.sqrt(values @ values)
                score = truth[at] @ values
                sign = (score >= 0) != (random.random() < noise)
                pairs = zip(at.tolist(), values.tolist())
                to.write("+1 " if sign else "-1 ")
                to.write(" ".join(f"{j + 1}:{value:.6f}" for j, value in pairs) + "\n")
                nonzeros += len(at)
    return nonzeros
