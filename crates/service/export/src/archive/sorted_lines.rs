//! Sorts lines with bounded memory: sorted runs in temporary files that are merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

/// Bytes of lines that are sorted in memory.
const RUN_BYTES: usize = 8 << 20;

/// Bytes that are read ahead of each run.
const READ_BYTES: usize = 16 << 10;

pub(super) struct SortedLines {
    lines: Vec<String>,
    bytes: usize,
    runs: Vec<File>,
    run_bytes: usize,
}

impl SortedLines {
    pub fn new() -> Self {
        Self::within(RUN_BYTES)
    }

    fn within(run_bytes: usize) -> Self {
        Self { lines: Vec::new(), bytes: 0, runs: Vec::new(), run_bytes }
    }

    /// Adds a line, which has no line break.
    pub fn push(&mut self, line: String) -> io::Result<()> {
        self.bytes += line.len() + size_of::<String>();
        self.lines.push(line);
        if self.bytes >= self.run_bytes { self.end_run() } else { Ok(()) }
    }

    fn end_run(&mut self) -> io::Result<()> {
        self.lines.sort_unstable();
        let mut file = BufWriter::new(tempfile::tempfile()?);
        for line in self.lines.drain(..) {
            writeln!(file, "{line}")?;
        }
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        self.bytes = 0;
        Ok(())
    }

    /// Writes all lines in the order of their bytes, each with a line break.
    pub fn write_to(mut self, out: &mut impl Write) -> io::Result<()> {
        self.lines.sort_unstable();
        let runs = std::mem::take(&mut self.runs);
        let runs = runs.into_iter().map(|run| BufReader::with_capacity(READ_BYTES, run).lines());
        let mut sources: Vec<Box<dyn Iterator<Item = io::Result<String>>>> =
            runs.map(|run| Box::new(run) as _).collect();
        sources.push(Box::new(self.lines.into_iter().map(Ok)));
        let mut next = BinaryHeap::new();
        for (number, source) in sources.iter_mut().enumerate() {
            if let Some(line) = source.next() {
                next.push(Reverse((line?, number)));
            }
        }
        while let Some(Reverse((line, number))) = next.pop() {
            writeln!(out, "{line}")?;
            if let Some(line) = sources[number].next() {
                next.push(Reverse((line?, number)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_runs_are_merged_in_order() {
        let mut sorted = SortedLines::within(400);
        let mut expected: Vec<_> =
            (0..500).map(|n: u64| format!("{:05}", n * 7_919 % 503)).collect();
        for line in &expected {
            sorted.push(line.clone()).expect("a temporary file");
        }
        assert!(sorted.runs.len() > 10, "{}", sorted.runs.len());
        let mut out = Vec::new();
        sorted.write_to(&mut out).expect("memory");
        expected.sort_unstable();
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
