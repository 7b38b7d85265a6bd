//! `trawl man`: manual pages.

use std::path::Path;

use anyhow::Context;

use super::Exit;
use crate::cli::{self, ManArgs};
use crate::printing::print;

pub fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    // Help texts wrap at the width of the terminal; a manual page wraps when it is shown.
    let command = cli::command().term_width(0);
    match &args.folder {
        Some(folder) => write_all(command, folder)?,
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            print(format_args!("{}", String::from_utf8_lossy(&page)));
        }
    }
    Ok(Exit::Done)
}

/// Writes one page per command: `trawl.1`, `trawl-serve.1`, `trawl-key-create.1` …
fn write_all(command: clap::Command, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write manual pages to {}", folder.display()))
}
