//! The estimate of a run, next to the form.

use client::ApiCallError;
use contract::{CreateEstimate, Credits, Estimate, Mode};
use maud::{Markup, html};

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
    let wanted = CreateEstimate { url, mode, domain_count, url_count };
    let asked: Result<Estimate, ApiCallError> = user.api().post("/v1/estimate", &wanted).await;
    match asked {
        Ok(estimate) => Ok(EstimateView::Estimate(Box::new(estimate))),
        Err(refused) => Ok(EstimateView::Refused(FormErrors::of(refused)?)),
    }
}

pub(super) fn show(shown: &EstimateView, ordinary: Credits) -> Markup {
    html! {
        @match shown {
            EstimateView::Nothing => {
                p.quiet { "Enter a site to see an estimate of pages and cost. Estimates are free." }
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
    // Lists are not probed.
    let is_site = !estimate.url.is_empty() && !estimate.mode.visits_domains();
    html! {
        dl.facts.small {
            @if is_site {
                div { dt { "Protection" } dd {
                    @if estimate.protected { span.chip.warn { "protected" } }
                    @else { span.chip.good { "none detected" } }
                } }
            }
            div { dt { "Rate" } dd { (credits(rate)) " per " (one) } }
            @if is_site {
                div { dt { "Pages in its sitemap" } dd {
                    @match estimate.estimated_pages {
                        Some(pages) => (number(pages)),
                        None => span.quiet { "unknown" },
                    }
                } }
            }
            div { dt { "Estimated cost" } dd {
                @match estimate.estimated_credits {
                    Some(cost) => (credits(cost)),
                    None => span.quiet { "unknown" },
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
                    "Choose below: stop and ask, continue up to a maximum of "
                    (credits(rate)) " or more, or end the run."
                }
            }
        }
        @if estimate.estimated_credits.is_some_and(|cost| cost > balance) {
            div.asks {
                p {
                    "Your balance does not cover the estimate. The run pauses when it is used up, keeps \
                     delivered results, and continues after a top-up."
                }
            }
        }
        p.hint {
            "You pay per delivered " (one) ". "
            @if estimate.mode.counts_products() { "Not every page is a product, so the cost may be lower." }
            @if !is_site { "Protected sites are collected, and you are asked once at the end." }
        }
    }
}

/// `1 credit`, `5 credits`.
pub(crate) fn credits(amount: Credits) -> String {
    let word = if amount.0 == 1 { "credit" } else { "credits" };
    format!("{} {word}", number(amount.0))
}
