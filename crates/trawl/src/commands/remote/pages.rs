//! `trawl estimate`, `trawl map` and `trawl read` against a server.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context;
use client::{ApiCall, BodyStream};
use contract::{Mode, OnProtected, Options, PageAnswer, PageFile, Scope, UrlMap, comma_list};
use serde_json::{Value, json};
use urls::CanonicalUrl;

use super::path_of_link;
use crate::cli::{EstimateArgs, MapArgs, ProtectedChoice, ReadArgs};
use crate::commands::connection::{ServerConnection, with_idempotency_key};
use crate::commands::read::{page_mode, print_text, request_body};
use crate::commands::{Exit, estimate, job_request, map as local_map, print_json};
use crate::exit::fail;
use crate::start_url::with_scheme;

pub async fn estimate(server: &ServerConnection, args: &EstimateArgs) -> anyhow::Result<Exit> {
    let Ok(mode) = args.mode.parse::<Mode>() else {
        fail!(Usage, "there is no mode {:?}; the modes are {}", args.mode, comma_list(Mode::ALL))
    };
    let url = with_scheme(&args.url);
    let flags = match CanonicalUrl::parse(&url) {
        Ok(start) if !mode.visits_domains() => args.flags.clone().starting_at(&start),
        // The server reports an invalid URL.
        _ => args.flags.clone(),
    };
    let mut body = json!({"url": url, "mode": mode});
    if !mode.visits_domains() {
        body["scope"] = job_request::changed(&flags.scope, &Scope::default())?;
        body["options"] = job_request::changed(&flags.options, &Options::default())?;
    }
    if args.json {
        let estimate: Value = server.post("/v1/estimate", &body).await?;
        print_json(&estimate)?;
    } else {
        estimate::print(&server.post("/v1/estimate", &body).await?);
    }
    Ok(Exit::Done)
}

pub async fn map(server: &ServerConnection, args: MapArgs) -> anyhow::Result<Exit> {
    let mut body = json!({
        "url": with_scheme(&args.url),
        "include_subdomains": args.include_subdomains,
    });
    if let Some(search) = args.search {
        body["search"] = search.into();
    }
    if let Some(limit) = args.limit {
        body["limit"] = limit.into();
    }
    let map: UrlMap = server.post("/v1/map", &body).await?;
    local_map::show(&map, args.json)
}

pub async fn read(server: &ServerConnection, args: &ReadArgs) -> anyhow::Result<Exit> {
    let mode = page_mode(args)?;
    let mut body = request_body(args, mode)?;
    body["timeout_ms"] = args.timeout_ms.into();
    if args.json {
        let more = [json!("metadata"), json!("links")];
        if let Some(formats) = body["formats"].as_array_mut() {
            formats.extend(more);
        }
    }
    if let Some(most) = args.max_credit_per_unit {
        body["max_credit_per_unit"] = most.into();
    }
    if let Some(seconds) = args.max_age {
        body["max_age"] = seconds.into();
    }
    if args.on_protected != ProtectedChoice::Auto {
        // Without a ceiling, the API refuses the rate of a protected page too.
        body["on_protected"] = json!(OnProtected::Fail);
    }
    let call = ApiCall::post("/v1/pages").json(&body);
    let call = with_idempotency_key(call, args.idempotency_key.as_deref())?;
    let answer: PageAnswer<Value> = server.send(call).await?;
    for warning in &answer.warnings {
        eprintln!("trawl: warning: {warning}");
    }
    let mut is_printed = false;
    for (path, file) in [
        (&args.screenshot, &answer.screenshot),
        (&args.html, &answer.html),
        (&args.raw_html, &answer.raw_html),
    ] {
        let (Some(path), Some(file)) = (path, file) else { continue };
        is_printed |= write_file(server, file, path).await?;
    }
    if is_printed {
        return Ok(Exit::Done);
    }
    if args.json {
        print_json(&answer)?;
        return Ok(Exit::Done);
    }
    let item = answer.item.unwrap_or_default();
    match item.get("markdown").and_then(Value::as_str) {
        Some(markdown) => print_text(markdown),
        None => print_json(&item)?,
    }
    Ok(Exit::Done)
}

/// Writes a file of the page; `-` is standard output, for which it returns true.
async fn write_file(
    server: &ServerConnection,
    file: &PageFile,
    path: &Path,
) -> anyhow::Result<bool> {
    let link = path_of_link(&file.url, "/page-files/").context("the server returned no link")?;
    let response = server.open_stream(&link, "*/*").await;
    let mut body = BodyStream::of(response.map_err(|error| server.failure(error))?);
    let is_stdout = path.as_os_str() == "-";
    let problem = || match is_stdout {
        true => "cannot write to standard output".to_owned(),
        false => format!("cannot write {}", path.display()),
    };
    let mut out: Box<dyn std::io::Write + Send> = match is_stdout {
        true => Box::new(std::io::stdout()),
        false => Box::new(std::fs::File::create(path).with_context(problem)?),
    };
    while let Some(chunk) = body.next().await? {
        out.write_all(&chunk).with_context(problem)?;
    }
    out.flush().with_context(problem)?;
    Ok(is_stdout)
}
