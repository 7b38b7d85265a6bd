//! `GET /docs/errors`: the documentation of all error codes, which `docs` of every error links to.

use std::fmt::Write;

use axum::http::header;
use axum::response::{Html, IntoResponse};
use contract::{ErrorCode, ErrorGuide, ProblemCode};

use crate::api_error::status;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/// The page before the list of codes.
const HEAD: &str = include_str!("errors.html");

pub(crate) async fn errors() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, Html(page()))
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str(
        "<h2 id=\"answers\">Error responses</h2>\n<p>The <code>code</code> of a response with a \
         status of 400 or more.</p>\n",
    );
    for code in ProblemCode::ALL {
        let status = status(*code).as_u16();
        entry(&mut page, code.as_str(), &format!("{code} <small>{status}</small>"), code.guide());
    }
    page.push_str(
        "<h2 id=\"jobs\">Errors of jobs</h2>\n<p>The <code>error.code</code> of a job that failed \
         or stopped early.</p>\n",
    );
    for code in ErrorCode::ALL {
        // Some codes are in both lists: anchors of job errors have a prefix.
        entry(&mut page, &format!("job-{code}"), code.as_str(), code.guide());
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn entry(page: &mut String, anchor: &str, title: &str, guide: ErrorGuide) {
    let ErrorGuide { meaning, remedy } = guide;
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "<section id=\"{anchor}\">\n<h3><a href=\"#{anchor}\">{title}</a></h3>\n<p>{}</p>\n\
         <p><strong>What to do:</strong> {}</p>\n</section>",
        html(meaning),
        html(remedy)
    );
}

/// Text as HTML: parts in backticks become `<code>`.
fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts = escaped.split('`').enumerate().map(|(index, part)| match index % 2 {
        0 => part.to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_anchor_on_the_page() {
        let page = page();
        let jobs = ErrorCode::ALL.iter().map(|code| format!("job-{code}"));
        for anchor in ProblemCode::ALL.iter().map(ToString::to_string).chain(jobs) {
            assert_eq!(page.matches(&format!("id=\"{anchor}\"")).count(), 1, "{anchor}");
        }
        for code in ProblemCode::ALL {
            assert!(page.contains(&html(code.guide().remedy)), "{code}");
        }
    }

    #[test]
    fn backticks_become_code_and_html_is_escaped() {
        assert_eq!(html("a `b` <c> & d"), "a <code>b</code> &lt;c&gt; &amp; d");
    }
}
