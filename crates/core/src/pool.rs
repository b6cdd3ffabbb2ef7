//! Work in a thread of rayon's pool.

use crate::team::{Team, is_shared};

/// Does the work in a thread of the pool. From outside, every parallel loop hands its work over and sleeps until
/// that is done, some tens of microseconds; from inside it begins at once, and a solver has thousands of them.
///
/// A member of a team stays where it is: it waits for others, which may need the same pool.
pub(crate) fn inside<T: Send>(team: &dyn Team, work: impl FnOnce() -> T + Send) -> T {
    if is_shared(team) { work() } else { rayon::scope(|_| work()) }
}
