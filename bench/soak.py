"""Random settings on random problems for as long as you like; every claim is recomputed in numpy.

    python bench/soak.py --minutes 30 [--seed 0] [--jobs 2] [--program FILE]
    python bench/soak.py --seed K --only          one case again, with its command

A case has a number, from which all of it is drawn. A case fails if the program crashes, hangs or complains in more than a
line; if an objective, a gap, a violation or a lower bound is not what the raw data say (tests/python/problem.py, which
shares no code with the program); or if `converged` does not mean what it says. Files of a case that failed are kept.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "python")]

import numpy as np  # noqa: E402

import problem as stated  # noqa: E402
from generate import gaussian  # noqa: E402
from harness import BINARY  # noqa: E402
from linear_program import lowest_hinge  # noqa: E402
from problem import LOSSES, PENALTIES, Problem  # noqa: E402
from program import arguments  # noqa: E402

SOLVERS = ("exact",) * 8 + ("feadmm", "gist", "reweighted", "sqa", "global")
# What a solver does not take, rankings without a pair, and FEADMM's factor on columns of wild sizes.
REFUSALS = ("cannot take", "pairs = 0", "the linear system is not positive definite")
SECONDS = 120
ROUNDING = 1e-9


class Failure(Exception):
    """What is wrong."""


def draw_data(random):
    """x and y: shape, density, scale, balance and degeneracies of all kinds."""
    n, d = int(random.choice([2, 5, 20, 60, 150])), int(random.choice([1, 3, 10, 40, 120]))
    x, y = gaussian(
        random, n, d,
        density=random.choice([1.0, 0.5, 0.1]),
        minority=random.choice([0.5, 0.3, 0.05]),
        noise=random.choice([0.0, 0.5, 3.0]),
    )
    if len(set(y)) == 1:
        y[0] = -y[0]
    if random.random() < 0.25:
        x *= 10.0 ** random.uniform(-4, 4, d)
    if random.random() < 0.1:
        x *= 10.0 ** random.uniform(-30, 30)
    if random.random() < 0.2:
        x[:, random.integers(0, d, 1 + d // 4)] = x[:, [0]]
    if random.random() < 0.1:
        x[:, 0], x[:, d - 1] = 1.0, 0.0
    if random.random() < 0.1:
        x[: n // 2] = x[n - n // 2 :]
    return x, y


def draw_theta(random, penalty):
    """The usual θ, or one near its bound or far from it."""
    usual = {"scad": 3.7, "mcp": 3.0, "lsp": 1.0, "capped-l1": 1.0, "lp": 0.5}[penalty]
    if random.random() < 0.5:
        return usual
    match penalty:
        case "scad":
            return 2.0 + 10.0 ** random.uniform(-2, 2)
        case "mcp":
            return 1.0 + 10.0 ** random.uniform(-2, 2)
        case "lp":
            return random.uniform(0.1, 0.95)
        case _:
            return 10.0 ** random.uniform(-2, 2)


def draw(seed):
    """Problem, solver, tolerance, scaling and queries of a case."""
    random = np.random.default_rng([seed, 77])
    x, y = draw_data(random)
    n, d = x.shape
    penalty, loss = str(random.choice(PENALTIES)), str(random.choice(LOSSES))
    if penalty != "l1":
        # Read by every function of tests/python/problem.py; a case has a process of its own.
        stated.THETA[penalty] = float(draw_theta(random, penalty))
    size = np.mean(np.abs(x[x != 0])) if np.any(x) else 1.0
    factors = None
    if random.random() < 0.2:
        factors = random.choice([0.0, 0.5, 1.0, 2.0], d)
    problem = Problem(
        x=x, y=y,
        lam=float(size * 10.0 ** random.uniform(-4, 0.5)),
        loss=loss, delta=float(10.0 ** random.uniform(-1.5, 1)) if loss == "huber-hinge" else 2.0, penalty=penalty,
        l2=0.0 if random.random() < 0.7 else float(size**2 * 10.0 ** random.uniform(-4, 0)),
        intercept=bool(random.random() < 0.8),
        weights=random.choice([0.0, 0.5, 1.0, 10.0], n) + (np.arange(n) < 2) if random.random() < 0.2 else None,
        factors=factors,
    )
    solver, tol = str(random.choice(SOLVERS)), float(10.0 ** -random.integers(2, 8))
    scale = str(random.choice(["none", "none", "standard", "max-abs"]))
    queries = random.integers(0, max(1, n // 8) + 1, n) if random.random() < 0.12 else None
    return problem, solver, tol, scale, queries


def scaled(x, scale):
    """Columns divided by their spread, and the factors."""
    n = max(1, len(x))
    match scale:
        case "standard":
            spread = np.sqrt(((x - x.mean(axis=0)) ** 2).sum(axis=0) / n)
            spread[spread <= 1e-12 * np.abs(x).max(axis=0)] = 0.0
        case "max-abs":
            spread = np.abs(x).max(axis=0)
        case _:
            spread = np.ones(x.shape[1])
    factors = np.ones(x.shape[1])
    factors[spread > 0.0] = 1.0 / spread[spread > 0.0]
    return x * factors, factors


def pairs_of(problem, queries):
    """The ranking as a problem on differences of rows of a query."""
    above = (queries[:, None] == queries[None, :]) & (problem.y[:, None] > problem.y[None, :])
    better, worse = np.nonzero(above)
    x = problem.x[better] - problem.x[worse]
    return stated.dataclasses.replace(problem, x=x, y=np.ones(len(x)), intercept=False, weights=None)


def run(seed, folder, binary):
    """Runs a case: the command, its result, and what is needed to judge it."""
    problem, solver, tol, scale, queries = draw(seed)
    if queries is not None:
        problem = stated.dataclasses.replace(problem, weights=None, intercept=True)
    options = arguments(problem, folder)
    if problem.penalty != "l1":
        options += ["--theta", repr(stated.THETA[problem.penalty])]
    options += ["--solver", solver, "--tol", repr(tol), "--scale", scale, "--threads", "1", "--max-time", "20"]
    if queries is not None:
        lines = (folder / "data").read_text().splitlines()
        told = (line.split(" ", 1) for line in lines)
        text = "".join(f"{label} qid:{q + 1} {rest}\n" for (label, rest), q in zip(told, queries))
        (folder / "data").write_text(text)
        options += ["--task", "rank"]
    command = [str(binary), "train", "--json", "--quiet", *options, str(folder / "data"), str(folder / "model")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {SECONDS} s\n  {shlex.join(command)}") from None
    try:
        return judge(done, (problem, tol, scale, queries), folder)
    except Failure as failure:
        raise Failure(f"{failure}\n  {shlex.join(command)}") from None


def judge(done, case, folder):
    """Raises what is wrong; says how it ended."""
    problem, tol, scale, queries = case
    clear = done.returncode == 1 and done.stderr.startswith("sparsvm: ") and done.stderr.count("\n") == 1
    if clear and any(part in done.stderr for part in REFUSALS):
        return "refused"
    if done.returncode != 0:
        raise Failure(f"exit code {done.returncode}: {done.stderr.strip()}")
    report, model = json.loads(done.stdout), json.loads((folder / "model").read_text())
    certificate = model["certificate"]
    x, factors = scaled(problem.x, scale)
    problem = stated.dataclasses.replace(problem, x=x)
    if queries is not None:
        problem = pairs_of(problem, queries)
    w = np.zeros(x.shape[1])
    w[model["indices"]] = model["weights"]
    w, b = w / factors, model["intercept"]
    within = max(certificate["gap"], certificate["violation"], certificate["imbalance"]) <= tol
    if report["status"] == "converged" and not within:
        raise Failure(f"converged, with {certificate}")
    true, room = problem.objective(w, b), rounding(problem, w, b)
    if not abs(true - certificate["objective"]) <= room:
        raise Failure(f"the objective is {true!r}, but {certificate['objective']!r} is claimed")
    if not 0.0 <= certificate["gap"] or certificate["lower_bound"] > true + room:
        raise Failure(f"{certificate}")
    lower_bound_holds(problem, w, b, (certificate["lower_bound"], room, report["status"] == "converged"))
    if report["status"] == "converged" and problem.loss != "hinge":
        slopes_balance(problem, w, b, (tol, certificate["complementarity"]))
    return report["status"]


def rounding(problem, w, b):
    """How far two ways of summing the same objective may differ."""
    sizes = np.abs(problem.x) @ np.abs(w) + abs(b) + 1.0
    slack = 1.0 + np.sqrt(stated.loss_value(problem, problem.margins(w, b)))
    return ROUNDING * problem.objective(w, b) + 1e-13 * (problem.shares @ (sizes * slack))


def lower_bound_holds(problem, w, b, claim):
    """No point of the convex problem that touches F at (w, b) lies below the bound (docs/maths.md, section 4): anywhere
    if the fit has converged, else within twice the present coefficients."""
    slopes, true = problem.slopes(w), problem.objective(w, b)
    used = w != 0.0
    bound, room, converged = claim

    def touching(v, at):
        lost = problem.shares @ stated.loss_value(problem, problem.margins(v, at))
        return lost + slopes[v != 0.0] @ np.abs(v[v != 0.0]) + 0.5 * problem.l2 * (v @ v)

    constant = true - touching(w, b)
    random = np.random.default_rng(len(w))
    free = np.isfinite(slopes)
    for size in (1e-3, 0.1, 0.5, 1.0):
        for _ in range(4):
            v = w * (1.0 + size * random.standard_normal(len(w)))
            v = np.clip(np.where(free | used, v, 0.0), -2.0 * np.abs(w), 2.0 * np.abs(w))
            at = b * (1.0 + np.clip(size * random.standard_normal(), -1.0, 1.0)) if problem.intercept else b
            if touching(v, at) + constant < bound - room:
                raise Failure(f"the lower bound {bound!r} is above {touching(v, at) + constant!r}")
    # The optimum itself, where a linear program finds it: sizes that HiGHS handles.
    plain = problem.loss == "hinge" and problem.l2 == 0.0 and 1e-3 < np.abs(problem.x).max(initial=0.0) < 1e3
    if plain and converged and len(problem.y) <= 200:
        try:
            lowest = lowest_hinge(problem, slopes) + constant
        except AssertionError:
            return
        # HiGHS takes what is below for zero.
        if bound > lowest + 1e-7 * true + 1e-12:
            raise Failure(f"the lower bound {bound!r} is above the optimum {lowest!r}")


def slopes_balance(problem, w, b, claim):
    """At a solution of a smooth loss the forces balance: violation from raw data."""
    tol, complementarity = claim
    pulls = problem.y * problem.shares * stated.loss_pull(problem, problem.margins(w, b))
    force, slopes = problem.x.T @ pulls, problem.slopes(w)
    with np.errstate(invalid="ignore"):
        off = np.abs(problem.l2 * w + np.sign(w) * slopes - force)
    outside = np.maximum(np.abs(force) - slopes, 0.0)
    violation = np.where(w != 0.0, off, outside).max(initial=0.0)
    at_zero = problem.slopes(np.zeros_like(w))
    scale = max(np.abs(force).max(initial=0.0), at_zero[np.isfinite(at_zero)].max(initial=0.0))
    # The program's dual point β may differ from the loss's slopes: the loss is strongly convex in them, so the
    # complementarity, Σ (β_i - pull_i)²/(2·share_i·curvature), says by how much.
    curvature = {"squared-hinge": 2.0, "huber-hinge": 1.0 / problem.delta}[problem.loss]
    loose = max(complementarity, 0.0) + 1e-15 * problem.objective(w, b)
    apart = np.sqrt(2.0 * problem.shares.max() * curvature * loose)
    columns = np.sqrt((problem.x**2).sum(axis=0)).max(initial=0.0)
    room = 1e-12 * (np.abs(problem.x).T @ problem.shares).max(initial=0.0)
    if violation > 1.01 * tol * scale + apart * columns + room:
        raise Failure(f"violation {violation!r} of forces of {scale!r}, from raw data, where tol is {tol}")


def attempt(seed, binary, kept):
    """One case in a process of its own: seed, how it ended, what is wrong."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"soak-{seed}-"))
    try:
        ended, wrong = run(seed, folder, binary), None
    except Failure as failure:
        ended, wrong = "FAILED", str(failure)
    except Exception as error:  # noqa: BLE001 (a case that cannot be judged has failed)
        ended, wrong = "FAILED", f"{type(error).__name__}: {error}"
    if wrong and kept:
        wrong += f"\n  files: {folder}"
    else:
        shutil.rmtree(folder)
    return seed, ended, wrong


def work(arguments_of_case):
    return attempt(*arguments_of_case)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", action="store_true", help="that case alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path(os.environ.get("SPARSVM", BINARY)))
    args = parser.parse_args()
    if args.only:
        seed, ended, wrong = attempt(args.seed, args.program, True)
        print(f"case {seed}: {wrong or ended}")
        sys.exit(1 if wrong else 0)
    end = time.monotonic() + 60.0 * args.minutes
    counts, failures, seed = {}, [], args.seed
    with multiprocessing.Pool(args.jobs, maxtasksperchild=200) as pool:
        while time.monotonic() < end:
            batch = [(seed + k, args.program, True) for k in range(20 * args.jobs)]
            seed += len(batch)
            for case, ended, wrong in pool.imap_unordered(work, batch):
                counts[ended] = counts.get(ended, 0) + 1
                if wrong:
                    failures.append(case)
                    print(f"case {case}: {wrong}", flush=True)
    told = ", ".join(f"{count} {ended}" for ended, count in sorted(counts.items()))
    print(f"{sum(counts.values())} cases from seed {args.seed}: {told}")
    if failures:
        sys.exit(f"failed: {', '.join(map(str, sorted(failures)))}")


if __name__ == "__main__":
    main()
