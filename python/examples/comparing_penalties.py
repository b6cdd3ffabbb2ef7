"""Five penalties on the same data: how many features each keeps, which of them are right, what they predict.

    python comparing_penalties.py [FIGURE]

writes comparing_penalties.png unless told otherwise. 200 rows, 1,000 correlated features; ten of them matter.
l1 shrinks every coefficient, the large ones too, and lets in many small ones to make up for it. The others
level off, which needs fewer features for the same accuracy; what it costs is that the problem is no longer
convex, so that a path is one of several possible ones.
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")  # a file is written, no window is opened

import matplotlib.pyplot as plt
import numpy as np

from sparsvm import svm_path

# theta says where a penalty levels off: for scad and mcp in units of alpha, so that the default does for any
# data; for lsp and capped_l1 in units of the coefficients, so that it has to be below the large ones.
PENALTIES = {
    "l1": (None, "#0072B2"),
    "scad": (None, "#D55E00"),
    "mcp": (None, "#009E73"),
    "lsp": (0.1, "#CC79A7"),
    "capped_l1": (0.2, "#E69F00"),
}
ROWS, FEATURES, TRUE = 200, 1000, 10


def rows(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Features that resemble their neighbours (correlation 0.5, 0.25, …), and noisy classes."""
    noise = rng.standard_normal((count, FEATURES))
    X = np.empty_like(noise)
    X[:, 0] = noise[:, 0]
    for j in range(1, FEATURES):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * noise[:, j]
    # The true features are far from each other, with effects from 2 down to 0.8 and both signs.
    effect = np.linspace(2.0, 0.8, TRUE) * np.where(np.arange(TRUE) % 2, -1.0, 1.0)
    score = X[:, true_features()] @ effect + 0.5 * rng.standard_normal(count)
    return X, np.where(score > 0, 1, -1)


def true_features() -> np.ndarray:
    return np.arange(TRUE) * (FEATURES // TRUE)


def main(figure: str) -> None:
    rng = np.random.default_rng(1)
    X, y = rows(rng, ROWS)
    # Three sets of rows, since what chooses a strength must not judge it as well.
    X_choice, y_choice = rows(rng, ROWS)
    X_test, y_test = rows(rng, 5000)

    picture, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    print("penalty    features  of them true  accuracy  seconds for the path  largest gap")
    for penalty, (theta, colour) in PENALTIES.items():
        path = svm_path(X, y, penalty, theta=theta, n_alphas=40, alpha_min_ratio=0.03, max_features=100)
        choice = (np.sign(path.decision_function(X_choice)) == y_choice[:, None]).mean(axis=0)
        accuracy = (np.sign(path.decision_function(X_test)) == y_test[:, None]).mean(axis=0)
        hits = np.diff(path.coefs[:, true_features()].indptr)
        # The best on the second set; argmax takes the strongest penalty of equals.
        best = int(np.argmax(choice))
        print(
            f"{penalty:10} {path.n_features[best]:8} {hits[best]:13} {accuracy[best]:9.3f} "
            f"{path.seconds.sum():21.2f} {path.gaps.max():12.1e}"
        )
        for ax, values in ((left, accuracy), (right, hits)):
            # A path may drop features again; joined in its order, the curve shows that.
            ax.plot(path.n_features, values, ".-", color=colour, linewidth=1.2, markersize=4, label=penalty)
            ax.plot(path.n_features[best], values[best], "o", color=colour, markersize=9, alpha=0.8)

    left.set(xlabel="features kept", ylabel="accuracy on new rows", xlim=(-1, 60))
    right.set(xlabel="features kept", ylabel=f"true ones among them (of {TRUE})", xlim=(-1, 60))
    line = np.arange(TRUE + 1)
    right.plot(line, line, ":", color="grey", linewidth=1.0)
    right.annotate("all true", (TRUE, TRUE), textcoords="offset points", xytext=(6, -3), color="grey")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False, title="large dot: chosen", loc="lower right")
    picture.savefig(figure, dpi=120)
    print(f"figure: {figure}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "comparing_penalties.png")
