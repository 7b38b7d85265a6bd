//! The console: the service as a person uses it in a browser.
//!
//! Pages are written by the server and work without script; a little script makes some of them
//! live. What a person does here goes through the API in this process ([`client::Client`]) with
//! the person's own session, so that nothing is judged, priced or worded twice. All that comes
//! from crawled sites is hostile: `maud` escapes it, `link.rs` makes nothing clickable that is not
//! the web, and the policy of every page lets nothing run but our own files.
//!
//! # How a page is written
//!
//! 1. A file in `pages/` with `pub(crate) fn routes() -> Router<ConsoleState>`, and a line for it
//!    in `pages.rs`.
//! 2. A handler takes what it needs: `State<ConsoleState>`, [`ConsoleUser`] (whoever has no session is
//!    led to the sign-in page and back), [`PostedForm`] for a form (it holds the person and the
//!    fields, and was judged: it comes from a page of ours), `RawQuery` and [`ListQuery`] for filters.
//! 3. It asks the API by `state.api(&user)`: `.get("/v1/jobs").await?`. What is refused is a
//!    [`PageError`] and becomes a page; a form catches it first and shows it at the fields that it
//!    names ([`FormErrors`]).
//! 4. It answers with `ConsolePage::of(&user, "Runs").at(Section::Runs).show(html! { … })`. A form that
//!    posts begins with `(user.form_token())`. After a POST that changed something: [`see_other`].
//! 5. Style is in `assets/console.css`, without inline styles: the policy forbids them. A script
//!    is a file of its own in `assets/`, named in `assets.rs`, and asked for by `ConsolePage::script`.
//! 6. A line in `crates/trawl/tests/browser/pages.mjs`: the page is then looked at in a real
//!    browser, light and dark, wide and narrow, with and without script, and by axe.

mod accept_header;
mod api;
mod assets;
mod audit_table;
mod charts;
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
mod user;

pub use router::router;
pub use state::{ConsoleSettings, ConsoleState};

pub(crate) use api::UserApi;
pub(crate) use form::FormErrors;
pub(crate) use form_fields::{FormFields, PostedForm};
pub(crate) use local_path::{LocalPath, see_other};
pub(crate) use page::{ConsolePage, Section};
pub(crate) use page_error::PageError;
pub(crate) use query::ListQuery;
pub(crate) use user::ConsoleUser;
