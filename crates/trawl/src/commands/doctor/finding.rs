//! What a check finds.

use std::fmt::Display;

use serde::Serialize;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub check: &'static str,
    pub verdict: Verdict,
    pub detail: String,
    /// What the operator does about it; `None` if nothing.
    pub remedy: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Ok,
    /// The server works, with less than it could have or at a risk.
    Warning,
    /// The server does not start, or a part of it does not work.
    Failed,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

impl Finding {
    pub fn ok(check: &'static str, detail: impl Display) -> Self {
        Self { check, verdict: Verdict::Ok, detail: detail.to_string(), remedy: None }
    }

    pub fn warning(check: &'static str, detail: impl Display, remedy: impl Display) -> Self {
        let remedy = Some(remedy.to_string());
        Self { check, verdict: Verdict::Warning, detail: detail.to_string(), remedy }
    }

    pub fn failed(check: &'static str, detail: impl Display, remedy: impl Display) -> Self {
        Self { verdict: Verdict::Failed, ..Self::warning(check, detail, remedy) }
    }
}
