//! What cross-validation compares, besides λ.

use serde::{Deserialize, Serialize};

use crate::{Intercept, PenaltySpec};

/// From so many rows on an intercept that is free does no harm, however many features there are.
const MANY: usize = 1_000;

/// A family of penalties with its θ, and what becomes of the intercept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its λ is not looked at.
    pub penalty: PenaltySpec,
    /// Whether b is free.
    pub intercept: Intercept,
}

impl Variant {
    /// Each of the penalties with each of the intercepts.
    pub fn each(penalties: &[PenaltySpec], intercepts: &[Intercept]) -> Vec<Self> {
        let with =
            |&penalty: &PenaltySpec| intercepts.iter().map(move |&intercept| Self { penalty, intercept });
        penalties.iter().flat_map(with).collect()
    }

    /// The intercepts that are worth a comparison, unless told otherwise: one that is free leans to the larger class where there
    /// are more features than rows.
    pub fn usual_intercepts(rows: usize, features: usize) -> &'static [Intercept] {
        let may_lean = rows < MANY && features > rows;
        if may_lean { &[Intercept::Free, Intercept::Penalised] } else { &[Intercept::Free] }
    }
}

impl From<PenaltySpec> for Variant {
    fn from(penalty: PenaltySpec) -> Self {
        Self { penalty, intercept: Intercept::Free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Family;

    #[test]
    fn a_penalised_intercept_is_compared_where_features_outnumber_few_rows() {
        let compared = |rows, features| Variant::usual_intercepts(rows, features).len() == 2;
        assert!(compared(38, 7_129) && compared(999, 1_000));
        assert!(!compared(270, 13) && !compared(40, 40) && !compared(1_000, 30_000));
    }

    #[test]
    fn each_penalty_comes_with_each_intercept() {
        let penalties = [Family::Mcp, Family::L1].map(|family| PenaltySpec::new(family, 1.0));
        let all = Variant::each(&penalties, &[Intercept::Free, Intercept::Penalised]);
        assert_eq!((all.len(), all[0], all[2]), (4, penalties[0].into(), penalties[1].into()));
        assert_eq!((all[1].penalty, all[1].intercept), (penalties[0], Intercept::Penalised));
    }
}
