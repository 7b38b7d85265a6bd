//! Every example of the documentation is run by a test, or at least checked here: commands against
//! the command line, requests against the OpenAPI document, JSON by a parser.

use std::fs;
use std::path::{Path, PathBuf};

use api::ApiSettings;
use clap::Parser;
use serde_json::Value;

use crate::cli::Cli;

/// Examples that tests run as they are written: start of the path, language, and the test.
const RUN: &[(&str, &str, &str)] = &[
    ("docs/quickstart/", "bash", "crates/trawl/tests/binary/quickstarts.rs"),
    ("docs/quickstart/", "python", "crates/trawl/tests/binary/quickstarts.rs"),
    ("docs/quickstart/", "javascript", "crates/trawl/tests/binary/quickstarts.rs"),
    ("docs/getting-started.md", "bash", "crates/trawl/tests/binary/quickstarts.rs"),
    ("docs/oauth.md", "bash", "crates/trawl/tests/binary/oauth.rs"),
    ("docs/webhooks.md", "python", "crates/trawl/tests/binary/webhooks/verifiers.rs"),
    ("docs/webhooks.md", "javascript", "crates/trawl/tests/binary/webhooks/verifiers.rs"),
    ("docs/webhooks.md", "go", "crates/trawl/tests/binary/webhooks/verifiers.rs"),
    ("docs/sdk-python.md", "python", "sdk/python/tests/test_documentation.py"),
    ("docs/sdk-typescript.md", "javascript", "sdk/typescript/test/runtimes.test.mjs"),
    // The same calls of the official clients, with the settings of the test.
    ("docs/firecrawl.md", "python", "sdk/firecrawl/test_documented.py"),
    ("docs/firecrawl.md", "js", "sdk/firecrawl/documented.test.mjs"),
];

/// Languages of blocks that are no program: diagrams, settings, queries for other programs.
const NO_PROGRAM: &[&str] = &["", "text", "mermaid", "ini", "nginx", "yaml", "sql"];

/// Placeholders in the examples, each with the value that the check uses.
const PLACEHOLDERS: &[(&str, &str)] = &[("CODE", "not_found")];

/// Starts of addresses of the service in examples.
const SERVICE: &[&str] =
    &["$TRAWL_URL", "$TRAWL", "$API", "http://127.0.0.1:8080", "https://trawl.example.com"];

/// A fenced block of a page.
#[derive(Debug)]
struct ExampleBlock {
    page: String,
    language: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of all pages for users and operators.
fn blocks() -> Vec<ExampleBlock> {
    let mut found = Vec::new();
    for folder in ["docs", "docs/quickstart", "docs/spec"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            if name.ends_with(".md") {
                blocks_of(&format!("{folder}/{name}"), &mut found);
            }
        }
    }
    found
}

fn blocks_of(page: &str, found: &mut Vec<ExampleBlock>) {
    let text = fs::read_to_string(root().join(page)).expect("a page");
    let mut open: Option<ExampleBlock> = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), open.as_mut()) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(language), None) => {
                let (page, language) = (page.to_owned(), language.trim().to_owned());
                open = Some(ExampleBlock { page, language, text: String::new() });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{page}: a block has no end");
}

fn test_of(block: &ExampleBlock) -> Option<&'static str> {
    let runs = |run: &&(&str, &str, &str)| block.page.starts_with(run.0) && block.language == run.1;
    RUN.iter().find(runs).map(|run| run.2)
}

