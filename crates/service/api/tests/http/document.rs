//! `GET /openapi.json`. All other tests check their responses against the document.

use std::collections::BTreeSet;

use http::Method;

use crate::harness::TestApi;

#[tokio::test]
async fn document_lists_all_operations() {
    let api = TestApi::start().await;
    let document = api.send(Method::GET, "/openapi.json", &[], "").await.body;
    assert_eq!(
        (&document["openapi"], &document["info"]["version"]),
        (&"3.1.0".into(), &"1.0.0".into())
    );
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            operations.push(format!("{} {path}", method.to_uppercase()));
            assert!(operation["operationId"].is_string() && operation["security"].is_array());
            for (status, response) in operation["responses"].as_object().expect("responses") {
                let place = format!("{method} {path} {status}");
                let description = response["description"].as_str().unwrap_or_default();
                assert!(!description.is_empty(), "{place} has no description");
                for (_, content) in response["content"].as_object().into_iter().flatten() {
                    let shown = !content["example"].is_null() || content["examples"].is_object();
                    assert!(shown, "{place} has no example");
                }
            }
        }
    }
    operations.sort_unstable();
    insta::assert_json_snapshot!(operations);
}

#[tokio::test]
async fn examples_match_their_schemas() {
    let document = api::openapi(&api::ApiSettings::default());
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let answers = operation["responses"].as_object().expect("responses").values();
            for part in answers.chain([&operation["requestBody"]]) {
                let content = &part["content"]["application/json"];
                let mut schema = content["schema"].clone();
                if !schema.is_object() {
                    continue;
                }
                schema["components"] = document["components"].clone();
                let validator = jsonschema::validator_for(&schema).expect("a schema");
                let named = content["examples"].as_object().into_iter().flatten();
                let examples = named.map(|(_, example)| &example["value"]);
                for example in examples.chain([&content["example"]]).filter(|e| !e.is_null()) {
                    let valid = validator.validate(example).map_err(|error| error.to_string());
                    assert_eq!(valid, Ok(()), "{method} {path}: {example}");
                }
            }
        }
    }
}

/// The names in the first column of the table that begins with this head, as `a`, `b`.
fn names_of_table(page: &str, head: &str) -> BTreeSet<String> {
    let (_, table) = page.split_once(head).expect("the table");
    let rows = table.lines().skip(1).skip_while(|line| line.starts_with("|---"));
    let cells = rows.map_while(|row| row.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ")).map(|name| name.replace('`', "")).collect()
}

#[test]
fn specification_of_pages_has_the_members_of_the_schemas() {
    let page = include_str!("../../../../../docs/spec/pages.md");
    let document = api::openapi(&api::ApiSettings::default());
    for (schema, head) in [("ReadPage", "| request field |"), ("PageAnswer", "| response field |")]
    {
        let members = document["components"]["schemas"][schema]["properties"].as_object();
        let members: BTreeSet<_> = members.expect("properties").keys().cloned().collect();
        assert_eq!(names_of_table(page, head), members, "{schema}");
    }
}

#[tokio::test]
async fn webhook_events_match_the_document() {
    let document = api::openapi(&api::ApiSettings::default());
    let sent = &document["webhooks"]["event"]["post"];
    assert_eq!(sent["parameters"][0]["name"], "X-Service-Signature");
    let body = &sent["requestBody"]["content"]["application/json"];
    let mut schema = body["schema"].clone();
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&body["example"]), "its example keeps its word");
    assert!(!validator.is_valid(&serde_json::json!({"id": "evt_1", "type": "job.done"})));
}

#[tokio::test]
async fn document_contains_the_limits_of_the_settings() {
    let api = TestApi::with(|settings| {
        settings.sources = vec!["direct".to_owned(), "pigeon".to_owned()];
        settings.limits.page_size_max = 7;
    })
    .await;
    let document = api.send(Method::GET, "/openapi.json", &[], "").await.text;
    assert!(document.contains("\"pigeon\"") && document.contains("\"maximum\":7"));
    assert_eq!(api.get("/v1/jobs?source=pigeon&page_size=7").await.status, 200);
    assert_eq!(api.get("/v1/jobs?source=mcp&page_size=8").await.fields(), ["page_size", "source"]);
}
