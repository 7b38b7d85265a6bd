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
//! 2. A handler takes what it needs: `State<ConsoleState>`, [`Person`] (whoever has no session is
//!    led to the sign-in page and back), [`Posted`] for a form (it holds the person and the
//!    fields, and was judged: it comes from a page of ours), `RawQuery` and [`Query`] for filters.
//! 3. It asks the API by `state.api(&person)`: `.get("/v1/jobs").await?`. What is refused is a
//!    [`Failure`] and becomes a page; a form catches it first and shows it at the fields that it
//!    names ([`Complaints`]).
//! 4. It answers with `Page::of(&person, "Runs").at(Section::Runs).show(html! { … })`. A form that
//!    posts begins with `(person.form_token())`. After a POST that changed something: [`see_other`].
//! 5. Style is in `assets/console.css`, without inline styles: the policy forbids them. A script
//!    is a file of its own in `assets/`, named in `assets.rs`, and asked for by `Page::script`.
//! 6. A line in `crates/trawl/tests/browser/pages.mjs`: the page is then looked at in a real
//!    browser, light and dark, wide and narrow, with and without script, and by axe.

mod api;
mod asker;
mod assets;
mod audit_table;
mod charts;
mod failure;
mod fields;
mod form;
mod frame;
mod link;
mod local_path;
mod markdown;
mod page;
mod pager;
mod pages;
mod person;
mod query;
mod router;
mod same_site;
mod session;
mod state;
mod words;

pub use router::router;
pub use state::{ConsoleSettings, ConsoleState};

pub(crate) use api::Api;
pub(crate) use failure::Failure;
pub(crate) use fields::{Fields, Posted};
pub(crate) use form::Complaints;
pub(crate) use local_path::{LocalPath, see_other};
pub(crate) use page::{Page, Section};
pub(crate) use person::Person;
pub(crate) use query::Query;
