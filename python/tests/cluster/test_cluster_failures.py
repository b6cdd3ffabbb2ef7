"""Workers that die, data that is gone, and input that is wrong: an answer or a clear error, never a hang."""

import os
import signal
import threading
import time
from dataclasses import replace

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from sparsvm import SparseSVC
from sparsvm._settings import method_of, objective_of
from sparsvm.dask import DaskSparseSVC, Files, path, train
from sparsvm.dask import _driver, _member
from sparsvm.dask._work import FitWork

#: Takes some seconds with three members.
SLOW = {"penalty": "lsp", "alpha": 0.01, "tol": 1e-9, "n_starts": 60}


def noisy(n, d):
    random = np.random.default_rng(4)
    X = random.standard_normal((n, d))
    return X, X[:, :20].sum(axis=1) + 3 * random.standard_normal(n) > 0


@pytest.fixture(scope="module")
def slow():
    return noisy(600, 400)


def member_at_work(client, rank=1):
    """The address of the worker that runs a member of the fit which has begun."""
    for _ in range(6_000):
        for address, keys in client.processing().items():
            if any(str(key).startswith("sparsvm-fit-") and str(key).endswith(f"-{rank}") for key in keys):
                time.sleep(0.5)
                return address
        time.sleep(0.02)
    raise AssertionError("no fit has begun")


@pytest.mark.parametrize(("penalty", "alpha", "shape", "rank"), [("l1", 0.002, (2_000, 800), 1), ("lsp", 0.01, (600, 400), 0)])
def test_a_killed_worker_does_not_end_the_fit(cluster, client, chunked, penalty, alpha, shape, rank):
    X, y = noisy(*shape)
    dX, dy = chunked(X, 100), chunked(y, 100)
    settings = {**SLOW, "penalty": penalty, "alpha": alpha}
    done, homes = [], []

    def fit():
        done.append(train(client, dX, dy, **settings))

    undisturbed = train(client, dX, dy, **settings)
    thread = threading.Thread(target=fit)
    thread.start()
    homes.append(member_at_work(client, rank))
    assert not done, "the fit is too quick to be disturbed"
    os.kill(cluster.pid_of(homes[0]), signal.SIGKILL)
    thread.join(timeout=600)
    assert homes[0] not in client.nthreads()
    [found] = done
    assert found.status_ == "converged" and np.array_equal(found.support_, undisturbed.support_)
    assert found.objective_ == pytest.approx(undisturbed.objective_, rel=1e-9)
    assert found.n_workers_ == 3
    if penalty == "lsp":
        # Blocks are the same on whatever worker they are, and so is the search.
        assert found.coef_.tobytes() == undisturbed.coef_.tobytes()


def test_where_a_fit_goes_on():
    work = FitWork(["a", "b", "c"], 0.1, None, objective_of(SparseSVC("l1")), method_of(SparseSVC()), 4, None, None, False)
    coef, intercepts = work.resumed({2: ([1, 3], [0.5, -2.0], 0.25)}).start
    assert coef.tolist() == [[0] * 4, [0] * 4, [0, 0.5, 0, -2.0]] and intercepts == [0, 0, 0.25]
    assert work.resumed({}) is work, "nobody knows a point"
    search = replace(work, objective=objective_of(SparseSVC("mcp")))
    assert search.resumed({0: ([1], [0.5], 0.25)}) is search, "a search begins anew"


def test_scattered_rows_are_gone_with_their_worker(cluster, client, slow):
    X, y = slow
    homes = sorted(client.nthreads())
    pieces = [client.scatter(X[k * 200 : (k + 1) * 200], workers=[home]) for k, home in enumerate(homes)]
    dX = da.concatenate([da.from_delayed(dask.delayed(piece), shape=(200, 400), dtype=float) for piece in pieces])
    faults, times = [], []

    def fit():
        try:
            train(client, dX, y, **SLOW)
        except RuntimeError as error:
            faults.append(str(error))
        times.append(time.monotonic())

    thread = threading.Thread(target=fit)
    thread.start()
    home = member_at_work(client)
    killed = time.monotonic()
    os.kill(cluster.pid_of(home), signal.SIGKILL)
    thread.join(timeout=600)
    assert len(faults) == 1 and "scattered" in faults[0] and "fit again" in faults[0]
    assert times[0] - killed < 10


