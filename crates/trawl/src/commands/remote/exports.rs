//! `trawl export` against a server.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use axum::http::header;
use client::BodyStream;
use contract::{CreateExport, Export, JobId, PublicJob};
use export::{ExportFailure, ExportSubject, FileKind};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{path_of_link, with_query};
use crate::cli::{ExportArgs, OutputFormat};
use crate::commands::Exit;
use crate::commands::connection::ServerConnection;
use crate::commands::job;
use crate::commands::output_file::{self, ExportTarget, PartFile, WrittenKind};
use crate::exit::fail;
use crate::printing::counted;

/// Time without a byte after which a transfer has failed.
const SILENCE: Duration = Duration::from_secs(120);

/// Maximum bytes of an item in a stream of lines.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Items that are read ahead of the file.
const READ_AHEAD: usize = 64;

pub async fn export(server: &ServerConnection, args: &ExportArgs) -> anyhow::Result<Exit> {
    let id: JobId = args.id.parse().map_err(|_| job::missing(&args.id))?;
    let format =
        OutputFormat::of(args.format, &args.output).map_err(|unknown| Exit::Usage.with(unknown))?;
    let is_plain = args.filter.is_empty() && args.search.is_none() && args.fields.is_none();
    if is_plain || (format.needs_raw_pages() && args.fields.is_none()) {
        let (table, q) = (args.table.clone(), args.search.clone());
        let body = CreateExport { format: format.into(), table, q, filter: conditions(args)? };
        return download(server, &id, &body, &args.output).await;
    }
    if args.fields.is_some() && !matches!(format, OutputFormat::Json | OutputFormat::Jsonl) {
        fail!(Usage, "--fields selects members of json and jsonl; other formats have columns");
    }
    selected(server, &id, format, args).await
}

/// The conditions of `--filter`, as a request has them: alternatives of one column are a list.
fn conditions(args: &ExportArgs) -> anyhow::Result<Option<Map<String, Value>>> {
    let mut members = Map::new();
    for condition in &args.filter {
        let Some((column, value)) = condition.split_once('=') else {
            fail!(Usage, "--filter {condition:?} has no value; write COLUMN=VALUE");
        };
        let values = members.entry(column).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(values) = values {
            values.push(value.into());
        }
    }
    Ok((!members.is_empty()).then_some(members))
}

/// Writes the file that the server makes of the results.
pub async fn download(
    server: &ServerConnection,
    id: &JobId,
    body: &CreateExport,
    output: &str,
) -> anyhow::Result<Exit> {
    let job: PublicJob = server.get(&format!("/v1/jobs/{id}")).await?;
    let ticket: Export = server.post(&format!("/v1/jobs/{id}/export"), body).await?;
    let path = path_of_link(&ticket.url, "/downloads/").context("the server returned no link")?;
    let file = OpenOutput::open(output)?;
    let response = server.open_stream(&path, "*/*").await;
    let response = match response {
        Ok(response) => response,
        Err(error) => {
            file.discard();
            return Err(server.failure(error));
        }
    };
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_zip = kind.is_some_and(|kind| kind == FileKind::Zip.content_type());
    let OpenOutput { mut target, part_file, .. } = file;
    let written = copy(&mut BodyStream::of(response), &mut target).await;
    // The server does not say how many pages an archive has.
    let count = (!body.format.needs_raw_pages()).then_some(job.counts.results);
    let exit = finish(written, part_file, output, count)?;
    output_file::warn_if_zip(is_zip.then_some(&FileKind::Zip), output);
    Ok(exit)
}

/// Writes the results that match the filters, with the selected members.
async fn selected(
    server: &ServerConnection,
    id: &JobId,
    format: OutputFormat,
    args: &ExportArgs,
) -> anyhow::Result<Exit> {
    let job: PublicJob = server.get(&format!("/v1/jobs/{id}")).await?;
    if !format.suits(job.mode) {
        fail!(Usage, "llms.txt lists pages of mode markdown; the job has mode {}", job.mode);
    }
    let mut names = Vec::new();
    for condition in &args.filter {
        let Some((column, value)) = condition.split_once('=') else {
            fail!(Usage, "--filter {condition:?} has no value; write COLUMN=VALUE");
        };
        names.push((filter_name(column), value.to_owned()));
    }
    let mut parameters: Vec<_> =
        names.iter().map(|(name, value)| (name.as_str(), Some(value.clone()))).collect();
    parameters.push(("q", args.search.clone()));
    parameters.push(("fields", args.fields.clone()));
    let path = with_query(&format!("/v1/jobs/{id}/results"), &parameters);
    let response = server.open_stream(&path, "application/x-ndjson").await;
    let response = response.map_err(|error| server.failure(error))?;
    let schema = registry::item_schema(job.mode);
    let tables: Vec<_> = schema.tables.iter().map(|table| table.name).collect();
    if let Some(table) = args.table.as_deref().filter(|table| !tables.contains(table)) {
        fail!(Usage, "there is no table {table:?}; the tables are {}", tables.join(", "));
    }
    let subject = ExportSubject { schema, url: job.url, table: args.table.clone() };
    let OpenOutput { target, kind, part_file } = OpenOutput::open(&args.output)?;
    let (items, received) = mpsc::channel(READ_AHEAD);
    let writing =
        tokio::task::spawn_blocking(move || write_items(received, format, &subject, target));
    send_lines(&mut BodyStream::of(response), &items).await;
    drop(items);
    let (written, count) = writing.await.context("the export task panicked")?;
    let exit = finish(written, part_file, &args.output, Some(count))?;
    output_file::warn_if_zip(kind.get(), &args.output);
    Ok(exit)
}

