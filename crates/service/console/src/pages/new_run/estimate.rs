//! The estimate of a run, next to the form.

use client::ApiCallError;
use contract::{Credits, Estimate, EstimatedPrice, Mode, Unreachable};
use maud::{Markup, html};
use serde_json::json;

use super::request;
use crate::number_format::{count, number};
use crate::{ConsoleUser, FormErrors, FormFields, PageResult};

/// The estimate, or why there is none.
#[derive(Debug)]
pub(super) enum EstimateView {
    /// The form has no site and no domains.
    Nothing,
    Estimate(Box<Estimate>),
    Refused(FormErrors),
}

/// Requests an estimate for the form.
pub(super) async fn ask(user: &ConsoleUser, fields: &FormFields) -> PageResult<EstimateView> {
    let mode = request::mode(fields);
    let whole = request::body(fields);
    let (mut url, mut domain_count, mut url_count) = (None, None, None);
    let listed = request::urls(fields).len() as u64;
    if mode.visits_domains() {
        domain_count = Some(request::domains(fields).len() as u64);
    } else if Mode::LISTS.contains(&mode) && listed > 0 {
        url_count = Some(listed);
    } else {
        url = request::address(fields);
    }
    if url.is_none() && domain_count.or(url_count).unwrap_or(0) == 0 {
        return Ok(EstimateView::Nothing);
    }
    let wanted = json!({
        "mode": mode,
        "url": url,
        "domain_count": domain_count,
        "url_count": url_count,
        "scope": whole.get("scope"),
        "options": whole.get("options"),
    });
    let asked: Result<Estimate, ApiCallError> = user.api().post("/v1/estimate", &wanted).await;
    match asked {
        Ok(estimate) => Ok(EstimateView::Estimate(Box::new(estimate))),
        Err(refused) => Ok(EstimateView::Refused(FormErrors::of(refused)?)),
    }
}

pub(super) fn show(
    shown: &EstimateView,
    mode: Mode,
    ordinary: Credits,
    balance: Credits,
) -> Markup {
    html! {
        @match shown {
            EstimateView::Nothing => {
                @let (one, many) = mode.unit();
                dl.facts.small {
                    div { dt { "Rate" } dd { (credits(ordinary)) " per " (one) } }
                    div { dt { "Your balance" } dd { (credits(balance)) } }
                    div { dt { "Enough for" } dd { (count(balance.covers(ordinary).0, one, many)) } }
                }
                p.hint { "Enter a URL to see expected pages and price. Free." }
            }
            EstimateView::Refused(form_errors) => (form_errors.shown(&[])),
            EstimateView::Estimate(estimate) => (facts(estimate, ordinary)),
        }
    }
}

fn facts(estimate: &Estimate, ordinary: Credits) -> Markup {
    let (one, many) = estimate.mode.unit();
    let rate = estimate.credit_per_unit;
    let balance = estimate.credits_available;
    let most = estimate.estimated_credits_max.or(estimate.estimated_credits);
    // Lists are not probed.
    let is_site = !estimate.url.is_empty() && !estimate.mode.visits_domains();
    html! {
        dl.facts.small {
            @if is_site {
                div { dt { "Start page" } dd {
                    @match (estimate.reachable, estimate.protected) {
                        (_, true) => span.chip.warn { "protected" },
                        (Some(false), _) => span.chip.bad { "cannot be read" },
                        _ => span.chip.good { "can be read" },
                    }
                } }
            }
            div { dt { "Rate" } dd { (credits(rate)) " per " (one) } }
            @if is_site {
                div { dt { "Expected " (many) } dd { (page_range(estimate)) } }
            }
            div { dt { "Estimated cost" } dd { (price(&chosen(estimate))) } }
            @if let (Some(path), Some(site)) = (&estimate.under_path, &estimate.whole_site) {
                div { dt { "Under this path" } dd { (price(path)) } }
                div { dt { "Whole site" } dd { (price(site)) } }
            }
            div { dt { "Your balance" } dd { (credits(balance)) } }
            div { dt { "Enough for" } dd { (count(balance.covers(rate).0, one, many)) } }
        }
        @if let Some(reason) = estimate.reason.filter(|_| !estimate.protected) {
            div.asks role="alert" {
                p { b { "The start page cannot be read: " } (why(reason, estimate)) "." }
                p { "A run would likely end without results. Check the URL." }
            }
        }
        @if estimate.protected {
            div.asks {
                p {
                    "This site is behind bot protection"
                    @if let Some(marker) = &estimate.protected_marker { " (" code { (marker) } ")" }
                    ". Each " (one) " costs " (credits(rate)) " instead of " (credits(ordinary)) "."
                }
                p {
                    "Choose in the form: stop and ask, continue up to a maximum of "
                    (credits(rate)) " or more, or end the run."
                }
            }
        }
        @if most.is_some_and(|cost| cost > balance) {
            div.asks {
                p {
                    "Your balance may not cover the run. The run pauses when it is used up, keeps \
                     delivered results, and continues after a top-up."
                }
            }
        }
        p.hint {
            "You pay per delivered " (one) ". "
            @if !is_site { "Protected sites are collected, and you are asked once at the end." }
        }
    }
}

