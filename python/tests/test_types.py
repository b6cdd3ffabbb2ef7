"""The types: strict in the package, and the stubs as the native module is."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "command", [["mypy", "--config-file", "pyproject.toml", "--strict"], ["mypy.stubtest", "sparsvm._core"]]
)
def test_types(command, tmp_path):
    pytest.importorskip("mypy")
    cache = [] if "stubtest" in command[0] else ["--cache-dir", str(tmp_path)]
    # The stubs are compared with the installed module, which the source's folder would hide.
    folder = tmp_path if "stubtest" in command[0] else FOLDER
    run = [sys.executable, "-m", *command, *cache]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
