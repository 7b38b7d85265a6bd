//! Numbers of link references: each page counts its own from 1, and in a document of several pages
//! the first definition of a number would be that of all pages.

use std::borrow::Cow;
use std::collections::HashMap;

/// The text of a page with `offset` added to its reference numbers, and how many it defines.
/// Numbers in code stay.
pub(crate) fn renumbered(markdown: &str, offset: usize) -> (Cow<'_, str>, usize) {
    let count = definitions(markdown);
    if count == 0 || offset == 0 {
        return (Cow::Borrowed(markdown), count);
    }
    let bytes = markdown.as_bytes();
    // The last run of each length: a run after it begins no code.
    let last_runs: HashMap<usize, usize> =
        backticks(bytes, 0).map(|(at, length)| (length, at)).collect();
    let mut written = String::with_capacity(markdown.len() + 4 * count);
    let (mut from, mut at) = (0, 0);
    let is_special = |byte: &u8| matches!(byte, b'[' | b'`' | b'\\');
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(is_special)) {
        at += found;
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => {
                let (_, ticks) = backticks(bytes, at).next().unwrap_or((at, 1));
                let is_closed = last_runs.get(&ticks).is_some_and(|last| *last > at);
                let mut rest = backticks(bytes, at + ticks).take_while(|_| is_closed);
                let end = rest.find(|(_, length)| *length == ticks);
                at = end.map_or(at + ticks, |(end, _)| end + ticks);
            }
            _ => {
                let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit());
                let end = at + 1 + digits.count();
                let number = markdown[at + 1..end].parse::<usize>().ok();
                // Before a bracket it is the text of a link or of an image.
                let is_reference = bytes.get(end) == Some(&b']')
                    && !matches!(bytes.get(end + 1), Some(b'[' | b'('));
                if let Some(number) = number.filter(|number| (1..=count).contains(number))
                    && is_reference
                {
                    written.push_str(&markdown[from..=at]);
                    written.push_str(&(number + offset).to_string());
                    from = end;
                }
                at = end;
            }
        }
    }
    written.push_str(&markdown[from..]);
    (Cow::Owned(written), count)
}

/// The number of definitions at the end of a page: lines `[1]: …`, `[2]: …` up to the last one.
fn definitions(markdown: &str) -> usize {
    let number = |line: &str| {
        let (number, _) = line.strip_prefix('[')?.split_once("]: ")?;
        number.parse::<usize>().ok()
    };
    let mut lines = markdown.trim_end().rsplit('\n');
    let Some(last) = lines.next().and_then(number).filter(|last| *last > 0) else { return 0 };
    let is_next = |(expected, line): &(usize, &str)| number(line) == Some(*expected);
    let before = (1..last).rev().zip(lines).take_while(is_next).count();
    if before + 1 == last { last } else { 0 }
}

/// The runs of backticks from an offset on: where each begins, and its length.
fn backticks(bytes: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut next = from;
    std::iter::from_fn(move || {
        let rest = bytes.get(next..)?;
        let at = next + rest.iter().position(|byte| *byte == b'`')?;
        let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        next = at + length;
        Some((at, length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_references_and_definitions_are_shifted() {
        let page = "[a][1] `x[1]` \\[1] [2][2] ![1](i)\n\n```\ny[1]\n```\n\n[1]: /a\n[2]: /b\n";
        let expected = "[a][6] `x[1]` \\[1] [2][7] ![1](i)\n\n```\ny[1]\n```\n\n[6]: /a\n[7]: /b\n";
        assert_eq!(renumbered(page, 5), (Cow::Borrowed(expected), 2));
        assert_eq!(renumbered(page, 0), (Cow::Borrowed(page), 2));
    }

    #[test]
    fn page_without_definitions_is_unchanged() {
        for page in ["See [1].", "[2]: /b", "", "`", "[1", "text\n[1]:/a", "[0]: /a"] {
            assert_eq!(renumbered(page, 5), (Cow::Borrowed(page), 0), "{page}");
        }
    }
}
