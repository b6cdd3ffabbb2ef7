"""Data that the tests share, all from seeds."""

import numpy as np
import pytest
from scipy import sparse


@pytest.fixture(scope="session")
def wide():
    """60 rows, 200 features, of which three decide."""
    random = np.random.default_rng(1)
    X = random.standard_normal((60, 200))
    y = np.where(X[:, 3] - X[:, 17] + 0.5 * X[:, 90] + 0.3 * random.standard_normal(60) > 0, "yes", "no")
    return X, y


@pytest.fixture(scope="session")
def three_classes():
    """150 rows of three classes."""
    random = np.random.default_rng(2)
    centres = 2.5 * random.standard_normal((3, 8))
    y = np.repeat([10, 20, 30], 50)
    return centres[y // 10 - 1] + random.standard_normal((150, 8)), y


@pytest.fixture(scope="session")
def text_like():
    """2,000 sparse rows, 5,000 features, 30 entries a row."""
    random = np.random.default_rng(3)
    at = np.minimum(random.zipf(1.3, (2_000, 30)) - 1, 4_999)
    X = sparse.csr_array(
        (random.uniform(0.2, 1.0, at.size), (np.repeat(np.arange(2_000), 30), at.ravel())), shape=(2_000, 5_000)
    )
    X.sum_duplicates()
    scores = X @ np.where(np.arange(5_000) < 60, random.standard_normal(5_000), 0.0)
    return X, (scores > np.median(scores)).astype(int)
