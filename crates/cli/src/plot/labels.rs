//! Names at the lines' ends, none over another.

/// Places for labels that want to be at `wanted` (ascending), at least `gap` apart and within `low..high`,
/// moved as little as possible (least squares: an isotonic regression).
pub(super) fn spread(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    // With the gaps taken out, the places need only ascend: neighbours that do not are pooled.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (k, want) in wanted.iter().enumerate() {
        let mut pool = (want - k as f64 * gap, 1);
        while let Some(&(before, count)) = pools.last() {
            if before <= pool.0 {
                break;
            }
            pools.pop();
            let all = count + pool.1;
            pool = ((before * count as f64 + pool.0 * pool.1 as f64) / all as f64, all);
        }
        pools.push(pool);
    }
    let room = high - gap * wanted.len().saturating_sub(1) as f64;
    let places = pools.iter().flat_map(|&(place, count)| std::iter::repeat_n(place, count));
    places.enumerate().map(|(k, place)| place.min(room).max(low) + k as f64 * gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_inside() {
        assert_eq!(spread(&[0.0, 50.0], 10.0, (0.0, 100.0)), [0.0, 50.0]);
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, (0.0, 100.0)), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[1.0, 1.0, 99.0, 100.0], 10.0, (0.0, 100.0)), [0.0, 10.0, 90.0, 100.0]);
        assert!(spread(&[], 10.0, (0.0, 1.0)).is_empty());
    }
}
