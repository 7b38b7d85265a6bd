//! Output of commands on standard output.
//!
//! `println!` panics when the reader has closed the pipe, as `head` does. `outln!` ignores a closed
//! pipe, so that the command still finishes its work.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use crate::exit::Exit;

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
pub fn print_table<const N: usize>(columns: &str, rows: impl IntoIterator<Item = [String; N]>) {
    let columns = columns.split(", ").map(|column| column.split_once(':').unwrap_or((column, "0")));
    let (names, widths): (Vec<_>, Vec<_>) = columns.unzip();
    print_row(&widths, names.into_iter().map(str::to_owned));
    for row in rows {
        print_row(&widths, row);
    }
}

fn print_row(widths: &[&str], cells: impl IntoIterator<Item = String>) {
    let padded = widths.iter().zip(cells).map(|(spec, cell)| {
        let width = spec.trim_start_matches('>').parse::<usize>().unwrap_or(0);
        if spec.starts_with('>') { format!("{cell:>width$}") } else { format!("{cell:width$}") }
    });
    outln!("{}", padded.collect::<Vec<_>>().join("  "));
}

/// The text of a value, or a dash.
pub fn or_dash(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}
