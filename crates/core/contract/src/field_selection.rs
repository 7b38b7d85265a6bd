//! The selection of top-level members of items: `fields=url,title` of `GET /v1/jobs/{id}/results`.

use serde_json::Value;

use crate::{FieldError, ItemSchema, unknown_field};

/// The member of an item with the files of its page.
const FILES: &str = "files";

/// Top-level members that a client reads. Items keep their order of members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSelection(Vec<&'static str>);

impl FieldSelection {
    /// Reads a list of names, separated by commas.
    ///
    /// # Errors
    /// [`FieldError`] of the parameter `fields` for an empty list or an unknown name.
    pub fn parse(schema: &ItemSchema, list: &str) -> Result<Self, FieldError> {
        let mut known = schema.fields();
        // Not part of the schema, because exports do not have it.
        known.push(FILES);
        let mut selected = Vec::new();
        for name in list.split(',').map(str::trim) {
            let Some(field) = known.iter().find(|field| **field == name) else {
                let message = if name.is_empty() {
                    "has an empty name; give names of fields separated by commas, as url,title"
                        .to_owned()
                } else {
                    let error = unknown_field(name, known.iter().copied());
                    format!("{} {}", error.field, error.message)
                };
                return Err(FieldError::new("fields", message));
            };
            if !selected.contains(field) {
                selected.push(*field);
            }
        }
        Ok(Self(selected))
    }

    /// Whether the files of pages are read.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.0.contains(&FILES)
    }

    /// The item without the members that are not selected.
    #[must_use]
    pub fn select(&self, item: Value) -> Value {
        match item {
            Value::Object(mut members) => {
                members.retain(|name, _| self.0.contains(&name.as_str()));
                Value::Object(members)
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ExportColumn, ExportTable, ItemComparison, export_columns};

    const COLUMNS: &[ExportColumn] = export_columns!["url" 60, "title" 40, "company"."name" 30];
    const SCHEMA: ItemSchema = ItemSchema {
        tables: &[ExportTable::of_items("items", COLUMNS)],
        markdown_document: false,
        xml_sitemap: false,
        comparison: ItemComparison {
            key: "url",
            identity: None,
            ignored: &[],
            ignored_inside: &[],
            ordered_lists: true,
        },
    };

    #[test]
    fn selected_members_keep_the_order_of_the_item() {
        let selection = FieldSelection::parse(&SCHEMA, "company, url,url").expect("known names");
        let item = json!({"url": "u", "title": "t", "company": {"name": "n", "founded": null}});
        let expected = json!({"url": "u", "company": {"name": "n", "founded": null}});
        assert_eq!(selection.select(item).to_string(), expected.to_string());
    }

    #[test]
    fn unknown_field_names_the_nearest_known_one() {
        let message =
            |list: &str| FieldSelection::parse(&SCHEMA, list).expect_err("invalid").message;
        assert_eq!(message("url,titel"), "titel is not known; did you mean title?");
        assert_eq!(message("zzz"), "zzz is not known");
        for list in ["", "url,", ",url", " "] {
            assert!(message(list).starts_with("has an empty name"), "{list:?}");
        }
        // Only top-level members are selected.
        assert_eq!(message("company.name"), "company.name is not known; did you mean company?");
    }
}