/// Writes the received items; returns their number.
fn write_items(
    mut items: mpsc::Receiver<io::Result<Value>>,
    format: OutputFormat,
    subject: &ExportSubject,
    target: ExportTarget,
) -> (io::Result<()>, u64) {
    let mut count = 0;
    let items = std::iter::from_fn(|| items.blocking_recv()).inspect(|_| count += 1);
    let written = match export::write_items(items, format.into(), subject, target) {
        Ok(()) => Ok(()),
        Err(ExportFailure::Read(error) | ExportFailure::Write(export::ExportError::Io(error))) => {
            Err(error)
        }
        Err(ExportFailure::Write(error)) => Err(io::Error::other(error)),
    };
    (written, count)
}

/// `price[lt]` as a parameter of the API: `filter[price][lt]`.
fn filter_name(column: &str) -> String {
    match column.split_once('[') {
        Some((name, operator)) => format!("filter[{name}][{operator}"),
        None => format!("filter[{column}]"),
    }
}

/// Sends each line as JSON, until the end, an error or until the receiver is gone.
async fn send_lines(body: &mut BodyStream, items: &mpsc::Sender<io::Result<Value>>) {
    let mut pending = Vec::new();
    loop {
        let chunk = match next(body).await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return,
            Err(error) => {
                // The receiver may have ended with a write error.
                let _ = items.send(Err(error)).await;
                return;
            }
        };
        pending.extend_from_slice(&chunk);
        let mut from = 0;
        while let Some(length) = pending[from..].iter().position(|byte| *byte == b'\n') {
            let line = &pending[from..from + length];
            from += length + 1;
            if line.is_empty() {
                continue;
            }
            let item = serde_json::from_slice(line).map_err(io::Error::other);
            if items.send(item).await.is_err() {
                return;
            }
        }
        pending.drain(..from);
        if pending.len() > MAX_LINE {
            let message = format!("an item has more than {MAX_LINE} bytes");
            let _ = items.send(Err(io::Error::other(message))).await;
            return;
        }
    }
}

async fn next(body: &mut BodyStream) -> io::Result<Option<bytes::Bytes>> {
    match timeout(SILENCE, body.next()).await {
        Ok(chunk) => chunk.map_err(io::Error::other),
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("the server sent nothing for {} s", SILENCE.as_secs()),
        )),
    }
}

async fn copy(body: &mut BodyStream, target: &mut impl Write) -> io::Result<()> {
    while let Some(chunk) = next(body).await? {
        target.write_all(&chunk)?;
    }
    target.flush()
}

/// The output of an export, before the first byte.
struct OpenOutput {
    target: ExportTarget,
    kind: WrittenKind,
    part_file: Option<PartFile>,
}

impl OpenOutput {
    fn open(output: &str) -> anyhow::Result<Self> {
        if output == "-" {
            let (target, kind) = ExportTarget::stdout();
            return Ok(Self { target, kind, part_file: None });
        }
        let (target, kind, part_file) = ExportTarget::part_file(Path::new(output))
            .with_context(|| format!("cannot write {output}"))?;
        Ok(Self { target, kind, part_file: Some(part_file) })
    }

    fn discard(self) {
        self.part_file.into_iter().for_each(PartFile::discard);
    }
}

/// Renames the complete file and prints the number of its results, if it is known, or deletes it after an
/// error.
fn finish(
    written: io::Result<()>,
    part_file: Option<PartFile>,
    output: &str,
    count: Option<u64>,
) -> anyhow::Result<Exit> {
    match (written, part_file) {
        (Ok(()), Some(file)) => {
            file.persist().with_context(|| format!("cannot write {output}"))?;
            match count {
                Some(count) => {
                    eprintln!("{} written to {output}", counted(count, "result", "results"));
                }
                None => eprintln!("{output} written"),
            }
            Ok(Exit::Done)
        }
        (Ok(()), None) => Ok(Exit::Done),
        // The reader closed the pipe, as `head` does.
        (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        (Err(error), file) => {
            file.into_iter().for_each(PartFile::discard);
            Err(anyhow::Error::new(error).context("the export failed"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_have_the_names_of_the_api() {
        assert_eq!(filter_name("status_code"), "filter[status_code]");
        assert_eq!(filter_name("price[lt]"), "filter[price][lt]");
    }
}
