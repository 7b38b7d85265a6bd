//! Arguments that `start_run` and `estimate_run` share: mode, scope and options of a run.

use contract::{JobOption, Mode, OptionKind, Options, Scope};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

const SCOPE: &str = "Which URLs belong to the run. Everything is off unless set: then it is every \
    page of the host that responds with 200.";
const ROUTE: &str = "Stay below the path of the URL: with https://example.com/docs only /docs and \
    paths below it. Without this member it is true if the URL has a path; pass false to crawl the \
    whole site, which costs more.";
const OPTIONS: &str = "How the run works. Omit members that you do not need.";

/// The schema of the argument `mode`.
pub(super) fn mode() -> Value {
    json!({
        "type": "string",
        "enum": Mode::ALL,
        "description": "What the run delivers. markdown: the text of each page as Markdown, for \
            reading and retrieval (2 credits per page). links: an inventory of URLs with title, \
            status, depth and inlinks, for audits and broken links (1 credit per URL). sitemap: the \
            pages that belong into an XML sitemap (1 credit per URL). products: name, price, \
            availability, images and more of each product of a shop (5 credits per product). \
            contacts: company and people of each domain (10 credits per domain). These are the \
            usual prices; an estimate has the current ones.",
    })
}

/// The schema of the argument `scope`.
pub(super) fn scope() -> Value {
    let mut schema = group(SCOPE, Scope::FIELDS);
    schema["properties"]["specific_route"]["description"] = ROUTE.into();
    schema
}

/// The schema of the argument `options`.
pub(super) fn options() -> Value {
    group(OPTIONS, Options::FIELDS)
}

/// The schema of an object with these options.
pub(super) fn group(about: &str, options: &[JobOption]) -> Value {
    let members: JsonObject =
        options.iter().map(|option| (option.name().to_owned(), member(option))).collect();
    json!({
        "type": "object",
        "description": about,
        "properties": members,
        "additionalProperties": false,
    })
}

fn member(option: &JobOption) -> Value {
    let mut schema = match option.kind {
        OptionKind::Switch { .. } => json!({"type": "boolean"}),
        OptionKind::Text { .. } => json!({"type": "string"}),
        OptionKind::List { max, .. } => {
            json!({"type": "array", "items": {"type": "string"}, "maxItems": max})
        }
        OptionKind::Choice { values, .. } => json!({"type": "string", "enum": values}),
        OptionKind::Count { max: None } => json!({"type": "integer", "minimum": 1}),
        OptionKind::Count { max } => json!({"type": "integer", "minimum": 1, "maximum": max}),
    };
    schema["description"] = option.tool.into();
    schema
}

/// Sets `scope.specific_route` for a URL with a path, unless the caller has chosen. Returns whether
/// it was set.
pub(super) fn stay_under_path(arguments: &mut JsonObject) -> bool {
    let has_path = arguments.get("url").and_then(Value::as_str).is_some_and(has_path);
    let visits_domains = arguments
        .get("mode")
        .and_then(Value::as_str)
        .and_then(|name| name.parse::<Mode>().ok())
        .is_some_and(Mode::visits_domains);
    if !has_path || visits_domains {
        return false;
    }
    let scope = arguments.entry("scope").or_insert(Value::Null);
    if scope.is_null() {
        *scope = json!({});
    }
    let Some(scope) = scope.as_object_mut() else { return false };
    let is_chosen = scope.get("specific_route").is_some_and(|chosen| !chosen.is_null());
    if is_chosen || scope.get("one_page") == Some(&Value::Bool(true)) {
        return false;
    }
    scope.insert("specific_route".to_owned(), Value::Bool(true));
    true
}

/// Whether a URL has a path other than `/`.
fn has_path(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    !path.trim_matches('/').is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope_of(arguments: &Value) -> (bool, Value) {
        let mut arguments = arguments.as_object().expect("an object").clone();
        let is_set = stay_under_path(&mut arguments);
        (is_set, arguments.remove("scope").unwrap_or_default())
    }

    #[test]
    fn url_with_a_path_stays_under_it_unless_the_caller_has_chosen() {
        let docs = "https://a.example/docs/?b=1";
        let (is_set, scope) = scope_of(&json!({"mode": "links", "url": docs}));
        assert_eq!((is_set, scope), (true, json!({"specific_route": true})));
        let chosen = json!({"mode": "links", "url": docs, "scope": {"specific_route": false}});
        assert_eq!(scope_of(&chosen).1, json!({"specific_route": false}));
        let page = json!({"mode": "links", "url": docs, "scope": {"one_page": true}});
        assert!(!scope_of(&page).0);
        for url in ["https://a.example", "https://a.example/", "https://a.example/?b=/c"] {
            assert!(!scope_of(&json!({"mode": "links", "url": url})).0, "{url}");
        }
        assert!(!scope_of(&json!({"mode": "contacts", "url": docs})).0);
        assert!(!scope_of(&json!({"mode": "links", "urls": [docs]})).0);
    }
}
