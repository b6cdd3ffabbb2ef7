//! A place in a team: an open port until the others are known, and then the connections to them.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::hello;
use crate::links::Links;
use crate::tree::Tree;

/// Bytes of the token that members of one team share, so that two fits on one machine cannot mix.
pub const TOKEN: usize = 16;

/// How often it is looked whether somebody has come.
const GLANCE: Duration = Duration::from_millis(2);
/// How long a visitor may take to say who it is.
const HEARING: Duration = Duration::from_secs(5);

/// Why a team did not come together.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// No port.
    #[error("no port could be opened on {host} ({source}): give an address of this machine")]
    Closed {
        /// Where.
        host: IpAddr,
        /// What the system says.
        source: io::Error,
    },
    /// A rank without an address.
    #[error("member {rank} is not one of {members}: ranks are counted from 0")]
    Rank {
        /// Which.
        rank: usize,
        /// Of how many.
        members: usize,
    },
    /// The one above cannot be reached.
    #[error(
        "member {rank} at {address} cannot be reached ({source}): members need TCP connections to each other on any port"
    )]
    Unreachable {
        /// Which.
        rank: usize,
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// One below has not come.
    #[error(
        "{missing} of the members did not come within {seconds} seconds: were they lost, or is a port blocked?"
    )]
    Missing {
        /// How many.
        missing: usize,
        /// How long was waited.
        seconds: u64,
    },
    /// A connection broke at once.
    #[error("a connection to another member broke: {0}")]
    Broken(#[from] io::Error),
}

/// An open port.
#[derive(Debug)]
pub struct Seat {
    listener: TcpListener,
    address: SocketAddr,
}

impl Seat {
    /// On this address of the machine; the system chooses the port.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(host: IpAddr) -> Result<Self, Fault> {
        let open = || {
            let listener = TcpListener::bind((host, 0))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok(Self { listener, address })
        };
        open().map_err(|source| Fault::Closed { host, source })
    }

    /// Where the others find it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Comes together with the others: `addresses` are those of all members by rank. Waits at most for
    /// `patience`.
    ///
    /// # Errors
    /// If one of the neighbours in the tree cannot be reached or does not come.
    pub fn join(
        self,
        rank: usize,
        addresses: &[SocketAddr],
        token: [u8; TOKEN],
        patience: Duration,
    ) -> Result<Tree, Fault> {
        let members = addresses.len();
        if rank >= members {
            return Err(Fault::Rank { rank, members });
        }
        let deadline = Instant::now() + patience;
        let above = rank.checked_sub(1).map(|rank| rank / 2);
        let mut parent =
            above.map(|above| call(above, addresses[above], &token, rank, patience)).transpose()?;
        let below = [2 * rank + 1, 2 * rank + 2].into_iter().filter(|child| *child < members).collect();
        let children = self.receive(below, &token, patience, deadline)?;
        if let (Some(parent), Some(above)) = (&mut parent, above) {
            let unreachable = |source| Fault::Unreachable { rank: above, address: addresses[above], source };
            hello::be_welcomed(parent).map_err(unreachable)?;
        }
        for stream in parent.iter().chain(&children) {
            stream.set_nodelay(true)?;
            // From now on a member may compute for as long as it likes: who is gone closes its connections.
            stream.set_read_timeout(None)?;
        }
        Ok(Tree::new(rank, members, Links::new(parent, children))?)
    }

    /// Waits for these ranks; their connections in the order of the ranks.
    fn receive(
        &self,
        expected: Vec<usize>,
        token: &[u8; TOKEN],
        patience: Duration,
        deadline: Instant,
    ) -> Result<Vec<TcpStream>, Fault> {
        let mut came: Vec<Option<TcpStream>> = expected.iter().map(|_| None).collect();
        loop {
            let missing = came.iter().filter(|stream| stream.is_none()).count();
            if missing == 0 {
                return Ok(came.into_iter().flatten().collect());
            }
            if Instant::now() >= deadline {
                return Err(Fault::Missing { missing, seconds: patience.as_secs() });
            }
            match self.listener.accept() {
                Ok((stream, _)) => {
                    if let Some((rank, stream)) = greet(stream, token)
                        && let Some(k) = expected.iter().position(|child| *child == rank)
                    {
                        came[k] = Some(stream);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(GLANCE),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Calls the member above.
fn call(
    above: usize,
    address: SocketAddr,
    token: &[u8; TOKEN],
    rank: usize,
    patience: Duration,
) -> Result<TcpStream, Fault> {
    let connect = || {
        let mut stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_read_timeout(Some(patience))?;
        hello::say(&mut stream, token, rank)?;
        Ok(stream)
    };
    connect().map_err(|source| Fault::Unreachable { rank: above, address, source })
}

/// Who came, if it is one of ours; strangers are sent away.
fn greet(mut stream: TcpStream, token: &[u8; TOKEN]) -> Option<(usize, TcpStream)> {
    let mut greet = || {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(HEARING))?;
        let rank = hello::hear(&mut stream, token)?;
        if rank.is_some() {
            hello::welcome(&mut stream)?;
        }
        io::Result::Ok(rank)
    };
    let rank = greet().ok().flatten()?;
    Some((rank, stream))
}
