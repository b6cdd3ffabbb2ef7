"""Finds λ by the number of features it keeps; remembers what it found in bench/out/lambdas.json."""

import json
import math

from harness import OUT, train

CACHE = OUT / "lambdas.json"
# As near as this share of the wanted number of features is near enough.
NEAR = 0.1
# A nonconvex count jumps: nearer than this in λ, there is nothing between.
FINE = 1.02


def lambda_for(path, features, *options, key=None):
    """A λ that keeps about so many features, by bisection of log λ with our own solver."""
    cache = json.loads(CACHE.read_text()) if CACHE.exists() else {}
    key = " ".join([key or path.name, *map(str, options), str(features)])
    if key not in cache:
        cache[key] = bisect(lambda lam: train(path, "--lambda", lam, *options)["nonzeros"], features)
        OUT.mkdir(exist_ok=True)
        CACHE.write_text(json.dumps(cache, indent=1))
    return cache[key]


def bisect(count, features):
    """Comes down from a strong penalty, so that no run keeps many more features than wanted."""
    low, high, best = None, 1.0, (math.inf, 1.0)
    while best[0] > NEAR * features and (low is None or high / low > FINE):
        lam = high / 2 if low is None else math.sqrt(low * high)
        found = count(lam)
        best = min(best, (abs(found - features), lam))
        if found < features:
            high = lam
        else:
            low = lam
    return best[1]
