//! `trawl estimate`: what a run would find, without a server.

use std::time::Duration;

use contract::Mode;
use serde_json::json;
use site::Target;

use super::{Exit, layers, local, print_json, way_out};
use crate::cli::{Estimate, Place};
use crate::settings::Settings;

const WITHIN: Duration = Duration::from_secs(10);

pub async fn run(place: &Place, args: &Estimate) -> anyhow::Result<Exit> {
    let layers = layers(place, &[])?;
    let mut settings = Settings::of(&layers)?;
    local(&mut settings, &layers)?;
    let Some(mode) = Mode::from_word(&args.mode) else {
        eprintln!("trawl: there is no mode {:?}", args.mode);
        return Ok(Exit::Usage);
    };
    let known = |name: &str| settings.names.knows(name);
    let url = match Target::parse(&args.url, &settings.allow_networks, known) {
        Ok(url) => url,
        Err(refused) => {
            eprintln!("trawl: {refused}");
            return Ok(Exit::Usage);
        }
    };
    let fetch = way_out(&settings)?;
    let seen = match probe::probe(fetch.as_ref(), &url, WITHIN).await {
        Ok(seen) => seen,
        Err(error) => {
            eprintln!("trawl: {error}");
            return Ok(Exit::Nothing);
        }
    };
    let rate = settings.rates.normal(mode);
    let credits = seen.estimated_pages.and_then(|pages| rate.times(contract::Units(pages)));
    if args.json {
        print_json(&json!({
            "url": url,
            "mode": mode,
            "credit_per_unit": rate,
            "estimated_pages": seen.estimated_pages,
            "estimated_credits": credits,
        }))?;
    } else {
        match (seen.estimated_pages, credits) {
            (Some(pages), Some(credits)) => {
                println!("{url}: about {pages} pages, {credits} credits at {rate} each");
            }
            _ => {
                println!("{url}: {rate} credits a unit; how many pages there are is not published")
            }
        }
    }
    Ok(Exit::Done)
}
