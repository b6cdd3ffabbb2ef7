//! Confusion, ROC and precision-recall of decision values on rows that were held out.

use sparsvm_core::select::Score;

use super::run::HeldOut;

/// So many points of a curve are kept: more cannot be told apart.
const POINTS: usize = 400;

/// From decision values, one for each row of ±1 labels `y`; rows without one are left out. Nothing if a class has
/// no row: then there are no curves.
pub(super) fn held_out(decisions: &[Option<f64>], y: &[f64], classes: &[String]) -> Option<HeldOut> {
    let [negative, positive] = classes else { return None };
    let (s, y): (Vec<f64>, Vec<f64>) = decisions.iter().zip(y).filter_map(|(s, y)| s.zip(Some(*y))).unzip();
    let mut confusion = [[0; 2]; 2];
    for (s, y) in s.iter().zip(&y) {
        confusion[usize::from(*y > 0.0)][usize::from(*s > 0.0)] += 1;
    }
    let [negatives, positives] = confusion.map(|row: [usize; 2]| row[0] + row[1]);
    if negatives == 0 || positives == 0 {
        return None;
    }
    let steps = steps(&s, &y);
    let gained = steps.windows(2).map(|pair| {
        let [(_, before), (fp, tp)] = [pair[0], pair[1]];
        (tp - before) as f64 / positives as f64 * (tp as f64 / (tp + fp) as f64)
    });
    Some(HeldOut {
        told: String::new(),
        classes: [negative.clone(), positive.clone()],
        confusion,
        auc: Score::Auc.of(&s, &y),
        average_precision: Some(gained.sum()),
        curve: thinned(&steps),
    })
}

/// False and true positives at each threshold, from (0, 0) down to all rows; ties are one step.
fn steps(s: &[f64], y: &[f64]) -> Vec<(usize, usize)> {
    let mut ranked: Vec<(f64, bool)> = s.iter().zip(y).map(|(s, y)| (*s, *y > 0.0)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut steps = vec![(0, 0)];
    let (mut fp, mut tp) = (0, 0);
    for tied in ranked.chunk_by(|a, b| a.0 == b.0) {
        let found = tied.iter().filter(|(_, positive)| *positive).count();
        (fp, tp) = (fp + tied.len() - found, tp + found);
        steps.push((fp, tp));
    }
    steps
}

/// Evenly spaced ones, if there are too many; the first and the last with them.
fn thinned(steps: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let last = steps.len().saturating_sub(1);
    match last < POINTS {
        true => steps.to_vec(),
        false => (0..POINTS).map(|k| steps[k * last / (POINTS - 1)]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let s = [Some(2.0), Some(1.0), None, Some(0.5), Some(0.5), Some(-1.0)];
        let y = [1.0, -1.0, 1.0, 1.0, -1.0, -1.0];
        let classes = ["no".to_owned(), "yes".to_owned()];
        let found = held_out(&s, &y, &classes).unwrap();
        assert_eq!(found.confusion, [[1, 2], [0, 2]]);
        assert_eq!(found.curve, [(0, 0), (0, 1), (1, 1), (2, 2), (3, 2)]);
        // Precision 1 for the first half of the recall, 2/4 for the second.
        assert!((found.average_precision.unwrap() - (0.5 + 0.25)).abs() < 1e-15);
        // Of 6 pairs: 2 beats all 3; 0.5 loses to 1, ties once, wins once.
        assert!((found.auc.unwrap() - 4.5 / 6.0).abs() < 1e-15);
        assert!(held_out(&[Some(1.0)], &[1.0], &classes).is_none());
    }

    #[test]
    fn long_curves_keep_their_ends() {
        let steps: Vec<(usize, usize)> = (0..5000).map(|k| (k, k)).collect();
        let few = thinned(&steps);
        assert_eq!((few.len(), few[0], few[POINTS - 1]), (POINTS, (0, 0), (4999, 4999)));
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
