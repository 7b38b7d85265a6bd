//! Output of commands on standard output.
//!
//! `println!` panics when the reader has closed the pipe, as `head` does. `outln!` ignores a closed
//! pipe, so that the command still finishes its work.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use contract::Credits;
use serde_json::{Map, Value};

use crate::exit::Exit;
use crate::terminal::{self, Tone, cut, painted, painted_cell};

/// Minimum characters that the last column of a table is cut to.
const MIN_LAST_COLUMN: usize = 10;

/// Prints a line to standard output.
macro_rules! outln {
    ($($line:tt)*) => {
        $crate::printing::print(format_args!("{}\n", format_args!($($line)*)))
    };
}
pub(crate) use outln;

/// Prints a text without a line break. Ends the process if standard output fails otherwise than
/// by a closed pipe.
pub fn print(text: fmt::Arguments<'_>) {
    let Err(error) = io::stdout().lock().write_fmt(text) else { return };
    if error.kind() != ErrorKind::BrokenPipe {
        eprintln!("trawl: cannot write to standard output: {error}");
        std::process::exit(Exit::Setup.code().into());
    }
}

/// Prints a table. `columns` lists the names and widths of the columns, as in
/// `"job:36, results:>8, url"`: `>` aligns the cells to the right, and the last column has no width.
/// A terminal gets colours, and the last column is cut to its width.
pub fn print_table<const N: usize>(columns: &str, rows: impl IntoIterator<Item = [String; N]>) {
    let columns = columns.split(", ").map(|column| column.split_once(':').unwrap_or((column, "0")));
    let (names, widths): (Vec<_>, Vec<_>) = columns.unzip();
    let screen = terminal::width();
    let head = padded_row(&widths, names.into_iter().map(str::to_owned), screen);
    outln!("{}", painted(Tone::Heading, &head.join("  ")));
    for row in rows {
        let cells = padded_row(&widths, row, screen);
        let cells: Vec<_> = cells.iter().map(|cell| painted_cell(cell)).collect();
        outln!("{}", cells.join("  "));
    }
}

fn padded_row(
    widths: &[&str],
    cells: impl IntoIterator<Item = String>,
    screen: Option<usize>,
) -> Vec<String> {
    let mut used = 0;
    let last = widths.len().saturating_sub(1);
    let cells = widths.iter().zip(cells).enumerate();
    cells
        .map(|(at, (spec, cell))| {
            let width = spec.trim_start_matches('>').parse::<usize>().unwrap_or(0);
            let cell = match screen {
                // A very narrow terminal wraps lines instead.
                Some(screen) if at == last && screen > used + MIN_LAST_COLUMN => {
                    cut(&cell, screen - used).into_owned()
                }
                _ => cell,
            };
            used += cell.chars().count().max(width) + 2;
            if spec.starts_with('>') { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        })
        .collect()
}

/// Prints the members of an object, one per line.
pub fn print_members(members: &Map<String, Value>) {
    for (name, value) in members {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let name = format!("{name:18}");
        outln!("{}  {}", painted(Tone::Heading, &name), painted_cell(&value));
    }
}

/// A number with its noun: `1 page`, `2 pages`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Credits with their noun: `1 credit`, `2 credits`.
pub fn shown_credits(Credits(amount): Credits) -> String {
    format!("{amount} {}", if amount == 1 { "credit" } else { "credits" })
}

/// The text of a value, or a dash.
pub fn or_dash(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_numbers() {
        assert_eq!(counted(0, "page", "pages"), "0 pages");
        assert_eq!(counted(1, "page", "pages"), "1 page");
        assert_eq!(counted(2, "page", "pages"), "2 pages");
    }

    #[test]
    fn last_column_is_cut_to_the_terminal() {
        let long = "x".repeat(40);
        let row = |screen| {
            let cells = ["ab", "7", long.as_str()].map(str::to_owned);
            padded_row(&["4", ">3", "0"], cells, screen)
        };
        assert_eq!(row(None), ["ab  ", "  7", long.as_str()]);
        let cells = row(Some(30));
        assert_eq!(cells.join("  ").chars().count(), 30, "{cells:?}");
        assert!(cells[2].ends_with('…'));
        assert_eq!(row(Some(15)), row(None), "too narrow to cut");
    }
}
