"""Writes the seeds that other programs make: compressed text, arrays of NumPy and SciPy, Matrix Market, Parquet, Arrow.

Needs numpy, scipy and pyarrow. The seeds lie in the repository, so that this is run only to add some. Texts, models
and .spv files are written by hand or by sparsvm itself.
"""

import bz2
import gzip
import io
import lzma
import pathlib
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import scipy.io
import scipy.sparse

SEEDS = pathlib.Path(__file__).parent / "seeds"
TEXT = b"1 1:0.5 3:-2\n-1 2:1e-3 # comment\n1 1:1\n"
TABLE = b"label,a,b\nyes,1,0\nno,2.5,-3\n"
X = np.array([[0.5, 0.0, -2.0], [0.0, 1e-3, 0.0], [1.0, 0.0, 0.0], [3.0, 4.0, 0.25]])
Y = np.array([1, -1, 1, -1])


def put(target, name, content):
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def saved(save, *arrays, **named):
    into = io.BytesIO()
    save(into, *arrays, **named)
    return into.getvalue()


def compressed():
    zstd = lambda text: pa.compress(text, codec="zstd", asbytes=True)
    for name, text in [("text", TEXT), ("table.csv", TABLE), ("long", TEXT * 40)]:
        put("compressed", f"{name}.gz", gzip.compress(text, mtime=0))
        put("compressed", f"{name}.bz2", bz2.compress(text, 1))
        put("compressed", f"{name}.xz", lzma.compress(text, preset=0))
        put("compressed", f"{name}.zst", zstd(text))
    put("compressed", "crc32.xz", lzma.compress(TEXT, check=lzma.CHECK_CRC32, preset=0))
    put("compressed", "two.gz", gzip.compress(TEXT, mtime=0) * 2)
    put("compressed", "two.xz", lzma.compress(TEXT, preset=0) * 2)
    put("compressed", "skippable.zst", b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstd(TEXT))
    put("compressed", "plain", TEXT)


def numpy_arrays():
    labelled = np.column_stack([X, Y])
    for name, array in [
        ("f8", labelled),
        ("f4", labelled.astype("<f4")),
        ("f2", labelled.astype("<f2")),
        ("big", labelled.astype(">f8")),
        ("fortran", np.asfortranarray(labelled)),
        ("i4", labelled.astype("<i4")),
        ("u1", np.abs(labelled).astype("u1")),
        ("bool", labelled > 0),
    ]:
        put("npy", name, saved(np.save, array))
    put("npz", "dense", saved(np.savez, X=X, y=Y))
    put("npz", "dense-deflated", saved(np.savez_compressed, X=X, y=Y))
    put("npz", "named", saved(np.savez, X=X, y=np.array(["a", "b", "a", "b"]), feature_names=np.array(["u", "v", "w"])))
    for kind in ["csr", "csc", "coo", "bsr", "dia"]:
        matrix = scipy.sparse.csr_array(X).asformat(kind)
        name = kind if kind in ("csr", "csc", "coo") else f"bad-{kind}"
        put("npz", name, saved(scipy.sparse.save_npz, matrix, compressed=False))
    put("npz", "csr-deflated", saved(scipy.sparse.save_npz, scipy.sparse.csr_array(X)))
    with_labels = io.BytesIO(saved(scipy.sparse.save_npz, scipy.sparse.csr_array(X), compressed=False))
    with zipfile.ZipFile(with_labels, "a") as archive:
        archive.writestr(zipfile.ZipInfo("y.npy"), saved(np.save, Y))
    put("npz", "csr-labelled", with_labels.getvalue())


def matrix_market():
    for name, matrix in [("coordinate", scipy.sparse.coo_array(X)), ("array", X), ("integer", X.astype(int))]:
        put("mtx", name, saved(scipy.io.mmwrite, matrix))
    square = X[:3].T @ X[:3]
    put("mtx", "symmetric", saved(scipy.io.mmwrite, scipy.sparse.coo_array(square), symmetry="symmetric"))
    put("mtx", "pattern", saved(scipy.io.mmwrite, scipy.sparse.coo_array(X != 0), field="pattern"))
    skew = np.array([[0, 1.5, 0], [-1.5, 0, 2], [0, -2, 0]])
    put("mtx", "skew", saved(scipy.io.mmwrite, scipy.sparse.coo_array(skew), symmetry="skew-symmetric"))
    put("mtx", "comments", b"%%MatrixMarket matrix coordinate real general\n% one\n\n2 3 2\n1 1 0.5\n2 3 -1e3\n")


def tables():
    plain = pa.table({"label": ["yes", "no", "yes"], "a": [1.0, 0.0, 2.5], "n": pa.array([1, -2, 3], pa.int16())})
    mixed = pa.table(
        {
            "label": pa.array([1, 0, 1], pa.int64()),
            "gap": pa.array([1.5, None, 0.25], pa.float32()),
            "flag": [True, False, True],
            "color": pa.array(["red", "blue", "red"]).dictionary_encode(),
            "big": pa.array([1, 2, 2**63], pa.uint64()),
        }
    )
    for name, table in [("plain", plain), ("mixed", mixed)]:
        for codec in ["none", "snappy", "gzip", "zstd", "lz4"] if name == "plain" else ["snappy"]:
            parquet = saved(lambda into, t: pa.parquet.write_table(t, into, compression=codec, store_schema=False), table)
            put("parquet", f"{name}-{codec}", parquet)
        split = saved(
            lambda into, t: pa.parquet.write_table(
                t, into, row_group_size=2, use_dictionary=False, data_page_version="2.0", store_schema=False
            ),
            table,
        )
        put("parquet", f"{name}-v2", split)
        for codec in ["uncompressed", "lz4", "zstd"]:
            feather = saved(lambda into, t: pa.feather.write_feather(t, into, compression=codec), table)
            put("arrow", f"{name}-{codec}", feather)
        into = io.BytesIO()
        with pa.ipc.new_stream(into, table.schema) as stream:
            stream.write_table(table, max_chunksize=2)
        put("arrow", f"{name}-stream", into.getvalue())


if __name__ == "__main__":
    compressed()
    numpy_arrays()
    matrix_market()
    tables()
