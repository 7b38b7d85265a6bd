//! What a run would cost, beside the form.

use client::ApiCallError;
use contract::{CreateEstimate, Credits, Estimate, Mode};
use maud::{Markup, html};

use super::request;
use crate::words::{count, number};
use crate::{Complaints, ConsoleState, Failure, Fields, Person};

/// The estimate, or why there is none yet.
#[derive(Debug)]
pub(super) enum Shown {
    /// Nothing to look at was named.
    Nothing,
    Estimate(Box<Estimate>),
    Refused(Complaints),
}

/// Asks the API what this form would cost.
pub(super) async fn ask(
    state: &ConsoleState,
    person: &Person,
    fields: &Fields,
) -> Result<Shown, Failure> {
    let mode = request::mode(fields);
    let (url, domain_count) = match mode {
        Mode::Contacts => (None, Some(request::domains(fields).len() as u64)),
        Mode::Links | Mode::Sitemap | Mode::Products | Mode::Markdown => {
            (request::address(fields), None)
        }
    };
    if url.is_none() && domain_count.unwrap_or(0) == 0 {
        return Ok(Shown::Nothing);
    }
    let wanted = CreateEstimate { url, mode, domain_count };
    let asked: Result<Estimate, ApiCallError> =
        state.api(person).post("/v1/estimate", &wanted).await;
    match asked {
        Ok(estimate) => Ok(Shown::Estimate(Box::new(estimate))),
        Err(refused) => Ok(Shown::Refused(Complaints::of(refused)?)),
    }
}

/// What a unit of this mode is called.
pub(crate) fn unit(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::Links | Mode::Sitemap => ("URL", "URLs"),
        Mode::Markdown => ("page", "pages"),
        Mode::Products => ("product", "products"),
        Mode::Contacts => ("domain", "domains"),
    }
}

pub(super) fn show(shown: &Shown, ordinary: Credits) -> Markup {
    html! {
        @match shown {
            Shown::Nothing => {
                p.quiet { "Name a site, and what a run would find and cost stands here. Looking costs nothing." }
            }
            Shown::Refused(complaints) => (complaints.shown(&[])),
            Shown::Estimate(estimate) => (facts(estimate, ordinary)),
        }
    }
}

fn facts(estimate: &Estimate, ordinary: Credits) -> Markup {
    let (one, many) = unit(estimate.mode);
    let rate = estimate.credit_per_unit;
    let balance = estimate.credits_available;
    // A list of domains is not looked at.
    let is_site = estimate.mode != Mode::Contacts;
    html! {
        dl.facts.small {
            @if is_site {
                div { dt { "Protection" } dd {
                    @if estimate.protected { span.chip.warn { "protected" } }
                    @else { span.chip.good { "none seen" } }
                } }
            }
            div { dt { "Rate" } dd { (credits(rate)) " a " (one) } }
            @if is_site {
                div { dt { "Pages in its sitemap" } dd {
                    @match estimate.estimated_pages {
                        Some(pages) => (number(pages)),
                        None => span.quiet { "not known" },
                    }
                } }
            }
            div { dt { "Estimated cost" } dd {
                @match estimate.estimated_credits {
                    Some(cost) => (credits(cost)),
                    None => span.quiet { "not known" },
                }
            } }
            div { dt { "Your balance" } dd { (credits(balance)) } }
            div { dt { "It covers" } dd { (count(balance.covers(rate).0, one, many)) } }
        }
        @if estimate.protected {
            div.asks {
                p {
                    "This site is behind bot protection"
                    @if let Some(marker) = &estimate.protected_marker { " (" code { (marker) } ")" }
                    ". Each " (one) " costs " (credits(rate)) " instead of " (credits(ordinary)) "."
                }
                p {
                    "Choose below what to do about it: stop and ask you, go on up to a ceiling of "
                    (credits(rate)) " or more, or end without paying more."
                }
            }
        }
        @if estimate.estimated_credits.is_some_and(|cost| cost > balance) {
            div.asks {
                p {
                    "Your balance does not cover all of it. The run stops when it is used up, keeps \
                     what was paid for, and goes on after a top-up."
                }
            }
        }
        p.hint {
            "You pay for what is delivered, " (one) " by " (one) ". "
            @if estimate.mode == Mode::Products { "Not every page is a product: it may cost less." }
            @if !is_site { "Protected domains are set aside, and asked about once at the end." }
        }
    }
}

/// `1 credit`, `5 credits`.
pub(crate) fn credits(amount: Credits) -> String {
    let word = if amount.0 == 1 { "credit" } else { "credits" };
    format!("{} {word}", number(amount.0))
}
