"""Item 1: how low F ends, against the required bound and against FEADMM's best of 36 pairs of parameters.

    python bench/optima.py DATA_FOLDER
"""

import sys

from harness import opened, seconds, train, write_table

DEFAULT = 2.0**-6
# F at most this, at λ = 2⁻⁶ and the usual θ.
BOUNDS = {
    "heart_scale": {"scad": 0.34025, "mcp": 0.33755, "lsp": 0.39990, "capped-l1": 0.41178},
    "mushrooms": {"scad": 0.00574, "mcp": 0.00367, "lsp": 0.08049, "capped-l1": 0.07432},
    "colon-cancer": {"scad": 0.00804, "mcp": 0.00513, "lsp": 0.04424, "capped-l1": 0.04740},
    "leu": {"scad": 0.00402, "mcp": 0.00293, "lsp": 0.02069, "capped-l1": 0.02211},
    "duke": {"scad": 0.00517, "mcp": 0.00293, "lsp": 0.03160, "capped-l1": 0.03387},
    "german.numer_scale": {"scad": 0.52872, "mcp": 0.52511, "lsp": 0.58296, "capped-l1": 0.59118},
}
OTHER_THETA = {"scad": 2.5, "mcp": 1.5, "lsp": 0.1, "capped-l1": 0.2}


def settings(penalty):
    """(λ, θ) pairs to try; θ None is the usual one."""
    return [(DEFAULT, None), (0.05, None), (0.004, None), (DEFAULT, OTHER_THETA[penalty])]


def compare(path, penalty, lam, theta, bound):
    """A row of the table."""
    options = ["--penalty", penalty, "--lambda", lam, *(["--theta", theta] if theta else [])]
    ours = train(path, *options)
    theirs = train(path, *options, "--solver", "feadmm", "--rho-grid")
    met = ours["objective"] <= theirs["objective"] and (bound is None or ours["objective"] <= bound)
    return [
        path.name, penalty, f"{lam:.6g}", theta or "usual", f"{ours['objective']:.6g}", ours["nonzeros"],
        f"{ours['gap']:.1e}", ours["status"], f"{seconds(ours):.2f}", "" if bound is None else bound,
        f"{theirs['objective']:.6g}", theirs["nonzeros"], "yes" if met else "**no**",
    ]


def main(folder):
    rows = []
    with opened(folder) as data:
        for name, bounds in BOUNDS.items():
            for penalty, bound in bounds.items():
                for lam, theta in settings(penalty):
                    usual = (lam, theta) == (DEFAULT, None)
                    rows.append(compare(data.path(name), penalty, lam, theta, bound if usual else None))
    missed = sum(row[-1] != "yes" for row in rows)
    heading = ["data", "penalty", "λ", "θ", "F", "features", "gap", "status", "s", "bound"]
    heading += ["FEADMM best of 36", "features", "met"]
    write_table("optima", "1. Optima", heading, rows, [f"{len(rows) - missed} of {len(rows)} met."])


if __name__ == "__main__":
    main(sys.argv[1])
