//! Files with a line for each row or feature: `--weights`, `--penalty-factors`, `--groups`, `--folds-file`; `#` begins a comment, and
//! blank lines are passed over.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

/// Longer words are cut in messages.
const SHOWN_CHARS: usize = 40;

/// A line that says something: its number, counted from 1, and its words.
type Line<'a> = (usize, Vec<&'a str>);

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let said = text.lines().map(|line| line.split('#').next().unwrap_or(""));
    let lines = said.enumerate().map(|(k, line)| (k + 1, line.split_whitespace().collect::<Vec<_>>()));
    lines.filter(|(_, words)| !words.is_empty())
}

/// Bytes that a file with a line for each of `count` may have, comments included.
fn most_bytes(count: usize) -> u64 {
    (1 << 20) + 1024 * count as u64
}

/// All of it, if it is not far longer than a line for each of `count`: a device may have no end.
fn read(path: &Path, count: usize) -> Result<String> {
    let cannot = || format!("cannot read {}", path.display());
    let mut text = String::new();
    let file = File::open(path).with_context(cannot)?;
    let most = most_bytes(count);
    if file.take(most + 1).read_to_string(&mut text).with_context(cannot)? as u64 > most {
        bail!(
            "{}: it has more than {} KiB, but a line for each of {count} is expected",
            path.display(),
            most >> 10
        );
    }
    Ok(text)
}

/// One number for each of the n rows of the data.
pub(crate) fn sample_weights(path: &Path, n: usize) -> Result<Vec<f64>> {
    weights_of(&read(path, n)?, path, n)
}

fn weights_of(text: &str, path: &Path, n: usize) -> Result<Vec<f64>> {
    let weights: Vec<f64> = lines(text)
        .map(|(line, words)| match words[..] {
            [word] => non_negative(path, line, word),
            _ => bail!("{}, line {line}: expected one number, found {} words", path.display(), words.len()),
        })
        .collect::<Result<_>>()?;
    if weights.len() != n {
        bail!("{}: {} weights for {n} rows: give one a line, for every row", path.display(), weights.len());
    }
    Ok(weights)
}

/// One name for each of the n rows of the data.
pub(crate) fn row_names(path: &Path, n: usize) -> Result<Vec<String>> {
    names_of(&read(path, n)?, path, n)
}

fn names_of(text: &str, path: &Path, n: usize) -> Result<Vec<String>> {
    let names: Vec<String> = lines(text).map(|(_, words)| words.join(" ")).collect();
    if names.len() != n {
        bail!("{}: {} names for {n} rows: give one a line, for every row", path.display(), names.len());
    }
    Ok(names)
}

/// The factors of all d features: one number a line, or `INDEX FACTOR` lines and 1 for the others.
pub(crate) fn penalty_factors(path: &Path, d: usize, zero_based: bool) -> Result<Vec<f64>> {
    factors_of(&read(path, d)?, path, d, zero_based)
}

fn factors_of(text: &str, path: &Path, d: usize, zero_based: bool) -> Result<Vec<f64>> {
    let shown = path.display();
    let (mut all, mut some) = (Vec::new(), vec![None; d]);
    let base = usize::from(!zero_based);
    for (line, words) in lines(text) {
        match words[..] {
            [factor] => all.push(non_negative(path, line, factor)?),
            [index, factor] if all.is_empty() => {
                let column = parse::<usize>(path, line, index, "a feature's index")?.checked_sub(base);
                let Some(slot) = column.and_then(|j| some.get_mut(j)) else {
                    let (least, most) = (base, d - 1 + base);
                    bail!(
                        "{shown}, line {line}: there is no feature {}: indices run from {least} to {most}",
                        in_words(index)
                    );
                };
                if slot.replace(non_negative(path, line, factor)?).is_some() {
                    bail!(
                        "{shown}, line {line}: feature {} has a factor already: leave one of them out",
                        in_words(index)
                    );
                }
            }
            _ => bail!(
                "{shown}, line {line}: expected one number on every line (for all features), or INDEX FACTOR on every line"
            ),
        }
    }
    let sparse = some.iter().any(Option::is_some);
    match (sparse, all.len()) {
        (true, 0) => Ok(some.into_iter().map(|factor| factor.unwrap_or(1.0)).collect()),
        (false, count) if count == d => Ok(all),
        (false, count) => {
            bail!(
                "{shown}: {count} factors for {d} features: give one a line, or INDEX FACTOR lines for some"
            )
        }
        (true, _) => bail!("{shown}: lines with one number and lines INDEX FACTOR cannot be mixed"),
    }
}

