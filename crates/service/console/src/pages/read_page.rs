//! `/read`: reads one page at once and shows its text beside its picture.

mod answer;
mod form;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use client::ApiCall;
use contract::{PageAnswer, RequestId};
use maud::html;
use serde_json::Value;

use super::access;
use super::new_run::curl;
use crate::assets::COPY_JS;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, PageResult, PostedForm, Section,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/read", get(ask).post(read))
}

async fn ask(
    State(state): State<ConsoleState>,
    user: ConsoleUser,
    id: Option<Extension<RequestId>>,
    uri: axum::http::Uri,
) -> PageResult {
    let mut fields = FormFields::parse(uri.query().unwrap_or_default().as_bytes());
    fields.set("picture", "on");
    let form = ReadForm { fields: &fields, form_errors: &FormErrors::default(), answer: None };
    Ok(form.page(&state, &user, id.as_deref()))
}

async fn read(
    State(state): State<ConsoleState>,
    id: Option<Extension<RequestId>>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let mut answer = call(&user, &fields, fields.is_on("picture")).await?;
    if let Err(refused) = &answer
        && refused.at("formats").is_some()
    {
        // The service has no browser: the page without its picture.
        answer = call(&user, &fields, false).await?;
    }
    let (answer, form_errors) = match answer {
        Ok(answer) => (Some(answer), FormErrors::default()),
        Err(form_errors) => (None, form_errors),
    };
    let form = ReadForm { fields: &fields, form_errors: &form_errors, answer: answer.as_ref() };
    Ok(form.page(&state, &user, id.as_deref()))
}

/// Reads the page. The idempotency key makes a form that is sent twice charge it once.
async fn call(
    user: &ConsoleUser,
    fields: &FormFields,
    with_picture: bool,
) -> PageResult<Result<PageAnswer<Value>, FormErrors>> {
    let mut call = ApiCall::post("/v1/pages").json(&form::body(fields, with_picture));
    // A key belongs to one request: that without the picture is another one.
    let variant = if with_picture { "" } else { "-plain" };
    let key = fields.text("form_id").map(|id| HeaderValue::from_str(&format!("{id}{variant}")));
    if let Some(Ok(key)) = key {
        call = call.header(IDEMPOTENCY_KEY, key);
    }
    match user.api().send(call).await?.json::<PageAnswer<Value>>() {
        Ok(answer) => Ok(Ok(answer)),
        Err(refused) => FormErrors::of(refused).map(Err),
    }
}

/// The form with its values and errors, and the page that was read.
struct ReadForm<'a> {
    fields: &'a FormFields,
    form_errors: &'a FormErrors,
    answer: Option<&'a PageAnswer<Value>>,
}

impl ReadForm<'_> {
    fn page(&self, state: &ConsoleState, user: &ConsoleUser, id: Option<&RequestId>) -> Response {
        let url = &state.settings.public_url;
        let request = form::body(self.fields, self.fields.is_on("picture"));
        let line = curl::line_of(url, "/v1/pages", &access::hidden(request));
        let page = ConsolePage::of(user, "Read a page").at(Section::ReadPage);
        page.status(self.form_errors.status()).script(COPY_JS).show(html! {
            h1 { "Read a page" }
            p { "To find pages of a site, " a href="/map" { "list its URLs" } "." }
            (self.form_errors.shown(&form::names()))
            @if let Some(picture) = self.form_errors.problem().and_then(|it| it.screenshot.as_ref()) {
                (answer::picture(picture))
            }
            div.beside {
                form.stack method="post" action="/read" {
                    (user.form_token())
                    @if let Some(id) = id { input type="hidden" name="form_id" value=(id); }
                    (form::fields_of_page(self.fields, self.form_errors))
                    div.head { button.primary type="submit" { "Read the page" } }
                }
                aside {
                    (curl::panel(&line))
                }
            }
            @if let Some(answer) = self.answer { (answer::shown(answer)) }
        })
    }
}
