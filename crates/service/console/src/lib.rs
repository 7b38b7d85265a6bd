//! The web console: server-rendered pages on top of the API.
//!
//! Pages work without script; small scripts add live updates. Every action goes through the API in
//! this process ([`client::Client`]) with the user's session, so that permissions, prices and error
//! messages exist once. Data of crawled sites is hostile: `maud` escapes it, `link.rs` links only
//! http and https URLs, and the content security policy allows only embedded files.
//!
//! # How to add a page
//!
//! 1. A file in `pages/` with `pub(crate) fn routes() -> Router<ConsoleState>`, and its line in
//!    `pages.rs`.
//! 2. A handler extracts what it needs: `ConsoleUser` (redirects to the sign-in page without a
//!    session, and has the state), `PostedForm` for a checked form, `ListQuery` for filters.
//! 3. It calls the API: `user.api().get("/v1/jobs").await?`. An error becomes a `PageError`; a
//!    form shows field errors with `FormErrors`.
//! 4. It returns `ConsolePage::of(&user, "Runs").at(Section::Runs).show(html! { … })`. A form that
//!    posts starts with `(user.form_token())`. After a change it returns `see_other`.
//! 5. Styles are in `assets/console.css`; the policy forbids inline styles. A script is a file in
//!    `assets/`, declared in `assets.rs`, and added by `ConsolePage::script`.
//! 6. A line in `crates/trawl/tests/browser/pages.mjs`: the browser tests check the page in light
//!    and dark, wide and narrow, with and without script, and with axe.

mod accept_header;
mod api;
mod assets;
mod audit_table;
mod charts;
mod confirmed;
mod cron_preset;
mod form;
mod form_fields;
mod link;
mod local_path;
mod markdown;
mod number_format;
mod page;
mod page_error;
mod page_middleware;
mod pager;
mod pages;
mod query;
mod router;
mod same_site;
mod session;
mod state;
mod table;
mod user;

pub use router::router;
pub use state::{ConsoleSettings, ConsoleState, ShownSetting};

pub(crate) use api::UserApi;
pub(crate) use confirmed::ConfirmedAction;
pub(crate) use form::FormErrors;
pub(crate) use form_fields::{FormFields, PostedForm};
pub(crate) use local_path::{LocalPath, see_other};
pub(crate) use page::{ConsolePage, Section, Tab};
pub(crate) use page_error::{PageError, PageResult};
pub(crate) use query::ListQuery;
pub(crate) use table::table;
pub(crate) use user::ConsoleUser;
