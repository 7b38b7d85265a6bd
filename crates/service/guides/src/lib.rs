//! The documentation that the service serves at `/docs`: the guides of the repository, the error
//! codes, and the reference of the API.
//!
//! Everything is Markdown first. The guides are part of the binary (`sources.rs`), the list of
//! error codes comes from `contract`, and the reference is made of the OpenAPI document. One
//! renderer makes HTML of it, so that every page also exists as Markdown, is found by the search
//! and is part of `llms-full.txt`.
//!
//! - [`Documentation`] has all pages, their groups and the search.
//! - [`DocsPage`] is one page: address, title, Markdown, HTML.
//! - [`ApiOperation`] describes an operation for forms that send it.
//!
//! To add a guide: the file in `docs/`, its line in `sources.rs`, and its row in `docs/README.md`,
//! which decides about group, order and description. The tests find what is missing.

mod diagram;
mod documentation;
mod error_codes;
mod example_requests;
mod llms_txt;
mod openapi_document;
mod operation_page;
mod page;
mod reference;
mod render;
mod repository_links;
mod schema_page;
mod schema_text;
mod search;
mod slug;
mod sources;

pub use documentation::{DocsGroup, Documentation};
pub use openapi_document::{ApiOperation, ApiParameter, ApiTag};
pub use page::{DocsHeading, DocsPage};
pub use search::{MAX_QUERY_CHARS, SearchHit};

/// The address of the first page.
pub const DOCS_HOME: &str = "/docs";

/// The address of the reference of the API.
pub const API_REFERENCE: &str = "/docs/api";
