//! Tests of the table of options.

use serde_json::json;
use utoipa::PartialSchema;

use super::*;

#[test]
fn options_have_the_descriptions_and_defaults_of_the_schema() {
    let schema = |schema| serde_json::to_value(schema).expect("JSON");
    let schemas = json!({"scope": schema(Scope::schema()), "options": schema(Options::schema())});
    for option in JobOption::all() {
        let (group, name) = option.path.split_once('.').expect("a path");
        let member = &schemas[group]["properties"][name];
        // That of a choice is beside the reference to its values.
        let described = [&member["description"], &member["oneOf"][0]["description"]];
        let description = described.iter().find_map(|text| text.as_str());
        let description = description.expect("a description");
        assert_eq!(description.replace('\n', " "), option.description, "{name}");
        match option.kind {
            OptionKind::Switch { default } => {
                assert_eq!(member["default"], Value::Bool(default), "{name}");
            }
            OptionKind::Choice { default, .. } => {
                assert_eq!(member["default"], Value::from(default), "{name}");
            }
            OptionKind::Count { .. } | OptionKind::Text { .. } | OptionKind::List { .. } => {}
        }
    }
}

#[test]
fn specification_lists_every_option() {
    let page = include_str!("../../../../../docs/spec/jobs.md");
    for option in JobOption::all() {
        assert!(page.contains(&format!("| `{}` |", option.name())), "{}", option.path);
    }
}
