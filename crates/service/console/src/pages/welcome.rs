//! `/welcome`: the first page of an account, until its first own run.
//!
//! It has one form (URL and mode) with a preview, the built-in sample sites, and the first steps
//! with live ticks. A sign-in link of the server leads here: `/welcome?once=…`.

mod preview;
mod steps;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Extension, Router};
use client::{ApiCall, RequestOrigin};
use contract::{CreatedKey, Mode, RequestId};
use maud::{Markup, html};
use serde_json::json;
use store::SessionClient;

use super::new_run::request;
use crate::assets::{COPY_JS, WELCOME_JS};
use crate::form::TextField;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, ListQuery, PageResult,
    PostedForm, same_site, see_other, session,
};
use preview::PreviewView;
use steps::StepKeys;

/// The sample sites: label, mode, URL, and the options of the form of a run.
const SAMPLES: [(&str, Mode, &str, &[&str]); 3] = [
    ("Shop, 25 products", Mode::Products, "https://shop.lab.test/", &[]),
    ("Docs, as Markdown", Mode::Markdown, "https://docs.lab.test/", &[]),
    (
        "Links, with broken ones",
        Mode::Links,
        "https://docs.lab.test/",
        &["scope.include_broken", "scope.include_orphan"],
    ),
];

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/welcome", get(ask))
        .route("/welcome/preview", post(previewed))
        .route("/welcome/key", post(create_key))
        .route("/welcome/steps", get(taken_steps))
}

/// Whether the account sees the welcome page instead of its runs.
pub(crate) async fn is_new(user: &ConsoleUser) -> PageResult<bool> {
    Ok(!user.state.store.first_steps(&user.account).await?.has_own_run)
}

async fn ask(
    State(state): State<ConsoleState>,
    origin: RequestOrigin,
    headers: HeaderMap,
    id: Option<Extension<RequestId>>,
    query: ListQuery,
    user: PageResult<ConsoleUser>,
) -> PageResult {
    if let Some(token) = query.get("once") {
        return sign_in(&state, &origin, &headers, token).await;
    }
    WelcomeForm::default().page(&user?, id.as_deref()).await
}

/// Opens the session of a sign-in link. Links of other sites are refused: they would sign a visitor
/// in to another account.
async fn sign_in(
    state: &ConsoleState,
    origin: &RequestOrigin,
    headers: &HeaderMap,
    token: &str,
) -> PageResult {
    let client = SessionClient {
        address: origin.address(state.settings.trust_forwarded_for),
        user_agent: headers
            .get(header::USER_AGENT)
            .and_then(|agent| agent.to_str().ok())
            .map(str::to_owned),
        device: session::device(headers, state),
    };
    let is_foreign = same_site::is_cross_site(headers, &state.settings.public_url);
    let opened = match is_foreign {
        true => None,
        false => state.store.redeem_sign_in_link(token, &client, state.now()).await?,
    };
    let Some(session) = opened else {
        // A link that is opened twice leads to the page, or to the sign-in form.
        return Ok(see_other("/welcome"));
    };
    let mut response = see_other("/welcome");
    let cookie = session::begin(&session.token, session.expires_at, state);
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    if let Some(device) = &session.device {
        response.headers_mut().append(header::SET_COOKIE, session::remember(device, state));
    }
    Ok(response)
}

async fn previewed(
    id: Option<Extension<RequestId>>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let preview = Some(preview::ask(&user, &fields).await?);
    WelcomeForm { fields, preview, ..WelcomeForm::default() }.page(&user, id.as_deref()).await
}

/// Creates a key for the code or for an assistant, and shows it once.
async fn create_key(
    id: Option<Extension<RequestId>>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let is_assistant = fields.text("for") == Some("assistant");
    let (name, source) =
        if is_assistant { ("My assistant", "mcp") } else { ("My first code", "direct") };
    let call = ApiCall::post("/api-keys").json(&json!({"name": name, "source": source}));
    let key: CreatedKey = match user.api().send(call).await?.json() {
        Ok(key) => key,
        Err(refused) => {
            let form = WelcomeForm { form_errors: FormErrors::of(refused)?, ..Default::default() };
            return form.page(&user, id.as_deref()).await;
        }
    };
    let (code, assistant) = match is_assistant {
        true => (None, Some(key.key)),
        false => (Some(key.key), None),
    };
    let keys = StepKeys { code, assistant };
    WelcomeForm { keys, ..WelcomeForm::default() }.page(&user, id.as_deref()).await
}

