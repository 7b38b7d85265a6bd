//! What commands print to standard output.
//!
//! `println!` panics when whoever reads has seen enough, as `head` has. A command goes on: what
//! it does may be more than what it says.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use crate::commands::Exit;

/// Prints a line.
macro_rules! outln {
    ($($line:tt)*) => {
        $crate::printing::print(format_args!("{}\n", format_args!($($line)*)))
    };
}
pub(crate) use outln;

/// Prints a text as it is.
pub fn print(text: fmt::Arguments<'_>) {
    let Err(error) = io::stdout().lock().write_fmt(text) else { return };
    if error.kind() != ErrorKind::BrokenPipe {
        eprintln!("trawl: standard output cannot be written: {error}");
        std::process::exit(Exit::Setup.code().into());
    }
}
