//! Whatever happens to a file on the way is seen.

use proptest::prelude::*;
use sparsvm_core::design::Width;

use super::super::layout::{HEADER_BYTES, Layout};
use super::{Place, bytes_of, small};

/// The part of the file that a byte belongs to, as errors name it.
fn part_of(layout: &Layout, at: usize) -> &'static str {
    let at = at as u64;
    let inside = |s: &&super::super::layout::Section| (s.offset..s.offset + s.padded()).contains(&at);
    match layout.sections.iter().find(inside) {
        Some(section) => section.kind.name(),
        None if at < HEADER_BYTES as u64 => "header",
        None => "index",
    }
}

#[test]
fn every_changed_byte_is_found_where_it_is() {
    let place = Place::new();
    for width in [Width::F64, Width::F32] {
        let whole = bytes_of(&small(), width);
        let layout = Layout::read(&whole).unwrap();
        assert!(place.read(&whole).is_ok());
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            let fault = place.fault(&changed);
            assert!(fault.contains("x.spv"), "{fault}");
            assert!(fault.contains("convert the original data again"), "byte {at}: {fault}");
            // Bytes 8 to 11 are the version.
            let part = if (8..12).contains(&at) { "version" } else { part_of(&layout, at) };
            assert!(fault.contains(part), "byte {at} is in {part}: {fault}");
        }
    }
}

#[test]
fn every_cut_and_every_extra_byte_is_found() {
    let place = Place::new();
    let whole = bytes_of(&small(), Width::F32);
    for len in 0..whole.len() {
        let fault = place.fault(&whole[..len]);
        assert!(fault.contains("x.spv") && fault.contains("cut short"), "{len}: {fault}");
        if len >= HEADER_BYTES {
            assert!(fault.contains(&format!("has {len} bytes")), "{fault}");
        }
    }
    assert!(place.fault(&[&whole[..], &[0]].concat()).contains("end of the file"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn many_changes_are_found(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..20), wide in any::<bool>(),
    ) {
        let whole = bytes_of(&small(), if wide { Width::F64 } else { Width::F32 });
        let mut changed = whole.clone();
        for (at, mask) in changes {
            changed[at.index(whole.len())] ^= mask;
        }
        prop_assume!(changed != whole);
        prop_assert!(Place::new().read(&changed).is_err());
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000), begin in any::<bool>()) {
        let mut bytes = bytes;
        if begin {
            bytes.splice(0..0, bytes_of(&small(), Width::F64)[..16].to_vec());
        }
        prop_assert!(Place::new().read(&bytes).is_err());
    }
}
