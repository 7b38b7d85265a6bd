//! Errors of tools, with a remedy that a model can act on.

use client::{ApiCallError, UnexpectedResponse};
use contract::Problem;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use thiserror::Error;

/// Why a tool call failed, with its remedy.
#[derive(Debug, Error)]
pub(crate) enum ToolError {
    /// The API rejected the call.
    #[error("{}", .0.message)]
    Rejected(Box<Problem>),
    /// The API gave no readable response.
    #[error("{0}")]
    Unanswered(UnexpectedResponse),
    /// The arguments are invalid.
    #[error("{0}")]
    Arguments(String),
    /// The owner of the account does not let assistants accept the legal basis.
    #[error(
        "a contacts run collects personal data, and an assistant cannot accept its legal basis \
         without the permission of the account's owner"
    )]
    LegalBasis,
}

/// What a tool returns, and the steps of it.
pub(crate) type ToolResult<T = CallToolResult> = Result<T, ToolError>;

impl From<ApiCallError> for ToolError {
    fn from(error: ApiCallError) -> Self {
        match error {
            ApiCallError::Problem { problem, .. } => Self::Rejected(problem),
            ApiCallError::Unexpected(unexpected) => Self::Unanswered(unexpected),
        }
    }
}

impl From<UnexpectedResponse> for ToolError {
    fn from(unexpected: UnexpectedResponse) -> Self {
        Self::Unanswered(unexpected)
    }
}

impl ToolError {
    /// Code, message, remedy and the members of the problem.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Rejected(problem) => {
                let mut json = json!({
                    "code": problem.code,
                    "message": problem.message,
                    "what_to_do": problem.code.guide().remedy,
                });
                // Other members of the problem: amounts, the conflicting job, invalid fields.
                let rest = serde_json::to_value(problem).unwrap_or_default();
                for (name, value) in rest.as_object().into_iter().flatten() {
                    if json.get(name).is_none() {
                        json[name] = value.clone();
                    }
                }
                json
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

    /// As the result of a tool. Text only: structured content would have to match the output
    /// schema.
    pub fn into_result(self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(self.to_json().to_string())])
    }

    /// As an error of the protocol, for resources.
    pub fn into_error(self, uri: &str) -> ErrorData {
        let json = self.to_json();
        let message = format!("{uri}: {self}");
        match self {
            Self::Rejected(problem) if problem.code == contract::ProblemCode::NotFound => {
                ErrorData::resource_not_found(message, Some(json))
            }
            Self::Arguments(_) => ErrorData::invalid_params(message, Some(json)),
            Self::Rejected(_) | Self::Unanswered(_) | Self::LegalBasis => {
                ErrorData::internal_error(message, Some(json))
            }
        }
    }
}
