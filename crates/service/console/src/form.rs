//! Form controls and errors of submitted forms.

use axum::http::StatusCode;
use client::ApiCallError;
use contract::{FieldError, Problem, ProblemCode};
use maud::{Markup, html};

use crate::{FormFields, PageResult};

/// Errors of a form: at the fields that they name, and above the form.
#[derive(Debug, Default)]
pub(crate) struct FormErrors {
    message: Option<String>,
    errors: Vec<FieldError>,
    problem: Option<Box<Problem>>,
}

impl FormErrors {
    /// Errors that the user can correct in the form; other errors become a [`crate::PageError`].
    pub fn of(refused: ApiCallError) -> PageResult<Self> {
        match refused {
            ApiCallError::Problem { status, problem } if is_correctable(status, problem.code) => {
                Ok(Self {
                    message: Some(problem.message.clone()),
                    errors: problem.errors.clone().unwrap_or_default(),
                    problem: Some(problem),
                })
            }
            other => Err(other.into()),
        }
    }

    /// Removes the prefix `part.` from field names, for forms with the fields of a nested object.
    pub fn strip_prefix(mut self, part: &str) -> Self {
        for error in &mut self.errors {
            let inner = error.field.strip_prefix(part).and_then(|rest| rest.strip_prefix('.'));
            if let Some(inner) = inner.map(str::to_owned) {
                error.field = inner;
            }
        }
        self
    }

    /// Puts errors without a field of the form at this one, for a request that has a single field.
    pub fn at_field(mut self, field: &str) -> Self {
        for error in &mut self.errors {
            error.message = format!("{}: {}", error.field, error.message);
            error.field = field.to_owned();
        }
        self
    }

    /// An error of the console itself, shown above the form.
    pub fn message(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Self::default() }
    }

    /// An error of the console itself about a field.
    pub fn field(field: &str, message: &str) -> Self {
        Self { errors: vec![FieldError::new(field, message)], ..Self::default() }
    }

    /// The status code of the page with the form.
    pub fn status(&self) -> StatusCode {
        let is_empty = self.message.is_none() && self.errors.is_empty();
        if is_empty { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// The problem of the API.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_deref()
    }

    /// The errors of a field, or of an entry of it such as `domains[3]`.
    pub fn at(&self, field: &str) -> Option<String> {
        let concerns = |error: &&FieldError| {
            let rest = error.field.strip_prefix(field);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let messages: Vec<_> = self
            .errors
            .iter()
            .filter(concerns)
            .take(5)
            .map(|error| match error.field.strip_prefix(field) {
                Some("") | None => error.message.clone(),
                Some(entry) => format!("{entry}: {}", error.message),
            })
            .collect();
        (!messages.is_empty()).then(|| messages.join(" · "))
    }

    /// The message above the form, with errors of fields that are not in `fields`.
    pub fn shown(&self, fields: &[&str]) -> Markup {
        let elsewhere = self.errors.iter().filter(|error| {
            let name = error.field.split('[').next().unwrap_or_default();
            !fields.contains(&name)
        });
        html! {
            @if let Some(message) = &self.message {
                div.complaint role="alert" {
                    p { (message) }
                    @for error in elsewhere {
                        p { code { (error.field) } " " (error.message) }
                    }
                    @if let Some(problem) = self.problem() {
                        @if let Some(job) = &problem.job_id {
                            p { a href={ "/runs/" (job) } { "Open the conflicting run" } }
                        }
                        @if let Some(url) = &problem.top_up_url {
                            p { a href=(url) { "How to get credits" } }
                        }
                    }
                }
            }
        }
    }
}

/// Whether the user can correct the error in the form, as by another URL for one that cannot be read.
fn is_correctable(status: StatusCode, code: ProblemCode) -> bool {
    if matches!(code, ProblemCode::PageFailed | ProblemCode::PageTimeout) {
        return true;
    }
    let elsewhere = matches!(code, ProblemCode::Unauthorized | ProblemCode::NotFound);
    status.is_client_error() && !elsewhere
}

/// A text field with its label and hint.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextField<'a> {
    pub name: &'a str,
    pub label: &'a str,
    /// Type of the input; `text` if empty.
    pub kind: &'a str,
    pub value: &'a str,
    pub hint: &'a str,
    /// The `autocomplete` token for browsers, for example `username`.
    pub autocomplete: &'a str,
    pub required: bool,
    pub autofocus: bool,
}

impl<'a> TextField<'a> {
    /// A field with the value that was typed.
    pub fn of(name: &'a str, label: &'a str, typed: &'a FormFields) -> Self {
        Self { name, label, value: typed.raw(name), ..Self::default() }
    }

