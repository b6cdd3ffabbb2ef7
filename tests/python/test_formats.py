"""Parquet and Arrow files as pyarrow and polars write them give the model that the same table gives as CSV."""

import importlib
import json
import os
import shlex
import subprocess

import numpy as np
import pytest

from program import BINARY


def needed(name):
    """A module; without it the tests are left out, but not in CI."""
    return importlib.import_module(name) if os.environ.get("CI") == "true" else pytest.importorskip(name)


pyarrow = needed("pyarrow")

import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

PARQUET = ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]
ROWS = 200


@pytest.fixture(scope="module")
def table():
    """Numbers of several types, with zeros, and a label in words."""
    random = np.random.default_rng(3)
    x = random.normal(size=(ROWS, 4)) * (random.random((ROWS, 4)) < 0.6)
    y = np.where(x @ [1.0, -1.0, 0.5, 0.0] + 0.3 * random.normal(size=ROWS) > 0, "up", "down")
    columns = {f"x{j}": x[:, j] for j in range(4)}
    columns["count"] = random.integers(-3, 3, ROWS).astype(np.int16)
    columns["flag"] = random.random(ROWS) < 0.5
    return pyarrow.table({"y": y, **columns})


@pytest.fixture(scope="module")
def expected(table, tmp_path_factory):
    """What the program says of the table as CSV."""
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    pyarrow.csv.write_csv(table, path)
    return told(path)


def run(path, *options, stdin=None):
    command = [str(BINARY), "train", str(path), "--label", "y", "--lambda", "0.1", "--json", "--no-model"]
    command += options
    return command, subprocess.run(command, capture_output=True, stdin=stdin)


def told(path, *options, stdin=None):
    """What --json says, but for times and names."""
    command, done = run(path, *options, stdin=stdin)
    assert done.returncode == 0, f"{done.stderr.decode()}\n{shlex.join(command)}"
    report = json.loads(done.stdout)
    return {key: report[key] for key in ("objective", "intercept", "nonzeros", "features", "samples", "status")}


def refused(path, *options):
    """The one line that says why not."""
    _, done = run(path, *options)
    text = done.stderr.decode()
    assert done.returncode == 1 and text.count("\n") == 1, text
    return text


@pytest.mark.parametrize("compression", PARQUET)
@pytest.mark.parametrize("rows", [17, ROWS])
def test_parquet(table, expected, tmp_path, compression, rows):
    pyarrow.parquet.write_table(table, tmp_path / "t", compression=compression, row_group_size=rows)
    assert told(tmp_path / "t") == expected


@pytest.mark.parametrize("version", ["1.0", "2.4", "2.6"])
@pytest.mark.parametrize("page", ["1.0", "2.0"])
def test_parquet_versions(table, expected, tmp_path, version, page):
    pyarrow.parquet.write_table(
        table, tmp_path / "t", version=version, data_page_version=page, write_page_checksum=True
    )
    assert told(tmp_path / "t") == expected


def test_parquet_encodings(table, expected, tmp_path):
    split = {name: "BYTE_STREAM_SPLIT" for name in ("x0", "x1")}
    split |= {"count": "DELTA_BINARY_PACKED", "y": "DELTA_BYTE_ARRAY"}
    pyarrow.parquet.write_table(table, tmp_path / "t", use_dictionary=False, column_encoding=split)
    assert told(tmp_path / "t") == expected


def test_dictionaries_and_wide_strings(table, expected, tmp_path):
    y = table.column("y")
    for column in (y.dictionary_encode(), y.cast(pyarrow.large_string()), y.cast(pyarrow.string_view())):
        other = table.set_column(0, "y", column)
        pyarrow.parquet.write_table(other, tmp_path / "t")
        assert told(tmp_path / "t") == expected
        pyarrow.feather.write_feather(other, tmp_path / "f", compression="uncompressed")
        assert told(tmp_path / "f") == expected


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_feather(table, expected, tmp_path, compression):
    pyarrow.feather.write_feather(table, tmp_path / "t", compression=compression, chunksize=33)
    assert told(tmp_path / "t") == expected


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_stream_from_a_pipe(table, expected, tmp_path, compression):
    options = pyarrow.ipc.IpcWriteOptions(compression=compression)
    with pyarrow.ipc.new_stream(tmp_path / "t", table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=33)
    with open(tmp_path / "t", "rb") as stream:
        assert told("-", stdin=stream) == expected


def test_parquet_from_a_pipe(table, expected, tmp_path):
    pyarrow.parquet.write_table(table, tmp_path / "t")
    with open(tmp_path / "t", "rb") as stream:
        assert told("-", stdin=stream) == expected


def test_nulls(table, expected, tmp_path):
    with_null = table.set_column(1, "x0", pyarrow.array([None, *table.column("x0").to_pylist()[1:]]))
    pyarrow.parquet.write_table(with_null, tmp_path / "t")
    assert "column x0 has 1 missing values, the first in row 1" in refused(tmp_path / "t")
    assert told(tmp_path / "t", "--missing", "drop-rows")["samples"] == expected["samples"] - 1


def test_other_types(table, expected, tmp_path):
    times = pyarrow.array(np.arange(ROWS), pyarrow.timestamp("us"))
    lists = pyarrow.array([[1, 2]] * ROWS)
    other = table.append_column("when", times).append_column("list", lists)
    for write in (pyarrow.parquet.write_table, pyarrow.feather.write_feather):
        write(other, tmp_path / "t")
        assert "column when is of type timestamp" in refused(tmp_path / "t")
        assert told(tmp_path / "t", "--drop", "when", "--drop", "list") == expected


def test_truncated(table, tmp_path):
    pyarrow.parquet.write_table(table, tmp_path / "t")
    whole = (tmp_path / "t").read_bytes()
    (tmp_path / "t").write_bytes(whole[: len(whole) // 2])
    assert "the Parquet data cannot be decoded" in refused(tmp_path / "t")


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_polars_parquet(table, expected, tmp_path, compression):
    polars = needed("polars")
    polars.from_arrow(table).write_parquet(tmp_path / "t", compression=compression, row_group_size=70)
    assert told(tmp_path / "t") == expected


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_polars_ipc(table, expected, tmp_path, compression):
    polars = needed("polars")
    polars.from_arrow(table).write_ipc(tmp_path / "t", compression=compression)
    assert told(tmp_path / "t") == expected
    polars.from_arrow(table).write_ipc_stream(tmp_path / "s", compression=compression)
    assert told(tmp_path / "s") == expected