@pytest.fixture
def heard():
    """Ctrl-C is heard, also by tests that a shell started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_calls_the_members_off(client, slow, chunked):
    X, y = slow

    def press():
        member_at_work(client)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        train(client, chunked(X, 100), y, **SLOW)
    presser.join()

    def left():
        return len(_member._seats) + len(_member._teams)

    # They notice at their next sum, which on a busy machine takes a while.
    for _ in range(6_000):
        if not any(client.run(left).values()) and not any(client.processing().values()):
            return
        time.sleep(0.05)
    raise AssertionError("members are still at work")


def test_a_fit_that_always_loses_a_worker_ends(client, rows, chunked, monkeypatch):
    def lost(*_):
        raise _driver._Lost("tcp://nowhere", {})

    monkeypatch.setattr(_driver, "_attempt", lost)
    with pytest.raises(RuntimeError, match=r"begun 6 times.*nowhere.*memory"):
        train(client, chunked(rows[0]), rows[1])


def test_wrong_input_is_refused(client, rows, chunked):
    X, y = rows
    dX, dy = chunked(X), chunked(y)
    gaps = X.copy()
    gaps[200, 3] = np.nan
    model = DaskSparseSVC(client=client)
    wide = da.from_array(X, chunks=(60, 20)).map_blocks(lambda block: block, meta=sparse.csr_array((0, 0)))
    for call, words in [
        (lambda: model.fit(chunked(gaps), dy), r"partition 3: Input X contains NaN"),
        (lambda: model.fit(dX, np.full(420, "no")), "only one class"),
        (lambda: model.fit(dX, dy[:400]), "420 rows and y has 400"),
        (lambda: model.fit(dX, y[:400]), "420 rows and y has 400"),
        (lambda: model.fit(dX), "y is missing"),
        (lambda: model.fit(dX, dy, np.full(420, -1.0)), "Negative values"),
        (lambda: model.fit(dX, dy, np.zeros(420)), "all zero"),
        (lambda: model.fit(dX, dy, (y == "no") * 1.0), "one class only"),
        (lambda: model.fit(dX[:, 0], dy), "1 dimensions"),
        (lambda: model.fit(dX, da.stack([dy, dy], axis=1)), "y has 2 dimensions"),
        (lambda: model.fit(dX[:0], dy[:0]), "no rows"),
        (lambda: model.fit(wide, dy), "whole rows"),
        (lambda: model.fit(dX, np.linspace(0, 1, 420)), "continuous"),
        (lambda: DaskSparseSVC("scad", theta=1.0, client=client).fit(dX, dy), "theta > 2"),
        (lambda: DaskSparseSVC(solver="gist", client=client).fit(dX, dy), "auto, exact, feadmm"),
        (lambda: DaskSparseSVC(probability=True, client=client).fit(dX, dy), "CalibratedClassifierCV"),
        (lambda: DaskSparseSVC(alpha=0.1, max_features=2, client=client).fit(dX, dy), "give one of them"),
        (lambda: DaskSparseSVC(alpha=-1.0, client=client).fit(dX, dy), "alpha"),
        (lambda: path(client, dX, np.arange(420) % 3), "two classes"),
        (lambda: model.fit(Files([])), "empty"),
        (lambda: model.fit(["nowhere"], y), "no y"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="from_array"):
        model.fit(X, y)
    # The cluster is none the worse for it.
    assert train(client, dX, dy, penalty="l1", alpha=0.05).status_ == "converged"


def test_without_a_cluster(rows, chunked):
    with pytest.raises(ValueError, match="client"):
        DaskSparseSVC(client=type("Asynchronous", (), {"asynchronous": True})()).fit(chunked(rows[0]), rows[1])
