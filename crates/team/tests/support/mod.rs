//! Members of a team as threads of the test.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread;
use std::time::Duration;

use sparsvm_team::{Seat, TOKEN, Tree};

pub(crate) const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
pub(crate) const TOKEN_OF_TEST: [u8; TOKEN] = [7; TOKEN];
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Runs one closure for each member, and gives back what they return, by rank.
pub(crate) fn team<T: Send>(members: usize, run: impl Fn(usize, Tree) -> T + Sync) -> Vec<T> {
    let seats: Vec<Seat> = (0..members).map(|_| Seat::open(HERE).unwrap()).collect();
    let addresses: Vec<SocketAddr> = seats.iter().map(Seat::address).collect();
    let (addresses, run) = (&addresses, &run);
    thread::scope(|scope| {
        let join = |(rank, seat): (usize, Seat)| {
            scope.spawn(move || run(rank, seat.join(rank, addresses, TOKEN_OF_TEST, PATIENCE).unwrap()))
        };
        let threads: Vec<_> = seats.into_iter().enumerate().map(join).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
