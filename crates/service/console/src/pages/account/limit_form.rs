//! The page that changes the limits of a key or an application.

use axum::http::Method;
use axum::response::Response;
use client::ApiCall;
use contract::{CredentialLimits, OauthScope};
use maud::{Markup, html};

use super::{limits, tab};
use crate::{ConsoleUser, FormErrors, FormFields, PageResult, see_other};

/// The form with the limits of one credential.
#[derive(Debug)]
pub(super) struct LimitForm<'a> {
    pub user: &'a ConsoleUser,
    /// The path of the list of credentials, whose pages are below it.
    pub list: &'static str,
    pub id: &'a str,
    pub api_path: String,
    pub name: Markup,
    pub limits: &'a CredentialLimits,
    /// The scopes of a key; `None` for an application, which has those that the user granted.
    pub scopes: Option<&'a [OauthScope]>,
}

impl LimitForm<'_> {
    /// The form with what the user typed, or else with the current limits.
    pub fn show(&self, typed: Option<&FormFields>, form_errors: &FormErrors) -> Response {
        let scopes = self.scopes.unwrap_or_default();
        let current = limits::typed(self.limits, scopes);
        tab::page(self.user, self.list).status(form_errors.status()).show(html! {
            section.panel {
                h2 { "Limits of " (self.name) }
                p.quiet { (limits::shown(self.limits, scopes)) }
                (form_errors.shown(&limits::FIELDS))
                form.stack method="post" action={ (self.list) "/" (self.id) } {
                    (self.user.form_token())
                    (limits::fieldset(typed.unwrap_or(&current), form_errors, self.scopes.is_some()))
                    div { button.primary type="submit" { "Save" } }
                }
            }
        })
    }

    /// Changes the limits and redirects to the list, or shows the form with its errors.
    pub async fn save(&self, fields: &FormFields) -> PageResult {
        let form_errors = match limits::change(fields, self.scopes.is_some(), self.limits) {
            Ok(body) => {
                let call = ApiCall::new(Method::PATCH, &self.api_path).json(&body);
                match self.user.api().send(call).await?.check() {
                    Ok(()) => return Ok(see_other(self.list)),
                    Err(refused) => FormErrors::of(refused)?,
                }
            }
            Err(form_errors) => form_errors,
        };
        Ok(self.show(Some(fields), &form_errors))
    }
}
