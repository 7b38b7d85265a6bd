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
