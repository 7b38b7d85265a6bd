//! Name and tags of a run, and the form that changes them.

use axum::extract::Path;
use axum::http::{Method, StatusCode};
use client::ApiCall;
use contract::{ChangeJob, PublicJob};
use maud::{Markup, html};

use super::{RunPage, results};
use crate::form::TextField;
use crate::pages::tags::shown_tags;
use crate::{FormErrors, FormFields, ListQuery, PageResult, PostedForm, see_other};

pub(super) async fn change(
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let run = RunPage::find(user, &id).await?;
    let tags = fields.raw("tags").split(',').map(str::trim).filter(|tag| !tag.is_empty());
    let body = ChangeJob {
        name: Some(fields.raw("name").trim().to_owned()),
        tags: Some(tags.map(str::to_owned).collect()),
    };
    let call = ApiCall::new(Method::PATCH, &run.api_path("")).json(&body);
    match run.api().send(call).await?.json::<PublicJob>() {
        Ok(_) => Ok(see_other(&run.path(""))),
        Err(refused) => {
            let form_errors = FormErrors::of(refused)?;
            let mut response = results::page(&run, &ListQuery::default(), &form_errors).await?;
            *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(response)
        }
    }
}

/// Name and tags, with the form behind a button.
pub(super) fn show(run: &RunPage, form_errors: &FormErrors) -> Markup {
    let labels = &run.labels;
    let is_wrong = form_errors.at("name").is_some() || form_errors.at("tags").is_some();
    let mut fields = FormFields::default();
    fields.set("name", labels.name.clone().unwrap_or_default());
    fields.set("tags", labels.tags.join(", "));
    let name = TextField::of("name", "Name", &fields);
    let tags = TextField { hint: "Separated by commas.", ..TextField::of("tags", "Tags", &fields) };
    html! {
        div.labels {
            @if let Some(name) = &labels.name { b { (name) } " " }
            (shown_tags(&labels.tags))
            details.more open[is_wrong] {
                summary { "Name and tags" }
                form.stack.narrow-form method="post" action=(run.path("/labels")) {
                    (run.user.form_token())
                    (name.show(form_errors))
                    (tags.show(form_errors))
                    div { button type="submit" { "Save" } }
                }
            }
        }
    }
}
