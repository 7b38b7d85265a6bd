//! `trawl export`: writes the results of a job to a file.

use std::path::Path;

use anyhow::Context;
use export::ExportFailure;
use tokio::runtime::Handle;

use super::output_file::{self, ExportTarget, PartFile};
use super::{Exit, job, open_store};
use crate::cli::{ExportArgs, GlobalArgs, OutputFormat};
use crate::exit::fail;

pub async fn run(global: &GlobalArgs, args: ExportArgs) -> anyhow::Result<Exit> {
    let (store, _) = open_store(global).await?;
    let found = job::find(&store, &args.id).await?;
    let format = OutputFormat::of(args.format, &args.output);
    let schema = registry::item_schema(found.mode);
    let tables: Vec<_> = schema.tables.iter().map(|table| table.name).collect();
    if let Some(table) = args.table.as_deref().filter(|table| !tables.contains(table)) {
        let tables = tables.join(", ");
        fail!(Usage, "there is no table {table:?}; the tables are {tables}");
    }
    let table = args.table.clone();
    let subject = export::ExportSubject { schema, url: found.url.clone(), table };
    let (target, kind, part_file) = if args.output == "-" {
        let (target, kind) = ExportTarget::stdout();
        (target, kind, None)
    } else {
        let (target, kind, part_file) = ExportTarget::part_file(Path::new(&args.output))
            .with_context(|| format!("cannot write {}", args.output))?;
        (target, kind, Some(part_file))
    };
    let (runtime, total) = (Handle::current(), found.counts.results);
    let written = tokio::task::spawn_blocking(move || {
        let items = store.results_blocking(&runtime, &found.id, total);
        export::write_items(items, format.into(), &subject, target)
    });
    match written.await.context("the export task panicked")? {
        Ok(()) => {}
        Err(ExportFailure::Write(export::ExportError::Io(error)))
            if part_file.is_none() && error.kind() == std::io::ErrorKind::BrokenPipe =>
        {
            // The reader closed the pipe, as `head` does.
            return Ok(Exit::Done);
        }
        Err(failure) => {
            part_file.into_iter().for_each(PartFile::discard);
            return Err(anyhow::Error::new(failure).context("the export failed"));
        }
    }
    if let Some(part_file) = part_file {
        part_file.persist().with_context(|| format!("cannot write {}", args.output))?;
        eprintln!("{total} results written to {}", args.output);
    }
    output_file::warn_if_zip(kind.get(), &args.output);
    Ok(Exit::Done)
}
