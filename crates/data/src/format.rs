//! Which format a file has: by its content, and by its name where the content leaves a doubt.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

/// A format of data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// LIBSVM (svmlight) text.
    Libsvm,
    /// Comma-separated values, or with semicolons, tabs or bars between them.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, a file (Feather 2) or a stream.
    Arrow,
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays, or a sparse matrix of SciPy.
    Npz,
    /// Matrix Market text.
    MatrixMarket,
    /// Our own memory-mapped form.
    Spv,
}

/// How files of some formats begin.
const MAGIC: [(&[u8], Format); 7] = [
    (b"PAR1", Format::Parquet),
    (b"ARROW1", Format::Arrow),
    (b"\xff\xff\xff\xff", Format::Arrow),
    (b"\x93NUMPY", Format::Npy),
    (b"PK\x03\x04", Format::Npz),
    (b"%%MatrixMarket", Format::MatrixMarket),
    (&crate::spv::MAGIC, Format::Spv),
];

/// A name that is none of a format.
#[derive(Debug, Error)]
#[error("no format is called {0}")]
pub struct UnknownFormat(String);

impl Format {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Libsvm,
        Self::Csv,
        Self::Parquet,
        Self::Arrow,
        Self::Npy,
        Self::Npz,
        Self::MatrixMarket,
        Self::Spv,
    ];

    /// The format's name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Libsvm => "libsvm",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::MatrixMarket => "mtx",
            Self::Spv => "spv",
        }
    }

    /// False if there is a place for the matrix only: no labels, names or query numbers.
    pub const fn holds_labels(self) -> bool {
        !matches!(self, Self::Npy | Self::MatrixMarket)
    }

    /// What a file's name says, its compression aside.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = |path: &Path| path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let last = extension(path)?;
        let telling = match last.as_str() {
            "gz" | "bz2" | "xz" | "zst" | "zstd" => extension(Path::new(path.file_stem()?))?,
            _ => last,
        };
        match telling.as_str() {
            "csv" | "tsv" | "tab" => Some(Self::Csv),
            "svm" | "libsvm" | "svmlight" => Some(Self::Libsvm),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "feather" | "ipc" | "arrows" => Some(Self::Arrow),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "mtx" | "mm" => Some(Self::MatrixMarket),
            "spv" => Some(Self::Spv),
            _ => None,
        }
    }

    /// The format of a file that begins with `head`, and has this name.
    pub(crate) fn of(head: &[u8], path: Option<&Path>) -> Self {
        let named = path.and_then(Self::of_name);
        Self::of_magic(head).unwrap_or_else(|| match (named, guess(first_line(head))) {
            // No text, and not what its name says: whoever reads such files will say what is wrong.
            (Some(named), _) if head.contains(&0) => named,
            (_, Guess::Libsvm) => Self::Libsvm,
            (_, Guess::Csv) => Self::Csv,
            (Some(Self::Csv), Guess::Either) => Self::Csv,
            (_, Guess::Either) => Self::Libsvm,
        })
    }

    fn of_magic(head: &[u8]) -> Option<Self> {
        MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, format)| *format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.into()))
    }
}

#[derive(Debug, PartialEq)]
enum Guess {
    Libsvm,
    Csv,
    Either,
}

/// What separates values; the more certain ones first.
pub(crate) const DELIMITERS: [u8; 4] = *b",\t;|";

/// True if a line holds nothing in LIBSVM text.
fn is_idle(line: &[u8]) -> bool {
    line.iter().find(|byte| !byte.is_ascii_whitespace()).is_none_or(|&byte| byte == b'#')
}

/// The first line that is neither blank nor a comment.
fn first_line(head: &[u8]) -> &[u8] {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    head.split(|&byte| byte == b'\n').find(|line| !is_idle(line)).unwrap_or_default()
}

/// True if `head` is enough to tell the format: it holds a line, and is not the beginning of a mark, some of which have
/// a newline in them.
pub(crate) fn tells(head: &[u8]) -> bool {
    let whole = head.iter().rposition(|&byte| byte == b'\n').map_or(&[][..], |end| &head[..end]);
    let marked = MAGIC.iter().any(|(magic, _)| head.len() < magic.len() && magic.starts_with(head));
    !marked && !first_line(whole).is_empty()
}

/// LIBSVM text has index:value pairs behind its first token. Anything else with a delimiter is a table.
fn guess(line: &[u8]) -> Guess {
    let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).skip(1);
    let pair = |token: &[u8]| {
        let colon = token.iter().position(|&byte| byte == b':');
        let index = colon.map_or(&[][..], |colon| &token[..colon]);
        let number = !index.is_empty() && index.iter().all(u8::is_ascii_digit);
        (number || index == b"qid") && !token.iter().any(|byte| DELIMITERS.contains(byte))
    };
    match tokens.next() {
        Some(second) if pair(second) => Guess::Libsvm,
        _ if line.iter().any(|byte| DELIMITERS.contains(byte)) => Guess::Csv,
        _ => Guess::Either,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_comes_before_the_name() {
        let of = |head: &str, name: &str| Format::of(head.as_bytes(), Some(Path::new(name)));
        assert_eq!(of("1 1:2 3:4\n", "x.csv"), Format::Libsvm);
        assert_eq!(of("# a, b\n\n-1 qid:3 1:2\n", "x"), Format::Libsvm);
        assert_eq!(of("a,b\n1,2\n", "x.svm"), Format::Csv);
        assert_eq!(of("1,12:30,5\n", "x"), Format::Csv);
        assert_eq!(of("1, 12:30, 5\n", "x"), Format::Csv);
        assert_eq!(of("a\tb\n", "x"), Format::Csv);
        // Several labels are a fault of LIBSVM text.
        assert_eq!(of("1,2 3:4\n", "x"), Format::Libsvm);
        assert_eq!(of("PAR1....", "x.csv"), Format::Parquet);
        assert_eq!(of("%%MatrixMarket matrix", "x.csv"), Format::MatrixMarket);
    }

    #[test]
    fn the_name_decides_where_the_content_does_not() {
        let of = |head: &str, name: &str| Format::of(head.as_bytes(), Some(Path::new(name)));
        assert_eq!(of("1\n", "x"), Format::Libsvm);
        assert_eq!(of("label\n1\n", "x.csv"), Format::Csv);
        assert_eq!(of("label\n1\n", "x.csv.gz"), Format::Csv);
        // A text is no Parquet file, whatever it is called.
        assert_eq!(of("1\n", "x.parquet"), Format::Libsvm);
        // But damaged bytes are a damaged Parquet file.
        assert_eq!(of("QAR1\0\x01", "x.parquet"), Format::Parquet);
        assert_eq!(Format::of_name(Path::new("a.TSV")), Some(Format::Csv));
        assert_eq!(Format::of_name(Path::new("gz")), None);
    }

    #[test]
    fn a_whole_line_is_needed_to_tell() {
        assert!(!tells(b"1 1:2"));
        assert!(!tells(b"# nothing\n\n1"));
        assert!(tells(b"# nothing\n1\n"));
        // A short line is enough, but not where a mark may go on.
        assert!(tells(b"1\n"));
        assert!(!tells(&crate::spv::MAGIC[..6]));
    }
}
