//! How far the coefficients of a better point can reach: the box in which the search begins.
//!
//! A bounded penalty bounds nothing, so the first box is the horizon, far beyond any sensible coefficient.
//! If the loss alone exceeds F_best on every face of it, then, the loss being convex and not above F_best at
//! the incumbent inside, no point outside is better either: the box is proved for all of space. Otherwise (the
//! classes can be separated) the proof is for coefficients up to the horizon, and says so. Then each interval
//! is shortened from its ends by Newton's method on the value function of that coefficient.

use super::cost::Cost;
use super::relax::{self, Bound, Boxes};
use super::scaled::Scaled;
use super::simplex::Simplex;

/// The horizon, in units of coefficients of columns whose largest entry is about 1.
const HORIZON: f64 = 1e4;
/// And at least so many times the incumbent's own coefficient.
const BEYOND: f64 = 100.0;
/// Rounds over all intervals: shorter ones have steeper envelopes, which shorten the others.
const ROUNDS: usize = 4;
/// Newton steps for one end of an interval.
const STEPS: usize = 12;
/// An end that moves by less than this, relative to the interval, is done.
const PROGRESS: f64 = 0.02;

/// Where the search begins.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) boxes: Boxes,
    /// True if no point outside the boxes is better than the incumbent; else that is known up to the horizon.
    pub(super) everywhere: bool,
    /// True if no point inside is below the cutoff.
    pub(super) empty: bool,
}

/// The box without any proof: as far as the penalty alone allows, and at most to the horizon.
pub(super) fn horizon(data: &Scaled<'_>, incumbent: &[f64], best: f64) -> (Boxes, Vec<bool>) {
    let mut open = vec![false; data.d];
    let mut boxes: Boxes = (0..data.d)
        .map(|j| {
            if data.force[j] == 0.0 {
                return [0.0, 0.0];
            }
            let far = HORIZON.max(BEYOND * incumbent[j].abs());
            let priced = data.exceeding(j, best);
            open[j] = priced > far;
            let end = priced.min(far);
            [-end, end]
        })
        .collect();
    boxes.push(intercept(data, &boxes));
    (boxes, open)
}

/// For every w in the box some best b is here: at a kink of the loss, |b| ≤ 1 + |x_iᵀw|.
fn intercept(data: &Scaled<'_>, boxes: &[[f64; 2]]) -> [f64; 2] {
    if !data.intercept {
        return [0.0, 0.0];
    }
    let mut scores = vec![1.0; data.n];
    for (j, [low, high]) in boxes.iter().enumerate().take(data.d) {
        let furthest = low.abs().max(high.abs());
        scores.iter_mut().zip(data.column(j)).for_each(|(score, h)| *score += h.abs() * furthest);
    }
    let most = scores.iter().fold(0.0f64, |most, score| most.max(*score)) * (1.0 + 1e-9);
    [-most, most]
}

/// Finds the box. `stop` ends the work early: intervals are then longer, and still right.
pub(super) fn reach(
    data: &Scaled<'_>,
    incumbent: &[f64],
    best: f64,
    cutoff: f64,
    simplex: &mut Simplex,
    stop: &mut dyn FnMut() -> bool,
) -> Reach {
    let (mut boxes, open) = horizon(data, incumbent, best);
    let everywhere = faces_are_worse(data, &boxes, &open, best, simplex, stop);
    for _ in 0..ROUNDS {
        let before: f64 = width(&boxes);
        for j in 0..data.d {
            for upper in [true, false] {
                if stop() {
                    return Reach { boxes, everywhere, empty: false };
                }
                if !shorten(data, &mut boxes, j, upper, cutoff, simplex) {
                    return Reach { boxes, everywhere, empty: true };
                }
            }
        }
        let [low, high] = intercept(data, &boxes);
        boxes[data.d] = [boxes[data.d][0].max(low), boxes[data.d][1].min(high)];
        if width(&boxes) > 0.9 * before {
            break;
        }
    }
    Reach { boxes, everywhere, empty: false }
}

fn width(boxes: &Boxes) -> f64 {
    boxes.iter().map(|[low, high]| (high - low).ln_1p()).sum()
}

/// True if the loss alone is above `best` wherever an open coefficient is at its horizon.
fn faces_are_worse(
    data: &Scaled<'_>,
    boxes: &Boxes,
    open: &[bool],
    best: f64,
    simplex: &mut Simplex,
    stop: &mut dyn FnMut() -> bool,
) -> bool {
    let free = |j: usize, [low, high]: [f64; 2]| {
        Cost::chord(low, high, 0.0, 2.0 * data.force[j] + f64::MIN_POSITIVE)
    };
    let mut face = boxes.clone();
    for j in (0..data.d).filter(|&j| open[j]) {
        for end in boxes[j] {
            face[j] = [end, end];
            face.iter().enumerate().for_each(|(k, interval)| simplex.set_cost(k, free(k, *interval)));
            simplex.minimise();
            let beta = simplex.multipliers(&data.caps);
            if !(Bound::of_loss(data, &face, &beta) > best) || stop() {
                return false;
            }
        }
        face[j] = boxes[j];
    }
    true
}

/// Moves one end of an interval in; false if nothing is left of the interval.
fn shorten(
    data: &Scaled<'_>,
    boxes: &mut Boxes,
    j: usize,
    upper: bool,
    cutoff: f64,
    simplex: &mut Simplex,
) -> bool {
    for _ in 0..STEPS {
        let interval = boxes[j];
        let length = interval[1] - interval[0];
        if length == 0.0 {
            break;
        }
        let end = interval[usize::from(upper)];
        boxes[j] = [end, end];
        relax::solve(data, boxes, simplex);
        let beta = simplex.multipliers(&data.caps);
        let bound = Bound::new(data, boxes, &beta);
        boxes[j] = interval;
        match bound.allowed(data, j, cutoff, interval) {
            None => return false,
            Some(cut) => boxes[j] = cut,
        }
        if boxes[j][1] - boxes[j][0] > (1.0 - PROGRESS) * length {
            break;
        }
    }
    true
}
