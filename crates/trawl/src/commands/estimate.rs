//! `trawl estimate`: estimates a run without a server.

use std::time::Duration;

use contract::{Credits, Mode, Unreachable};
use serde_json::json;
use urls::Target;

use super::{Exit, allow_loopback, fetcher, layers, print_json};
use crate::cli::{EstimateArgs, GlobalArgs};
use crate::printing::{counted, outln};
use crate::settings::Settings;
use crate::start_url::with_scheme;

/// Maximum time of the requests for an estimate.
const TIMEOUT: Duration = Duration::from_secs(10);

pub async fn run(global: &GlobalArgs, args: &EstimateArgs) -> anyhow::Result<Exit> {
    let layers = layers(global, &[])?;
    let mut settings = Settings::of(&layers)?;
    allow_loopback(&mut settings, &layers)?;
    let unknown = |_| Exit::Usage.with(format!("there is no mode {:?}", args.mode));
    let mode: Mode = args.mode.parse().map_err(unknown)?;
    let known = |name: &str| settings.names.knows(name);
    let url = Target::parse(&with_scheme(&args.url), &settings.allow_networks, known)
        .map_err(|refused| Exit::Usage.with(refused))?;
    let fetcher = fetcher(&settings)?;
    let readers = fetcher.reader().executor();
    let seen = probe::probe(&fetcher, readers, &url, TIMEOUT, &settings.denylist()).await;
    let seen = seen.map_err(|error| Exit::Nothing.with(error))?;
    let rates = &settings.rates;
    let (is_protected, has_tier) = (seen.protection.is_some(), fetcher.capabilities().tier);
    let rate = match is_protected && has_tier {
        true => rates.protected(mode),
        false => rates.normal(mode),
    };
    let reason = match is_protected && !has_tier {
        true => Some(contract::Unreachable::NoProtectedTier),
        false => seen.unreachable,
    };
    let pages = seen.estimated_pages.filter(|_| !is_protected || has_tier);
    let credits = pages.and_then(|pages| rate.times(contract::Units(pages)));
    let marker = seen.protection.map(|marker| marker.to_string());
    if args.json {
        print_json(&json!({
            "url": url,
            "mode": mode,
            "credit_per_unit": rate,
            "protected": marker.is_some(),
            "requires_protected_tier": marker.is_some(),
            "protected_marker": marker,
            "estimated_pages": seen.estimated_pages,
            "estimated_credits": credits,
            "reachable": reason.is_none(),
            "reason": reason,
        }))?;
        return Ok(Exit::Done);
    }
    show(&ShownEstimate {
        url: url.as_str(),
        mode,
        rate,
        pages: seen.estimated_pages,
        credits,
        unreachable: reason,
        marker: marker.as_deref(),
    });
    Ok(Exit::Done)
}

/// What is printed of an estimate, made here or by a server.
pub struct ShownEstimate<'e> {
    pub url: &'e str,
    pub mode: Mode,
    pub rate: Credits,
    pub pages: Option<u64>,
    pub credits: Option<Credits>,
    pub unreachable: Option<Unreachable>,
    pub marker: Option<&'e str>,
}

/// Prints an estimate as text.
pub fn show(estimate: &ShownEstimate<'_>) {
    let ShownEstimate { url, mode, rate, pages, credits, unreachable, marker } = estimate;
    let credits_of = |credits: &Credits| {
        counted(u64::try_from(credits.0).unwrap_or_default(), "credit", "credits")
    };
    let unit = mode.unit().0;
    match (pages, credits) {
        (Some(pages), Some(credits)) => {
            let (pages, credits) = (counted(*pages, "page", "pages"), credits_of(credits));
            outln!("{url}: about {pages}, {credits} at {} per {unit}", credits_of(rate));
        }
        (pages, _) => {
            let why =
                if pages.is_none() { "; the number of pages is unknown (no sitemap)" } else { "" };
            outln!("{url}: {} per {unit}{why}", credits_of(rate));
        }
    }
    if let Some(reason) = unreachable {
        outln!("The start page cannot be fetched ({reason}).");
    }
    if let Some(marker) = marker {
        outln!("The site is behind bot protection ({marker}): a run needs the protected tier.");
    }
}
