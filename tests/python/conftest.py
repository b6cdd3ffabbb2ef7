"""Loaded before any test: the oracles' small matrices are slower on several threads than on one."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
