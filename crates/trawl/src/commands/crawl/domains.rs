//! Domains of a `contacts` run, from the command line or from a file with one per line.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Read;

use anyhow::Context;
use crawl::VisitTarget;
use urls::{Domain, Target};

use crate::cli::CrawlArgs;
use crate::settings::Settings;

/// Maximum bytes of a domain list.
const MAX_LIST_BYTES: u64 = 64 << 20;

/// Maximum invalid entries in the error message; the others are counted.
const MAX_REPORTED: usize = 20;

/// The domains to visit without duplicates, or a message about invalid entries.
pub fn read(
    args: &CrawlArgs,
    settings: &Settings,
) -> anyhow::Result<Result<Vec<VisitTarget>, String>> {
    if let Some(path) = &args.domains {
        let text = text_of(path).with_context(|| format!("cannot read {path}"))?;
        let lines = text.lines().enumerate().map(|(at, line)| (format!("line {}", at + 1), line));
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
    let entries = args.targets.iter().map(|entry| (format!("{entry:?}"), entry.as_str()));
    Ok(list(entries, settings))
}

fn text_of(path: &str) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if path == "-" {
        std::io::stdin().lock().take(MAX_LIST_BYTES).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(MAX_LIST_BYTES).read_to_end(&mut bytes)?;
    }
    Ok(html::charset::decode(&bytes, None).into_owned())
}

fn list<'a>(
    entries: impl Iterator<Item = (String, &'a str)>,
    settings: &Settings,
) -> Result<Vec<VisitTarget>, String> {
    let (mut seen, mut asked, mut invalid) = (HashSet::new(), Vec::new(), Vec::new());
    for (position, entry) in entries {
        let entry = entry.split('#').next().unwrap_or_default().trim();
        if entry.is_empty() {
            continue;
        }
        match Domain::parse_knowing(entry, |name| settings.names.knows(name)).map(String::from) {
            Ok(domain) => {
                if seen.insert(domain.clone()) {
                    asked.push(VisitTarget::Domain(domain));
                }
            }
            Err(problem) => invalid.push(format!("{position}: {problem}")),
        }
    }
    if invalid.is_empty() && asked.is_empty() {
        return Err("the list contains no domain".to_owned());
    }
    if invalid.is_empty() {
        return Ok(asked);
    }
    let mut text = invalid.iter().take(MAX_REPORTED).cloned().collect::<Vec<_>>().join("\ntrawl: ");
    if invalid.len() > MAX_REPORTED {
        // Writing to a String cannot fail.
        let _ = write!(text, "\ntrawl: and {} more", invalid.len() - MAX_REPORTED);
    }
    Err(text)
}
