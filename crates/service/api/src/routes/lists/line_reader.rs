//! Lines of a body that arrives in parts.

use crate::api_error::ApiResult;

/// Maximum bytes of a line: a URL of 2,048 bytes, each written as an escape of JSON.
pub(super) const MAX_LINE_BYTES: usize = 16 * 1024;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Divides the parts of a body into lines. Memory is bounded by a line.
#[derive(Debug, Default)]
pub(super) struct BodyLineReader {
    begun: Vec<u8>,
    /// Number of the last complete line.
    number: u64,
}

impl BodyLineReader {
    /// Passes each line that is complete to `take`, with its number from 1; none for one that is too
    /// long.
    pub fn push(
        &mut self,
        mut data: &[u8],
        mut take: impl FnMut(u64, Option<&[u8]>) -> ApiResult<()>,
    ) -> ApiResult<()> {
        while let Some(at) = data.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = data.split_at(at);
            data = rest.get(1..).unwrap_or_default();
            self.number += 1;
            if self.begun.is_empty() {
                pass(self.number, line, &mut take)?;
            } else {
                self.begun.extend_from_slice(line);
                pass(self.number, &self.begun, &mut take)?;
                self.begun.clear();
            }
        }
        self.begun.extend_from_slice(data);
        if self.begun.len() > MAX_LINE_BYTES { take(self.number + 1, None) } else { Ok(()) }
    }

    /// Passes the last line, which has no end.
    pub fn finish(
        &mut self,
        mut take: impl FnMut(u64, Option<&[u8]>) -> ApiResult<()>,
    ) -> ApiResult<()> {
        pass(self.number + 1, &std::mem::take(&mut self.begun), &mut take)
    }
}

fn pass(
    number: u64,
    line: &[u8],
    take: &mut impl FnMut(u64, Option<&[u8]>) -> ApiResult<()>,
) -> ApiResult<()> {
    // Editors of Windows begin a file with a byte order mark.
    let line = line.strip_prefix(MARK).filter(|_| number == 1).unwrap_or(line);
    take(number, Some(line).filter(|line| line.len() <= MAX_LINE_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&[u8]]) -> Vec<(u64, Option<String>)> {
        let (mut reader, mut lines) = (BodyLineReader::default(), Vec::new());
        let mut take = |number: u64, line: Option<&[u8]>| {
            lines.push((number, line.map(|line| String::from_utf8_lossy(line).into_owned())));
            Ok(())
        };
        for part in parts {
            reader.push(part, &mut take).expect("it is taken");
        }
        reader.finish(&mut take).expect("it is taken");
        lines
    }

    #[test]
    fn lines_are_the_same_however_the_body_is_divided() {
        let body = b"\xEF\xBB\xBFone\r\n\ntwo\nlast";
        let whole = lines(&[body]);
        let texts = [(1, "one\r"), (2, ""), (3, "two"), (4, "last")];
        assert_eq!(whole, texts.map(|(number, text)| (number, Some(text.to_owned()))));
        for at in 0..body.len() {
            let (first, second) = body.split_at(at);
            assert_eq!(lines(&[first, second]), whole, "divided at {at}");
        }
    }

    #[test]
    fn long_line_is_reported_before_its_end() {
        let long = vec![b'x'; MAX_LINE_BYTES + 1];
        assert_eq!(lines(&[b"one\n", &long]).get(1), Some(&(2, None)));
    }
}
