//! The reference of the API: pages made of the OpenAPI document.

use std::fmt::Write;

use serde_json::Value;

use crate::openapi_document::{ApiOperation, ApiParameter, ApiTag, members, pretty, text};
use crate::schema_text::{cell, schema_url};
use crate::{operation_page, schema_page};

/// The methods of operations in the order of the reference.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The pages of the reference.
#[derive(Debug)]
pub(crate) struct ApiReference {
    pub tags: Vec<ApiTag>,
    /// The Markdown of the first page.
    pub index: String,
    /// Address and Markdown of each operation and schema.
    pub pages: Vec<(String, String)>,
}

/// The reference of an OpenAPI document.
pub(crate) fn of(openapi: &Value) -> ApiReference {
    let mut tags: Vec<ApiTag> = Vec::new();
    for tag in openapi["tags"].as_array().into_iter().flatten() {
        let (name, about) = (text(&tag["name"]), text(&tag["description"]));
        tags.push(ApiTag { name, about, operations: Vec::new() });
    }
    let mut pages = Vec::new();
    for (path, methods) in members(&openapi["paths"]) {
        for method in METHODS {
            let Some(described) = methods.get(method) else { continue };
            let operation = operation(path, method, described);
            pages.push((operation.url(), operation_page::markdown(&operation, described, openapi)));
            let tag = text(&described["tags"][0]);
            match tags.iter_mut().find(|known| known.name == tag) {
                Some(known) => known.operations.push(operation),
                None => tags.push(ApiTag {
                    name: tag,
                    about: String::new(),
                    operations: vec![operation],
                }),
            }
        }
    }
    tags.retain(|tag| !tag.operations.is_empty());
    let schemas: Vec<_> = members(&openapi["components"]["schemas"]).collect();
    for (name, schema) in &schemas {
        pages.push((schema_url(name), schema_page::markdown(name, schema)));
    }
    let names: Vec<_> = schemas.iter().map(|(name, _)| name.as_str()).collect();
    ApiReference { index: index(openapi, &tags, &names), tags, pages }
}

fn operation(path: &str, method: &str, described: &Value) -> ApiOperation {
    let parameters = described["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.map(|parameter| ApiParameter {
        name: text(&parameter["name"]),
        place: text(&parameter["in"]),
        is_required: parameter["required"] == true,
        example: [&parameter["example"], &parameter["schema"]["example"]]
            .into_iter()
            .find(|value| !value.is_null())
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
    });
    let security = described["security"].as_array().into_iter().flatten();
    let body = &described["requestBody"];
    let json = &body["content"]["application/json"];
    let example = operation_page::example(json).map(|value| pretty(&value));
    ApiOperation {
        id: text(&described["operationId"]),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(&described["summary"]),
        is_secured: security
            .into_iter()
            .any(|one| one.as_object().is_some_and(|one| !one.is_empty())),
        parameters: parameters.collect(),
        has_body: !body.is_null(),
        json_body: (!json.is_null()).then(|| example.unwrap_or_else(|| "{}".to_owned())),
    }
}

fn index(openapi: &Value, tags: &[ApiTag], schemas: &[&str]) -> String {
    let mut page = format!("# API reference\n\n{}\n\n", text(&openapi["info"]["description"]));
    page.push_str(
        "Each operation has a page with its parameters, an example and a form that sends it with your \
         session or with a key that you paste. The same as a document for tools: \
         [openapi.json](/openapi.json). How requests, lists, errors and credentials work: \
         [specification](/docs/spec).\n",
    );
    for tag in tags {
        let _ = write!(page, "\n## {}\n\n{}\n\n", capitalised(&tag.name), tag.about);
        page.push_str("| operation | what it does |\n|---|---|\n");
        for operation in &tag.operations {
            let ApiOperation { method, path, summary, .. } = operation;
            let _ =
                writeln!(page, "| [`{method} {path}`]({}) | {} |", operation.url(), cell(summary));
        }
    }
    page.push_str("\n## Objects\n\n");
    let links: Vec<_> =
        schemas.iter().map(|name| format!("[`{name}`]({})", schema_url(name))).collect();
    page.push_str(&links.join(", "));
    page.push('\n');
    page
}

/// The name of a tag as a heading.
fn capitalised(name: &str) -> String {
    let mut signs = name.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}
