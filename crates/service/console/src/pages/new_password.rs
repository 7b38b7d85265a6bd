//! `/forgot-password` and `/reset-password`: a new password by e-mail.
//!
//! The answer to a request is the same whether an account has the address or not.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use client::RequestOrigin;
use maud::{Markup, html};
use store::{PasswordReset, ResetRequest};

use crate::form::TextField;
use crate::{ConsolePage, ConsoleState, FormErrors, FormFields, ListQuery, PageResult};

/// Maximum characters of an address, as for a sign-in.
const MAX_CHARS: usize = 1_024;

/// Seconds after which a refused request can be repeated.
const WAIT_SECONDS: &str = "60";

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/forgot-password", get(ask_address).post(request))
        .route("/reset-password", get(ask_password).post(set_password))
}

async fn ask_address(State(state): State<ConsoleState>) -> PageResult {
    Ok(address_form(&state, "", &FormErrors::default()))
}

async fn request(
    State(state): State<ConsoleState>,
    origin: RequestOrigin,
    fields: FormFields,
) -> PageResult {
    let email = fields.text("email").unwrap_or_default();
    if !state.settings.sends_mail {
        return Ok(address_form(&state, "", &FormErrors::default()));
    }
    if email.is_empty() || email.chars().count() > MAX_CHARS {
        let message = FormErrors::message("Enter the e-mail address of your account.");
        let mut response = address_form(&state, "", &message);
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(response);
    }
    let from = origin.address(state.settings.trust_forwarded_for);
    match state.store.request_password_reset(email, from, state.now()).await? {
        ResetRequest::Accepted => Ok(ConsolePage::public("Look into your mail").show(html! {
            section.narrow {
                h1 { "Look into your mail" }
                p {
                    "If an account has the address " strong { (email) } ", a link for a new password is \
                     on its way. It works once and for an hour."
                }
                p.quiet {
                    "Nothing arrives? Look for it in the spam folder. Another e-mail is sent after five \
                     minutes at the earliest."
                }
                p { a href="/sign-in" { "Back to sign-in" } }
            }
        })),
        ResetRequest::Wait => {
            let message = FormErrors::message("Too many requests from your network; try again in a minute.");
            let mut response = address_form(&state, email, &message);
            *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
            let wait = HeaderValue::from_static(WAIT_SECONDS);
            response.headers_mut().insert(header::RETRY_AFTER, wait);
            Ok(response)
        }
    }
}

async fn ask_password(State(state): State<ConsoleState>, query: ListQuery) -> PageResult {
    let token = query.get("token").unwrap_or_default();
    match state.store.is_password_reset(token, state.now()).await? {
        true => Ok(password_form(token, &FormErrors::default())),
        false => Ok(expired()),
    }
}

async fn set_password(State(state): State<ConsoleState>, fields: FormFields) -> PageResult {
    let (token, password) = (fields.raw("token"), fields.raw("password"));
    if password != fields.raw("again") {
        let message = FormErrors::message("The two passwords are not the same.");
        return Ok(invalid(password_form(token, &message)));
    }
    match state.store.reset_password(token, password, state.now()).await? {
        PasswordReset::Done(_) => Ok(ConsolePage::public("Password set").show(html! {
            section.narrow {
                h1 { "Your password is set" }
                p { "All sessions of the account have ended. API keys stay valid." }
                p { a.button.primary href="/sign-in" { "Sign in" } }
            }
        })),
        PasswordReset::Expired => Ok(expired()),
        PasswordReset::Refused(error) => {
            let message = FormErrors::message(error.to_string());
            Ok(invalid(password_form(token, &message)))
        }
    }
}

fn invalid(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    response
}

fn expired() -> Response {
    let page = ConsolePage::public("Link expired").status(StatusCode::GONE);
    page.show(html! {
        section.narrow {
            h1 { "This link has expired or was used" }
            p { "A link for a new password works once and for an hour." }
            p { a href="/forgot-password" { "Request another link" } }
        }
    })
}

fn address_form(state: &ConsoleState, email: &str, form_errors: &FormErrors) -> Response {
    let content: Markup = match state.settings.sends_mail {
        true => {
            let address = TextField {
                name: "email",
                label: "E-mail",
                value: email,
                autocomplete: "username",
                required: true,
                autofocus: true,
                ..TextField::default()
            };
            html! {
                p { "You get a link that sets a new password." }
                (form_errors.shown(&["email"]))
                form.stack method="post" action="/forgot-password" {
                    (address.show(form_errors))
                    button.primary type="submit" { "Send the link" }
                }
            }
        }
        false => html! {
            p { "This service sends no e-mail. Ask its operator for a new password." }
            p.quiet {
                "The operator sets one on the page " strong { "Operator" } ", or on the server with "
                code { "trawl account password E-MAIL" } "."
            }
        },
    };
    ConsolePage::public("Forgot your password?").show(html! {
        section.narrow {
            h1 { "Forgot your password?" }
            (content)
            p { a href="/sign-in" { "Back to sign-in" } }
        }
    })
}

fn password_form(token: &str, form_errors: &FormErrors) -> Response {
    let field = |name, label| TextField {
        name,
        label,
        kind: "password",
        autocomplete: "new-password",
        required: true,
        ..TextField::default()
    };
    let password = TextField { autofocus: true, ..field("password", "New password") };
    let again = field("again", "New password again");
    ConsolePage::public("Set a new password").show(html! {
        section.narrow {
            h1 { "Set a new password" }
            (form_errors.shown(&["password", "again"]))
            form.stack method="post" action="/reset-password" {
                input type="hidden" name="token" value=(token);
                (password.show(form_errors))
                (again.show(form_errors))
                button.primary type="submit" { "Set the password" }
            }
            p.quiet { "8 characters or more. All sessions of the account end." }
        }
    })
}
