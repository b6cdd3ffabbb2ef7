"""The fit on a cluster: 1 against 2 worker processes of one thread each, and the local solver with 2 threads.

    python bench/cluster.py DATA_FOLDER

rcv1sub × 20: every row twenty times, each time with other noise on its values. Workers read shards from disk, once
for all fits. Seconds are those in the solver, the waiting for the other member with them; reading, joining and the
start of processes are outside. Runs alternate, so that load meets all.
"""

import pathlib
import statistics
import sys
import tempfile
import time

import dask
import dask.array
import harness
import numpy as np
import scipy.sparse
from distributed import Client, LocalCluster
from sklearn.datasets import load_svmlight_file

from sparsvm import SparseSVC
from sparsvm.dask import DaskSparseSVC

COPIES = 20
REPEATS = 3
#: Loss, penalty, alpha.
CASES = (("squared_hinge", "l1", 0.002), ("hinge", "l1", 0.002), ("squared_hinge", "mcp", 0.008))


def shards(path, folder):
    """Writes the copies; returns their files, the shape of each, and the labels of one."""
    x, y = load_svmlight_file(str(path), n_features=harness.FEATURES[path.name])
    x = scipy.sparse.csr_array(x)
    files = []
    for copy in range(COPIES):
        noisy = x.copy()
        noisy.data *= 1 + 0.1 * np.random.default_rng(copy).standard_normal(x.nnz)
        files.append(pathlib.Path(folder) / f"shard{copy}.npz")
        scipy.sparse.save_npz(files[-1], noisy, compressed=False)
    return files, x.shape, y


def load(file):
    return scipy.sparse.csr_array(scipy.sparse.load_npz(file))


def collection(files, shape):
    meta = scipy.sparse.csr_array((0, 0))
    return dask.array.concatenate(
        [dask.array.from_delayed(dask.delayed(load)(file), shape=shape, meta=meta) for file in files]
    )


def local_seconds(x, y, settings):
    """The solver alone, as workers time it."""
    model = SparseSVC(**settings, n_jobs=2)
    classes, codes = np.unique(y, return_inverse=True)
    began = time.perf_counter()
    [fit] = model._fit_problems(x, codes.astype(np.int64), classes, None, model.alpha)
    return time.perf_counter() - began, fit.objective


def measure(files, shape, labels):
    y = np.tile(labels, COPIES)
    x = scipy.sparse.vstack([load(file) for file in files], format="csr")
    lazy = collection(files, shape)
    rows = []
    clusters = {n: LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=None, memory_limit=0) for n in (1, 2)}
    clients = {n: Client(cluster) for n, cluster in clusters.items()}
    try:
        for loss, penalty, alpha in CASES:
            settings = {"penalty": penalty, "alpha": alpha, "loss": loss}
            times, found = {1: [], 2: [], "local": []}, {}
            for _ in range(REPEATS):
                for n, client in clients.items():
                    with client.as_current():
                        found[n] = DaskSparseSVC(client=client, **settings).fit(lazy, y)
                    times[n].append(found[n].traffic_["seconds"])
                seconds, objective = local_seconds(x, y, settings)
                times["local"].append(seconds)
            one, two, local = (statistics.median(times[name]) for name in (1, 2, "local"))
            traffic = found[2].traffic_
            rows.append(
                [
                    f"{penalty}, {loss.replace('_', ' ')}, α = {alpha}",
                    len(found[2].support_),
                    f"{one:.2f}",
                    f"{two:.2f}",
                    f"{one / two:.2f}",
                    f"{local:.2f}",
                    f"{two / local:.2f}",
                    traffic["rounds"],
                    f"{traffic['sent'] / traffic['rounds'] / 1000:.1f}",
                    f"{traffic['sent'] / 1e6:.1f}",
                    f"{abs(found[2].objective_ / objective - 1):.0e}",
                ]
            )
    finally:
        for n in clients:
            clients[n].close()
            clusters[n].close()
    return rows


def main(folder):
    with harness.opened(folder) as data, tempfile.TemporaryDirectory() as made:
        rows = measure(*shards(data.path("rcv1sub.binary"), made))
    heading = ["fit", "features", "1 worker s", "2 workers s", "speed-up", "local, 2 threads s", "2 workers / local"]
    heading += ["rounds", "kB a round", "MB a fit", "difference of F"]
    title = f"8. rcv1sub × {COPIES} on a cluster: worker processes of one thread on 2 cores"
    write = harness.write_table
    write("cluster", title, heading, rows, ["Bytes are those that both members send."])


if __name__ == "__main__":
    main(sys.argv[1])
