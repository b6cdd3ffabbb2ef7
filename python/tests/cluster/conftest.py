"""A cluster of processes on this machine, of the size that a test asks for."""

import os
import time

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")


class Cluster:
    """Workers with one thread each; they are kept between tests, since each takes seconds to start."""

    def __init__(self):
        self.local = distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        )
        self.client = distributed.Client(self.local)

    def of(self, workers):
        """The client, once there are exactly so many workers."""
        self.local.scale(workers)
        for _ in range(1200):
            if len(self.client.nthreads()) == workers:
                return self.client
            time.sleep(0.05)
        raise AssertionError(f"{len(self.client.nthreads())} workers instead of {workers}")

    def pid_of(self, address):
        """The process of a worker."""
        return self.client.run(os.getpid, workers=[address])[address]

    def close(self):
        self.client.close()
        self.local.close()


@pytest.fixture(scope="session")
def cluster():
    made = Cluster()
    yield made
    made.close()


@pytest.fixture
def client(cluster):
    """Three workers."""
    return cluster.of(3)


@pytest.fixture(scope="session")
def rows():
    """420 rows, 60 features, of which three decide; labels are text."""
    random = np.random.default_rng(11)
    X = random.standard_normal((420, 60))
    y = np.where(X[:, 3] - X[:, 17] + 0.5 * X[:, 40] + 0.8 * random.standard_normal(420) > 0.2, "yes", "no")
    return X, y


@pytest.fixture(scope="session")
def chunked():
    """An array as a collection of chunks of rows."""

    def split(array, size=60):
        return da.from_array(array, chunks=(size, *array.shape[1:]))

    return split