/// The price of the run of an estimate.
pub(crate) fn price_of(estimate: &Estimate) -> Markup {
    let (one, many) = estimate.mode.unit();
    html! {
        @match (estimate.estimated_pages_min, estimate.estimated_pages_max) {
            (Some(min), Some(max)) if min == max => { (count(max, one, many)) " · " },
            _ => {}
        }
        (price(&chosen(estimate)))
    }
}

/// The price of the run as the form has it.
fn chosen(estimate: &Estimate) -> EstimatedPrice {
    EstimatedPrice {
        estimated_pages: estimate.estimated_pages,
        estimated_pages_min: estimate.estimated_pages_min,
        estimated_pages_max: estimate.estimated_pages_max,
        estimated_credits: estimate.estimated_credits,
        estimated_credits_min: estimate.estimated_credits_min,
        estimated_credits_max: estimate.estimated_credits_max,
    }
}

/// `12`, `80 to 120`, `at least 40`.
fn page_range(estimate: &Estimate) -> Markup {
    html! {
        @match (estimate.estimated_pages_min, estimate.estimated_pages_max) {
            (Some(min), Some(max)) if min == max => (number(max)),
            (Some(min), Some(max)) => { (number(min)) " to " (number(max)) },
            (Some(min), None) if min > 0 => { "at least " (number(min)) },
            _ => {
                @match estimate.estimated_pages {
                    Some(pages) => { "about " (number(pages)) },
                    None => span.quiet { "unknown" },
                }
            },
        }
    }
}

/// `12 credits`, `80 to 120 credits`, `at least 40 credits`.
pub(crate) fn price(price: &EstimatedPrice) -> Markup {
    html! {
        @match (price.estimated_credits_min, price.estimated_credits_max) {
            (Some(min), Some(max)) if min == max => (credits(max)),
            (Some(min), Some(max)) => { (number(min.0)) " to " (credits(max)) },
            (Some(min), None) if min > Credits::ZERO => { "at least " (credits(min)) },
            _ => {
                @match price.estimated_credits {
                    Some(cost) => { "about " (credits(cost)) },
                    None => span.quiet { "unknown" },
                }
            },
        }
    }
}

/// Why the start page cannot be read, for the end of a sentence.
fn why(reason: Unreachable, estimate: &Estimate) -> String {
    if let Some(cause) = estimate.cause {
        return cause.describe().to_owned();
    }
    let why = match reason {
        Unreachable::Robots => "robots.txt of the site forbids it",
        Unreachable::Forbidden => "the site refuses access (401, 403, 407 or 451)",
        Unreachable::NotFound => "the page does not exist (404 or 410)",
        Unreachable::RateLimited => "the site answers with 429 (too many requests)",
        Unreachable::ServerError => "the site answers with a server error (500 or above)",
        Unreachable::Http => "the site answers with an error (400 or above)",
        Unreachable::Connect => "there is no connection to the site",
        Unreachable::Tls => "its certificate is invalid or the TLS handshake fails",
        Unreachable::Timeout => "the site does not answer in time",
        Unreachable::Redirect => {
            "redirects loop, are too many, or lead to a URL that must not be crawled"
        }
        Unreachable::NoProtectedTier => {
            "the site is behind bot protection, and this service has no protected tier"
        }
    };
    why.to_owned()
}

/// `1 credit`, `5 credits`.
pub(crate) fn credits(amount: Credits) -> String {
    let word = if amount.0 == 1 { "credit" } else { "credits" };
    format!("{} {word}", number(amount.0))
}
