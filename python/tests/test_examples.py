"""Every example runs as it is, and leaves its figure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sparsvm

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(script, tmp_path):
    pytest.importorskip("matplotlib")
    if script.stem == "gene_expression":
        pytest.importorskip("pandas")
    # The package that is tested here is the one to be used there, installed or not.
    surroundings = {**os.environ, "PYTHONPATH": str(Path(sparsvm.__file__).parent.parent)}
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=1_200
    )
    assert done.returncode == 0, done.stderr
    figure = tmp_path / f"{script.stem}.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert f"figure: {figure.name}" in done.stdout


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
    for script in EXAMPLES:
        assert len(script.read_text(encoding="utf-8").splitlines()) < 120, script