    pub fn show(&self, form_errors: &FormErrors) -> Markup {
        let kind = if self.kind.is_empty() { "text" } else { self.kind };
        let complete = if self.autocomplete.is_empty() { "off" } else { self.autocomplete };
        field(self.name, self.label, self.hint, form_errors, |described, invalid| {
            html! {
                input id=(self.name) name=(self.name) type=(kind) value=(self.value)
                    autocomplete=(complete) spellcheck="false" autocapitalize="off"
                    required[self.required] autofocus[self.autofocus]
                    aria-describedby=[described] aria-invalid=[invalid];
            }
        })
    }
}

/// A label, a control, a hint and the errors of the field.
pub(crate) fn field(
    name: &str,
    label: &str,
    hint: &str,
    form_errors: &FormErrors,
    control: impl FnOnce(Option<&str>, Option<&str>) -> Markup,
) -> Markup {
    let wrong = form_errors.at(name);
    let (hint_id, error_id) = (format!("{name}-hint"), format!("{name}-error"));
    let described = match (hint.is_empty(), wrong.is_some()) {
        (true, false) => None,
        (false, false) => Some(hint_id.clone()),
        (true, true) => Some(error_id.clone()),
        (false, true) => Some(format!("{error_id} {hint_id}")),
    };
    html! {
        div.field {
            label for=(name) { (label) }
            (control(described.as_deref(), wrong.as_ref().map(|_| "true")))
            @if let Some(wrong) = &wrong {
                p.wrong id=(error_id) { (wrong) }
            }
            @if !hint.is_empty() {
                p.hint id=(hint_id) { (hint) }
            }
        }
    }
}

/// A checkbox with its label.
pub(crate) fn checkbox(name: &str, label: &str, hint: &str, on: bool) -> Markup {
    let hint_id = format!("{name}-hint");
    html! {
        div.tick {
            input id=(name) name=(name) type="checkbox" value="on" checked[on]
                aria-describedby=[(!hint.is_empty()).then_some(&hint_id)];
            label for=(name) { (label) }
            @if !hint.is_empty() {
                span.hint id=(hint_id) { (hint) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::{Millis, RequestId};

    use super::*;
    use crate::PageError;

    fn refused(code: ProblemCode, errors: Vec<FieldError>) -> ApiCallError {
        let problem = Problem {
            code,
            message: "two fields are invalid".to_owned(),
            request_id: RequestId::new(Millis(0), [0; 10]),
            docs: String::new(),
            required: None,
            available: None,
            top_up_url: None,
            job_id: None,
            cause: None,
            failure_cause: None,
            reason: None,
            status_code: None,
            credit_per_unit: None,
            action: None,
            screenshot: None,
            errors: Some(errors),
        };
        ApiCallError::Problem {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            problem: Box::new(problem),
        }
    }

    #[test]
    fn errors_are_shown_at_the_field_that_they_name() {
        let errors = vec![
            FieldError::new("url", "is no <URL>"),
            FieldError::new("domains[3]", "is no domain"),
            FieldError::new("scope.nonsense", "is unknown"),
        ];
        let form_errors = FormErrors::of(refused(ProblemCode::ValidationFailed, errors));
        let form_errors = form_errors.expect("correctable errors");
        assert_eq!(form_errors.at("domains").as_deref(), Some("[3]: is no domain"));
        assert_eq!(form_errors.at("scope"), None);
        let line = TextField { name: "url", label: "Address", ..TextField::default() };
        let shown = line.show(&form_errors).into_string();
        assert!(shown.contains("aria-invalid=\"true\"") && shown.contains("is no &lt;URL&gt;"));
        let over = form_errors.shown(&["url", "domains"]).into_string();
        assert!(over.contains("scope.nonsense") && !over.contains("is no domain"));
    }

    #[test]
    fn nested_field_errors_are_shown_at_the_nested_field() {
        let errors = vec![FieldError::new("request.url", "no"), FieldError::new("cron", "never")];
        let form_errors = FormErrors::of(refused(ProblemCode::ValidationFailed, errors));
        let form_errors = form_errors.expect("correctable errors").strip_prefix("request");
        assert_eq!(form_errors.at("url").as_deref(), Some("no"));
        assert_eq!(form_errors.at("cron").as_deref(), Some("never"));
    }

    #[test]
    fn ended_session_is_a_page_error() {
        let refused = refused(ProblemCode::Unauthorized, Vec::new());
        assert!(matches!(FormErrors::of(refused), Err(PageError::SignIn { .. })));
    }
}
