//! `/read`: reads one page at once and shows its text beside its picture.

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use client::ApiCall;
use contract::{Mode, PageAnswer, PageFile, RequestId};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::new_run::curl;
use crate::assets::COPY_JS;
use crate::form::{TextField, checkbox, field};
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, PageResult, PostedForm,
    Section, markdown,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The fields of the form.
const FIELDS: &[&str] = &["url", "mode", "wait_for", "max_credit_per_unit", "legal_basis_accepted"];

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
    let mut call = ApiCall::post("/v1/pages").json(&body(fields, with_picture));
    let key = HeaderValue::from_str(fields.raw("form_id")).ok().filter(|key| !key.is_empty());
    if let Some(key) = key {
        call = call.header(IDEMPOTENCY_KEY, key);
    }
    match user.api().send(call).await?.json::<PageAnswer<Value>>() {
        Ok(answer) => Ok(Ok(answer)),
        Err(refused) => FormErrors::of(refused).map(Err),
    }
}

/// The request of the form.
fn body(fields: &FormFields, with_picture: bool) -> Value {
    let mut formats = vec!["item", "metadata"];
    if with_picture {
        formats.push("screenshot");
    }
    let mut body = json!({"url": fields.raw("url").trim(), "formats": formats});
    if let Some(mode) = fields.text("mode").filter(|mode| *mode != Mode::PAGE_DEFAULT.as_str()) {
        body["mode"] = mode.into();
    }
    if let Some(wait) = fields.text("wait_for") {
        body["wait_for"] = wait.parse::<u64>().map_or_else(|_| json!(wait), |ms| json!(ms));
    }
    if let Some(rate) = fields.text("max_credit_per_unit") {
        body["max_credit_per_unit"] = rate.parse::<i64>().map_or_else(|_| json!(rate), Value::from);
    }
    if fields.is_on("legal_basis_accepted") {
        body["legal_basis_accepted"] = true.into();
    }
    body
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
        let request = body(self.fields, self.fields.is_on("picture"));
        let line = curl::line_of(url, "/v1/pages", &request);
        let page = ConsolePage::of(user, "Read a page").at(Section::ReadPage);
        page.status(self.form_errors.status()).script(COPY_JS).show(html! {
            h1 { "Read a page" }
            p { "To find pages of a site, " a href="/map" { "list its URLs" } "." }
            (self.form_errors.shown(FIELDS))
            @if let Some(picture) = self.form_errors.problem().and_then(|it| it.screenshot.as_ref()) {
                (self::picture(picture))
            }
            div.beside {
                (self.form(user, id))
                aside {
                    (curl::panel(&line))
                }
            }
            @if let Some(answer) = self.answer { (shown(answer)) }
        })
    }

    fn form(&self, user: &ConsoleUser, id: Option<&RequestId>) -> Markup {
        let Self { fields, form_errors, .. } = *self;
        let mode = fields.text("mode").unwrap_or(Mode::PAGE_DEFAULT.as_str());
        html! {
            form.stack method="post" action="/read" {
                (user.form_token())
                @if let Some(id) = id { input type="hidden" name="form_id" value=(id); }
                (TextField {
                    kind: "url",
                    required: true,
                    ..TextField::of("url", "URL", fields)
                }.show(form_errors))
                (field("mode", "Mode", "", form_errors, |described, invalid| html! {
                    select #mode name="mode" aria-describedby=[described] aria-invalid=[invalid] {
                        @for one in Mode::PAGES {
                            option value=(one) selected[one.as_str() == mode] { (one) }
                        }
                    }
                }))
                (TextField {
                    hint: "A CSS selector or milliseconds, for pages that load their content late.",
                    ..TextField::of("wait_for", "Wait for", fields)
                }.show(form_errors))
                (TextField {
                    hint: "Accepted for a page behind bot protection. Empty: none.",
                    ..TextField::of("max_credit_per_unit", "Maximum credits", fields)
                }.show(form_errors))
                (checkbox("picture", "Picture of the page", "", fields.is_on("picture")))
                (checkbox(
                    "legal_basis_accepted",
                    "I have a lawful basis for processing personal data",
                    "Mode contacts only.",
                    fields.is_on("legal_basis_accepted"),
                ))
                div.head { button.primary type="submit" { "Read the page" } }
            }
        }
    }
}

/// The page: its text or item, beside its picture.
fn shown(answer: &PageAnswer<Value>) -> Markup {
    let text = answer.item.as_ref().and_then(|item| item["markdown"].as_str());
    let item = answer.item.as_ref().and_then(|item| serde_json::to_string_pretty(item).ok());
    html! {
        h2 { "The page" }
        p {
            a href=(answer.url) rel="noopener noreferrer nofollow" target="_blank" { (answer.url) }
            " · " (answer.credits_used) " credits"
            @if let Some(metadata) = &answer.metadata { " · status " (metadata.status_code) }
        }
        @for warning in &answer.warnings { p.hint { (warning) } }
        div.columns {
            section.panel aria-label="Text" {
                @if let Some(text) = text {
                    div.rendered { (markdown::rendered(text)) }
                } @else if let Some(item) = &item {
                    pre tabindex="0" { (item) }
                }
            }
            @if let Some(file) = &answer.screenshot {
                section.panel aria-label="Picture" { (picture(file)) }
            }
        }
        @if text.is_some() && let Some(item) = &item {
            details { summary { "Item as JSON" } pre tabindex="0" { (item) } }
        }
    }
}

/// The picture by its path: the console may have another address than the link.
fn picture(file: &PageFile) -> Markup {
    let path = file.url.find("/page-files/").and_then(|at| file.url.get(at..)).unwrap_or_default();
    html! { img.page-picture src=(path) alt="Picture of the page"; }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_becomes_the_request() {
        let fields = FormFields::parse(
            b"url=+https%3A%2F%2Fa.test%2F&mode=links&wait_for=500&max_credit_per_unit=x",
        );
        assert_eq!(
            body(&fields, true),
            json!({"url": "https://a.test/", "formats": ["item", "metadata", "screenshot"],
                "mode": "links", "wait_for": 500, "max_credit_per_unit": "x"})
        );
        let fields = FormFields::parse(b"url=a&mode=markdown&wait_for=%23late");
        let plain = json!({"url": "a", "formats": ["item", "metadata"], "wait_for": "#late"});
        assert_eq!(body(&fields, false), plain);
    }
}
