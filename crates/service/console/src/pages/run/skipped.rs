//! The skipped URLs of a run with their reasons.

use contract::{ExplainUrl, RuleCheck, SkipReason, SkippedPage, UrlExplanation};
use maud::{Markup, html};

use super::RunPage;
use super::tab::RunTab;
use super::url_row::{status_class, tone};
use crate::charts::{ChartBar, bars};
use crate::link::link;
use crate::pager::{Pager, page_of, page_size_of};
use crate::{FormErrors, ListQuery, PageResult};

const PAGE_SIZE: u64 = 100;

pub(super) async fn show(run: RunPage, query: ListQuery) -> PageResult {
    let size = page_size_of(&query, PAGE_SIZE, run.user.state.settings.page_size_max);
    let reason = query.get("reason").and_then(|name| name.parse::<SkipReason>().ok());
    let asked = ListQuery::default()
        .with("reason", reason.map_or("", SkipReason::as_str))
        .with("page", page_of(&query))
        .with("page_size", size);
    let found: SkippedPage = run.api().get(&asked.on(&run.api_path("/skipped"))).await?;
    let path = run.path("/skipped");
    let explained = match query.get("url").filter(|url| !url.is_empty()) {
        Some(url) => {
            let body = ExplainUrl { url: url.to_owned() };
            match run.api().post::<UrlExplanation>(&run.api_path("/explain"), &body).await {
                Ok(explanation) => explanation_panel(&explanation),
                Err(refused) => FormErrors::of(refused)?.shown(&[]),
            }
        }
        None => html! {},
    };
    let reasons: Vec<_> = found
        .reasons
        .iter()
        .map(|(reason, count)| {
            let to = ListQuery::default().with("reason", reason).on(&path);
            let label = html! { a href=(to) { (reason.as_str().replace('_', " ")) } };
            ChartBar { label, value: *count, tone: "" }
        })
        .collect();
    let content = html! {
        @if !run.job.mode.visits_domains() {
            form.filters method="get" action=(path) {
                div.field.grow {
                    label for="url" { "Why is a URL missing?" }
                    input id="url" name="url" type="text" spellcheck="false" autocapitalize="off"
                        placeholder=(if run.job.url.is_some() { "https://example.com/page or /page" }
                            else { "https://example.com/page" })
                        value=(query.get("url").unwrap_or_default());
                }
                button type="submit" { "Explain" }
            }
            (explained)
        }
        @if !reasons.is_empty() {
            section.panel {
                h2 { "Skip reasons" }
                (bars(&reasons))
                @if reason.is_some() { p { a href=(path) { "Show all" } } }
            }
        }
        (table(&found))
        (Pager::new(&path, &query, (found.page, found.page_size, found.total), ("URL", "URLs"))
            .show())
    };
    Ok(run.tab(RunTab::Skipped, &content))
}

/// What the run did with one URL, and the rules that were applied to it.
fn explanation_panel(explanation: &UrlExplanation) -> Markup {
    let UrlExplanation { url, disposition, message, found_on, checks, .. } = explanation;
    html! {
        section.panel aria-label="Explanation" {
            h2 { (link(url)) }
            p { span.chip { (disposition.as_str().replace('_', " ")) } " " (message) }
            @if let Some(page) = found_on { p { "Found on " (link(page)) } }
            ul {
                @for RuleCheck { rule, passes, matched } in checks {
                    li {
                        (rule) ": "
                        @match passes {
                            Some(true) => { "passes" }
                            Some(false) => { "fails" }
                            None => { "not known" }
                        }
                        @if let Some(matched) = matched { " " code { (matched) } }
                    }
                }
            }
        }
    }
}

fn table(found: &SkippedPage) -> Markup {
    crate::table(
        "Skipped URLs",
        "URL, Reason, Status:wide, Found on:wide",
        &found.items,
        |item| {
            html! { tr {
                td.url {
                    (link(&item.url))
                    @if let Some(target) = &item.redirects_to {
                        br; span.hint { "redirects to " (target) }
                    }
                }
                td.words {
                    (item.reason.as_str().replace('_', " "))
                    @if let Some(failed) = &item.failed_action {
                        ": " (failed.to_string())
                        @if let Some(picture) = &failed.screenshot {
                            " " a href=(picture.url) { "Picture" }
                        }
                    }
                }
                td.wide {
                    @match (item.status_code, item.cause) {
                        (Some(status), _) => {
                            span class={ "chip " (tone(status_class(Some(status)))) } { (status) }
                        }
                        (None, Some(cause)) => span.chip.warn { (cause.as_str().replace('_', " ")) },
                        (None, None) => span.quiet { "not requested" },
                    }
                }
                td.url.wide { @if let Some(page) = &item.found_on { (link(page)) } }
            } }
        },
        &html! { "No URLs were skipped." },
    )
}
