//! Lists in text files: one entry per line.

use std::fmt::{Display, Write as _};
use std::io::Read;

/// Maximum bytes of a list, as of an upload to the API.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// Maximum invalid entries in the error message; the others are counted.
const MAX_REPORTED: usize = 20;

/// The text of a file; `-` is standard input.
pub fn read(path: &str) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if path == "-" {
        std::io::stdin().lock().take(MAX_LIST_BYTES + 1).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(MAX_LIST_BYTES + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > MAX_LIST_BYTES {
        let message = format!("the list is larger than {MAX_LIST_BYTES} bytes; divide it");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, message));
    }
    Ok(html::charset::decode(&bytes, None).into_owned())
}

/// The entries for which `is_new`, or a message about invalid ones. Each comes with its position.
pub fn parse<'a, T, E: Display>(
    entries: impl Iterator<Item = (String, &'a str)>,
    parse: impl Fn(&str) -> Result<T, E>,
    mut is_new: impl FnMut(&T) -> bool,
) -> Result<Vec<T>, String> {
    let (mut valid, mut invalid) = (Vec::new(), Vec::new());
    for (position, entry) in entries {
        let entry = entry.trim();
        if entry.is_empty() {
            continue;
        }
        match parse(entry) {
            Ok(parsed) => valid.extend(is_new(&parsed).then_some(parsed)),
            Err(problem) => invalid.push(format!("{position}: {problem}")),
        }
    }
    if invalid.is_empty() {
        return Ok(valid);
    }
    let mut text = invalid.iter().take(MAX_REPORTED).cloned().collect::<Vec<_>>().join("\ntrawl: ");
    if invalid.len() > MAX_REPORTED {
        // Writing to a String cannot fail.
        let _ = write!(text, "\ntrawl: and {} more", invalid.len() - MAX_REPORTED);
    }
    Err(text)
}
