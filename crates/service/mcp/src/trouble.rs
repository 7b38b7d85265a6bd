//! What went wrong with a tool, in words that a model can act on.

use client::{ApiCallError, UnexpectedResponse};
use contract::Problem;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use thiserror::Error;

/// Why a tool did not do what it was asked to.
#[derive(Debug, Error)]
pub(crate) enum Trouble {
    /// The service refused it.
    #[error("{}", .0.message)]
    Refused(Box<Problem>),
    /// The service gave no answer that can be read.
    #[error("{0}")]
    Unanswered(UnexpectedResponse),
    /// The arguments do not fit the tool.
    #[error("{0}")]
    Arguments(String),
    /// The owner of the account does not let assistants accept the legal basis.
    #[error(
        "a contacts run collects personal data, and an assistant cannot accept its legal basis by \
         itself"
    )]
    LegalBasis,
}

impl From<ApiCallError> for Trouble {
    fn from(refused: ApiCallError) -> Self {
        match refused {
            ApiCallError::Problem { problem, .. } => Self::Refused(problem),
            ApiCallError::Unexpected(unexpected) => Self::Unanswered(unexpected),
        }
    }
}

impl From<UnexpectedResponse> for Trouble {
    fn from(unexpected: UnexpectedResponse) -> Self {
        Self::Unanswered(unexpected)
    }
}

impl Trouble {
    /// Code, message, what to do, and whatever the code carries.
    pub fn told(&self) -> Value {
        match self {
            Self::Refused(problem) => {
                let mut told = json!({
                    "code": problem.code,
                    "message": problem.message,
                    "what_to_do": problem.code.guide().remedy,
                });
                // What is left of the problem: amounts, the job in the way, each wrong field.
                let rest = serde_json::to_value(problem).unwrap_or_default();
                for (name, value) in rest.as_object().into_iter().flatten() {
                    if told.get(name).is_none() {
                        told[name] = value.clone();
                    }
                }
                told
            }
            Self::Unanswered(cause) => json!({
                "code": "unreachable",
                "message": cause.to_string(),
                "what_to_do": "Check that `trawl serve` runs there and that the address is right \
                               (`--url` or TRAWL_URL of `trawl mcp`); then call again. Starting \
                               a run again with the same arguments does not charge twice.",
            }),
            Self::LegalBasis => json!({
                "code": "legal_basis_required",
                "message": self.to_string(),
                "what_to_do": "Tell the user: the owner of the account starts the run in the \
                               console, or allows assistants to accept the legal basis there, \
                               under Account.",
            }),
            Self::Arguments(message) => json!({
                "code": "invalid_arguments",
                "message": message,
                "what_to_do": "Correct the arguments as the tool's input schema describes them, \
                               and call again.",
            }),
        }
    }

    /// As the result of a tool. Text alone: a structured result would have to have the shape of
    /// a success.
    pub fn into_result(self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(self.told().to_string())])
    }

    /// As an error of the protocol, for what is no tool.
    pub fn into_error(self, uri: &str) -> ErrorData {
        let told = self.told();
        let message = format!("{uri}: {self}");
        match self {
            Self::Refused(problem) if problem.code == contract::ProblemCode::NotFound => {
                ErrorData::resource_not_found(message, Some(told))
            }
            Self::Arguments(_) => ErrorData::invalid_params(message, Some(told)),
            Self::Refused(_) | Self::Unanswered(_) | Self::LegalBasis => {
                ErrorData::internal_error(message, Some(told))
            }
        }
    }
}
