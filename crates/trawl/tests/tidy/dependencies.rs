//! Dependencies keep to `deny.toml`: licences, sources and banned crates.

use std::fs;
use std::process::Command;

use serde_json::Value;

fn deny() -> toml::Table {
    let text = fs::read_to_string(super::root().join("deny.toml")).expect("deny.toml");
    text.parse().expect("TOML")
}

fn words<'t>(table: &'t toml::Table, section: &str, key: &str) -> Vec<&'t str> {
    let list = table[section][key].as_array().expect("a list");
    list.iter().map(|word| word.as_str().expect("a text")).collect()
}

/// Every package that is built here. Offline: they have been downloaded to build this test.
fn packages() -> Vec<Value> {
    let version = Command::new("rustc").arg("-vV").output().expect("rustc runs").stdout;
    let version = String::from_utf8(version).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", host])
        .current_dir(super::root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

#[test]
fn dependencies_have_allowed_licences_and_sources() {
    let deny = deny();
    let allowed = words(&deny, "licenses", "allow");
    let registries = words(&deny, "sources", "allow-registry");
    let banned: Vec<_> = deny["bans"]["deny"].as_array().expect("a list").to_vec();
    let packages = packages();
    assert!(packages.len() > 100, "the dependencies are read");
    for package in &packages {
        let name = package["name"].as_str().expect("a name");
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(
            is_allowed(licence, &allowed),
            "{name} has the licence {licence:?}, which deny.toml does not allow"
        );
        if let Some(source) = package["source"].as_str() {
            assert!(
                registries.iter().any(|known| source == format!("registry+{known}")),
                "{name} comes from {source}, which deny.toml does not allow"
            );
        }
        let is_banned = banned.iter().any(|ban| ban["crate"].as_str() == Some(name));
        assert!(!is_banned, "{name} is banned by deny.toml");
    }
}

#[test]
fn dependencies_are_listed_with_their_reason() {
    let manifest = fs::read_to_string(super::root().join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let dependencies = manifest["workspace"]["dependencies"].as_table().expect("a table");
    let external = dependencies.iter().filter(|(_, value)| value.get("path").is_none());
    let names: Vec<_> = external.map(|(name, _)| name).collect();
    assert!(names.len() > 50, "the dependencies are read");
    let list = fs::read_to_string(super::root().join("docs/DEPENDENCIES.md")).expect("text");
    let rows: Vec<_> = list.lines().filter_map(|line| line.strip_prefix("| `")).collect();
    let is_listed = |name: &str| {
        let first_cells = rows.iter().filter_map(|row| row.split(" |").next());
        let mut names = first_cells.flat_map(|cell| cell.split('`'));
        names.any(|listed| listed == name)
    };
    let missing: Vec<_> = names.into_iter().filter(|name| !is_listed(name)).collect();
    assert!(missing.is_empty(), "docs/DEPENDENCIES.md does not list {missing:?}");
}

/// The cells "where" of the rows of a dependency.
fn places<'t>(list: &'t str, name: &str) -> Vec<&'t str> {
    let rows = list.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    let of_name = cells.filter(|cells| cells[0].split('`').any(|listed| listed == name));
    of_name.filter_map(|cells| cells.get(2).copied()).collect()
}

#[test]
fn dependencies_are_listed_with_the_crates_that_use_them() {
    let list = fs::read_to_string(super::root().join("docs/DEPENDENCIES.md")).expect("text");
    let mut findings = Vec::new();
    let packages = super::crates();
    for package in packages.iter().filter(|package| package.layer != "testing") {
        for used in package.dependencies() {
            let places = places(&list, &used);
            // "Service crates", "and ten others": too many to name.
            let is_named = |cell: &&str| {
                cell.split('`').any(|name| name == package.name)
                    || ["crates", "others"].iter().any(|word| cell.contains(word))
            };
            if !packages.iter().any(|own| own.name == used) && !places.iter().any(is_named) {
                findings.push(format!("{used} by {}", package.name));
            }
        }
    }
    assert!(findings.is_empty(), "docs/DEPENDENCIES.md does not name the use of {findings:?}");
}

#[test]
fn licence_expressions_are_judged_as_a_whole() {
    let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"];
    for (licence, good) in [
        ("MIT", true),
        ("MIT OR GPL-3.0", true),
        ("MIT/GPL-3.0", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("GPL-3.0 OR MIT AND Apache-2.0", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("MIT WITH LLVM-exception", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(licence, &allowed), good, "{licence:?}");
    }
}

/// Whether an SPDX expression can be met by allowed licences; `/` is an old spelling of `OR`.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut tokens = spaced.split_whitespace().peekable();
    any(&mut tokens, allowed) && tokens.next().is_none()
}

type Tokens<'t> = std::iter::Peekable<std::str::SplitWhitespace<'t>>;

fn any(tokens: &mut Tokens<'_>, allowed: &[&str]) -> bool {
    let mut met = all(tokens, allowed);
    while tokens.next_if_eq(&"OR").is_some() {
        met |= all(tokens, allowed);
    }
    met
}

fn all(tokens: &mut Tokens<'_>, allowed: &[&str]) -> bool {
    let mut met = one(tokens, allowed);
    while tokens.next_if_eq(&"AND").is_some() {
        met &= one(tokens, allowed);
    }
    met
}

fn one(tokens: &mut Tokens<'_>, allowed: &[&str]) -> bool {
    match tokens.next() {
        Some("(") => any(tokens, allowed) && tokens.next() == Some(")"),
        Some(licence) => {
            let exception = tokens.next_if_eq(&"WITH").and_then(|_| tokens.next());
            let licence = match exception {
                Some(exception) => format!("{licence} WITH {exception}"),
                None => licence.to_owned(),
            };
            allowed.contains(&licence.as_str())
        }
        None => false,
    }
}
