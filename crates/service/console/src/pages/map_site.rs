//! `/map`: lists the URLs of a site without a run.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use axum::{Router, http::StatusCode};
use client::ApiCall;
use contract::{MappedUrl, UrlMap};
use maud::{Markup, html};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::new_run::curl;
use super::new_run::request::{address, whole};
use crate::assets::COPY_JS;
use crate::form::{TextField, checkbox};
use crate::number_format::count;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, PageResult, PostedForm, Section,
};

/// The fields of the form.
const FIELDS: &[&str] = &["url", "search", "limit", "include_subdomains"];

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/map", get(ask).post(list))
}

async fn ask(State(state): State<ConsoleState>, user: ConsoleUser, uri: Uri) -> Response {
    let fields = FormFields::parse(uri.query().unwrap_or_default().as_bytes());
    page(&state, &user, &fields, &FormErrors::default(), None)
}

async fn list(
    State(state): State<ConsoleState>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let call = ApiCall::post("/v1/map").json(&body(&fields));
    let (map, form_errors) = match user.api().send(call).await?.json::<UrlMap>() {
        Ok(map) => (Some(map), FormErrors::default()),
        Err(refused) => (None, FormErrors::of(refused)?),
    };
    Ok(page(&state, &user, &fields, &form_errors, map.as_ref()))
}

/// The request of the form.
fn body(fields: &FormFields) -> Value {
    let mut body = json!({"url": address(fields).unwrap_or_default()});
    if let Some(search) = fields.text("search") {
        body["search"] = search.into();
    }
    if let Some(limit) = fields.text("limit") {
        body["limit"] = whole(limit);
    }
    if fields.is_on("include_subdomains") {
        body["include_subdomains"] = true.into();
    }
    body
}

fn page(
    state: &ConsoleState,
    user: &ConsoleUser,
    fields: &FormFields,
    form_errors: &FormErrors,
    map: Option<&UrlMap>,
) -> Response {
    let line = curl::line_of(&state.settings.public_url, "/v1/map", &body(fields));
    let status = map.map_or(form_errors.status(), |_| StatusCode::OK);
    let page = ConsolePage::of(user, "Map of a site").at(Section::ReadPage);
    page.status(status).script(COPY_JS).show(html! {
        h1 { "Map of a site" }
        p { "Lists the URLs of a site within ten seconds, without a run and free of charge." }
        (form_errors.shown(FIELDS))
        div.beside {
            form.stack method="post" action="/map" {
                (user.form_token())
                (TextField { required: true, ..TextField::of("url", "URL", fields) }.show(form_errors))
                (TextField {
                    hint: "Only URLs with all of these words in the URL or in the title.",
                    ..TextField::of("search", "Search", fields)
                }.show(form_errors))
                (TextField {
                    hint: "At most and when empty 5,000.",
                    ..TextField::of("limit", "Maximum URLs", fields)
                }.show(form_errors))
                (checkbox(
                    "include_subdomains", "Include subdomains", "",
                    fields.is_on("include_subdomains"),
                ))
                div.head { button.primary type="submit" { "List the URLs" } }
            }
            aside {
                (curl::panel(&line))
            }
        }
        @if let Some(map) = map { (shown(map)) }
    })
}

fn shown(map: &UrlMap) -> Markup {
    let gaps: Vec<_> = map.gaps.iter().map(|gap| gap.as_str().replace('_', " ")).collect();
    html! {
        h2 { (count(map.urls.len() as u64, "URL", "URLs")) }
        @if map.complete {
            p { "The sitemaps and all pages that they do not list were read." }
        } @else {
            p.hint { "There may be more: " (gaps.join(", ")) ". A run in mode links finds all URLs." }
        }
        (crate::table("URLs", "URL, Title, Source:wide", &map.urls, row, &html! { "No URLs." }))
        details {
            summary { "URLs as text, for a run over a list" }
            pre tabindex="0" { @for one in &map.urls { (one.url) "\n" } }
        }
    }
}

fn row(found: &MappedUrl) -> Markup {
    let query: String =
        form_urlencoded::Serializer::new(String::new()).append_pair("url", &found.url).finish();
    html! {
        tr {
            td.url { a href={ "/read?" (query) } { (found.url) } }
            td { (found.title.as_deref().unwrap_or("–")) }
            td.wide { (found.source) }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::CreateMap;
    use utoipa::PartialSchema;

    use super::*;

    #[test]
    fn form_becomes_the_request() {
        let fields = FormFields::parse(b"url=+https%3A%2F%2Fa.test%2F&search=&x=1");
        assert_eq!(body(&fields), json!({"url": "https://a.test/"}));
        let fields =
            FormFields::parse(b"url=a.test&search=price+list&limit=7&include_subdomains=on");
        let all = json!({"url": "https://a.test", "search": "price list", "limit": 7, "include_subdomains": true});
        assert_eq!(body(&fields), all);
        let schema = serde_json::to_value(CreateMap::schema()).expect("JSON");
        for member in schema["properties"].as_object().expect("members").keys() {
            assert!(all.get(member).is_some() && FIELDS.contains(&member.as_str()), "{member}");
        }
    }
}
