//! The meaning of each error code and its remedy: one table for the documentation page, the OpenAPI
//! document, the MCP tools and `trawl explain`. The table is `data/error_guides.tsv`.

use std::sync::LazyLock;

use crate::{ErrorCode, ProblemCode};

/// The path of the page about all codes. Each code is an anchor.
pub const ERRORS_PAGE: &str = "/docs/errors";

/// The documentation of an error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErrorGuide {
    pub meaning: &'static str,
    pub remedy: &'static str,
}

/// List, code and guide of each row of the table.
static GUIDES: LazyLock<Vec<(&str, &str, ErrorGuide)>> = LazyLock::new(|| {
    let rows = include_str!("../data/error_guides.tsv").lines().filter(|row| !row.starts_with('#'));
    let guide = |row: &'static str| {
        let mut cells = row.split('\t');
        let (list, code) = (cells.next()?, cells.next()?);
        Some((list, code, ErrorGuide { meaning: cells.next()?, remedy: cells.next()? }))
    };
    rows.filter_map(guide).collect()
});

fn guide(list: &str, code: &str) -> ErrorGuide {
    let found = GUIDES.iter().find(|(of, known, _)| *of == list && *known == code);
    found.map(|(_, _, guide)| *guide).unwrap_or_default()
}

impl ProblemCode {
    /// The meaning of the code of an error response, and its remedy.
    #[must_use]
    pub fn guide(self) -> ErrorGuide {
        guide("api", self.as_str())
    }
}

impl ErrorCode {
    /// The meaning of the code in the `error` of a job, and its remedy.
    #[must_use]
    pub fn guide(self) -> ErrorGuide {
        guide("job", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_meaning_and_remedy_as_sentences() {
        let problems = ProblemCode::ALL.iter().map(|code| (code.as_str(), code.guide()));
        let errors = ErrorCode::ALL.iter().map(|code| (code.as_str(), code.guide()));
        for (code, ErrorGuide { meaning, remedy }) in problems.chain(errors) {
            for text in [meaning, remedy] {
                assert!(text.ends_with('.') && text.len() > 10, "{code}: {text:?}");
                assert!(text.starts_with(|c: char| c.is_uppercase() || c == '`'), "{code}: {text}");
            }
        }
        assert_eq!(GUIDES.len(), ProblemCode::ALL.len() + ErrorCode::ALL.len());
    }
}
