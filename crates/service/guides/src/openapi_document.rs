//! The operations of an OpenAPI document, and access to its JSON.

use serde_json::{Map, Value};

use crate::API_REFERENCE;

/// Operations about one subject.
#[derive(Debug, Clone)]
pub struct ApiTag {
    pub name: String,
    pub about: String,
    pub operations: Vec<ApiOperation>,
}

/// An operation of the API.
#[derive(Debug, Clone)]
pub struct ApiOperation {
    pub id: String,
    /// In capitals, such as `POST`.
    pub method: String,
    /// The path with names of parameters in braces.
    pub path: String,
    pub summary: String,
    /// Whether it needs a credential.
    pub is_secured: bool,
    pub parameters: Vec<ApiParameter>,
    /// Whether it takes a body.
    pub has_body: bool,
    /// An example of its JSON body; `None` if it takes no JSON.
    pub json_body: Option<String>,
}

impl ApiOperation {
    /// The address of its page.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{API_REFERENCE}/{}", self.id)
    }
}

/// A parameter of an operation.
#[derive(Debug, Clone)]
pub struct ApiParameter {
    pub name: String,
    /// `path`, `query` or `header`.
    pub place: String,
    pub is_required: bool,
    pub example: Option<String>,
}

/// The members of an object in the order of the document.
pub(crate) fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flat_map(Map::iter)
}

/// A text; empty for other values.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// JSON as people read it.
pub(crate) fn pretty(value: &Value) -> String {
    // Serialisation of JSON values cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default()
}
