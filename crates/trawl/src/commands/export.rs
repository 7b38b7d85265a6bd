//! `trawl export`: the results of a job as a file.

use std::path::Path;

use anyhow::Context;
use api::ExportFailure;
use tokio::runtime::Handle;

use super::table_file::{self, Place as Outlet};
use super::{Exit, job, open_store};
use crate::cli::{ExportArgs, OutputFormat, GlobalArgs};

pub async fn run(global: &GlobalArgs, args: ExportArgs) -> anyhow::Result<Exit> {
    let (store, _) = open_store(global).await?;
    let Some(found) = job::find(&store, &args.id).await? else { return Ok(Exit::Nothing) };
    let format = OutputFormat::of(args.format, &args.output);
    let tables: Vec<_> = export::sheets(found.mode).iter().map(|sheet| sheet.name).collect();
    if let Some(table) = args.table.as_deref().filter(|table| !tables.contains(table)) {
        eprintln!("trawl: there is no table {table:?}; take one of {}", tables.join(", "));
        return Ok(Exit::Usage);
    }
    let table = args.table.clone();
    let subject = export::Subject { mode: found.mode, url: found.url.clone(), table };
    let (outlet, told, beside) = if args.output == "-" {
        let (outlet, told) = Outlet::standard();
        (outlet, told, None)
    } else {
        let (outlet, told, beside) = Outlet::beside(Path::new(&args.output))
            .with_context(|| format!("{} cannot be written", args.output))?;
        (outlet, told, Some(beside))
    };
    let (runtime, total) = (Handle::current(), found.counts.results);
    let written = tokio::task::spawn_blocking(move || {
        let what = (&found.id, total);
        api::write_results((&runtime, &store), what, format.into(), &subject, outlet)
    });
    match written.await.context("the export ended by itself")? {
        Ok(()) => {}
        Err(ExportFailure::Export(export::ExportError::Io(error)))
            if beside.is_none() && error.kind() == std::io::ErrorKind::BrokenPipe =>
        {
            // Whoever reads has seen enough.
            return Ok(Exit::Done);
        }
        Err(failure) => {
            beside.into_iter().for_each(table_file::Beside::give_up);
            return Err(anyhow::Error::new(failure).context("the export came to nothing"));
        }
    }
    if let Some(beside) = beside {
        beside.settle().with_context(|| format!("{} cannot be written", args.output))?;
        eprintln!("{total} results in {}", args.output);
    }
    table_file::tell(told.get(), &args.output);
    Ok(Exit::Done)
}
