"""Item 4: the exact hinge, ℓ1 and MCP, against our own squared hinge at the same feature counts; and FEADMM.

    python bench/hinge_speed.py DATA_FOLDER
"""

import sys

from feature_counts import lambda_for
from harness import interleaved, opened, seconds, train, write_table
from liblinear_speed import COUNTS, OURS, SETS

L1 = ("--penalty", "l1")
MCP = ("--penalty", "mcp")
# The limit keeps a bad start from holding up the rest; the status then says so.
ONE_START = (*MCP, "--starts", "1", "--max-time", "10")
FEADMM = ("--solver", "feadmm", "--rho1", "1", "--rho2", "0.1", "--max-iter", "200")


def compare(path, count):
    """A row of the table: each method at its own λ, all at about the same number of features."""
    lambdas = {options: lambda_for(path, count, *options) for options in (OURS, L1, MCP)}
    lambdas[ONE_START] = lambdas[MCP]
    kept = {}

    def timed(options):
        report = train(path, "--lambda", lambdas[options], *options)
        status = "" if report["status"] == "converged" else f" {report['status']}"
        kept[options] = f"{report['nonzeros']}{status}"
        return seconds(report)

    methods = (OURS, L1, ONE_START, MCP)
    times = interleaved({options: lambda options=options: timed(options) for options in methods})
    cells = [f"{time:.3f} ({kept[options]})" for options, time in times.items()]
    return [path.name, *cells, *(f"{times[options] / times[OURS]:.1f}" for options in methods[1:])]


def against_feadmm(data):
    """One run of each on rcv1sub, the paper's λ, MCP."""
    path = data.path("rcv1sub.binary")
    options = (*MCP, "--lambda", "0.015625")
    exact, feadmm = train(path, *options), train(path, *options, *FEADMM)
    rows = [
        [name, f"{seconds(report):.2f}", f"{report['objective']:.5f}", report["nonzeros"], report["status"]]
        for name, report in (("exact", exact), ("feadmm, ρ₁ 1, ρ₂ 0.1, 200 iterations", feadmm))
    ]
    notes = [f"exact is {seconds(feadmm) / seconds(exact):.0f}× as fast."]
    heading = ["solver", "s", "F", "features", "status"]
    write_table("hinge_feadmm", "4. Exact against FEADMM, rcv1sub, MCP, λ = 2⁻⁶", heading, rows, notes)


def main(folder):
    with opened(folder) as data:
        rows = [compare(data.path(name), count) for name in SETS for count in COUNTS]
        heading = ["data", "squared hinge ℓ1 s", "hinge ℓ1 s", "hinge MCP, 1 start s", "hinge MCP s"]
        heading += ["ratio ℓ1", "ratio MCP, 1 start", "ratio MCP"]
        notes = ["Features kept in brackets; λ is that of the penalty and loss. Medians of 3, in turns."]
        write_table("hinge", "4. Speed of the hinge", heading, rows, notes)
        against_feadmm(data)


if __name__ == "__main__":
    main(sys.argv[1])
