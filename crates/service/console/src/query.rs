//! Query strings of lists: filters, sorting and pages.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use url::form_urlencoded;

/// The parameters of a query; empty ones are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListQuery(Vec<(String, String)>);

impl ListQuery {
    pub fn parse(text: &str) -> Self {
        let members = form_urlencoded::parse(text.as_bytes()).into_owned();
        Self(members.filter(|(_, value)| !value.is_empty()).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter that is given several times.
    pub fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A copy with another value; an empty value removes the parameter.
    #[expect(clippy::needless_pass_by_value, reason = "callers pass texts and numbers")]
    pub fn with(&self, name: &str, value: impl ToString) -> Self {
        let mut members = self.0.clone();
        members.retain(|(known, _)| known != name);
        let value = value.to_string();
        if !value.is_empty() {
            members.push((name.to_owned(), value));
        }
        Self(members)
    }

    /// A copy with these parameters only, for operations that know no others.
    pub fn only(&self, names: &[&str]) -> Self {
        let known = self.0.iter().filter(|(name, _)| names.contains(&name.as_str()));
        Self(known.cloned().collect())
    }

    /// The URL of `path` with this query.
    pub fn on(&self, path: &str) -> String {
        if self.0.is_empty() {
            return path.to_owned();
        }
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.0).finish();
        format!("{path}?{query}")
    }
}

impl<S: Sync> FromRequestParts<S> for ListQuery {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_parameters_are_changed_one_by_one() {
        let query = ListQuery::parse("mode=links&status=&page=3&q=a%26b");
        assert_eq!((query.get("status"), query.get("q")), (None, Some("a&b")));
        assert_eq!(query.with("page", 4).on("/runs"), "/runs?mode=links&q=a%26b&page=4");
        assert_eq!(query.only(&["mode"]).with("mode", "").on("/runs"), "/runs");
    }
}
