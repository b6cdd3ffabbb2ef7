//! Sparse matrices as scipy.sparse.save_npz writes them: compressed rows or columns, or coordinates.

use sparsvm_core::Dataset;

use super::dense::Beside;
use super::npy::Place;
use super::npz::Archive;
use crate::compression::Compression;
use crate::matrix::{ENTRY_BYTES, Entries, Sides};
use crate::{ReadError, ReadOptions};

/// Reads a data set.
pub(crate) fn read(
    archive: &mut Archive<'_>,
    beside: Beside,
    options: &ReadOptions,
) -> Result<Dataset, ReadError> {
    let limit = options.memory_limit;
    let name = archive.name();
    let place = Place { file: name, key: None, compression: Compression::Plain };
    let format = archive.must("format")?.scalar()?;
    let shape = archive.must("shape")?.integers(limit, Some, "a size")?;
    let &[rows, cols] = &shape[..] else {
        return Err(place.fault(format!("a matrix has two sides, but the shape has {}", shape.len())));
    };
    let sides = Sides::new(name, rows, cols, limit)?;
    let entries = match format.as_str() {
        "csr" | "csc" => {
            let by_rows = format == "csr";
            let (major, minor) = if by_rows { (sides.rows, sides.cols) } else { (sides.cols, sides.rows) };
            let values = values(archive, sides, limit)?;
            let starts =
                archive.must("indptr")?.integers(limit, |start| usize::try_from(start).ok(), "a place")?;
            let inner = below(archive, "indices", minor, limit)?;
            let ascending = starts.windows(2).all(|pair| pair[0] <= pair[1]);
            let whole = starts.first() == Some(&0) && starts.last() == Some(&inner.len());
            if starts.len() != major + 1 || !ascending || !whole {
                return Err(place.fault(format!(
                    "indptr does not fit the shape ({rows}, {cols}) and {} indices: save the matrix again",
                    inner.len()
                )));
            }
            let outer = spread(&starts, values.len());
            let (rows, columns) = if by_rows { (outer, inner) } else { (inner, outer) };
            Entries { rows, columns, values }
        }
        "coo" => {
            let values = values(archive, sides, limit)?;
            let (rows, columns) = match archive.has("coords") {
                true => coords(archive, sides, limit)?,
                false => {
                    let rows = below(archive, "row", sides.rows, limit)?;
                    (rows, below(archive, "col", sides.cols, limit)?)
                }
            };
            Entries { rows, columns, values }
        }
        other => {
            let other = crate::quote::quoted(other.as_bytes());
            let what = format!("sparse matrices of the format {other} are not read: save it as x.tocsr()");
            return Err(place.fault(what));
        }
    };
    if entries.rows.len() != entries.values.len() || entries.columns.len() != entries.values.len() {
        return Err(place.fault("there is not one index for each value: save the matrix again"));
    }
    entries.into_data(name, sides, beside, options)
}

/// The values, if there is memory for them and for their places.
fn values(archive: &mut Archive<'_>, sides: Sides, limit: Option<u64>) -> Result<Vec<f64>, ReadError> {
    let array = archive.must("data")?;
    let places = array.len()?.saturating_mul(ENTRY_BYTES);
    sides.check_memory(array.place.file, places, limit)?;
    array.numbers(limit)
}

/// Indices below a bound.
fn below(
    archive: &mut Archive<'_>,
    key: &str,
    bound: usize,
    limit: Option<u64>,
) -> Result<Vec<u32>, ReadError> {
    let inside = |index: u64| u32::try_from(index).ok().filter(|&index| (index as usize) < bound);
    archive.must(key)?.integers(limit, inside, &format!("an index from 0 to {}", bound.saturating_sub(1)))
}

/// Rows and columns of entries in one array, as SciPy saves them for more than two dimensions.
fn coords(
    archive: &mut Archive<'_>,
    sides: Sides,
    limit: Option<u64>,
) -> Result<(Vec<u32>, Vec<u32>), ReadError> {
    let array = archive.must("coords")?;
    let place = Place { file: array.place.file, key: None, compression: Compression::Plain };
    let mut rows = array.pair()?.integers(limit, |index| u32::try_from(index).ok(), "an index")?;
    let columns = rows.split_off(rows.len() / 2);
    let inside = |indices: &[u32], bound: usize| indices.iter().all(|&index| (index as usize) < bound);
    if !inside(&rows, sides.rows) || !inside(&columns, sides.cols) {
        return Err(place.fault("coords lie outside the shape: save the matrix again"));
    }
    Ok((rows, columns))
}

/// The vector of each entry, given where vectors start.
fn spread(starts: &[usize], count: usize) -> Vec<u32> {
    let mut outer = Vec::with_capacity(count);
    for (k, pair) in starts.windows(2).enumerate() {
        outer.resize(outer.len() + pair[1] - pair[0], k as u32);
    }
    outer
}
