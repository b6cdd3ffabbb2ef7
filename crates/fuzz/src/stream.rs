//! Data in pieces: what comes of them is what comes of the whole.

use std::io::{self, Read};

use sparsvm_data::{Format, ReadError, ReadOptions, StreamError, read_in_blocks, stream_in_blocks};

use crate::holds;

/// LIBSVM text or CSV, as the content tells, from a reader that gives a few bytes at a time.
pub(crate) fn stream(bytes: &[u8]) -> bool {
    let mut taken = false;
    for format in [Format::Libsvm, Format::Csv] {
        let options = holds::options(format);
        let (mut rows, mut entries, mut labels) = (0, Vec::new(), Vec::new());
        let slow = Slow { rest: bytes, step: 1 + bytes.len() % 23 };
        let streamed = stream_in_blocks(
            slow,
            (holds::NAME, 1 + bytes.len() % 47),
            &options,
            |piece| {
                holds::dataset(piece);
                let of_piece = piece.labels();
                let texts = of_piece.codes().iter().map(|&code| of_piece.classes()[code as usize].clone());
                (piece.design().rows(), holds::entries(piece), texts.collect::<Vec<_>>())
            },
            |(more, of_piece, texts)| {
                entries.extend(of_piece.into_iter().map(|(i, j, bits)| (rows + i, j, bits)));
                labels.extend(texts);
                rows += more;
                Ok(())
            },
        );
        let whole =
            read_in_blocks(bytes, holds::NAME, &ReadOptions { memory_limit: None, ..options }, 1 << 12);
        match (whole, streamed) {
            (Ok(data), streamed) => {
                if let Err(fault) = streamed {
                    assert!(fault.to_string().is_empty(), "only in pieces it is a fault: {fault}");
                }
                assert_eq!(rows, data.design().rows(), "rows");
                assert_eq!(entries, holds::entries(&data), "entries");
                let classes = data.labels().classes();
                assert!(data.labels().codes().iter().map(|&k| &classes[k as usize]).eq(&labels), "labels");
                taken = true;
            }
            (Err(ReadError::Empty { .. }), Ok(())) => assert_eq!(rows, 0, "rows of nothing"),
            // A piece has a feature at least, if only for the model that may want it.
            (Err(ReadError::Data { .. }), Ok(())) => assert!(entries.is_empty(), "entries without features"),
            (Err(fault), Ok(())) => {
                assert!(fault.to_string().is_empty(), "only as a whole it is a fault: {fault}");
            }
            (Err(_), Err(StreamError::Read(fault))) => holds::read_error(&fault),
            (Err(_), Err(other)) => assert!(other.to_string().is_empty(), "nothing was written: {other}"),
        }
    }
    taken
}

/// Gives a few bytes at a time.
struct Slow<'a> {
    rest: &'a [u8],
    step: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.step.min(into.len());
        self.rest.read(&mut into[..most])
    }
}
