//! The first operations of the interface keep their schemas: a later release may add members and
//! change nothing else. The golden file has the parameters, bodies and responses that they had when
//! this test was written.

use std::collections::BTreeSet;

use golden::GoldenFolder;
use serde_json::{Map, Value, json};

const GOLDEN: &str = "interface_v1.json";

/// The operations of the first release.
const OPERATIONS: [(&str, &str); 16] = [
    ("post", "/v1/estimate"),
    ("post", "/v1/jobs"),
    ("get", "/v1/jobs"),
    ("get", "/v1/jobs/{id}"),
    ("post", "/v1/jobs/{id}/confirm"),
    ("post", "/v1/jobs/{id}/abort"),
    ("get", "/v1/jobs/{id}/results"),
    ("get", "/v1/jobs/{id}/skipped"),
    ("post", "/v1/jobs/{id}/export"),
    ("get", "/v1/account"),
    ("get", "/v1/webhooks"),
    ("post", "/v1/webhooks"),
    ("delete", "/v1/webhooks/{id}"),
    ("get", "/api-keys"),
    ("post", "/api-keys"),
    ("delete", "/api-keys/{id}"),
];

/// Members of schemas and operations that change no exchanged value.
const TEXTS: [&str; 8] =
    ["description", "summary", "example", "examples", "title", "tags", "operationId", "security"];

/// Who reads a value of a schema: the service may accept more, a client must get no less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reader {
    Service,
    Client,
}

/// The operations of a document without texts, and the schemas that they use.
fn interface(document: &Value) -> Value {
    let mut operations = Map::new();
    for (method, path) in OPERATIONS {
        let operation = without_texts(&document["paths"][path][method]);
        assert!(operation.is_object(), "{method} {path} does not exist");
        operations.insert(format!("{method} {path}"), operation);
    }
    let (mut schemas, mut pending) = (Map::new(), refs(&json!(operations)));
    while let Some(name) = pending.pop_first() {
        if !schemas.contains_key(&name) {
            let schema = without_texts(&document["components"]["schemas"][&name]);
            pending.append(&mut refs(&schema));
            schemas.insert(name, schema);
        }
    }
    schemas.sort_keys();
    json!({"operations": operations, "schemas": schemas})
}

fn without_texts(value: &Value) -> Value {
    match value {
        // The members of `properties` are names, also those that are texts elsewhere.
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !TEXTS.contains(&name.as_str()));
            kept.map(|(name, value)| match value {
                Value::Object(named) if name == "properties" => {
                    let named = named.iter().map(|(name, it)| (name.clone(), without_texts(it)));
                    (name.clone(), Value::Object(named.collect()))
                }
                _ => (name.clone(), without_texts(value)),
            })
            .collect::<Map<_, _>>()
            .into()
        }
        Value::Array(entries) => entries.iter().map(without_texts).collect(),
        _ => value.clone(),
    }
}

/// The names of the schemas that a value refers to.
fn refs(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(schema_name).map(str::to_owned);
            members.values().flat_map(refs).chain(own).collect()
        }
        Value::Array(entries) => entries.iter().flat_map(refs).collect(),
        _ => BTreeSet::new(),
    }
}

fn schema_name(reference: &Value) -> Option<&str> {
    reference.as_str()?.strip_prefix("#/components/schemas/")
}

/// Compares an interface with an earlier one.
struct Comparison<'i> {
    old: &'i Value,
    new: &'i Value,
    /// References that were compared or are being compared, as schemas can contain themselves.
    known: BTreeSet<(String, String, Reader)>,
    broken: Vec<String>,
}

/// What is broken for the clients of an earlier interface.
fn broken(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { old, new, known: BTreeSet::new(), broken: Vec::new() };
    for (name, operation) in old["operations"].as_object().expect("operations") {
        comparison.operation(name, operation, &new["operations"][name]);
    }
    comparison.broken
}

