//! The preview of a page: what a mode makes of it, with the price of the run.

use client::ApiCallError;
use contract::{CreatePreview, Estimate, PagePreview, RequestId};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::hidden_request;
use crate::pages::new_run::{estimate, request};
use crate::{ConsoleUser, FormErrors, FormFields, PageResult, markdown};

/// A preview with the price of the run, or the reason why the page cannot be previewed.
#[derive(Debug)]
pub(super) enum PreviewView {
    Shown(Box<PagePreview>, Option<Box<Estimate>>),
    /// The mode has no preview; only the price is shown.
    Priced(Box<Estimate>),
    /// The page cannot be read.
    Failed(String),
    Refused(FormErrors),
}

impl PreviewView {
    pub fn form_errors(&self) -> Option<&FormErrors> {
        match self {
            Self::Refused(form_errors) => Some(form_errors),
            Self::Shown(..) | Self::Priced(_) | Self::Failed(_) => None,
        }
    }
}

/// Reads the page and prices the run, at the same time.
pub(super) async fn ask(user: &ConsoleUser, fields: &FormFields) -> PageResult<PreviewView> {
    let mode = request::mode(fields);
    let url = request::address(fields).unwrap_or_default();
    let body = request::body(fields);
    let wanted = json!({"mode": mode, "url": url, "scope": body.get("scope")});
    let page = json!({"mode": mode, "url": url});
    let (api, other) = (user.api(), user.api());
    let priced = async { api.post::<Estimate>("/v1/estimate", &wanted).await };
    if !CreatePreview::MODES.contains(&mode) {
        return match priced.await {
            Ok(estimate) => Ok(PreviewView::Priced(Box::new(estimate))),
            Err(refused) => failed(refused),
        };
    }
    let previewed = async { other.post::<PagePreview>("/previews", &page).await };
    let (priced, previewed) = tokio::join!(priced, previewed);
    match previewed {
        Ok(preview) => Ok(PreviewView::Shown(Box::new(preview), priced.ok().map(Box::new))),
        Err(refused) => failed(refused),
    }
}

fn failed(refused: ApiCallError) -> PageResult<PreviewView> {
    match refused {
        ApiCallError::Problem { ref problem, .. } if problem.errors.is_none() => {
            Ok(PreviewView::Failed(problem.message.clone()))
        }
        other => Ok(PreviewView::Refused(FormErrors::of(other)?)),
    }
}

pub(super) fn show(
    shown: &PreviewView,
    user: &ConsoleUser,
    fields: &FormFields,
    id: Option<&RequestId>,
) -> Markup {
    html! {
        @match shown {
            PreviewView::Refused(_) => {}
            PreviewView::Failed(message) => {
                div.complaint role="alert" {
                    p { b { "This page has no preview: " } (message) "." }
                    p { "Check the URL, or try another page or mode." }
                }
            }
            PreviewView::Priced(estimate) => {
                section.panel aria-labelledby="preview-title" {
                    h2 #preview-title { "Price" }
                    p { "This mode has no preview: its results are made of several pages." }
                    (run(Some(estimate), user, fields, id))
                }
            }
            PreviewView::Shown(preview, estimate) => {
                section.panel aria-labelledby="preview-title" {
                    h2 #preview-title { "Preview of one page" }
                    (run(estimate.as_deref(), user, fields, id))
                    div.columns {
                        div { (content(preview)) }
                        div { (page_facts(preview)) }
                    }
                }
            }
        }
    }
}

/// The price of the run and the button that starts it.
fn run(
    estimate: Option<&Estimate>,
    user: &ConsoleUser,
    fields: &FormFields,
    id: Option<&RequestId>,
) -> Markup {
    let mode = request::mode(fields);
    let url = request::address(fields).unwrap_or_default();
    let needs_form = mode.requires_legal_basis();
    html! {
        @if let Some(estimate) = estimate {
            p #preview-price {
                b { (estimate::price_of(estimate)) }
                @if let (Some(_), Some(site)) = (&estimate.under_path, &estimate.whole_site) {
                    " under this path · whole site: " (estimate::price(site))
                }
            }
        }
        @if needs_form {
            p { a.button.primary href={ "/runs/new?mode=" (mode) } { "Continue" } }
        } @else {
            form.head method="post" action="/runs/new" {
                (user.form_token())
                @if let Some(id) = id { input type="hidden" name="form_id" value=(id); }
                (hidden_request(mode, &url, &[]))
                button.primary type="submit" { "Start the run" }
                button type="submit" name="do" value="estimate" { "Change options" }
            }
        }
    }
}

/// What the mode makes of the page.
fn content(preview: &PagePreview) -> Markup {
    let text = preview.item["markdown"].as_str();
    html! {
        @if let Some(text) = text {
            div.rendered { (markdown::rendered(text)) }
        } @else {
            pre tabindex="0" { (serde_json::to_string_pretty(&preview.item).unwrap_or_default()) }
        }
        @if preview.shortened { p.hint { "Shortened; a run delivers all of it." } }
    }
}

/// Facts of the page that every mode has.
fn page_facts(preview: &PagePreview) -> Markup {
    let text = |name: &str| match &preview.item[name] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    html! {
        dl.facts.small {
            @if let Some(metadata) = &preview.metadata {
                @if let Some(title) = &metadata.title { div { dt { "Title" } dd { (title) } } }
                div { dt { "Status" } dd { (metadata.status_code) } }
                div { dt { "Words" } dd { (metadata.word_count) } }
                @if let Some(language) = &metadata.language {
                    div { dt { "Language" } dd { (language) } }
                }
            }
            @if let Some(price) = text("price") {
                div { dt { "Price" } dd { (price) " " (text("currency").unwrap_or_default()) } }
            }
        }
    }
}
