//! The stop rule of the first-order solvers.

/// Times in a row that the change must be small: a line search that may go up, or an accelerated method,
/// can stand still for one iteration by accident (GIST's package has the same number).
const TIMES: usize = 3;

/// True once a value has changed by less than a relative tolerance, three times in a row.
#[derive(Debug, Clone)]
pub(in crate::solver) struct Settled {
    last: f64,
    times: usize,
}

impl Settled {
    pub(in crate::solver) fn new(value: f64) -> Self {
        Self { last: value, times: 0 }
    }

    /// Takes the next value. A tolerance of 0 never ends anything.
    pub(in crate::solver) fn next(&mut self, value: f64, tol: f64) -> bool {
        let small = (value - self.last).abs() < tol * self.last.abs();
        self.times = if small { self.times + 1 } else { 0 };
        self.last = value;
        self.times >= TIMES
    }
}
