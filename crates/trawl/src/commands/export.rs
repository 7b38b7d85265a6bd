//! `trawl export`: writes the results of a job to a file.

use std::path::Path;

use anyhow::Context;
use contract::{FieldError, FieldSelection, ItemFilter, ItemSchema};
use export::{ArchiveFormat, ExportFailure};
use serde_json::Value;
use tokio::runtime::Handle;

use super::output_file::{self, ExportTarget, PartFile};
use super::{Exit, job, open_store};
use crate::cli::{ExportArgs, GlobalArgs, OutputFormat};
use crate::exit::fail;
use crate::printing::counted;

pub async fn run(global: &GlobalArgs, args: ExportArgs) -> anyhow::Result<Exit> {
    let format =
        OutputFormat::of(args.format, &args.output).map_err(|unknown| Exit::Usage.with(unknown))?;
    let (store, _) = open_store(global).await?;
    let found = job::find(&store, &args.id).await?;
    if !format.suits(found.mode) {
        fail!(Usage, "llms.txt lists pages of mode markdown; the job has mode {}", found.mode);
    }
    if format.needs_raw_pages()
        && let Some(refusal) = store.raw_pages(&found).await?.refusal()
    {
        fail!(Usage, "a web archive {refusal}");
    }
    let schema = registry::item_schema(found.mode);
    let tables: Vec<_> = schema.tables.iter().map(|table| table.name).collect();
    if let Some(table) = args.table.as_deref().filter(|table| !tables.contains(table)) {
        let tables = tables.join(", ");
        fail!(Usage, "there is no table {table:?}; the tables are {tables}");
    }
    let selection = selection(&args, schema, format)?;
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
    let is_archive = format.needs_raw_pages();
    let written = tokio::task::spawn_blocking(move || {
        let mut count = 0_u64;
        let numbered = (0..).zip(store.results_blocking(&runtime, &found.id, total));
        let items = numbered.filter_map(|(number, item)| {
            let item = item.map(|item| selection.apply(item)).transpose()?;
            Some(item.map(|item| (number, item)))
        });
        let written = match ArchiveFormat::of(format.into()) {
            Some(format) => {
                let subject = api::archive_subject(&found);
                let pages =
                    api::archived_pages(store.clone(), runtime.clone(), found.id.clone(), items);
                let pages = pages.inspect(|_| count += 1);
                export::write_archive(pages, format, &subject, target)
            }
            None => {
                let items = items.map(|item| item.map(|(_, item)| item)).inspect(|_| count += 1);
                export::write_items(items, format.into(), &subject, target)
            }
        };
        written.map(|()| count)
    });
    let count = match written.await.context("the export task panicked")? {
        Ok(count) => count,
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
    };
    if let Some(part_file) = part_file {
        part_file.persist().with_context(|| format!("cannot write {}", args.output))?;
        let things = if is_archive { ("page", "pages") } else { ("result", "results") };
        eprintln!("{} written to {}", counted(count, things.0, things.1), args.output);
    }
    output_file::warn_if_zip(kind.get(), &args.output);
    Ok(Exit::Done)
}

/// The items and members that are exported.
struct ExportSelection {
    filter: ItemFilter,
    fields: Option<FieldSelection>,
}

impl ExportSelection {
    /// The item with the selected members; `None` if it does not match.
    fn apply(&self, item: Value) -> Option<Value> {
        let matching = self.filter.matches(&item).then_some(item)?;
        Some(match &self.fields {
            Some(fields) => fields.select(matching),
            None => matching,
        })
    }
}

fn selection(
    args: &ExportArgs,
    schema: &ItemSchema,
    format: OutputFormat,
) -> anyhow::Result<ExportSelection> {
    let usage = |error: FieldError| Exit::Usage.with(format!("{}: {}", error.field, error.message));
    let mut conditions = Vec::new();
    for condition in &args.filter {
        let Some((column, value)) = condition.split_once('=') else {
            fail!(Usage, "--filter {condition:?} has no value; write COLUMN=VALUE");
        };
        conditions.push((column, value));
    }
    let filter = ItemFilter::parse(schema, conditions);
    let filter = filter.map_err(|errors| {
        errors.into_iter().next().map_or(Exit::Usage.with("--filter is invalid"), usage)
    })?;
    let filter = match &args.search {
        Some(text) => filter
            .containing(schema, text)
            .map_err(|error| Exit::Usage.with(format!("--search {}", error.message)))?,
        None => filter,
    };
    let fields = match &args.fields {
        Some(_) if !matches!(format, OutputFormat::Json | OutputFormat::Jsonl) => {
            fail!(Usage, "--fields selects members of json and jsonl; other formats have columns");
        }
        Some(list) => Some(FieldSelection::parse(schema, list).map_err(usage)?),
        None => None,
    };
    Ok(ExportSelection { filter, fields })
}
