//! What each solver can take. One table: errors, `--help` and the documents follow it.

use crate::{Error, Family, Loss, Result};

/// The losses and penalties that a solver can take. Sample weights, penalty factors, the ridge part (but for
/// the global one) and a free or fixed intercept are everyone's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scope {
    /// The δ of a huberised hinge does not count.
    pub losses: &'static [Loss],
    /// A penalty of your own, which has no family, is taken by all.
    pub penalties: &'static [Family],
}

const SMOOTH: [Loss; 2] = [Loss::SquaredHinge, Loss::HuberHinge { delta: Loss::DELTA }];

/// The solvers by name, the most general first.
pub const SCOPES: [(&str, Scope); 6] = [
    ("exact", Scope::ANY),
    ("feadmm", Scope::ANY),
    ("gist", Scope { losses: &SMOOTH, ..Scope::ANY }),
    ("sqa", Scope { losses: &[Loss::Hinge], penalties: &[Family::Scad, Family::Mcp, Family::Lsp] }),
    (
        "reweighted",
        Scope {
            losses: &[Loss::SquaredHinge],
            penalties: &[Family::L1, Family::Mcp, Family::Lsp, Family::Lp],
        },
    ),
    ("global", Scope { losses: &[Loss::Hinge], ..Scope::ANY }),
];

impl Scope {
    /// Everything.
    pub const ANY: Self = Self { losses: &Loss::ALL, penalties: &Family::ALL };

    /// As in the table; a solver that is not there takes everything.
    pub fn of(solver: &str) -> Self {
        SCOPES.iter().find(|(name, _)| *name == solver).map_or(Self::ANY, |(_, scope)| *scope)
    }

    /// True if a solver can take a problem of this kind.
    pub fn takes(&self, loss: Loss, family: Option<Family>) -> bool {
        self.takes_loss(loss) && family.is_none_or(|family| self.penalties.contains(&family))
    }

    fn takes_loss(&self, loss: Loss) -> bool {
        self.losses.iter().any(|known| known.name() == loss.name())
    }

    /// Refuses what `solver` cannot take, and names those that can.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub fn check(&self, solver: &'static str, loss: Loss, family: Option<Family>) -> Result<()> {
        if self.takes(loss, family) {
            return Ok(());
        }
        let (what, its_own) = match family {
            Some(family) if self.takes_loss(loss) => {
                (format!("the {family} penalty"), format!("it takes {}", self.penalty_names()))
            }
            _ => (format!("the {loss} loss"), format!("it takes {}", self.loss_names())),
        };
        let able: Vec<&str> =
            SCOPES.iter().filter(|(_, scope)| scope.takes(loss, family)).map(|(name, _)| *name).collect();
        Err(Error::Unsupported { solver, what, instead: format!("{its_own}; use {}", listed(&able, "or")) })
    }

    /// Such as "hinge" or "squared-hinge and huber-hinge".
    pub fn loss_names(&self) -> String {
        listed(&self.losses.iter().map(|loss| loss.name()).collect::<Vec<_>>(), "and")
    }

    /// Such as "scad, mcp and lsp".
    pub fn penalty_names(&self) -> String {
        listed(&self.penalties.iter().map(|family| family.name()).collect::<Vec<_>>(), "and")
    }
}

fn listed(names: &[&str], joint: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} {joint} {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Exact, Feadmm, Gist, Global, Reweighted, Solver, Sqa};

    #[test]
    fn the_table_knows_every_solver() {
        let solvers: [&dyn Solver; SCOPES.len()] = [
            &Exact::default(),
            &Feadmm::default(),
            &Gist::default(),
            &Sqa::default(),
            &Reweighted::default(),
            &Global::default(),
        ];
        assert_eq!(solvers.map(Solver::name), SCOPES.map(|(name, _)| name));
    }

    #[test]
    fn the_documents_follow() {
        let maths = include_str!("../../../../docs/maths.md");
        for (name, scope) in SCOPES {
            let row = format!("| `{name}` | {} | {} |", scope.loss_names(), scope.penalty_names());
            assert!(maths.contains(&row), "docs/maths.md, section 10, lacks: {row}");
        }
    }

    #[test]
    fn a_refusal_names_those_that_can() {
        let refused = |solver: &'static str, loss, family| {
            Scope::of(solver).check(solver, loss, Some(family)).unwrap_err().to_string()
        };
        assert_eq!(
            refused("gist", Loss::Hinge, Family::Mcp),
            "solver gist cannot take the hinge loss: it takes squared-hinge and huber-hinge; \
             use exact, feadmm, sqa or global"
        );
        assert_eq!(
            refused("sqa", Loss::Hinge, Family::L1),
            "solver sqa cannot take the l1 penalty: it takes scad, mcp and lsp; use exact, feadmm or global"
        );
        assert!(refused("reweighted", Loss::SquaredHinge, Family::Scad).ends_with("exact, feadmm or gist"));
        assert!(Scope::of("reweighted").check("reweighted", Loss::SquaredHinge, None).is_ok());
        assert!(Scope::of("gist").check("gist", Loss::HuberHinge { delta: 0.3 }, None).is_ok());
    }
}
