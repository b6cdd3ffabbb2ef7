//! A last wall around decoders that others wrote: if one of them panics on a damaged file, that is an error like
//! any other. Everything that such a decoder does runs inside [`guarded`], and nothing else does.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Longer reasons are cut.
const SHOWN_CHARS: usize = 160;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does the work; its error, or its panic, in one line.
pub(crate) fn guarded<T, E: ToString>(work: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    be_quiet_inside();
    let outside = GUARDED.replace(true);
    // What the work leaves half done is dropped with it: nobody looks at it after an error.
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outside);
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(one_line(&error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(one_line(text.unwrap_or("the decoder failed")))
        }
    }
}

/// A panic inside is no news: the error says it. All others are told as before.
fn be_quiet_inside() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                before(info);
            }
        }));
    });
}

fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let clean: String =
        line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN_CHARS).collect();
    clean.trim_end_matches(['.', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_panics_in_one_line() {
        assert_eq!(guarded(|| Ok::<_, String>(3)), Ok(3));
        assert_eq!(guarded(|| Err::<(), _>("bad.\nvery")), Err("bad".into()));
        let index = std::hint::black_box(7);
        let panicked = guarded(|| Ok::<_, String>([1, 2][index % 8]));
        assert!(panicked.unwrap_err().contains("index out of bounds"));
        assert_eq!(guarded(|| Err::<(), _>("x".repeat(999))).unwrap_err().len(), SHOWN_CHARS);
    }
}
