//! The command that was typed, so that a shell takes it again.

use std::ffi::OsString;

/// This process's own, with `sparsvm` for wherever the program lies.
pub(super) fn typed() -> String {
    quoted(std::env::args_os().skip(1))
}

fn quoted(args: impl Iterator<Item = OsString>) -> String {
    args.fold("sparsvm".into(), |line, arg| line + " " + &quote(&arg.to_string_lossy()))
}

/// As POSIX shells read it: letters, digits and a few marks stand for themselves, all else goes into single
/// quotes, and a single quote is `'\''`.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%^".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_typed() {
        let args = ["cv", "my data", "it's", "$(rm)", "", "a=b,c", "λ"].map(OsString::from);
        assert_eq!(quoted(args.into_iter()), r"sparsvm cv 'my data' 'it'\''s' '$(rm)' '' a=b,c λ");
    }
}
