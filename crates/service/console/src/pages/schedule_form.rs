//! The fields of a schedule that say when it starts, with the next starts before saving.

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use contract::Millis;
use maud::{Markup, html};

use crate::cron_preset::{PRESETS, cron_of, next_starts, sentence, weekdays};
use crate::form::{TextField, field};
use crate::number_format::time;
use crate::{ConsoleState, ConsoleUser, FormErrors, FormFields};

/// Common time zones, offered while typing; all of the IANA database are accepted.
const ZONES: [&str; 24] = [
    "UTC",
    "Africa/Cairo",
    "Africa/Johannesburg",
    "Africa/Lagos",
    "America/Bogota",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/Mexico_City",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Dubai",
    "Asia/Hong_Kong",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Europe/Berlin",
    "Europe/Istanbul",
    "Europe/London",
    "Europe/Madrid",
    "Europe/Paris",
    "Pacific/Auckland",
];

/// Fields of the timetable, and the field of an error about it.
pub(super) const FIELDS: &[&str] =
    &["name", "cron", "timezone", "every", "at", "weekday", "monthday"];

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/schedules/preview", get(preview))
}

/// The next starts for the script of the form.
async fn preview(user: ConsoleUser, uri: axum::http::Uri) -> Html<String> {
    let fields = FormFields::parse(uri.query().unwrap_or_default().as_bytes());
    Html(starts(&fields, user.state.now()).into_string())
}

/// The fields for name, timetable and time zone.
pub(super) fn when(
    fields: &FormFields,
    form_errors: &FormErrors,
    about_name: &str,
    now: Millis,
) -> Markup {
    html! {
        div.stack.timetable {
            div.columns {
                div.field {
                    label for="every" { "Every" }
                    select id="every" name="every" {
                        @for (name, label) in PRESETS {
                            option value=(name) selected[fields.raw("every") == name] { (label) }
                        }
                    }
                }
                div.field.weekday {
                    label for="weekday" { "Weekday" }
                    select id="weekday" name="weekday" {
                        @for (number, name) in weekdays() {
                            option value=(number) selected[fields.raw("weekday") == number.to_string()] { (name) }
                        }
                    }
                }
                div.field.monthday {
                    label for="monthday" { "Day of the month" }
                    select id="monthday" name="monthday" {
                        @for day in 1..=31 {
                            option value=(day) selected[fields.raw("monthday") == day.to_string()] { (day) }
                        }
                    }
                }
                div.field.at {
                    label for="at" { "At" }
                    input id="at" name="at" type="time" value=(fields.text("at").unwrap_or("06:00"));
                }
                div.cron {
                    (TextField {
                        hint: "Minute, hour, day, month, weekday: 0 6 * * MON-FRI; or @daily, @weekly.",
                        ..TextField::of("cron", "Cron expression", fields)
                    }.show(form_errors))
                }
                (zone(fields, form_errors))
            }
            // An error of a preset has no visible field.
            @if fields.raw("every") != "custom" {
                @if let Some(wrong) = form_errors.at("cron") { p.wrong { (wrong) } }
            }
            div.preview #preview role="status" { (starts(fields, now)) }
            // With script they follow the fields, and Enter saves.
            noscript {
                button type="submit" name="preview" value="on" { "Show the next starts" }
            }
        }
        (TextField { hint: about_name, ..TextField::of("name", "Name", fields) }.show(form_errors))
    }
}

fn zone(fields: &FormFields, form_errors: &FormErrors) -> Markup {
    let hint = "For example Europe/Berlin. Daylight saving time is respected.";
    field("timezone", "Time zone", hint, form_errors, |described, invalid| {
        html! {
            input id="timezone" name="timezone" type="text" list="zones" autocomplete="off"
                spellcheck="false" autocapitalize="off" value=(fields.raw("timezone"))
                aria-describedby=[described] aria-invalid=[invalid];
            datalist id="zones" { @for zone in ZONES { option value=(zone) {} } }
        }
    })
}

/// The sentence and the next starts of the fields.
fn starts(fields: &FormFields, now: Millis) -> Markup {
    let cron = cron_of(fields);
    let timezone = fields.text("timezone").unwrap_or("UTC");
    html! {
        @match next_starts(&cron, timezone, now) {
            Ok(starts) => {
                p { b { (sentence(&cron, timezone)) } ". Next starts:" }
                ol { @for start in starts { li { (time(start)) } } }
            }
            Err(error) => p.wrong { (error) },
        }
    }
}
