//! Clock, limits and the observer in one hand, so that every level of a solver can be stopped.

use std::sync::Arc;
use std::time::Instant;

use super::{Ended, Observer, Step, Stopping};
use crate::Certificate;
use crate::team::{Team, is_shared};

/// Counts steps, tells the observer, and says when to stop.
pub(crate) struct Watch<'a> {
    observer: &'a mut dyn Observer,
    stopping: Stopping,
    team: &'a dyn Team,
    began: Instant,
    steps: usize,
    /// Floating-point operations so far, roughly: a clock that is the same on every machine.
    work: u64,
    /// Of these, on the samples that are held here, what the next step is to count.
    pending: u64,
    /// As an iteration limit, for it.
    most_work: u64,
    /// The same for the part that is being done: nothing else ends there.
    most_of_part: u64,
    /// The objective that was last known.
    pub(super) objective: f64,
    ended: Option<Ended>,
    /// Of the tolerance, what solvers aim at.
    share: f64,
    /// Where points have fewer features than the observer knows of: the numbers of theirs, and of how many.
    named: Option<(Arc<Vec<usize>>, usize)>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer, stopping: Stopping, team: &'a dyn Team) -> Self {
        Self {
            observer,
            stopping,
            team,
            began: Instant::now(),
            steps: 0,
            work: 0,
            pending: 0,
            most_work: u64::MAX,
            most_of_part: u64::MAX,
            objective: f64::INFINITY,
            ended: None,
            share: 0.98,
            named: None,
        }
    }

    /// With a limit for the work.
    pub(super) fn with_most_work(self, most_work: u64) -> Self {
        Self { most_work, ..self }
    }

    /// From now on points have these of so many features, or all.
    pub(super) fn name_features(&mut self, named: Option<(Arc<Vec<usize>>, usize)>) {
        self.named = named;
    }

    /// One step was made, for so much work: on the samples that are held here, and on what all members have.
    pub(super) fn tick(&mut self, nonzeros: usize, own: usize, common: usize) {
        self.steps += 1;
        let objective = self.objective;
        let seconds = self.began.elapsed().as_secs_f64();
        let step = Step { iteration: self.steps, seconds, objective, nonzeros, detail: None };
        let mut interrupted = self.observer.on_step(&step).is_break();
        let mut out_of_time = self.stopping.out_of_time(self.began);
        let mut work = std::mem::take(&mut self.pending) + own as u64;
        if is_shared(self.team) {
            // What one member wants all must know.
            let mut all = [work as f64, f64::from(interrupted), f64::from(out_of_time)];
            self.team.sum(&mut all);
            (work, interrupted, out_of_time) = (all[0] as u64, all[1] > 0.0, all[2] > 0.0);
            interrupted |= self.team.failure().is_some();
        }
        self.work += work + common as u64;
        if interrupted {
            self.ended = Some(Ended::Interrupted);
        } else if out_of_time {
            self.ended = Some(Ended::MaxTime);
        } else if self.steps >= self.stopping.max_iter || self.work >= self.most_work {
            self.ended = Some(Ended::MaxIter);
        }
    }

    /// So much work was done between steps, on the samples that are held here.
    pub(super) fn count(&mut self, own: usize) {
        self.pending += own as u64;
    }

    pub(crate) fn phase(&mut self, phase: &str) {
        self.observer.on_phase(phase);
    }

    pub(crate) fn part(&mut self, done: usize, all: usize) {
        self.observer.on_part(done, all);
    }

    /// True if the observer asks for the point that was reached.
    pub(super) fn wants_iterate(&self) -> bool {
        self.observer.wants_iterate()
    }

    /// The point that was reached, for an observer that asks for it.
    pub(super) fn show(&mut self, w: &[f64], b: f64) {
        if !self.observer.wants_iterate() {
            return;
        }
        if let Some((features, all)) = &self.named {
            let mut whole = vec![0.0; *all];
            features.iter().zip(w).for_each(|(&j, w)| whole[j] = *w);
            self.observer.on_iterate(&whole, b);
        } else {
            self.observer.on_iterate(w, b);
        }
    }

    /// True if what is being done is to end.
    pub(crate) fn stopped(&self) -> bool {
        self.ended.is_some() || self.work >= self.most_of_part
    }

    /// Sets the work at which the part that is being done ends; returns what it was.
    pub(super) fn limit_part(&mut self, most: u64) -> u64 {
        std::mem::replace(&mut self.most_of_part, most)
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Aims at a tenth of what was aimed at.
    pub(super) fn tighten(&mut self) {
        self.share *= 0.1;
    }

    /// True if the certificate is within the tolerance itself.
    pub(super) fn is_proved(&self, certificate: &Certificate) -> bool {
        certificate.within(self.stopping.tol)
    }

    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    pub(crate) fn ended(&self) -> Ended {
        self.ended.unwrap_or(Ended::Rule)
    }

    /// What solvers aim at: a little less than what the certificate is held against, whose sums are
    /// rounded in another order.
    pub(super) fn tol(&self) -> f64 {
        self.share * self.stopping.tol
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Silent;
    use crate::team::Alone;

    #[test]
    fn a_part_ends_at_its_limit_and_the_rest_goes_on() {
        let mut observer = Silent;
        let mut watch = Watch::new(&mut observer, Stopping::default(), &Alone);
        let of_all = watch.limit_part(100);
        watch.tick(0, 60, 30);
        assert!(!watch.stopped());
        watch.tick(0, 10, 0);
        assert!(watch.stopped());
        watch.limit_part(of_all);
        assert!(!watch.stopped() && watch.ended.is_none());
    }
}
