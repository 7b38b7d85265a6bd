//! The newest requests of a run with status, size, time and failure.

use contract::{RequestLogLine, RequestLogPage};
use maud::{Markup, html};

use super::RunPage;
use super::tab::RunTab;
use super::url_row::{status_class, tone};
use crate::link::link;
use crate::number_format::{exact_time, number};
use crate::pager::{Pager, page_of, page_size_of};
use crate::{ListQuery, PageResult};

const PAGE_SIZE: u64 = 100;

pub(super) async fn show(run: RunPage, query: ListQuery) -> PageResult {
    let size = page_size_of(&query, PAGE_SIZE, run.user.state.settings.page_size_max);
    let asked = ListQuery::default().with("page", page_of(&query)).with("page_size", size);
    let found: RequestLogPage = run.api().get(&asked.on(&run.api_path("/requests"))).await?;
    let path = run.path("/log");
    let content = html! {
        p.hint {
            "The newest requests, newest first, a few seconds after they ended. "
            a href=(run.path("")) { "Results" } " and " a href=(run.path("/skipped")) { "skipped URLs" }
            " are complete."
        }
        div #results data-refresh[!run.job.status.is_final()] {
            (crate::table(
                "Requests",
                "Ended, URL, Status, Time (ms):number, Bytes:number wide",
                &found.items, row, &html! { "No requests yet." },
            ))
            (Pager::new(&path, &query, (found.page, found.page_size, found.total), ("request", "requests"))
                .show())
        }
    };
    Ok(run.tab(RunTab::Log, &content))
}

fn row(line: &RequestLogLine) -> Markup {
    html! {
        tr {
            td { (exact_time(line.at)) }
            td.url { (link(&line.url)) }
            td {
                @match (line.status_code, line.cause) {
                    (_, Some(cause)) => span.chip.warn { (cause.as_str().replace('_', " ")) },
                    (Some(status), None) => {
                        span class={ "chip " (tone(status_class(Some(status)))) } { (status) }
                    }
                    (None, None) => span.quiet { "–" },
                }
            }
            td.number { @if let Some(ms) = line.response_ms { (number(ms)) } }
            td.number.wide { @if let Some(bytes) = line.size_bytes { (number(bytes)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::{FailureCause, Millis};

    use super::*;

    #[test]
    fn failure_is_shown_instead_of_a_status_and_urls_are_escaped() {
        let mut line = RequestLogLine {
            at: Millis(0),
            url: "javascript:alert('<b>')".to_owned(),
            status_code: None,
            size_bytes: None,
            response_ms: None,
            cause: Some(FailureCause::TimedOut),
        };
        let shown = row(&line).into_string();
        assert!(shown.contains("timed out") && !shown.contains("href") && !shown.contains("<b>"));
        (line.status_code, line.cause) = (Some(404), None);
        assert!(row(&line).into_string().contains("<span class=\"chip bad\">404</span>"));
    }
}
