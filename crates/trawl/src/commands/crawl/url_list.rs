//! The list of URLs of a run, from a file with one per line.

use std::collections::HashSet;

use anyhow::Context;
use contract::MAX_LISTED_URLS;
use urls::{CanonicalUrl, Fingerprint, Target};

use super::text_list;
use crate::cli::CrawlArgs;
use crate::settings::Settings;

/// The URLs without duplicates, as many as `--sample-size` and `--max-pages` allow, or a message
/// about invalid entries. A line that begins with `#` is a comment.
pub fn read(
    path: &str,
    args: &CrawlArgs,
    settings: &Settings,
) -> anyhow::Result<Result<Vec<CanonicalUrl>, String>> {
    let text = text_list::read(path).with_context(|| format!("cannot read {path}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#'));
    let lines = lines.map(|(at, line)| (format!("line {}", at + 1), line));
    let known = |name: &str| settings.names.knows(name);
    let mut seen = HashSet::new();
    let urls = text_list::parse(
        lines,
        |entry| Target::parse(entry, &settings.allow_networks, known),
        |url| seen.insert(Fingerprint::of(url)),
    );
    Ok(urls.and_then(|mut urls| {
        let limits = [args.flags.options.sample_size, args.flags.options.max_pages];
        let most = limits.into_iter().flatten().min().unwrap_or(u64::MAX);
        urls.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        match urls.len() {
            0 => Err("the list contains no URL".to_owned()),
            count if count > MAX_LISTED_URLS as usize => Err(format!(
                "the list has {count} URLs; a run requests at most {MAX_LISTED_URLS}: divide it"
            )),
            _ => Ok(urls),
        }
    }))
}