fn non_negative(path: &Path, line: usize, word: &str) -> Result<f64> {
    let expected = "a finite number, 0 or more";
    let value: f64 = parse(path, line, word, expected)?;
    if !(value >= 0.0 && value.is_finite()) {
        bail!("{}, line {line}: found {}, but expected {expected}", path.display(), in_words(word));
    }
    Ok(value)
}

fn parse<T: FromStr>(path: &Path, line: usize, word: &str, expected: &str) -> Result<T> {
    let Ok(value) = word.parse() else {
        bail!("{}, line {line}: found `{}`, but expected {expected}", path.display(), in_words(word));
    };
    Ok(value)
}

/// A word of the file for a message: short, and without what could garble a terminal.
fn in_words(word: &str) -> String {
    let start: String = word.chars().take(SHOWN_CHARS).collect();
    let cut = if start.len() < word.len() { "…" } else { "" };
    format!("{}{cut}", start.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, read: impl Fn(&Path) -> Result<Vec<f64>>) -> Result<Vec<f64>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn weights_are_one_a_row() {
        let read = |text: &str| with(text, |path| sample_weights(path, 2));
        assert_eq!(read("# two\n1\n\n 2.5 # heavy\n").unwrap(), [1.0, 2.5]);
        for (text, part) in [
            ("1\n", "1 weights for 2 rows"),
            ("1\nx\n", "line 2"),
            ("1\n-1\n", "line 2"),
            ("1 2\n", "line 1"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("numbers"), "{error}");
        }
    }

    #[test]
    fn factors_are_for_all_or_for_some() {
        let read = |text: &str| with(text, |path| penalty_factors(path, 3, false));
        assert_eq!(read("1\n0\n2\n").unwrap(), [1.0, 0.0, 2.0]);
        assert_eq!(read("3 0\n1 5e-1\n").unwrap(), [0.5, 1.0, 0.0]);
        let texts = [
            "1\n2\n",
            "4 1\n",
            "0 1\n",
            "2 1\n2 1\n",
            "1 2 3\n",
            "2 1\n7\n",
            "7\n2 1\n",
            "1 nan\n",
            "x 1\n",
            "",
        ];
        for text in texts {
            assert!(read(text).is_err(), "{text:?}");
        }
        assert_eq!(with("0 7\n", |path| penalty_factors(path, 2, true)).unwrap(), [7.0, 1.0]);
    }

    #[test]
    fn any_text_gives_numbers_or_one_line() {
        let files = ["1\n2.5 # heavy\n\n0\n", "3 0\n1 5e-1\n", "a b\nc\n\u{e4}\n"]
            .map(|text| text.as_bytes().to_vec());
        let path = Path::new("numbers");
        let finite =
            |values: &Vec<f64>| values.len() == 3 && values.iter().all(|x| *x >= 0.0 && x.is_finite());
        let mut taken = [0; 4];
        for case in 0..100_000 {
            let bytes = sparsvm_fuzz::mutate::case(&files, case);
            let text = String::from_utf8_lossy(&bytes);
            let told = [
                weights_of(&text, path, 3).map(|values| finite(&values)),
                factors_of(&text, path, 3, false).map(|values| finite(&values)),
                factors_of(&text, path, 3, true).map(|values| finite(&values)),
                names_of(&text, path, 3)
                    .map(|names| names.len() == 3 && names.iter().all(|name| !name.is_empty())),
            ];
            for (count, found) in taken.iter_mut().zip(told) {
                match found {
                    Ok(right) => {
                        assert!(right, "case {case}: {text:?}");
                        *count += 1;
                    }
                    Err(error) => {
                        let line = error.to_string();
                        assert!(
                            line.contains("numbers") && !line.contains(char::is_control),
                            "{case}: {line:?}"
                        );
                        assert!(line.chars().count() < 500, "{case}: {line}");
                    }
                }
            }
        }
        assert!(taken.iter().all(|count| *count > 1000), "{taken:?}");
    }
}
