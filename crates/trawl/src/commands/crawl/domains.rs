//! Domains of a `contacts` run, from the command line or from a file with one per line.

use std::collections::HashSet;

use anyhow::Context;
use crawl::VisitTarget;
use urls::{Domain, Target};

use super::text_list;
use crate::cli::CrawlArgs;
use crate::settings::Settings;

/// The domains to visit without duplicates, or a message about invalid entries.
pub fn read(
    args: &CrawlArgs,
    settings: &Settings,
) -> anyhow::Result<Result<Vec<VisitTarget>, String>> {
    if let Some(path) = &args.domains {
        let text = text_list::read(path).with_context(|| format!("cannot read {path}"))?;
        let lines = text.lines().enumerate();
        let lines = lines.map(|(at, line)| (format!("line {}", at + 1), without_comment(line)));
        return Ok(list(lines, settings));
    }
    if let [one] = args.targets.as_slice()
        && one.contains("://")
    {
        let known = |name: &str| settings.names.knows(name);
        let start = Target::parse(one, &settings.allow_networks, known);
        return Ok(start
            .map(|url| vec![VisitTarget::Url(url)])
            .map_err(|refused| refused.to_string()));
    }
    let entries = args.targets.iter().map(|entry| (format!("{entry:?}"), without_comment(entry)));
    Ok(list(entries, settings))
}

/// A domain has no `#`, so that a comment may follow it.
fn without_comment(entry: &str) -> &str {
    entry.split('#').next().unwrap_or_default()
}

fn list<'a>(
    entries: impl Iterator<Item = (String, &'a str)>,
    settings: &Settings,
) -> Result<Vec<VisitTarget>, String> {
    let mut seen = HashSet::new();
    let parse = |entry: &str| {
        Domain::parse_knowing(entry, |name| settings.names.knows(name)).map(String::from)
    };
    let domains = text_list::parse(entries, parse, |domain| seen.insert(domain.clone()))?;
    if domains.is_empty() {
        return Err("the list contains no domain".to_owned());
    }
    Ok(domains.into_iter().map(VisitTarget::Domain).collect())
}
