//! The domains of a `contacts` run: from the command line, or from a file with one a line.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Read;

use anyhow::Context;
use crawl::VisitTarget;
use urls::{Domain, Target};

use crate::cli::Crawl;
use crate::settings::Settings;

/// No list is longer than this.
const LARGEST: u64 = 64 << 20;

/// Bad entries that are named before the rest is only counted.
const NAMED: usize = 20;

/// What is to be visited, each once; or what is wrong with what was given.
pub fn read(args: &Crawl, settings: &Settings) -> anyhow::Result<Result<Vec<VisitTarget>, String>> {
    if let Some(path) = &args.domains {
        let text = text_of(path).with_context(|| format!("{path} cannot be read"))?;
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
        std::io::stdin().lock().take(LARGEST).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    }
    Ok(html::charset::decode(&bytes, None).into_owned())
}

fn list<'a>(
    entries: impl Iterator<Item = (String, &'a str)>,
    settings: &Settings,
) -> Result<Vec<VisitTarget>, String> {
    let (mut seen, mut asked, mut wrong) = (HashSet::new(), Vec::new(), Vec::new());
    for (place, entry) in entries {
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
            Err(problem) => wrong.push(format!("{place}: {problem}")),
        }
    }
    if wrong.is_empty() && asked.is_empty() {
        return Err("there is no domain to visit".to_owned());
    }
    if wrong.is_empty() {
        return Ok(asked);
    }
    let mut text = wrong.iter().take(NAMED).cloned().collect::<Vec<_>>().join("\ntrawl: ");
    if wrong.len() > NAMED {
        // Writing to a String cannot fail.
        let _ = write!(text, "\ntrawl: and {} more", wrong.len() - NAMED);
    }
    Err(text)
}
