"""Ctrl-C, other threads, progress, scikit-learn's callbacks, and processes that fork."""

import io
import multiprocessing
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from sparsvm import SparseSVC, SparseSVCCV
from sparsvm._progress import Bar

SLOW = """
    import signal, sys, threading, time, os
    import numpy as np
    from sparsvm import SparseSVC, SparseSVCCV, svm_path
    # What a shell starts in the background ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random = np.random.default_rng(0)
    X = random.standard_normal((400, 2_000))
    y = X[:, :20].sum(axis=1) + 3 * random.standard_normal(400) > 0
    model = {model}
    def press():
        time.sleep(2.0)
        global pressed
        pressed = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=press).start()
    try:
        {call}
    except KeyboardInterrupt:
        print("late by", time.monotonic() - pressed)
        model.set_params({quick}).fit(X[:60, :50], y[:60])
        print("usable", model.predict(X[:5, :50]).shape)
    else:
        print("never interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent")
@pytest.mark.parametrize(
    ("model", "call", "quick"),
    [
        ("SparseSVC('lsp', 1e-4, tol=1e-9, n_starts=1000)", "model.fit(X, y)", "alpha=0.1"),
        ("SparseSVC('scad', max_features=399, tol=1e-9)", "model.fit(X, y)", "max_features=3"),
        ("SparseSVCCV(tol=1e-9, n_alphas=400, cv=50)", "model.fit(X, y)", "n_alphas=5, cv=3"),
        ("SparseSVC(alpha=0.02, solver='feadmm', max_iter=10**7, tol=0)", "model.fit(X, y)", "solver='auto'"),
    ],
)
def test_ctrl_c_stops_a_fit(model, call, quick):
    script = textwrap.dedent(SLOW).format(model=model, call=call, quick=quick)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    late, usable = done.stdout.splitlines()
    # A tenth of a second is usual; this only tells a stop from a fit that runs to its end.
    assert float(late.removeprefix("late by ")) < 10.0 and usable == "usable (5,)"


def test_the_interpreter_is_free_meanwhile(wide):
    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.wait(0.005):
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 1_000))
    began = time.monotonic()
    SparseSVC("lsp", 1e-3, max_time=0.6).fit(X, X[:, 0] + random.standard_normal(300) > 0)
    took = time.monotonic() - began
    stop.set()
    counter.join()
    assert counted > 5 * took


def test_fits_in_many_threads_at_once(wide):
    X, y = wide
    found = [None] * 4

    def fit(k):
        found[k] = SparseSVC(alpha=0.1).fit(X, y).coef_.tobytes()

    threads = [threading.Thread(target=fit, args=(k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(set(found)) == 1 and None not in found


def _fit_and_decide(X, y):
    """Also on rows so many that threads share them."""
    model = SparseSVC(alpha=0.1).fit(X, y)
    return model.decision_function(np.tile(X, (10, 1))).tobytes()


def _forked(queue, X, y):
    queue.put(_fit_and_decide(X, y))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="fork is not everywhere")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_after_a_fit_still_fits(wide):
    X, y = wide
    here = _fit_and_decide(X, y)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_forked, args=(queue, X, y))
    child.start()
    assert queue.get(timeout=300) == here
    child.join(timeout=300)


def test_the_bar_writes_over_itself_and_goes():
    to = io.StringIO()
    bar = Bar("fit", to)
    bar("", 3, 12, (7, 0.5, 0.25, 4))
    bar("finding the largest lambda", 0, 0, None)
    bar.close()
    first, second, wiped, end = to.getvalue().split("\r")[1:]
    assert "3/12" in first and "4 features kept" in first and "objective 0.25" in first
    assert "finding the largest lambda" in second and wiped.strip() == "" and end == ""


def test_verbose_shows_a_bar_and_nothing_stays_silent(wide, capfd):
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 500))
    y = X[:, 0] + random.standard_normal(200) > 0
    SparseSVC(verbose=1).fit(X, y)
    shown = capfd.readouterr()
    assert "SparseSVC" in shown.err and shown.out == ""
    SparseSVC().fit(X, y)
    assert capfd.readouterr() == ("", "")


def test_callbacks_are_told(wide):
    pytest.importorskip("sklearn.callback")

    class Counter:
        def __init__(self):
            self.calls = []

        def setup(self, estimator, context):
            self.calls.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.calls.append("begin")

        def on_fit_task_end(self, estimator, context):
            self.calls.append("end")

        def teardown(self, estimator, context):
            self.calls.append("teardown")

    for model, least in ((SparseSVC(), 1), (SparseSVCCV(cv=3, n_alphas=10), 6)):
        counter = Counter()
        model.set_callbacks(counter).fit(*wide)
        assert counter.calls[0] == "setup" and counter.calls[-1] == "teardown"
        assert counter.calls.count("begin") == counter.calls.count("end") >= least
