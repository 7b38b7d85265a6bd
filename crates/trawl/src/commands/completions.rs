//! `trawl completions`.

use std::io::{self, Write};

use clap::CommandFactory;

use super::Exit;
use crate::cli::{Cli, Completions};

pub fn run(args: &Completions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "trawl", &mut script);
    // Whoever closes the pipe has seen enough.
    match io::stdout().lock().write_all(&script) {
        Ok(()) => Exit::Done,
        Err(_) => Exit::Nothing,
    }
}
