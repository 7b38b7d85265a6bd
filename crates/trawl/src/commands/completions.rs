//! `trawl completions`.

use super::Exit;
use crate::cli::{self, CompletionsArgs};
use crate::printing::print;

pub fn run(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "trawl", &mut script);
    print(format_args!("{}", String::from_utf8_lossy(&script)));
    Exit::Done
}
