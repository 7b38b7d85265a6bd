//! Reads query parameters and collects all errors.
//!
//! `query_names` rejects unknown parameters.

use std::fmt::Display;
use std::str::FromStr;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use contract::{FieldError, Limits, Millis, comma_list};
use store::PageRequest;

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};

const PAGE_SIZE: u64 = 100;

/// The highest page number: the largest integer that JavaScript represents exactly.
const LAST_PAGE: u64 = 9_007_199_254_740_991;

/// The parameters of a request.
#[derive(Debug)]
pub(crate) struct Params {
    pairs: Vec<(String, String)>,
    errors: Vec<FieldError>,
}

impl FromRequestParts<ApiState> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> ApiResult<Self> {
        let Query(pairs) = Query::try_from_uri(&parts.uri)
            .map_err(|_| FieldError::new("query", "the parameters cannot be read"))?;
        Ok(Self { pairs, errors: Vec::new() })
    }
}

impl Params {
    /// The value of a parameter; the last one when it is given twice.
    fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    fn wrong(&mut self, name: &str, message: impl Into<String>) {
        self.errors.push(FieldError::new(name, message));
    }

    /// `page` and `page_size`.
    pub fn page(&mut self, limits: &Limits) -> PageRequest {
        PageRequest {
            number: self.number("page", LAST_PAGE).unwrap_or(1),
            size: self.page_size(limits),
        }
    }

    /// Whether a parameter is given, valid or not.
    pub fn is_given(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The text of a parameter.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// The text of a parameter with a maximum length; `None` if it is empty.
    pub fn short_text(&mut self, name: &str, most: usize) -> Option<String> {
        let text = self.get(name)?.trim().to_owned();
        if text.chars().count() > most || text.contains('\0') {
            self.wrong(name, format!("must have at most {most} characters, without U+0000"));
            return None;
        }
        (!text.is_empty()).then_some(text)
    }

    /// `true` or `false`; false when it is not given.
    pub fn flag(&mut self, name: &str) -> bool {
        match self.get(name) {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                self.wrong(name, "must be true or false");
                false
            }
        }
    }

    /// The parameters `name[key]`, as pairs of the key with what follows it and the value. A
    /// parameter `name` without a key is an error.
    pub fn keyed(&mut self, name: &str) -> Vec<(String, String)> {
        if self.is_given(name) {
            self.wrong(name, format!("must name a column, as {name}[url]=…"));
        }
        let keyed = self.pairs.iter().filter_map(|(given, value)| {
            let rest = given.strip_prefix(name)?.strip_prefix('[')?;
            // `[price][gte]` becomes `price[gte]`.
            let key = match rest.split_once(']') {
                Some((key, rest)) => format!("{key}{rest}"),
                None => format!("{rest}[]"),
            };
            Some((key, value.clone()))
        });
        keyed.collect()
    }

    /// Adds errors of parameters that were read elsewhere.
    pub fn add_errors(&mut self, errors: impl IntoIterator<Item = FieldError>) {
        self.errors.extend(errors);
    }

    /// `offset`, which excludes `page`.
    pub fn offset(&mut self) -> Option<u64> {
        let offset = self.number_from("offset", 0, LAST_PAGE)?;
        if self.get("page").is_some() {
            self.wrong("offset", "must not be given together with page");
        }
        Some(offset)
    }

    /// `page_size`, for lists without `page`.
    pub fn page_size(&mut self, limits: &Limits) -> u64 {
        let most = u64::from(limits.page_size_max);
        self.number("page_size", most).unwrap_or(PAGE_SIZE.min(most))
    }

    /// An identifier; `what` names its kind in the error.
    pub fn id<T: FromStr>(&mut self, name: &str, what: &str) -> Option<T> {
        let found = self.get(name)?.parse().ok();
        if found.is_none() {
            self.wrong(name, format!("must be the id of {what}"));
        }
        found
    }

    fn number(&mut self, name: &str, most: u64) -> Option<u64> {
        self.number_from(name, 1, most)
    }

    fn number_from(&mut self, name: &str, least: u64, most: u64) -> Option<u64> {
        let text = self.get(name)?;
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>() {
            Ok(number) if digits && (least..=most).contains(&number) => Some(number),
            Ok(_) | Err(_) => {
                self.wrong(name, format!("must be an integer from {least} to {most}"));
                None
            }
        }
    }

    /// A value of the list `all`.
    pub fn one_of<T: Clone + Display>(&mut self, name: &str, all: &[T]) -> Option<T> {
        let text = self.get(name)?;
        let found = all.iter().find(|word| word.to_string() == text).cloned();
        if found.is_none() {
            self.wrong(name, format!("must be one of {}", comma_list(all)));
        }
        found
    }

    /// A date or a date-time.
    pub fn instant(&mut self, name: &str) -> Option<Millis> {
        // A `+` of a time zone that was not encoded arrives as a space.
        let text = self.get(name)?.replace(' ', "+");
        let found = Millis::parse_iso(&text);
        if found.is_none() {
            self.wrong(name, "must be a date, as 2026-11-15, or an ISO 8601 date-time");
        }
        found
    }

    /// Fails if any parameter was invalid.
    pub fn finish(self) -> ApiResult<()> {
        if self.errors.is_empty() { Ok(()) } else { Err(ApiError::invalid(self.errors)) }
    }

    /// Adds an error about a combination of parameters.
    pub fn contradicts(&mut self, name: &str, message: &str) {
        self.wrong(name, message);
    }
}
