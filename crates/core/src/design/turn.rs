//! Compressed rows that become compressed columns, of which a third is held twice at most: so many columns are made, their
//! entries leave the rows, which give that memory back, and so on.

use super::Compressed;
use super::compressed::Parts;
use super::storage::Values;
use super::transpose::Everything;

/// So many pieces. Each walks along all rows once more: three take 1.1 to 1.4 times as long as to make the columns beside the
/// rows, four 1.2 to 1.5 times.
const PIECES: usize = 3;

impl Compressed<'_> {
    /// True if all is ours to give back.
    pub(super) fn is_owned(&self) -> bool {
        let values_are = match &self.values {
            Values::F64(values) => values.is_owned(),
            Values::F32(values) => values.is_owned(),
        };
        self.starts.is_owned() && self.at.is_owned() && values_are
    }

    /// The same matrix compressed along the other axis; arrays that are not ours are copied first.
    pub(super) fn turned(self) -> Compressed<'static> {
        let Self { starts, at, values, across } = self;
        let (starts, at) = (starts.into_vec(), at.into_vec());
        match values {
            Values::F64(values) => turned(Shrinking { starts, at, values: values.into_vec(), across }),
            Values::F32(values) => turned(Shrinking { starts, at, values: values.into_vec(), across }),
        }
    }
}

fn turned<T>(mut rest: Shrinking<T>) -> Compressed<'static>
where
    T: Copy + Default + Into<f64> + Send + Sync + 'static,
    Vec<T>: Into<Values<'static>>,
{
    let (len, all) = (rest.starts.len() - 1, Everything(rest.across));
    let starts = rest.parts().starts_across(&all);
    let stored = rest.at.len();
    // Memory that is zero and not yet written takes no room.
    let (mut at, mut values) = (vec![0u32; stored], vec![T::default(); stored]);
    let mut from = 0;
    for piece in 1..=PIECES {
        let goal = (stored as u128 * piece as u128 / PIECES as u128) as usize;
        let to = if piece == PIECES {
            rest.across
        } else {
            starts.partition_point(|&start| start < goal).clamp(from, rest.across)
        };
        let entries = starts[from]..starts[to];
        let room = (&mut at[entries.clone()], &mut values[entries]);
        rest.parts().fill(&all, &starts, from..to, room);
        rest.drop_before(to);
        from = to;
    }
    Compressed { starts: starts.into(), at: at.into(), values: values.into(), across: len }
}

/// Rows whose first entries leave.
struct Shrinking<T> {
    starts: Vec<usize>,
    at: Vec<u32>,
    values: Vec<T>,
    across: usize,
}

impl<T: Copy> Shrinking<T> {
    fn parts(&self) -> Parts<'_, T>
    where
        T: Default + Into<f64> + Send + Sync + 'static,
        Vec<T>: Into<Values<'static>>,
    {
        Parts::new(&self.starts, &self.at, &self.values, self.across)
    }

    /// Lets entries at positions before this one go.
    fn drop_before(&mut self, position: usize) {
        let (mut kept, mut start) = (0, 0);
        for k in 0..self.starts.len() - 1 {
            let end = self.starts[k + 1];
            let from = start + self.at[start..end].partition_point(|&j| (j as usize) < position);
            self.at.copy_within(from..end, kept);
            self.values.copy_within(from..end, kept);
            self.starts[k] = kept;
            kept += end - from;
            start = end;
        }
        if let Some(last) = self.starts.last_mut() {
            *last = kept;
        }
        self.at.truncate(kept);
        self.values.truncate(kept);
        self.at.shrink_to_fit();
        self.values.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_been_made_gives_its_memory_back() {
        let mut rows = Shrinking {
            starts: vec![0, 2, 2, 5],
            at: vec![0, 3, 0, 1, 3],
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0],
            across: 4,
        };
        for (position, starts, at, values) in [
            (1, [0, 1, 1, 3], vec![3, 1, 3], vec![2.0, 4.0, 5.0]),
            (3, [0, 1, 1, 2], vec![3, 3], vec![2.0, 5.0]),
        ] {
            rows.drop_before(position);
            assert_eq!((&rows.starts[..], &rows.at, &rows.values), (&starts[..], &at, &values));
            assert_eq!((rows.at.capacity(), rows.values.capacity()), (at.len(), values.len()));
        }
    }

    proptest! {
        #[test]
        fn turned_rows_are_the_columns(
            rows in prop::collection::vec(prop::collection::btree_map(0..9u32, -1.0..1.0f64, 0..7), 0..8),
            is_narrow: bool,
        ) {
            let mut starts = vec![0];
            rows.iter().for_each(|row| starts.push(starts[starts.len() - 1] + row.len()));
            let at: Vec<u32> = rows.iter().flat_map(|row| row.keys().copied()).collect();
            let wide: Vec<f64> = rows.iter().flat_map(|row| row.values().copied()).collect();
            let values: Values<'static> = match is_narrow {
                true => wide.iter().map(|&x| x as f32).collect::<Vec<_>>().into(),
                false => wide.into(),
            };
            let rows = Compressed::new(starts, at, values, 9).unwrap();
            let columns = rows.transposed();
            prop_assert!(rows.is_owned());
            prop_assert_eq!(&rows.clone().turned(), &columns);
            prop_assert_eq!(&columns.turned(), &rows);
            let Compressed { starts, at, values, across } = &rows;
            let lent = Compressed::new(&starts[..], &at[..], values.clone(), *across).unwrap();
            prop_assert!(!lent.is_owned());
            prop_assert_eq!(lent.turned(), rows.transposed());
        }
    }
}
