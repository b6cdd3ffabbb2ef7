//! How far the coefficients of a better point can reach: the box in which the search begins.
//!
//! A bounded penalty bounds nothing, so the first box is the horizon, far beyond any sensible coefficient.
//! If the loss alone exceeds F_best on every face of it, then, the loss being convex and not above F_best at
//! the incumbent inside, no point outside is better either: the box is proved for all of space. Otherwise (the
//! classes can be separated) the proof is for coefficients up to the horizon, and says so. Then each interval
//! is shortened from its ends by Newton's method on the value function of that coefficient.

use super::cost::Cost;
use super::incumbent::Incumbent;
use super::relax::{self, Bound, Boxes};
use super::scaled::Scaled;
use super::simplex::Simplex;
use super::watch::Watch;

/// The horizon, in units of coefficients of columns whose largest entry is about 1.
const HORIZON: f64 = 1e5;
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
    /// No point of it but these can be below the cutoff; `None` if no point can.
    pub(super) boxes: Option<Boxes>,
    /// True if nor can any point outside; else that is not known of points beyond the horizon.
    pub(super) everywhere: bool,
}

/// The horizon around a point.
pub(super) fn horizon(data: &Scaled<'_>, w: &[f64]) -> Boxes {
    let far = |j: usize| if data.force[j] == 0.0 { 0.0 } else { HORIZON.max(BEYOND * w[j].abs()) };
    let mut boxes: Boxes = (0..data.d).map(far).map(|far| [-far, far]).collect();
    boxes.push(intercept(data, &boxes));
    boxes
}

/// Shortens intervals to where the penalty alone reaches `best`; tells which ones that leaves as they are.
fn price(data: &Scaled<'_>, best: f64, boxes: &mut Boxes) -> Vec<bool> {
    let mut open = vec![false; data.d];
    for (j, [low, high]) in boxes.iter_mut().enumerate().take(data.d) {
        let priced = data.exceeding(j, best);
        open[j] = priced > *high;
        (*low, *high) = (low.max(-priced), high.min(priced));
    }
    boxes[data.d] = intercept(data, boxes);
    open
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

/// Finds the box for points that are better than the incumbent by the share `tol`. Stopped early, it is
/// larger, and still right.
pub(super) fn reach(
    data: &Scaled<'_>,
    incumbent: &Incumbent<'_>,
    tol: f64,
    simplex: &mut Simplex,
    watch: &mut Watch<'_>,
) -> Reach {
    watch.phase("bounding the coefficients");
    let best = incumbent.objective;
    let mut boxes = horizon(data, &incumbent.w);
    let open = price(data, best, &mut boxes);
    let mut stop = || watch.stopped() || watch.step(incumbent);
    let everywhere = faces_are_worse(data, &boxes, &open, best, simplex, &mut stop);
    let mut finder = Shortener { data, cutoff: best * (1.0 - tol), simplex };
    for _ in 0..ROUNDS {
        let before = width(&boxes);
        for j in 0..data.d {
            if stop() {
                return Reach { boxes: Some(boxes), everywhere };
            }
            if !(finder.shorten(&mut boxes, j, true) && finder.shorten(&mut boxes, j, false)) {
                return Reach { boxes: None, everywhere };
            }
        }
        let [low, high] = intercept(data, &boxes);
        boxes[data.d] = [boxes[data.d][0].max(low), boxes[data.d][1].min(high)];
        if width(&boxes) > 0.9 * before {
            break;
        }
    }
    Reach { boxes: Some(boxes), everywhere }
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
    for j in (0..data.d).filter(|&j| open[j] && boxes[j][1] > 0.0) {
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

/// Moves ends of intervals in, as far as a cutoff allows.
struct Shortener<'a> {
    data: &'a Scaled<'a>,
    cutoff: f64,
    simplex: &'a mut Simplex,
}

impl Shortener<'_> {
    /// One end of one interval; false if nothing is left of it. The best F with coefficient j held at the end
    /// is a convex function of where that is: its tangent there says how far in it is still too high.
    fn shorten(&mut self, boxes: &mut Boxes, j: usize, upper: bool) -> bool {
        for _ in 0..STEPS {
            let interval = boxes[j];
            let length = interval[1] - interval[0];
            let end = interval[usize::from(upper)];
            boxes[j] = [end, end];
            relax::solve(self.data, boxes, self.simplex);
            let beta = self.simplex.multipliers(&self.data.caps);
            boxes[j] = interval;
            let bound = Bound::new(self.data, boxes, &beta);
            match bound.allowed(self.data, j, self.cutoff, interval) {
                None => return false,
                Some(cut) => boxes[j] = cut,
            }
            if boxes[j][1] - boxes[j][0] >= (1.0 - PROGRESS) * length {
                break;
            }
        }
        true
    }
}
