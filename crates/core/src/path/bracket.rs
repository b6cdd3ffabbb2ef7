//! Where to look for a λ that keeps a given number of features: between one that keeps too many and one that does not.

/// A model that keeps this share of what it may is near enough.
const NEARLY: f64 = 0.9;
/// About as many features are kept as λ to the power of minus this, where nothing better is known; …
pub(super) const USUAL_POWER: f64 = 1.5;
/// … λ goes by at most this factor, …
const STRIDE: f64 = 8.0;
/// … and not to a weaker one where that would take long: from so many features on.
const MANY: usize = 300;
/// Two λ as near as this have nothing between them.
const ADJACENT: f64 = 1.05;
/// Between two others it keeps this share of their distance, in magnitudes, from both.
const INWARD: f64 = 0.1;

/// How many are kept, as a logarithm.
pub(super) fn size(kept: usize) -> f64 {
    (kept as f64).max(0.5).ln()
}

/// The λ nearest to what is looked for, and how many features are kept there.
#[derive(Debug)]
pub(super) struct Bracket {
    /// So many may be kept.
    most: usize,
    /// No λ is weaker than this.
    weakest: f64,
    /// The weakest λ that keeps no more than that, …
    few: Option<(f64, usize)>,
    /// … and the strongest that does.
    many: Option<(f64, usize)>,
}

impl Bracket {
    pub(super) fn new(most: usize, weakest: f64) -> Self {
        Self { most, weakest, few: None, many: None }
    }

    /// The λ to try after this one, which keeps so many; nothing if that is near enough, or there is none.
    pub(super) fn next(&mut self, lambda: f64, kept: usize) -> Option<f64> {
        let (aim, least) = (0.5 * (1.0 + NEARLY) * self.most as f64, NEARLY * self.most as f64);
        if kept <= self.most && kept as f64 >= least {
            return None;
        }
        *(if kept > self.most { &mut self.many } else { &mut self.few }) = Some((lambda, kept));
        let (low, high, power) = match (self.few, self.many) {
            (Some((few, _)), Some((many, _))) if few <= ADJACENT * many => return None,
            (Some((few, kept)), Some((many, others))) => {
                let (width, fewer) = ((few / many).ln(), size(others) - size(kept));
                (many.ln() + INWARD * width, few.ln() - INWARD * width, fewer / width)
            }
            (Some(_), None) if kept >= MANY => return None,
            _ => (lambda.ln() - STRIDE.ln(), lambda.ln() + STRIDE.ln(), USUAL_POWER),
        };
        let next = (lambda.ln() + (size(kept) - aim.ln()) / power).clamp(low, high).exp();
        (next >= self.weakest).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The λ that are tried until one keeps as many as it may, if λ keeps `kept(λ)`.
    fn tried(most: usize, kept: impl Fn(f64) -> usize) -> Vec<f64> {
        let mut bracket = Bracket::new(most, 1e-3);
        let mut all = vec![1.0];
        while let Some(next) = bracket.next(all[all.len() - 1], kept(all[all.len() - 1])) {
            assert!(next > 0.0 && next.is_finite() && all.len() < 100, "{all:?}");
            all.push(next);
        }
        all
    }

    #[test]
    fn lambda_is_found_in_a_few_steps() {
        for (most, at_one, power) in [
            (10, 250.0, 1.6),
            (50, 250.0, 1.0),
            (5, 2000.0, 2.5),
            (100, 3.0, 1.5),
            (1, 40.0, 0.7),
            (7, 1.0, 3.0),
        ] {
            let kept = |lambda: f64| (at_one * lambda.powf(-power)) as usize;
            let all = tried(most, kept);
            let last = kept(all[all.len() - 1]);
            assert!(last <= most && last as f64 >= NEARLY * most as f64 && all.len() <= 8, "{most}: {all:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_looked_for_forever() {
        // From too many to far too few at once: nothing lies between.
        let all = tried(10, |lambda| if lambda < 3.7 { 200 } else { 2 });
        let (above, below): (Vec<f64>, Vec<f64>) = all.iter().copied().partition(|lambda| *lambda >= 3.7);
        let (few, many) =
            (above.iter().copied().fold(f64::INFINITY, f64::min), below.iter().copied().fold(0.0, f64::max));
        assert!(few <= ADJACENT * many && all.len() <= 30, "{all:?}");
        // Many features, and more are allowed: a weaker λ would take long.
        assert_eq!(tried(1_000, |_| 400).len(), 1);
        // More than there are: down to the weakest.
        let all = tried(100, |_| 13);
        assert!((1e-3..4e-3).contains(&all[all.len() - 1]) && all.len() <= 8, "{all:?}");
    }
}
