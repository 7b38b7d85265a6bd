//! `/schedules/new`: a run that a clock is to start.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use contract::{JobId, Schedule};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::new_run::{form, request};
use crate::form::{Line, tick};
use crate::{
    Complaints, ConsoleState, Failure, Fields, Page, Person, Posted, Query, Section, see_other,
};

/// Fields of this form besides those of the run.
const OWN: &[&str] = &["name", "cron", "timezone", "paused"];

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/schedules/new", get(ask).post(create))
}

/// The form: empty, or for the run that `from` names.
async fn ask(
    State(state): State<ConsoleState>,
    person: Person,
    query: Query,
) -> Result<Response, Failure> {
    let mut fields = match query.get("from").and_then(|id| id.parse::<JobId>().ok()) {
        Some(id) => {
            let job = state.store().job_of(&person.account, &id).await?;
            let job = state.store().with_domains(job.ok_or(Failure::NotFound)?).await?;
            request::of_job(&job)
        }
        None => Fields::default(),
    };
    fields.set("cron", "0 6 * * *");
    fields.set("timezone", "UTC");
    Ok(page(&person, &fields, &Complaints::default()))
}

async fn create(
    State(state): State<ConsoleState>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let mut body = json!({"request": request::body(&fields), "paused": fields.is_on("paused")});
    for name in ["name", "cron", "timezone"] {
        if let Some(text) = fields.text(name) {
            body[name] = Value::from(text);
        }
    }
    match state.api(&person).post::<Schedule>("/v1/schedules", &body).await {
        Ok(made) => Ok(see_other(&format!("/schedules/{}", made.id))),
        Err(refused) => {
            // Fields of the run have the names here that they have in a form of a run.
            let complaints = Complaints::of(refused)?.inside("request");
            let mut response = page(&person, &fields, &complaints);
            *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(response)
        }
    }
}

fn page(person: &Person, fields: &Fields, complaints: &Complaints) -> Response {
    let known: Vec<_> = form::FIELDS.iter().chain(OWN).copied().collect();
    Page::of(person, "New schedule").at(Section::Schedules).show(html! {
        h1 { "New schedule" }
        (complaints.shown(&known))
        form.stack #new-schedule method="post" action="/schedules/new" {
            (person.form_token())
            fieldset {
                legend { "When?" }
                (when(fields, complaints, "Empty: the host of the site."))
                (tick("paused", "Start nothing yet", "", fields.is_on("paused")))
            }
            (form::of_request(fields, complaints))
            div.head { button.primary type="submit" { "Make the schedule" } }
        }
    })
}

/// Name, expression and zone.
pub(super) fn when(fields: &Fields, complaints: &Complaints, about_name: &str) -> Markup {
    html! {
        div.columns {
            div {
                (Line {
                    name: "cron",
                    label: "Cron expression",
                    value: fields.raw("cron"),
                    hint: "Minute, hour, day, month, weekday: 0 6 * * MON-FRI; or @daily, @weekly.",
                    required: true,
                    ..Line::default()
                }.show(complaints))
            }
            div {
                (Line {
                    name: "timezone",
                    label: "Time zone",
                    value: fields.raw("timezone"),
                    hint: "As Europe/Berlin. Summer time is taken into account.",
                    ..Line::default()
                }.show(complaints))
            }
        }
        (Line {
            name: "name",
            label: "Name",
            value: fields.raw("name"),
            hint: about_name,
            ..Line::default()
        }.show(complaints))
    }
}