impl Comparison<'_> {
    fn operation(&mut self, name: &str, old: &Value, new: &Value) {
        let parameters = |operation: &Value| operation["parameters"].as_array().cloned();
        let (earlier, present) = (parameters(old), parameters(new));
        let present = present.unwrap_or_default();
        let same = |a: &Value, b: &Value| a["name"] == b["name"] && a["in"] == b["in"];
        for parameter in earlier.iter().flatten() {
            let at = format!("{name} ?{}", parameter["name"]);
            match present.iter().find(|it| same(it, parameter)) {
                Some(it) => self.schema(&at, &parameter["schema"], &it["schema"], Reader::Service),
                None => self.broken.push(format!("{at} is gone")),
            }
        }
        for parameter in &present {
            let is_known = earlier.iter().flatten().any(|it| {
                same(it, parameter) && (it["required"] == true || parameter["required"] != true)
            });
            if parameter["required"] == true && !is_known {
                self.broken.push(format!("{name} ?{} is required", parameter["name"]));
            }
        }
        let (was, is) = (&old["requestBody"]["required"], &new["requestBody"]["required"]);
        if is == true && was != true {
            self.broken.push(format!("{name}: the body is required"));
        }
        self.content(name, &old["requestBody"], &new["requestBody"], Reader::Service);
        for (status, response) in old["responses"].as_object().into_iter().flatten() {
            let at = format!("{name} {status}");
            self.content(&at, response, &new["responses"][status], Reader::Client);
        }
    }

    fn content(&mut self, at: &str, old: &Value, new: &Value, reader: Reader) {
        if new.is_null() && !old.is_null() {
            self.broken.push(format!("{at} is gone"));
        }
        for (kind, content) in old["content"].as_object().into_iter().flatten() {
            let present = &new["content"][kind];
            if present.is_null() {
                self.broken.push(format!("{at} {kind} is gone"));
            }
            self.schema(&format!("{at} {kind}"), &content["schema"], &present["schema"], reader);
        }
    }

    fn schema(&mut self, at: &str, old: &Value, new: &Value, reader: Reader) {
        if let (Some(was), Some(is)) = (schema_name(&old["$ref"]), schema_name(&new["$ref"]))
            && !self.known.insert((was.to_owned(), is.to_owned(), reader))
        {
            return;
        }
        let resolved = |interface: &'_ Value, schema: &Value| match schema_name(&schema["$ref"]) {
            Some(name) => interface["schemas"][name].clone(),
            None => schema.clone(),
        };
        let (old, new) = (resolved(self.old, old), resolved(self.new, new));
        self.kinds(at, &old, &new, reader);
        self.members(at, &old, &new, reader);
        for (name, member) in old["properties"].as_object().into_iter().flatten() {
            match &new["properties"][name] {
                Value::Null => self.broken.push(format!("{at}.{name} is gone")),
                present => self.schema(&format!("{at}.{name}"), member, present, reader),
            }
        }
        for name in ["items", "additionalProperties"] {
            if old[name].is_object() {
                self.schema(&format!("{at}[]"), &old[name], &new[name], reader);
            }
        }
        for name in ["oneOf", "anyOf", "allOf"] {
            for (place, part) in old[name].as_array().into_iter().flatten().enumerate() {
                self.part(&format!("{at} {name}[{place}]"), part, &new[name], reader);
            }
        }
    }

    /// A part of a composition agrees with one of the present parts, in any place.
    fn part(&mut self, at: &str, old: &Value, new: &Value, reader: Reader) {
        let (known, before) = (self.known.clone(), self.broken.len());
        for part in new.as_array().into_iter().flatten() {
            self.schema(at, old, part, reader);
            if self.broken.len() == before {
                return;
            }
            self.broken.truncate(before);
            self.known.clone_from(&known);
        }
        self.broken.push(format!("{at} agrees with no present part"));
    }

    /// Types and values: a request accepts all earlier ones, a response has no type beside them.
    /// Responses may have new values, which clients have to expect.
    fn kinds(&mut self, at: &str, old: &Value, new: &Value, reader: Reader) {
        let set = |value: &Value| -> Option<BTreeSet<String>> {
            match value {
                Value::Null => None,
                Value::Array(entries) => Some(entries.iter().map(Value::to_string).collect()),
                one => Some(BTreeSet::from([one.to_string()])),
            }
        };
        let (was, is) = (set(&old["type"]), set(&new["type"]));
        let agrees = match (&was, &is, reader) {
            (None, None, _) | (_, None, Reader::Service) => true,
            (Some(was), Some(is), Reader::Service) => was.is_subset(is),
            (Some(was), Some(is), Reader::Client) => is.is_subset(was),
            (None, Some(_), _) | (_, None, Reader::Client) => false,
        };
        if !agrees {
            self.broken.push(format!("{at} has type {is:?}, not {was:?}"));
        }
        for name in ["enum", "const"] {
            if let (Some(was), Some(is)) = (set(&old[name]), set(&new[name]))
                && !was.is_subset(&is)
            {
                self.broken.push(format!("{at} has values {is:?}, not {was:?}"));
            }
        }
    }

    /// Requests need no further member, and responses have all members that they always had.
    fn members(&mut self, at: &str, old: &Value, new: &Value, reader: Reader) {
        let required = |schema: &Value| -> BTreeSet<String> {
            let names = schema["required"].as_array().into_iter().flatten();
            names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
        };
        let (was, is) = (required(old), required(new));
        let missing: Vec<_> = match reader {
            Reader::Service => is.difference(&was).collect(),
            Reader::Client => was.difference(&is).collect(),
        };
        if !missing.is_empty() {
            self.broken.push(format!("{at}: the required members differ: {missing:?}"));
        }
    }
}

fn present() -> Value {
    interface(&api::openapi(&api::ApiSettings::default()))
}

#[test]
fn first_operations_have_got_new_members_and_no_other_change() {
    let present = present();
    let text = format!("{present:#}\n");
    let golden = GoldenFolder::of(env!("CARGO_MANIFEST_DIR"));
    let first = golden.read_or_write(GOLDEN, text.as_bytes());
    let first: Value = serde_json::from_slice(&first).expect("JSON");
    assert_eq!(broken(&first, &present), Vec::<String>::new());
}

#[test]
fn removed_and_required_members_are_noticed() {
    type SchemaChange = fn(&mut Value);
    let old = present();
    let changes: [(&str, SchemaChange); 5] = [
        ("status is gone", |schemas| {
            schemas["PublicJob"]["properties"].as_object_mut().expect("it").remove("status");
        }),
        ("the required members differ", |schemas| {
            schemas["PublicJob"]["required"] = json!([]);
        }),
        ("the required members differ", |schemas| {
            schemas["CreateEstimate"]["required"] = json!(["mode", "url"]);
        }),
        ("has type", |schemas| {
            schemas["PublicJob"]["properties"]["batch"]["type"] = json!(["integer", "null"]);
        }),
        ("has values", |schemas| {
            schemas["Mode"]["enum"].as_array_mut().expect("values").pop();
        }),
    ];
    for (message, change) in changes {
        let mut new = old.clone();
        change(&mut new["schemas"]);
        let broken = broken(&old, &new);
        assert!(broken.iter().any(|line| line.contains(message)), "{message}: {broken:?}");
    }
    let mut new = old.clone();
    new["schemas"]["PublicJob"]["properties"]["new"] = json!({"type": "string"});
    new["schemas"]["CreateEstimate"]["properties"]["new"] = json!({"type": "string"});
    assert_eq!(broken(&old, &new), Vec::<String>::new(), "members are added");
}
