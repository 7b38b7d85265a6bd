//! `trawl map`: the URLs of a site within seconds, without a server.

use std::time::Duration;

use contract::{CreateMap, UrlMap, comma_list};
use urls::Target;

use super::{Exit, allow_loopback, fetcher, layers, print_json};
use crate::cli::{GlobalArgs, MapArgs};
use crate::printing::outln;
use crate::settings::Settings;
use crate::start_url::with_scheme;

/// Maximum time of the requests for a map.
const TIMEOUT: Duration = Duration::from_secs(9);

pub async fn run(global: &GlobalArgs, args: MapArgs) -> anyhow::Result<Exit> {
    let layers = layers(global, &[])?;
    let mut settings = Settings::of(&layers)?;
    allow_loopback(&mut settings, &layers)?;
    let known = |name: &str| settings.names.knows(name);
    let input = with_scheme(&args.url).into_owned();
    let url = Target::parse(&input, &settings.allow_networks, known)
        .map_err(|refused| Exit::Usage.with(refused))?;
    let request = CreateMap {
        url: input,
        search: args.search,
        limit: args.limit,
        include_subdomains: Some(args.include_subdomains),
    };
    let fetcher = fetcher(&settings)?;
    let readers = fetcher.reader().executor();
    let denylist = settings.denylist();
    let found = probe::map_urls(&fetcher, readers, &url, &request, TIMEOUT, &denylist).await;
    let found = found.map_err(|error| Exit::Nothing.with(error))?;
    let map = UrlMap {
        url: url.to_string(),
        urls: found.urls,
        complete: found.gaps.is_empty(),
        gaps: found.gaps,
        unreachable: found.unreachable,
    };
    show(&map, args.json)
}

/// Prints a map; without URLs, the command has no result.
pub fn show(map: &UrlMap, json: bool) -> anyhow::Result<Exit> {
    if json {
        print_json(map)?;
    } else {
        for found in &map.urls {
            match &found.title {
                Some(title) => outln!("{}\t{}\t{title}", found.url, found.source),
                None => outln!("{}\t{}", found.url, found.source),
            }
        }
        if let Some(reason) = map.unreachable {
            eprintln!("trawl: the start page cannot be fetched ({reason})");
        }
        if !map.complete {
            eprintln!("trawl: URLs may be missing ({})", comma_list(&map.gaps));
        }
    }
    Ok(if map.urls.is_empty() { Exit::Nothing } else { Exit::Done })
}
