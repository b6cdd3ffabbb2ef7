"""The wheel in an environment that has nothing else."""

import os
import pathlib
import subprocess
import sys
import venv

import pytest

FIT = """
import numpy, sparsvm
X = numpy.random.default_rng(0).standard_normal((40, 10))
model = sparsvm.SparseSVC().fit(X, X[:, 0] > 0)
print(sparsvm.__file__, model.support_, model.status_)
"""


def test_installs_and_imports(tmp_path):
    folder = os.environ.get("SPARSVM_WHEELS")
    if folder is None:
        pytest.skip("there is no wheel: `make test` builds one")
    [wheel] = pathlib.Path(folder).glob("sparsvm-*.whl")
    assert "-abi3-" in wheel.name, "one wheel serves every CPython from 3.10 on"
    venv.create(tmp_path / "fresh", with_pip=True)
    python = tmp_path / "fresh" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    done = subprocess.run([python, "-c", FIT], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout and "[0] converged" in done.stdout
