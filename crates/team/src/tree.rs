//! A member's view of its team.

use std::net::TcpStream;
use std::sync::{Mutex, PoisonError};

use sparsvm_core::team::Team;

use crate::links::{Combine, Links, close};

/// What a member has sent and received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Sums and maxima.
    pub rounds: u64,
    /// Bytes.
    pub sent: u64,
    /// Bytes.
    pub received: u64,
}

/// One of the members, connected.
#[derive(Debug)]
pub struct Tree {
    rank: usize,
    members: usize,
    links: Mutex<Links>,
    /// To close the connections while another thread waits at them.
    handles: Vec<TcpStream>,
    failure: Mutex<Option<String>>,
}

impl Tree {
    pub(crate) fn new(rank: usize, members: usize, links: Links) -> std::io::Result<Self> {
        let handles = links.handles()?;
        Ok(Self { rank, members, links: Mutex::new(links), handles, failure: Mutex::new(None) })
    }

    /// Counted from 0, the root of the tree.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// So far. Waits for a sum that is being made.
    pub fn traffic(&self) -> Traffic {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        Traffic { rounds: links.rounds(), sent: links.sent, received: links.received }
    }

    /// Ends the team, from any thread: sums that wait fail at once, here and at all others.
    pub fn abort(&self) {
        self.fail("the fit was told to stop".into());
    }

    /// The first reason counts.
    fn fail(&self, why: String) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        close(&self.handles);
    }

    fn reduce(&self, numbers: &mut [f64], how: Combine) {
        if numbers.is_empty() || self.failure().is_some() {
            return;
        }
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = links.reduce(numbers, how);
        drop(links);
        if let Err(error) = outcome {
            self.fail(format!("another member of the fit was lost ({error})"));
        }
    }
}

impl Team for Tree {
    fn members(&self) -> usize {
        self.members
    }

    fn sum(&self, numbers: &mut [f64]) {
        self.reduce(numbers, Combine::Sum);
    }

    fn max(&self, numbers: &mut [f64]) {
        self.reduce(numbers, Combine::Max);
    }

    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
