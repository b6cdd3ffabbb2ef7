//! Mapped files. Random bytes would fail at the first checksum, so that each file is tried twice: as it is, and with
//! right checksums over what it holds.

use sparsvm_data::spv::Map;
use twox_hash::XxHash3_64;

use crate::holds;

/// Where the header's numbers stand; docs/format.md has them.
const HEADER: usize = 512;
const HEADER_SUM: usize = 504;
const INDEX: usize = 64;
const SECTIONS: usize = 72;
const TABLE: usize = 96;
const ENTRY: usize = 32;
const BLOCK: usize = 1 << 20;

/// A file, as it is and sealed.
pub(crate) fn spv(bytes: &[u8]) -> bool {
    let taken = check(bytes);
    taken | sealed(bytes).is_some_and(|sealed| check(&sealed))
}

fn check(bytes: &[u8]) -> bool {
    let map = match Map::from_bytes(bytes, holds::NAME) {
        Ok(map) => map,
        Err(fault) => {
            holds::read_error(&fault);
            return false;
        }
    };
    let about = map.about();
    let Some(data) = holds::sound(map.into_dataset()) else { return false };
    let x = data.design();
    assert_eq!((about.rows, about.columns, about.entries), (x.rows(), x.cols(), x.stored()));
    let mut file = Vec::new();
    assert!(sparsvm_data::spv::write(&data, about.width, &mut file).is_ok(), "cannot be written");
    assert_eq!(file, bytes, "another file is written");
    true
}

/// The same file with right checksums, if its header says where they stand.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut file = bytes.to_vec();
    let sum = XxHash3_64::oneshot(file.get(..HEADER_SUM)?);
    file.get_mut(HEADER_SUM..HEADER)?.copy_from_slice(&sum.to_le_bytes());
    let mut index = Vec::new();
    for k in 0..file[SECTIONS].min(10) as usize {
        let (offset, length) =
            (number(&file, TABLE + k * ENTRY + 8)?, number(&file, TABLE + k * ENTRY + 16)?);
        let end = offset.checked_add(length.checked_next_multiple_of(64)?)?;
        for block in file.get(offset..end)?.chunks(BLOCK) {
            index.extend(XxHash3_64::oneshot(block).to_le_bytes());
        }
    }
    index.extend(XxHash3_64::oneshot_with_seed(sum, &index).to_le_bytes());
    file.truncate(number(&file, INDEX)?);
    file.extend(index);
    Some(file)
}

fn number(file: &[u8], at: usize) -> Option<usize> {
    let eight = file.get(at..)?.first_chunk()?;
    usize::try_from(u64::from_le_bytes(*eight)).ok()
}
