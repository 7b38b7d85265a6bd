//! An action of a job that could not be executed in a page, which is skipped for it.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::PageFile;

/// The action of a job that could not be executed in a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FailedAction {
    /// The position of the action, from 0.
    pub action: u32,
    /// The action and why it failed.
    pub message: String,
    /// The page as it was after the action. Only the first ten of these pages of a run have a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<PageFile>,
    /// The number of what is kept of the page, in stored rows only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub kept_as: Option<u64>,
}

impl FailedAction {
    #[must_use]
    pub fn new(action: u32, message: String) -> Self {
        Self { action, message, screenshot: None, kept_as: None }
    }
}

impl fmt::Display for FailedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "actions[{}]: {}", self.action, self.message)
    }
}
