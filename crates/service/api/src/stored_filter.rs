//! The selection of an export: read from its request, stored with its ticket, applied at the download.

use contract::{BodyFields, FieldError, ItemFilter, Mode};
use serde_json::{Value, json};

/// `q` and `filter` of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredFilter {
    q: Option<String>,
    /// Names as in `price[lt]`, with a value each; a name with several values lists alternatives.
    conditions: Vec<(String, String)>,
}

impl StoredFilter {
    /// Reads `q` and `filter` of a body; `None` if it has neither.
    pub fn read(fields: &mut BodyFields<'_>) -> Option<Self> {
        let q = fields.text("q").map(str::to_owned);
        let filter = fields.value("filter");
        let mut conditions = Vec::new();
        match filter {
            None => {}
            Some(Value::Object(members)) => {
                for (name, value) in members {
                    let values =
                        value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                    conditions.extend(values.iter().map(|value| (name.clone(), text_of(value))));
                }
            }
            Some(_) => fields.wrong("filter", "must be an object, as {\"status_code\": 404}"),
        }
        (q.is_some() || filter.is_some()).then_some(Self { q, conditions })
    }

    /// The filter for the items of a mode.
    ///
    /// # Errors
    /// The invalid conditions.
    pub fn filter(&self, mode: Mode) -> Result<ItemFilter, Vec<FieldError>> {
        let schema = registry::item_schema(mode);
        let given = self.conditions.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let filter = ItemFilter::parse(schema, given)?;
        match &self.q {
            Some(text) => filter.containing(schema, text).map_err(|error| vec![error]),
            None => Ok(filter),
        }
    }

    /// The text that is stored with the ticket.
    pub fn to_text(&self) -> String {
        json!({"q": self.q, "conditions": self.conditions}).to_string()
    }

    /// The filter of a stored text.
    pub fn parse(text: &str, mode: Mode) -> Option<ItemFilter> {
        let mut stored: Value = serde_json::from_str(text).ok()?;
        let q = stored["q"].as_str().map(str::to_owned);
        let conditions = serde_json::from_value(stored["conditions"].take()).ok()?;
        Self { q, conditions }.filter(mode).ok()
    }
}

/// A value of a condition as the text of a query parameter.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &Value) -> (Option<StoredFilter>, Vec<FieldError>) {
        let mut fields = BodyFields::of(body).expect("an object");
        let read = StoredFilter::read(&mut fields);
        (read, fields.finish())
    }

    #[test]
    fn selection_is_stored_and_read_again() {
        let body = json!({"q": "Lamp", "filter": {"status_code": [404, "410"], "depth[lt]": 3}});
        let (read, errors) = read(&body);
        assert!(errors.is_empty(), "{errors:?}");
        let filter = StoredFilter::parse(&read.expect("a filter").to_text(), Mode::Links);
        let filter = filter.expect("a stored filter");
        let item = |title: &str, status: u16, depth: u32| json!({"title": title, "status_code": status, "depth": depth});
        assert!(filter.matches(&item("A LAMP", 410, 1)));
        assert!(!filter.matches(&item("A LAMP", 410, 3)));
        assert!(!filter.matches(&item("A table", 404, 1)));
        assert!(!filter.matches(&item("A lamp", 200, 1)));
    }

    #[test]
    fn body_without_conditions_has_no_selection() {
        assert_eq!(read(&json!({})), (None, Vec::new()));
        assert_eq!(read(&json!({"q": null, "filter": null})), (None, Vec::new()));
        let (_, errors) = read(&json!({"filter": "status_code=404"}));
        assert_eq!(errors.first().map(|error| error.field.as_str()), Some("filter"));
        let (unknown, _) = read(&json!({"filter": {"nonsense": 1}}));
        let errors = unknown.expect("a filter").filter(Mode::Links).expect_err("unknown");
        assert_eq!(errors[0].field, "filter[nonsense]");
    }
}
