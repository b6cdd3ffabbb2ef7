//! A [`Team`](sparsvm_core::team::Team) over TCP: every member holds rows of its own, and sums over all rows are made
//! along a binary tree.
//!
//! A member opens a [`Seat`], tells the others its address by whatever way there is (Dask, a file, a shell), and
//! [joins](Seat::join) once it knows theirs. Member r hangs below member (r-1)/2. Numbers go up, each member
//! adding its own first, then its left child's, then its right child's, and the sum comes down again: the order
//! depends on nothing but the number of members, so a fit gives the same bits each time, and every member the
//! same bits as the others.

mod hello;
mod links;
mod seat;
mod tree;

pub use seat::{Fault, Seat, TOKEN};
pub use tree::{Traffic, Tree};
