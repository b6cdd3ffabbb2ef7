"""Random data of mixed shapes, all from seeds."""

import numpy as np
import scipy.sparse

from problem import Problem


def gaussian(random, n, d, density=1.0, minority=0.5, noise=0.5):
    """x and y: normal entries, a few columns that decide, and the given share of positive labels."""
    x = random.standard_normal((n, d)) * (random.random((n, d)) < density)
    k = min(5, d)
    truth = np.zeros(d)
    truth[random.choice(d, k, replace=False)] = random.uniform(1, 2, k) * random.choice([-1, 1], k)
    scores = x @ truth + noise * random.standard_normal(n)
    order = np.argsort(scores + 1e-9 * random.standard_normal(n))
    y = np.full(n, -1.0)
    y[order[n - max(2, round(minority * n)) :]] = 1.0
    return x, y


def text_like(random, n, d, entries):
    """Sparse x and y: columns drawn by Zipf's law, unit rows, labels from a planted separator."""
    ranks = random.permutation(d)
    chance = 1.0 / np.arange(1, d + 1)
    drawn = np.searchsorted(np.cumsum(chance) / chance.sum(), random.random((n, entries)))
    at = ranks[np.minimum(drawn, d - 1)]
    rows = np.repeat(np.arange(n), entries)
    x = scipy.sparse.csr_array((np.ones(n * entries), (rows, at.ravel())), shape=(n, d))
    x.sum_duplicates()
    x.data[:] = random.uniform(0.5, 1.5, x.nnz)
    lengths = np.sqrt(np.asarray(x.power(2).sum(axis=1))).ravel()
    x = scipy.sparse.csr_array(scipy.sparse.diags_array(1.0 / lengths) @ x)
    truth = np.zeros(d)
    truth[ranks[:200]] = random.standard_normal(200)
    scores = x @ truth
    y = np.where(scores > np.median(scores), 1.0, -1.0)
    flipped = random.random(n) < 0.03
    return x, np.where(flipped, -y, y)


def mixed(seed, **settings):
    """One of 50 (or more) problems: the seed chooses shape, sparsity, balance and what else is special."""
    random = np.random.default_rng(seed)
    n, d = [(40, 120), (200, 15), (80, 80), (300, 40), (25, 400)][seed % 5]
    density = [1.0, 0.1, 0.4][seed % 3]
    minority = [0.5, 0.5, 0.3, 0.06][seed % 4]
    noise = 0.0 if seed % 6 == 0 else 1.0  # without noise the classes are separable
    x, y = gaussian(random, n, d, density, minority, noise)
    if seed % 7 == 1:
        x[:, d // 2 : d // 2 + 4] = x[:, :4]
    if seed % 7 == 2:
        x *= 10.0 ** random.uniform(-2, 2, d)
    weights = random.choice([0.0, 0.5, 1.0, 3.0], n) if seed % 4 == 1 else None
    factors = None
    if seed % 5 in (1, 3) and seed % 2:
        factors = random.choice([0.5, 1.0, 2.0], d)
        factors[:2] = 0.0
    lam = np.mean(np.abs(x[x != 0])) * 10 ** random.uniform(-2.5, -1.0) * np.sqrt(density)
    chosen = {"lam": float(lam), "intercept": seed % 3 != 2, "weights": weights, "factors": factors}
    return Problem(x=x, y=y, **{**chosen, **settings})
