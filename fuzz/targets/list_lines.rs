//! An uploaded list of URLs, in parts as a body arrives, in both formats.

#![no_main]
#![allow(dead_code, reason = "the file belongs to `api`")]

use contract::ListFormat;
use libfuzzer_sys::fuzz_target;
use urls::{AllowedNetworks, Target};

#[path = "../../crates/service/api/src/routes/lists/line_reader.rs"]
mod line_reader;

mod api_error {
    pub type ApiResult<T> = Result<T, ()>;
}

/// The lines of a body that arrives in parts of this size; ends at a line that is too long.
fn lines(body: &[u8], part: usize) -> Vec<(u64, Option<Vec<u8>>)> {
    let (mut reader, mut lines) = (line_reader::BodyLineReader::default(), Vec::new());
    let mut take = |number: u64, line: Option<&[u8]>| {
        assert!(line.is_none_or(|line| line.len() <= line_reader::MAX_LINE_BYTES));
        lines.push((number, line.map(<[u8]>::to_vec)));
        if line.is_some() { Ok(()) } else { Err(()) }
    };
    let read = body.chunks(part).try_for_each(|chunk| reader.push(chunk, &mut take));
    let _ = read.and_then(|()| reader.finish(&mut take));
    lines
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    let whole = lines(body, body.len().max(1));
    assert_eq!(lines(body, usize::from(*first) + 1), whole);
    for line in whole.iter().filter_map(|(_, line)| line.as_ref()) {
        for format in [ListFormat::Ndjson, ListFormat::Text] {
            if let Ok(Some(url)) = format.url(line) {
                let parsed = Target::parse(&url, &AllowedNetworks::default(), |_| false);
                std::hint::black_box(parsed.is_ok());
            }
        }
    }
});
