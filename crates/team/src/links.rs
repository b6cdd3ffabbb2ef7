//! The connections of one member, and how numbers go up and down along them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

/// Numbers that are sent at a time: while one piece is added up here, the next is on its way.
const PIECE: usize = 8192;

/// How two members' numbers become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combine {
    Sum,
    Max,
}

/// What goes ahead of the numbers, so that members that are out of step are found out: how they are combined,
/// how many, and the number of the round.
type Header = [u64; 3];

/// To the member above and to those below.
#[derive(Debug)]
pub(crate) struct Links {
    parent: Option<TcpStream>,
    children: Vec<TcpStream>,
    /// What a neighbour has sent, and with the header what goes to it.
    buffer: Vec<f64>,
    outgoing: Vec<u8>,
    rounds: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Links {
    pub(crate) fn new(parent: Option<TcpStream>, children: Vec<TcpStream>) -> Self {
        let (buffer, outgoing) = (vec![0.0; PIECE], Vec::new());
        Self { parent, children, buffer, outgoing, rounds: 0, sent: 0, received: 0 }
    }

    /// Handles on the same connections, with which another thread can close them.
    pub(crate) fn handles(&self) -> io::Result<Vec<TcpStream>> {
        self.parent.iter().chain(&self.children).map(TcpStream::try_clone).collect()
    }

    pub(crate) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Replaces the numbers by those of all members, combined.
    pub(crate) fn reduce(&mut self, numbers: &mut [f64], how: Combine) -> io::Result<()> {
        let header = [how as u64, numbers.len() as u64, self.rounds];
        self.rounds += 1;
        self.go_up(numbers, how, header)?;
        self.come_down(numbers)
    }

    /// Adds what the children have, and sends it all to the parent.
    fn go_up(&mut self, numbers: &mut [f64], how: Combine, header: Header) -> io::Result<()> {
        let Self { parent, children, buffer, outgoing, sent, received, .. } = self;
        for child in children.iter_mut() {
            expect(child, header)?;
            *received += size_of::<Header>() as u64;
        }
        outgoing.clear();
        header.iter().for_each(|part| outgoing.extend(part.to_le_bytes()));
        for piece in numbers.chunks_mut(PIECE) {
            for child in children.iter_mut() {
                let theirs = &mut buffer[..piece.len()];
                child.read_exact(bytemuck::cast_slice_mut(theirs))?;
                *received += size_of_val(piece) as u64;
                for (own, theirs) in piece.iter_mut().zip(theirs) {
                    *own = match how {
                        Combine::Sum => *own + *theirs,
                        Combine::Max => own.max(*theirs),
                    };
                }
            }
            if let Some(parent) = parent {
                outgoing.extend_from_slice(bytemuck::cast_slice(piece));
                parent.write_all(outgoing)?;
                *sent += outgoing.len() as u64;
                outgoing.clear();
            }
        }
        Ok(())
    }

    /// Takes what the parent says and passes it on.
    fn come_down(&mut self, numbers: &mut [f64]) -> io::Result<()> {
        for piece in numbers.chunks_mut(PIECE) {
            if let Some(parent) = &mut self.parent {
                parent.read_exact(bytemuck::cast_slice_mut(piece))?;
                self.received += size_of_val(piece) as u64;
            }
            for child in &mut self.children {
                child.write_all(bytemuck::cast_slice(piece))?;
                self.sent += size_of_val(piece) as u64;
            }
        }
        Ok(())
    }
}

/// Reads a header, which must be the same as ours.
fn expect(stream: &mut TcpStream, ours: Header) -> io::Result<()> {
    let mut theirs: Header = [0; 3];
    stream.read_exact(bytemuck::cast_slice_mut(&mut theirs))?;
    if theirs.map(u64::from_le) == ours {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        "it is not in step: do all members have the same settings?",
    ))
}

/// Closes connections at once, for both sides.
pub(crate) fn close(handles: &[TcpStream]) {
    // Some may be closed already, and that is what is wanted.
    handles.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
}
