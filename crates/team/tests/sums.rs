//! What a team promises: the same bits for all, in a fixed order, and an end for all if one is lost.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what it expects")]

mod support;

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use sparsvm_core::team::Team;
use sparsvm_team::{Fault, Seat, TOKEN};
use support::{HERE, PATIENCE, TOKEN_OF_TEST, team};

/// Numbers whose sum depends on the order.
fn of_member(rank: usize, count: usize) -> Vec<f64> {
    (0..count)
        .map(|k| ((rank * 7919 + k) as f64).sin() * 10f64.powi((rank as i32 * 5 + k as i32) % 12))
        .collect()
}

/// The sum as the tree makes it.
fn expected(rank: usize, members: usize, k: usize, count: usize) -> f64 {
    let own = of_member(rank, count)[k];
    let children = [2 * rank + 1, 2 * rank + 2].into_iter().filter(|child| *child < members);
    children.fold(own, |sum, child| sum + expected(child, members, k, count))
}

#[test]
fn sums_have_the_same_bits_for_all_and_each_time() {
    for members in 1..=7 {
        for count in [1, 5, 8192, 20_001] {
            let all = team(members, |rank, tree| {
                let mut numbers = of_member(rank, count);
                tree.sum(&mut numbers);
                let mut largest = [rank as f64, -(rank as f64)];
                tree.max(&mut largest);
                assert_eq!(largest, [members as f64 - 1.0, 0.0]);
                assert_eq!(tree.failure(), None);
                numbers
            });
            for k in [0, count / 2, count - 1] {
                let sum = expected(0, members, k, count);
                assert!(
                    all.iter().all(|numbers| numbers[k].to_bits() == sum.to_bits()),
                    "{members} {count} {k}"
                );
            }
        }
    }
}

#[test]
fn what_is_sent_is_counted() {
    let traffic = team(3, |_, tree| {
        tree.sum(&mut [1.0; 10]);
        tree.sum(&mut []);
        tree.traffic()
    });
    // Up: a header of 24 bytes and ten numbers; down: ten numbers.
    assert!(traffic.iter().all(|traffic| traffic.rounds == 1));
    assert_eq!(
        traffic.iter().map(|t| (t.sent, t.received)).collect::<Vec<_>>(),
        [(160, 208), (104, 80), (104, 80)]
    );
}

#[test]
fn who_is_lost_is_missed_by_all_at_once() {
    let began = Instant::now();
    let failures = team(7, |rank, tree| {
        tree.sum(&mut [1.0]);
        if rank == 5 {
            return None;
        }
        // The others go on until they notice.
        (0..1000).find_map(|_| {
            tree.sum(&mut [1.0; 100]);
            tree.failure()
        })
    });
    assert!(failures.iter().enumerate().all(|(rank, why)| why.is_some() == (rank != 5)), "{failures:?}");
    assert!(failures[0].as_ref().unwrap().contains("was lost"), "{failures:?}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn one_that_is_told_to_stop_stops_the_others_where_they_wait() {
    let failures = team(3, |rank, tree| {
        if rank == 1 {
            // It never sums; another thread, as that of a signal, ends the team while the others wait.
            thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(100));
                    tree.abort();
                });
            });
            return tree.failure();
        }
        tree.sum(&mut [1.0]);
        tree.failure()
    });
    assert!(failures[1].as_ref().unwrap().contains("told to stop"));
    assert!(failures.iter().all(Option::is_some));
}

#[test]
fn members_that_are_out_of_step_are_found_out() {
    let failures = team(2, |rank, tree| {
        tree.sum(&mut vec![1.0; 3 + rank]);
        tree.failure()
    });
    assert!(failures.iter().all(Option::is_some), "{failures:?}");
    assert!(failures[0].as_ref().unwrap().contains("not in step"), "{failures:?}");
}

#[test]
fn strangers_are_sent_away() {
    let seats = [Seat::open(HERE).unwrap(), Seat::open(HERE).unwrap()];
    let addresses = [seats[0].address(), seats[1].address()];
    // One says nothing that is known, one belongs to another team, one goes away at once.
    let mut noise = TcpStream::connect(addresses[0]).unwrap();
    noise.write_all(b"GET / HTTP/1.1\r\nHost: somewhere.example\r\n\r\n").unwrap();
    drop(TcpStream::connect(addresses[0]).unwrap());
    let other = thread::spawn(move || {
        let seat = Seat::open(HERE).unwrap();
        seat.join(1, &[addresses[0], addresses[1]], [9; TOKEN], Duration::from_secs(2)).is_err()
    });
    thread::sleep(Duration::from_millis(50));
    let sums: Vec<f64> = thread::scope(|scope| {
        let join = |(rank, seat): (usize, Seat)| {
            scope.spawn(move || {
                let tree = seat.join(rank, &addresses, TOKEN_OF_TEST, PATIENCE).unwrap();
                let mut sum = [rank as f64 + 1.0];
                tree.sum(&mut sum);
                sum[0]
            })
        };
        let threads: Vec<_> = seats.into_iter().enumerate().map(join).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(sums, [3.0, 3.0]);
    assert!(other.join().unwrap());
}

#[test]
fn who_does_not_come_is_told() {
    let (seat, absent) = (Seat::open(HERE).unwrap(), Seat::open(HERE).unwrap());
    let addresses = [seat.address(), absent.address()];
    let fault = seat.join(0, &addresses, TOKEN_OF_TEST, Duration::from_millis(200)).unwrap_err();
    assert!(matches!(fault, Fault::Missing { missing: 1, .. }), "{fault}");
    let seat = Seat::open(HERE).unwrap();
    let gone = absent.address();
    drop(absent);
    let fault = seat.join(1, &[gone, gone], TOKEN_OF_TEST, Duration::from_secs(2)).unwrap_err();
    assert!(matches!(fault, Fault::Unreachable { rank: 0, .. }), "{fault}");
    let fault = Seat::open(HERE).unwrap().join(3, &addresses, TOKEN_OF_TEST, PATIENCE).unwrap_err();
    assert!(matches!(fault, Fault::Rank { rank: 3, members: 2 }), "{fault}");
}
