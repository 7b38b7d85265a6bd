//! Tests that need a program are ignored with a reason; `scripts/test` runs them.

use std::fs;

use crate::workspace::{crates, rust_files, shown};

/// Calls in tests that need PostgreSQL, Chromium, the Python tools or another program that
/// `scripts/test` installs.
const CALLS: &[&str] = &[
    "Kind::Postgres",
    "fresh_postgres()",
    "::postgres()",
    "chromium()",
    "python()",
    r#"Command::new("curl")"#,
    r#"Command::new("node")"#,
    r#"Command::new("openssl")"#,
    r#"Command::new("soffice")"#,
    r#"Command::new("systemd-socket-activate")"#,
    r#"Command::new("xmllint")"#,
];

/// The test functions of a file, from the line after the attribute to the closing brace.
fn test_functions(code: &str) -> Vec<String> {
    let mut lines = code.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let attribute = line.trim_start();
        if attribute.starts_with("#[test]") || attribute.starts_with("#[tokio::test") {
            let end = format!("{}}}", &line[..line.len() - attribute.len()]);
            let body: Vec<_> = lines.by_ref().take_while(|line| *line != end).collect();
            found.push(body.join("\n"));
        }
    }
    found
}

#[test]
fn tests_that_need_a_program_are_ignored_with_a_reason() {
    let mut ignored = 0;
    for package in crates() {
        for file in rust_files(&package.folder) {
            let (text, shown) = (fs::read_to_string(&file).expect("text"), shown(&file));
            for line in text.lines().map(str::trim).filter(|line| line.starts_with("#[ignore")) {
                assert!(
                    line.starts_with("#[ignore = \"needs ") && line.contains(": scripts/test "),
                    "{shown}: {line} gives no reason of the form \"needs X: scripts/test …\""
                );
                ignored += 1;
            }
            for function in test_functions(&text) {
                let call = CALLS.iter().find(|call| function.contains(**call));
                let is_ignored = function.trim_start().starts_with("#[ignore");
                assert!(
                    is_ignored || call.is_none(),
                    "{shown}: a test with {call:?} is not ignored:\n{function}"
                );
            }
        }
    }
    assert!(ignored > 50, "only {ignored} ignored tests were found");
}

#[test]
fn test_functions_are_found() {
    let code =
        "#[test]\nfn one() {\n    {\n    }\n}\n\n    #[tokio::test]\n    async fn two() {\n    }\n";
    assert_eq!(test_functions(code), ["fn one() {\n    {\n    }", "    async fn two() {"]);
}