/// The commands of a shell text as words, and the text of its here-document. Quotes, comments,
/// pipes and `$(…)` outside of double quotes are understood.
fn commands(text: &str) -> (Vec<Vec<String>>, Option<String>) {
    let (text, document) = match text.split_once("<<JSON\n") {
        Some((text, rest)) => (text, rest.split_once("\nJSON").map(|(body, _)| body.to_owned())),
        None => (text, None),
    };
    let text = text.replace("\\\n", " ");
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\'' => {
                let quoted = word.get_or_insert_default();
                quoted.extend(signs.by_ref().take_while(|sign| *sign != '\''));
            }
            '"' => {
                let quoted = word.get_or_insert_default();
                while let Some(sign) = signs.next().filter(|sign| *sign != '"') {
                    quoted.push(if sign == '\\' { signs.next().unwrap_or('\\') } else { sign });
                }
            }
            '#' if word.is_none() => while signs.next_if(|sign| *sign != '\n').is_some() {},
            ' ' | '\n' | '|' | ';' | '(' | ')' | '<' | '>' => {
                let last = commands.last_mut().expect("a command");
                last.extend(word.take());
                if sign == '<' || sign == '>' {
                    last.push(sign.to_string());
                } else if sign != ' ' && !last.is_empty() {
                    commands.push(Vec::new());
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    commands.last_mut().expect("a command").extend(word);
    commands.retain(|command| !command.is_empty());
    (commands, document)
}

/// Checks a command of the program: the command line accepts it.
fn check_trawl(page: &str, words: &[String]) {
    let redirected = words.iter().position(|word| word == "<" || word == ">");
    let words = &words[..redirected.unwrap_or(words.len())];
    let value = |word: &String| {
        let known = PLACEHOLDERS.iter().find(|(name, _)| name == word);
        known.map_or_else(|| word.clone(), |(_, value)| (*value).to_owned())
    };
    let parsed = Cli::try_parse_from(words.iter().map(value));
    assert!(parsed.is_ok(), "{page}: {}: {}", words.join(" "), parsed.expect_err("it fails"));
}

/// Whether the path of an example matches that of an operation: `{id}` matches any segment.
fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    let same = |(template, path): (&&str, &&str)| template == path || template.starts_with('{');
    template.len() == path.len() && template.iter().zip(&path).all(same)
}

/// Checks a request: method, path, parameters and members of its JSON are those of an operation.
fn check_curl(page: &str, words: &[String], document: Option<&str>, openapi: &Value) {
    let (mut method, mut url, mut body) = (None, None, None);
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-X" => method = words.next().cloned(),
            "-d" | "-T" => body = words.next().cloned(),
            "-H" | "-o" | "-w" => {
                words.next();
            }
            word if url.is_none() && !word.starts_with('-') => url = Some(word.to_owned()),
            _ => {}
        }
    }
    let url = url.unwrap_or_else(|| panic!("{page}: curl without an address"));
    let Some(rest) = SERVICE.iter().find_map(|start| url.strip_prefix(start)) else { return };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let method = method.unwrap_or_else(|| if body.is_some() { "POST" } else { "GET" }.to_owned());
    let paths = openapi["paths"].as_object().expect("paths");
    let operation = paths
        .iter()
        .filter(|(template, _)| fits(template, path))
        .find_map(|(_, methods)| methods.get(method.to_lowercase()))
        .unwrap_or_else(|| panic!("{page}: there is no operation {method} {path}"));
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    for pair in query.split('&').filter(|pair| !pair.is_empty() && !pair.contains('[')) {
        let name = pair.split('=').next().unwrap_or_default();
        let is_known = parameters.iter().any(|parameter| parameter["name"] == name);
        assert!(is_known, "{page}: {method} {path} has no parameter {name}");
    }
    let body =
        body.map(|body| if body == "@-" { document.unwrap_or_default().to_owned() } else { body });
    let Some(body) = body.filter(|body| body.starts_with('{')) else { return };
    let body: Value =
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{page}: {error}: {body}"));
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    for member in body.as_object().expect("an object").keys() {
        let is_known = has_member(schema, member, openapi, 5);
        assert!(is_known, "{page}: {method} {path} has no member {member}");
    }
}

/// Whether a schema or a part of it, down to this depth, has a member.
fn has_member(schema: &Value, member: &str, openapi: &Value, depth: usize) -> bool {
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    let schema = name.map_or(schema, |name| &openapi["components"]["schemas"][name]);
    let parts = ["allOf", "oneOf", "anyOf"].into_iter().filter_map(|part| schema[part].as_array());
    let mut parts = parts.flatten();
    schema["properties"].get(member).is_some()
        || (depth > 0 && parts.any(|part| has_member(part, member, openapi, depth - 1)))
}

#[test]
fn every_example_is_run_or_checked() {
    let openapi = api::openapi(&ApiSettings::default());
    let mut checked = 0;
    for block in blocks() {
        if let Some(test) = test_of(&block) {
            assert!(root().join(test).exists(), "{test} is missing");
            continue;
        }
        let ExampleBlock { page, language, text } = &block;
        match language.as_str() {
            "sh" | "bash" => {
                let (commands, document) = commands(text);
                for words in commands {
                    let program = words.iter().rposition(|word| word == "trawl");
                    match (words[0].as_str(), program) {
                        ("curl", _) => check_curl(page, &words, document.as_deref(), &openapi),
                        ("trawl", _) => check_trawl(page, &words),
                        ("sudo", Some(at)) => check_trawl(page, &words[at..]),
                        _ => continue,
                    }
                    checked += 1;
                }
            }
            "json" => {
                let parsed: Result<Value, _> = serde_json::from_str(text);
                assert!(parsed.is_ok(), "{page}: {}: {text}", parsed.expect_err("it fails"));
                checked += 1;
            }
            "toml" => {
                let table = |text: &str| text.parse::<toml::Table>().expect("settings");
                let known = table(include_str!("../settings.toml"));
                for name in table(text).keys() {
                    assert!(known.contains_key(name), "{page}: there is no setting {name}");
                }
                checked += 1;
            }
            other => {
                assert!(NO_PROGRAM.contains(&other), "{page}: no test runs its block of {other:?}");
            }
        }
    }
    assert!(checked > 50, "{checked} examples are checked");
}

#[test]
fn shell_texts_are_split_into_commands() {
    let (found, document) = commands(
        "export A=1   # a comment\njob=$(curl -s \"$API/v1\" \\\n  -d '{\"a\": \"b c\"}' | jq -r .x)\n",
    );
    let found: Vec<_> = found.iter().map(|words| words.join("~")).collect();
    assert_eq!(found, ["export~A=1", "job=$", "curl~-s~$API/v1~-d~{\"a\": \"b c\"}", "jq~-r~.x"]);
    assert_eq!(document, None);
    let (found, document) = commands("curl -d @- <<JSON\n{\"a\": 1}\nJSON\n");
    assert_eq!((found.len(), document.as_deref()), (1, Some("{\"a\": 1}")));
    assert!(
        fits("/v1/jobs/{id}/results", "/v1/jobs/job_…/results") && !fits("/v1/jobs", "/v1/lists")
    );
}
