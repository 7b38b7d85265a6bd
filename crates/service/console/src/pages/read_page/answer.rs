//! A page that was read: its text or item beside its picture, its files and its links.

use contract::{PageAnswer, PageFile, PageOutlink};
use maud::{Markup, html};
use serde_json::Value;

use crate::markdown;
use crate::number_format::{count, exact_time, number, time};

pub(super) fn shown(answer: &PageAnswer<Value>) -> Markup {
    let text = answer.item.as_ref().and_then(|item| item["markdown"].as_str());
    let item = answer.item.as_ref().and_then(|item| serde_json::to_string_pretty(item).ok());
    let files = [("HTML without scripts", &answer.html), ("HTML as received", &answer.raw_html)];
    html! {
        h2 { "The page" }
        p {
            a href=(answer.url) rel="noopener noreferrer nofollow" target="_blank" { (answer.url) }
        }
        (facts(answer))
        @for warning in &answer.warnings { p.hint { (warning) } }
        @for (label, file) in files {
            @if let Some(file) = file {
                p {
                    a href=(path(file)) rel="noreferrer nofollow" { (label) }
                    " · " (number(file.bytes)) " bytes · until " (time(file.expires_at))
                }
            }
        }
        div.columns {
            section.panel aria-label="Text" {
                @if let Some(text) = text {
                    div.rendered { (markdown::rendered(text)) }
                } @else if let Some(item) = &item {
                    pre tabindex="0" { (item) }
                }
            }
            @if let Some(file) = &answer.screenshot {
                section.panel aria-label="Picture" { (picture(file)) }
            }
        }
        @if text.is_some() && let Some(item) = &item {
            details { summary { "Item as JSON" } pre tabindex="0" { (item) } }
        }
        @if let Some(links) = &answer.links {
            details {
                summary { (count(links.len() as u64, "link", "links")) " of the page" }
                (crate::table("Links of the page", "URL, Text, nofollow", links, link,
                    &html! { "No links." }))
            }
        }
    }
}

fn facts(answer: &PageAnswer<Value>) -> Markup {
    let is_free = answer.credits_used.0 == 0;
    html! {
        dl.facts.small {
            @if let Some(metadata) = &answer.metadata {
                div { dt { "Status" } dd { (metadata.status_code) } }
            }
            div { dt { "Charged" } dd {
                @if is_free {
                    "nothing"
                } @else {
                    (count(u64::try_from(answer.credits_used.0).unwrap_or(0), "credit", "credits"))
                }
            } }
            div { dt { "Fetched" } dd { (exact_time(answer.fetched_at)) } }
            div { dt { "From the cache" } dd { (yes_or_no(answer.cached)) } }
            div { dt { "Protected tier" } dd { (yes_or_no(answer.protected)) } }
        }
    }
}

fn yes_or_no(is_true: bool) -> &'static str {
    if is_true { "yes" } else { "no" }
}

fn link(link: &PageOutlink) -> Markup {
    html! {
        tr {
            td.url {
                a href=(link.url) rel="noopener noreferrer nofollow" target="_blank" { (link.url) }
            }
            td { (link.text) }
            td { (yes_or_no(link.nofollow)) }
        }
    }
}

/// The picture of the page.
pub(super) fn picture(file: &PageFile) -> Markup {
    html! { img.page-picture src=(path(file)) alt="Picture of the page"; }
}

/// The path of a file: the console may have another address than the link.
fn path(file: &PageFile) -> &str {
    file.url.find("/page-files/").and_then(|at| file.url.get(at..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use contract::{Credits, Millis, Mode, PageId};

    use super::*;

    #[test]
    fn answer_shows_cache_price_files_and_links() {
        let file = PageFile {
            url: "https://service.test/page-files/a.b".to_owned(),
            content_type: "text/html".to_owned(),
            bytes: 12_345,
            expires_at: Millis(1_000),
        };
        let link = PageOutlink {
            url: "https://a.test/next".to_owned(),
            text: "<b>Next</b>".to_owned(),
            nofollow: true,
        };
        let answer = PageAnswer {
            page_id: PageId::new(Millis(0), [0; 10]),
            url: "https://a.test/".to_owned(),
            mode: Mode::Links,
            item: Some(serde_json::json!({"url": "https://a.test/"})),
            metadata: None,
            links: Some(vec![link]),
            html: Some(file.clone()),
            raw_html: None,
            screenshot: Some(file),
            warnings: vec!["<late>".to_owned()],
            cached: true,
            fetched_at: Millis(0),
            credits_used: Credits(1),
            protected: false,
        };
        let page = shown(&answer).into_string();
        for part in [
            "<dt>From the cache</dt><dd>yes</dd>",
            "<dt>Protected tier</dt><dd>no</dd>",
            "<dd>1 credit</dd>",
            "datetime=\"1970-01-01T00:00:00.000Z\"",
            "href=\"/page-files/a.b\"",
            "12,345 bytes",
            "src=\"/page-files/a.b\"",
            "1 link of the page",
            "&lt;b&gt;Next&lt;/b&gt;",
            "&lt;late&gt;",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }
}
