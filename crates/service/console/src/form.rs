//! Forms: fields with their labels, and what the API said against them.

use axum::http::StatusCode;
use client::ApiCallError;
use contract::{FieldError, Problem, ProblemCode};
use maud::{Markup, html};

use crate::Failure;

/// What the API said against a form: at the fields that it names, and over all of them.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    message: Option<String>,
    errors: Vec<FieldError>,
    problem: Option<Box<Problem>>,
}

impl Complaints {
    /// What a person can do something about; everything else is a failure.
    pub fn of(refused: ApiCallError) -> Result<Self, Failure> {
        match refused {
            ApiCallError::Problem { status, problem }
                if is_mended_by_hand(status, problem.code) =>
            {
                Ok(Self {
                    message: Some(problem.message.clone()),
                    errors: problem.errors.clone().unwrap_or_default(),
                    problem: Some(problem),
                })
            }
            other => Err(other.into()),
        }
    }

    /// The same, where the form has the fields of this part of the body as its own.
    pub fn inside(mut self, part: &str) -> Self {
        for error in &mut self.errors {
            let inner = error.field.strip_prefix(part).and_then(|rest| rest.strip_prefix('.'));
            if let Some(inner) = inner.map(str::to_owned) {
                error.field = inner;
            }
        }
        self
    }

    /// A complaint of our own.
    pub fn saying(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Self::default() }
    }

    /// A complaint of our own about a field.
    pub fn about(field: &str, message: &str) -> Self {
        Self { errors: vec![FieldError::new(field, message)], ..Self::default() }
    }

    /// What the page with the form is answered with.
    pub fn status(&self) -> StatusCode {
        let is_empty = self.message.is_none() && self.errors.is_empty();
        if is_empty { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// What was refused, whole.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_deref()
    }

    /// What is wrong with a field, or with an entry of it: `domains[3]`.
    pub fn at(&self, field: &str) -> Option<String> {
        let concerns = |error: &&FieldError| {
            let rest = error.field.strip_prefix(field);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let told: Vec<_> = self
            .errors
            .iter()
            .filter(concerns)
            .take(5)
            .map(|error| match error.field.strip_prefix(field) {
                Some("") | None => error.message.clone(),
                Some(entry) => format!("{entry}: {}", error.message),
            })
            .collect();
        (!told.is_empty()).then(|| told.join(" · "))
    }

    /// The message over the form, with what is wrong elsewhere than in `fields`.
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
                            p { a href={ "/runs/" (job) } { "Open the run that is in the way" } }
                        }
                        @if let Some(url) = &problem.top_up_url {
                            p { a href=(url) { "Buy credits" } }
                        }
                    }
                }
            }
        }
    }
}

/// Whether a person who sees it can do something about it in the form.
fn is_mended_by_hand(status: StatusCode, code: ProblemCode) -> bool {
    let elsewhere = matches!(code, ProblemCode::Unauthorized | ProblemCode::NotFound);
    status.is_client_error() && !elsewhere
}

/// A line to type into.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Line<'a> {
    pub name: &'a str,
    pub label: &'a str,
    /// `text` when empty.
    pub kind: &'a str,
    pub value: &'a str,
    pub hint: &'a str,
    /// What browsers fill in by themselves, as `username`.
    pub autocomplete: &'a str,
    pub required: bool,
    pub autofocus: bool,
}

impl Line<'_> {
    pub fn show(&self, complaints: &Complaints) -> Markup {
        let kind = if self.kind.is_empty() { "text" } else { self.kind };
        let complete = if self.autocomplete.is_empty() { "off" } else { self.autocomplete };
        field(self.name, self.label, self.hint, complaints, |described, invalid| {
            html! {
                input id=(self.name) name=(self.name) type=(kind) value=(self.value)
                    autocomplete=(complete) spellcheck="false" autocapitalize="off"
                    required[self.required] autofocus[self.autofocus]
                    aria-describedby=[described] aria-invalid=[invalid];
            }
        })
    }
}

/// A label, what stands in the field, a hint, and what was said against it.
pub(crate) fn field(
    name: &str,
    label: &str,
    hint: &str,
    complaints: &Complaints,
    control: impl FnOnce(Option<&str>, Option<&str>) -> Markup,
) -> Markup {
    let wrong = complaints.at(name);
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

/// A box to tick.
pub(crate) fn tick(name: &str, label: &str, hint: &str, on: bool) -> Markup {
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

    fn refused(code: ProblemCode, errors: Vec<FieldError>) -> ApiCallError {
        let problem = Problem {
            code,
            message: "two fields are wrong".to_owned(),
            request_id: RequestId::new(Millis(0), [0; 10]),
            docs: String::new(),
            required: None,
            available: None,
            top_up_url: None,
            job_id: None,
            errors: Some(errors),
        };
        ApiCallError::Problem {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            problem: Box::new(problem),
        }
    }

    #[test]
    fn a_complaint_stands_at_the_field_that_it_names() {
        let errors = vec![
            FieldError::new("url", "is no <URL>"),
            FieldError::new("domains[3]", "is no domain"),
            FieldError::new("scope.nonsense", "is unknown"),
        ];
        let complaints = Complaints::of(refused(ProblemCode::ValidationFailed, errors));
        let complaints = complaints.expect("something to mend");
        assert_eq!(complaints.at("domains").as_deref(), Some("[3]: is no domain"));
        assert_eq!(complaints.at("scope"), None);
        let line = Line { name: "url", label: "Address", ..Line::default() };
        let shown = line.show(&complaints).into_string();
        assert!(shown.contains("aria-invalid=\"true\"") && shown.contains("is no &lt;URL&gt;"));
        let over = complaints.shown(&["url", "domains"]).into_string();
        assert!(over.contains("scope.nonsense") && !over.contains("is no domain"));
    }

    #[test]
    fn a_complaint_about_a_part_stands_at_the_field_of_that_part() {
        let errors = vec![FieldError::new("request.url", "no"), FieldError::new("cron", "never")];
        let complaints = Complaints::of(refused(ProblemCode::ValidationFailed, errors));
        let complaints = complaints.expect("something to mend").inside("request");
        assert_eq!(complaints.at("url").as_deref(), Some("no"));
        assert_eq!(complaints.at("cron").as_deref(), Some("never"));
    }

    #[test]
    fn a_session_that_is_over_is_no_complaint() {
        let refused = refused(ProblemCode::Unauthorized, Vec::new());
        assert!(matches!(Complaints::of(refused), Err(Failure::SignIn { .. })));
    }
}
