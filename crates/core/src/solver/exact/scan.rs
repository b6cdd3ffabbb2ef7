//! Looks over all features, some at a time. Next to none of them are of interest, so the usual run of features is told by one
//! branch: a branch for each took half of the time of a path on 44 × 7,129 numbers.

use pulp::Arch;

/// Features that are told together.
const RUN: usize = 32;

/// The positions, ascending, at which a test of some columns of numbers holds.
#[inline(always)]
pub(super) fn positions<const N: usize>(
    columns: [&[f64]; N],
    test: impl Fn([f64; N]) -> bool + Copy,
) -> Vec<usize> {
    let mut found = Vec::new();
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let length = columns.iter().map(|column| column.len()).min().unwrap_or(0);
            let mut from = 0;
            while from + RUN <= length {
                let runs = columns.map(|column| &column[from..from + RUN]);
                let mut count = 0u64;
                for k in 0..RUN {
                    count += u64::from(test(runs.map(|run| run[k])));
                }
                if count > 0 {
                    found.extend((0..RUN).filter(|&k| test(runs.map(|run| run[k]))).map(|k| from + k));
                }
                from += RUN;
            }
            found.extend((from..length).filter(|&k| test(columns.map(|column| column[k]))));
        },
    );
    found
}

/// The largest |x|, of the finite ones alone; 0 if there is none.
pub(super) fn largest_finite(numbers: &[f64]) -> f64 {
    let mut most = [0.0f64; RUN];
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let larger = |most: &mut f64, x: &f64| {
                let size = x.abs();
                *most = if size > *most && size < f64::INFINITY { size } else { *most };
            };
            let (runs, rest) = numbers.as_chunks::<RUN>();
            for run in runs {
                most.iter_mut().zip(run).for_each(|(most, x)| larger(most, x));
            }
            most.iter_mut().zip(rest).for_each(|(most, x)| larger(most, x));
        },
    );
    most.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, k: f64) -> Vec<f64> {
        (0..n).map(|i| (k * i as f64).sin()).collect()
    }

    #[test]
    fn positions_are_those_of_one_look_each() {
        for n in [0, 1, RUN - 1, RUN, RUN + 1, 5 * RUN + 7] {
            let (mut left, mut right) = (wave(n, 1.1), wave(n, 0.3));
            for limit in [0.2, 0.9, 1.5, 3.0] {
                let one = |k: &usize| left[*k].abs() + right[*k] > limit;
                let each: Vec<usize> = (0..n).filter(one).collect();
                assert_eq!(positions([&left, &right], |[l, r]| l.abs() + r > limit), each, "{n} {limit}");
            }
            // What is no number is left to the test.
            if n > 0 {
                (left[n / 2], right[n / 2]) = (f64::NAN, f64::INFINITY);
                assert_eq!(positions([&left, &right], |[l, _]| l.is_nan()), [n / 2]);
                assert_eq!(positions([&left, &right], |[_, r]| r == f64::INFINITY), [n / 2]);
            }
        }
    }

    #[test]
    fn the_largest_is_finite() {
        for n in [1, RUN - 1, RUN, 5 * RUN + 7] {
            let mut numbers = wave(n, 0.7);
            numbers[n - 1] = -1.5;
            assert_eq!(largest_finite(&numbers), 1.5);
            numbers[n - 1] = f64::NEG_INFINITY;
            assert_eq!(largest_finite(&numbers), wave(n - 1, 0.7).iter().fold(0.0, |m, x| x.abs().max(m)));
        }
        assert_eq!([largest_finite(&[]), largest_finite(&[f64::INFINITY, f64::NAN])], [0.0; 2]);
    }
}
