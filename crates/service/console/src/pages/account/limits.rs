//! Limits of a key or an application, as form fields and as text.

use contract::{CredentialLimits, Mode, OauthScope};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::form::{TextField, checkbox};
use crate::number_format::{number, time};
use crate::{FormErrors, FormFields};

/// Names of the limit fields in the API.
pub(crate) const FIELDS: [&str; 6] =
    ["scopes", "expires_at", "networks", "modes", "daily_credits", "total_credits"];

/// The fields, collapsed while all are empty.
pub(crate) fn fieldset(typed: &FormFields, form_errors: &FormErrors, with_scopes: bool) -> Markup {
    let line =
        |name, label, kind, hint| TextField { kind, hint, ..TextField::of(name, label, typed) };
    let is_open = body(typed, with_scopes)
        .is_ok_and(|body| body.values().any(|value| !value.is_null() && *value != json!([])))
        || FIELDS.iter().any(|field| form_errors.at(field).is_some());
    html! {
        details open[is_open] {
            summary { "Limits" }
            div.columns {
                (line("daily_credits", "Credits per day", "", "Maximum credits of its runs per day \
                    (UTC).").show(form_errors))
                (line("total_credits", "Credits in total", "", "Maximum credits of its runs in total.")
                    .show(form_errors))
            }
            div.columns {
                (line("expires_at", "Expires on", "date", "Rejected from the start of this day \
                    (UTC).").show(form_errors))
                (line("networks", "Networks", "", "Networks that may use it, for example 192.0.2.0/24; separated by spaces.").show(form_errors))
            }
            fieldset {
                legend { "Modes in which it may start runs; all if none is checked" }
                @for mode in Mode::ALL { (checkbox(&mode_field(*mode), mode.as_str(), "",
                    typed.is_on(&mode_field(*mode)))) }
            }
            @if with_scopes {
                fieldset {
                    legend { "Scopes; all if none is checked" }
                    @for scope in OauthScope::ALL { (checkbox(&scope_field(*scope), scope.as_str(),
                        scope.meaning(), typed.is_on(&scope_field(*scope)))) }
                }
            }
        }
    }
}

fn mode_field(mode: Mode) -> String {
    format!("mode-{mode}")
}

fn scope_field(scope: OauthScope) -> String {
    format!("scope-{scope}")
}

/// The request body: every limit, with null or an empty list for none.
pub(crate) fn body(
    typed: &FormFields,
    with_scopes: bool,
) -> Result<Map<String, Value>, FormErrors> {
    let mut body = Map::new();
    for name in ["daily_credits", "total_credits"] {
        // Accept thousands separators.
        let credits = typed.text(name).map(|text| text.replace([',', ' '], "").parse::<i64>());
        let credits =
            credits.transpose().map_err(|_| FormErrors::field(name, "must be a whole number"))?;
        body.insert(name.to_owned(), json!(credits));
    }
    body.insert("expires_at".to_owned(), json!(typed.text("expires_at")));
    let networks = typed.text("networks").unwrap_or_default();
    let networks = networks.split([' ', ',', ';']).filter(|network| !network.is_empty());
    body.insert("networks".to_owned(), networks.collect());
    let modes = Mode::ALL.iter().filter(|mode| typed.is_on(&mode_field(**mode)));
    body.insert("modes".to_owned(), modes.map(|mode| mode.as_str()).collect());
    if with_scopes {
        let scopes = OauthScope::ALL.iter().filter(|one| typed.is_on(&scope_field(**one)));
        body.insert("scopes".to_owned(), scopes.map(|scope| scope.as_str()).collect());
    }
    Ok(body)
}

/// The request body for a change: an unchanged day of expiry keeps its time, and a past one is not
/// sent again.
pub(crate) fn change(
    typed: &FormFields,
    with_scopes: bool,
    old: &CredentialLimits,
) -> Result<Map<String, Value>, FormErrors> {
    let mut body = body(typed, with_scopes)?;
    let day = old.expires_at.map(|at| at.day());
    if day.is_some() && typed.text("expires_at") == day.as_deref() {
        body.remove("expires_at");
    }
    Ok(body)
}

/// Form fields filled with the current limits.
pub(crate) fn typed(limits: &CredentialLimits, scopes: &[OauthScope]) -> FormFields {
    let mut fields = FormFields::default();
    let credits =
        [("daily_credits", limits.daily_credits), ("total_credits", limits.total_credits)];
    for (name, credits) in credits {
        fields.set(name, credits.map(|credits| credits.0.to_string()).unwrap_or_default());
    }
    fields.set("expires_at", limits.expires_at.map(|at| at.day()).unwrap_or_default());
    fields.set("networks", limits.networks.join(" "));
    for mode in &limits.modes {
        fields.set(&mode_field(*mode), "on");
    }
    for scope in scopes {
        fields.set(&scope_field(*scope), "on");
    }
    fields
}

/// The limits and the spent credits as text.
pub(crate) fn shown(limits: &CredentialLimits, scopes: &[OauthScope]) -> Markup {
    let CredentialLimits { expires_at, networks, modes, daily_credits, total_credits, .. } = limits;
    html! {
        (number(limits.credits_used.0)) " credits spent"
        @if let Some(total) = total_credits { " of " (number(total.0)) }
        @if let Some(daily) = daily_credits {
            ", " (number(limits.credits_today.0)) " of " (number(daily.0)) " today"
        }
        @if let Some(at) = expires_at { "; expires " (time(*at)) }
        @if !networks.is_empty() { "; from " (networks.join(", ")) }
        @if !modes.is_empty() {
            "; modes " (modes.iter().map(|mode| mode.as_str()).collect::<Vec<_>>().join(", "))
        }
        @if !scopes.is_empty() {
            "; scopes " (scopes.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::Millis;

    use super::*;

    #[test]
    fn unchanged_expiry_is_not_sent() {
        let old = CredentialLimits {
            expires_at: Millis::parse_iso("2027-01-31T15:00:00Z"),
            ..CredentialLimits::default()
        };
        let sent = |day: &str| {
            let mut typed = FormFields::default();
            typed.set("expires_at", day);
            change(&typed, false, &old).unwrap_or_default().remove("expires_at")
        };
        assert_eq!(sent("2027-01-31"), None, "it keeps its hour");
        assert_eq!(sent("2027-02-01"), Some(json!("2027-02-01")));
        assert_eq!(sent(""), Some(Value::Null), "it is removed");
    }
}
