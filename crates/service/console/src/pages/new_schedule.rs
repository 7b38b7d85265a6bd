//! `/schedules/new`: the form of a new schedule.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use contract::{JobId, Schedule};
use maud::html;
use serde_json::{Value, json};

use super::new_run::{form, request};
use super::schedule_form::{self, when};
use crate::assets::SCHEDULE_JS;
use crate::form::checkbox;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, ListQuery, PageError,
    PageResult, PostedForm, Section, cron_preset, see_other,
};

/// Fields of the schedule, besides those of the run.
const OWN: &[&str] = &["paused"];

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/schedules/new", get(ask).post(create))
}

/// The form: empty, or filled from the run `from`.
async fn ask(user: ConsoleUser, query: ListQuery) -> PageResult {
    let mut fields = match query.get("from").and_then(|id| id.parse::<JobId>().ok()) {
        Some(id) => {
            let job = user.state.store.job_of(&user.account, &id).await?;
            request::of_stored(&user.state.store, job.ok_or(PageError::NotFound)?).await?
        }
        None => FormFields::default(),
    };
    cron_preset::fill(&mut fields, "0 6 * * *", "UTC");
    Ok(page(&user, &fields, &FormErrors::default()))
}

async fn create(PostedForm { user, fields }: PostedForm) -> PageResult {
    if fields.is_on("preview") {
        return Ok(page(&user, &fields, &FormErrors::default()));
    }
    let mut body = json!({
        "request": request::body_of_schedule(&fields),
        "paused": fields.is_on("paused"),
        "cron": cron_preset::cron_of(&fields),
    });
    for name in ["name", "timezone"] {
        if let Some(text) = fields.text(name) {
            body[name] = Value::from(text);
        }
    }
    match user.api().post::<Schedule>("/v1/schedules", &body).await {
        Ok(made) => Ok(see_other(&format!("/schedules/{}", made.id))),
        Err(refused) => {
            // Fields of the run have the same names as in the form of a run.
            let form_errors = FormErrors::of(refused)?.strip_prefix("request");
            Ok(page(&user, &fields, &form_errors))
        }
    }
}

fn page(user: &ConsoleUser, fields: &FormFields, form_errors: &FormErrors) -> Response {
    let mut known = form::names();
    known.extend(OWN);
    known.extend(schedule_form::FIELDS);
    let page = ConsolePage::of(user, "New schedule").at(Section::Schedules).script(SCHEDULE_JS);
    page.status(form_errors.status()).show(html! {
        h1 { "New schedule" }
        (form_errors.shown(&known))
        form.stack #new-schedule method="post" action="/schedules/new" {
            (user.form_token())
            // The first field has the focus.
            (form::of_request(fields, form_errors))
            fieldset {
                legend { "When" }
                div.stack {
                    (when(fields, form_errors, "Empty: the host of the site.", user.state.now()))
                    (checkbox("paused", "Create paused", "", fields.is_on("paused")))
                }
            }
            div.head { button.primary type="submit" { "Create schedule" } }
        }
    })
}
