//! `trawl list`: uploaded lists of URLs.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context;
use client::ApiCall;
use contract::{ListId, UploadedList};

use crate::cli::ListCommand;
use crate::commands::connection::ServerConnection;
use crate::commands::crawl::read_text_list;
use crate::commands::{Exit, print_json};
use crate::exit::{CommandFailure, fail};
use crate::printing::{counted, outln};

/// The type of a list with one URL per line.
pub const TEXT: &str = "text/plain";

/// The type of a list in JSON Lines.
const NDJSON: &str = "application/x-ndjson";

/// Maximum bytes of an upload to the API.
const MAX_BYTES: u64 = 256 << 20;

pub async fn list(server: &ServerConnection, command: ListCommand) -> anyhow::Result<Exit> {
    match command {
        ListCommand::Upload { file, json } => {
            let (content_type, body) = read_list(&file)?;
            let list = upload_list(server, content_type, body).await?;
            if json {
                print_json(&list)?;
            } else {
                let urls = counted(list.url_count, "URL", "URLs");
                eprintln!("trawl: {urls} uploaded; kept until {}", list.expires_at);
                outln!("{}", list.list_id);
            }
        }
        ListCommand::Show { id, json } => {
            let list: UploadedList = server.get(&path(&parse(&id)?)).await?;
            if json {
                print_json(&list)?;
            } else {
                let urls = counted(list.url_count, "URL", "URLs");
                outln!("{} has {urls} and is kept until {}", list.list_id, list.expires_at);
            }
        }
        ListCommand::Delete { id } => {
            let id = parse(&id)?;
            delete_list(server, &id).await?;
            outln!("{id} is deleted; jobs over it keep their URLs");
        }
    }
    Ok(Exit::Done)
}

/// Uploads a list. Its URLs are checked by the server.
pub async fn upload_list(
    server: &ServerConnection,
    content_type: &'static str,
    body: Vec<u8>,
) -> anyhow::Result<UploadedList> {
    server.send(ApiCall::post("/v1/lists").upload(content_type, body)).await
}

/// Deletes a list. Jobs over it keep their URLs.
pub async fn delete_list(server: &ServerConnection, id: &ListId) -> anyhow::Result<()> {
    server.delete(&path(id)).await
}

/// The type and the bytes of a list. The extension `.jsonl` or `.ndjson` means JSON Lines.
fn read_list(file: &str) -> anyhow::Result<(&'static str, Vec<u8>)> {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
    let is_json = extension.is_some_and(|extension| {
        ["jsonl", "ndjson"].iter().any(|json| extension.eq_ignore_ascii_case(json))
    });
    if !is_json {
        let text = read_text_list(file).with_context(|| format!("cannot read {file}"))?;
        return Ok((TEXT, text.into_bytes()));
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file);
    opened
        .and_then(|opened| opened.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {file}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        fail!(Usage, "the list is larger than {MAX_BYTES} bytes; divide it");
    }
    Ok((NDJSON, bytes))
}

fn parse(id: &str) -> Result<ListId, CommandFailure> {
    id.parse().map_err(|_| Exit::Nothing.with(format!("there is no list {id}")))
}

fn path(id: &ListId) -> String {
    format!("/v1/lists/{id}")
}