/// The steps that are taken, as names for the script.
async fn taken_steps(user: ConsoleUser) -> PageResult {
    let steps = user.state.store.first_steps(&user.account).await?;
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((headers, steps::taken(&steps).join(" ")).into_response())
}

/// The form with its values and errors, a preview, and keys that were just created.
#[derive(Debug)]
struct WelcomeForm {
    fields: FormFields,
    form_errors: FormErrors,
    preview: Option<PreviewView>,
    keys: StepKeys,
}

impl Default for WelcomeForm {
    fn default() -> Self {
        let mut fields = FormFields::default();
        fields.set("mode", Mode::PAGE_DEFAULT.as_str());
        let (form_errors, keys) = (FormErrors::default(), StepKeys::default());
        Self { fields, form_errors, preview: None, keys }
    }
}

impl WelcomeForm {
    async fn page(&self, user: &ConsoleUser, id: Option<&RequestId>) -> PageResult {
        let steps = user.state.store.first_steps(&user.account).await?;
        let preview = self.preview.as_ref();
        let form_errors = preview.and_then(PreviewView::form_errors).unwrap_or(&self.form_errors);
        let page = ConsolePage::of(user, "Welcome").script(COPY_JS).script(WELCOME_JS);
        Ok(page.status(form_errors.status()).show(html! {
            div.head {
                h1 { "Crawl your first site" }
                @if steps.has_own_run { div.actions { a href="/runs" { "Your runs" } } }
            }
            (form_errors.shown(&["url", "mode"]))
            (self.form(form_errors, user))
            @if let Some(shown) = preview { (preview::show(shown, user, &self.fields, id)) }
            (samples(user, id))
            (steps::show(&steps, &self.keys, user))
        }))
    }

    fn form(&self, form_errors: &FormErrors, user: &ConsoleUser) -> Markup {
        let chosen = request::mode(&self.fields);
        let address = TextField {
            hint: "https://example.com or https://example.com/docs/. A preview is free.",
            required: true,
            autofocus: self.fields.raw("url").is_empty(),
            ..TextField::of("url", "URL", &self.fields)
        };
        html! {
            form.stack.panel method="post" action="/welcome/preview" {
                (user.form_token())
                (address.show(form_errors))
                fieldset {
                    legend { "What to collect" }
                    div.modes {
                        @for mode in Mode::DISPLAY_ORDER {
                            label.mode {
                                input type="radio" name="mode" value=(mode)
                                    checked[*mode == chosen];
                                b { (mode.title()) } span { (mode.summary()) }
                            }
                        }
                    }
                }
                div.head { button.primary type="submit" { "Preview" } }
            }
        }
    }
}

/// The sample sites: a button starts a run, which is free.
fn samples(user: &ConsoleUser, id: Option<&RequestId>) -> Markup {
    html! {
        section.panel aria-labelledby="samples-title" {
            h2 #samples-title { "Nothing at hand?" }
            p { "The server has sample sites. Runs on them are free." }
            div.head {
                @for (label, mode, url, switches) in SAMPLES {
                    form method="post" action="/runs/new" {
                        (user.form_token())
                        @if let Some(id) = id {
                            input type="hidden" name="form_id" value={ (id) "-" (mode) };
                        }
                        (hidden_request(mode, url, switches))
                        button type="submit" { (label) }
                    }
                }
            }
        }
    }
}

/// The fields of the form of a new run that start this one with the defaults of the form.
pub(super) fn hidden_request(mode: Mode, url: &str, switches: &[&str]) -> Markup {
    html! {
        input type="hidden" name="mode" value=(mode);
        input type="hidden" name="url" value=(url);
        @for switch in switches { input type="hidden" name=(switch) value="on"; }
    }
}
