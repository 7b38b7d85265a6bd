//! The page of all error codes, which `docs` of every error response links to.

use std::fmt::Write;

use contract::{ErrorCode, ErrorGuide, ProblemCode};

const INTRODUCTION: &str = "# Error codes

This page lists the code of each error, what it means and what to do. Every error response is a JSON object
with `code`, `message`, `request_id` and `docs`, the address of its code on this page. Codes are stable; messages
may change. `trawl explain CODE` prints the same.
";

/// The Markdown of the page. Each code is an anchor; those of jobs begin with `job-`, because some
/// codes are in both lists.
pub(crate) fn markdown() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str(
        "\n## Error responses {#answers}\n\nThe `code` of a response with a status of 400 or more.\n",
    );
    for code in ProblemCode::ALL {
        let title = format!("{code} · {}", code.http_status());
        entry(&mut page, code.as_str(), &title, code.guide());
    }
    page.push_str(
        "\n## Errors of jobs {#jobs}\n\nThe `error.code` of a job that failed or stopped early.\n",
    );
    for code in ErrorCode::ALL {
        entry(&mut page, &format!("job-{code}"), code.as_str(), code.guide());
    }
    page
}

fn entry(page: &mut String, anchor: &str, title: &str, guide: ErrorGuide) {
    let ErrorGuide { meaning, remedy } = guide;
    // Writing to a string cannot fail.
    let _ = write!(page, "\n### {title} {{#{anchor}}}\n\n{meaning}\n\n**What to do:** {remedy}\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::render;

    #[test]
    fn every_code_has_one_anchor_and_its_remedy() {
        let page = render(&markdown());
        let jobs = ErrorCode::ALL.iter().map(|code| format!("job-{code}"));
        for anchor in ProblemCode::ALL.iter().map(ToString::to_string).chain(jobs) {
            assert_eq!(page.html.matches(&format!("id=\"{anchor}\"")).count(), 1, "{anchor}");
        }
        assert_eq!(
            page.html.matches("What to do:").count(),
            ProblemCode::ALL.len() + ErrorCode::ALL.len()
        );
        assert!(page.html.contains("rate_limited · 429"), "{}", page.html);
    }
}
