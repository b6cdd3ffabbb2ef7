//! What a member says when it comes to the one above it, and the answer.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::seat::TOKEN;

/// Whose protocol this is, and which version.
const MARK: [u8; 8] = *b"sparsvm1";
/// The answer to a member that is expected.
const WELCOME: u8 = 1;

/// Says who comes.
pub(crate) fn say(stream: &mut TcpStream, token: &[u8; TOKEN], rank: usize) -> io::Result<()> {
    let mut hello = Vec::with_capacity(MARK.len() + TOKEN + 8);
    hello.extend(MARK);
    hello.extend(token);
    hello.extend((rank as u64).to_le_bytes());
    stream.write_all(&hello)
}

/// The rank of who came, or nothing if it is none of ours.
pub(crate) fn hear(stream: &mut TcpStream, token: &[u8; TOKEN]) -> io::Result<Option<usize>> {
    let (mut mark, mut theirs, mut rank) = ([0; MARK.len()], [0; TOKEN], [0; 8]);
    stream.read_exact(&mut mark)?;
    stream.read_exact(&mut theirs)?;
    stream.read_exact(&mut rank)?;
    let rank = usize::try_from(u64::from_le_bytes(rank)).ok();
    Ok(rank.filter(|_| mark == MARK && theirs == *token))
}

/// Lets it in.
pub(crate) fn welcome(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(&[WELCOME])
}

/// Waits to be let in.
pub(crate) fn be_welcomed(stream: &mut TcpStream) -> io::Result<()> {
    let mut answer = [0];
    stream.read_exact(&mut answer)?;
    if answer == [WELCOME] { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}
