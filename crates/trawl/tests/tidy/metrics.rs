//! Alert rules, dashboards and the documentation name metrics that the code records.

use std::collections::BTreeSet;
use std::fs;

use super::workspace::{crates, root, rust_files};

/// The macros and types that record a metric under the name that follows.
const RECORDERS: &[&str] = &["counter!(", "gauge!(", "histogram!(", "gauge(", "InFlight::new("];

/// The words of a text that begin as a metric of the service.
fn metric_names(text: &str) -> BTreeSet<String> {
    let is_inside =
        |character: char| character.is_ascii_lowercase() || "_0123456789".contains(character);
    let starts = text.match_indices("trawl_").filter(|(start, _)| {
        !text[..*start].ends_with(|character: char| {
            character.is_ascii_alphanumeric() || "_-/".contains(character)
        })
    });
    starts
        .map(|(start, _)| {
            text[start..]
                .split(|character| !is_inside(character))
                .next()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

/// The metrics that the crates record: the literal after a recorder, or a constant of its file.
fn recorded() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in crates().iter().flat_map(|package| rust_files(&package.folder.join("src"))) {
        let text = fs::read_to_string(&file).expect("text");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for recorder in RECORDERS {
            for (start, _) in code.match_indices(recorder) {
                let argument = code[start + recorder.len()..].trim_start();
                if let Some(literal) = argument.strip_prefix('"') {
                    names.insert(literal.split('"').next().unwrap_or_default().to_owned());
                } else if let Some(constant) = argument.split([',', ')']).next() {
                    let declared = format!("const {constant}: &str = \"");
                    let value =
                        code.split(&declared).nth(1).and_then(|rest| rest.split('"').next());
                    names.extend(value.map(str::to_owned));
                }
            }
        }
    }
    names.retain(|name| name.starts_with("trawl_"));
    names
}

/// The metric of a time series: a histogram has three series.
fn metric(series: &str) -> &str {
    ["_bucket", "_sum", "_count"].iter().find_map(|end| series.strip_suffix(end)).unwrap_or(series)
}

#[test]
fn rules_dashboards_and_docs_name_recorded_metrics() {
    let recorded = recorded();
    assert!(recorded.len() > 20 && recorded.contains("trawl_http_request_seconds"), "{recorded:?}");
    for path in [
        "deploy/prometheus/alerts.yml",
        "deploy/prometheus/alerts.test.yml",
        "deploy/grafana/trawl.json",
        "docs/operations.md",
    ] {
        let text = fs::read_to_string(root().join(path)).expect(path);
        let named = metric_names(&text);
        assert!(named.len() > 10, "{path}: {named:?}");
        let unknown: Vec<_> =
            named.iter().filter(|name| !recorded.contains(metric(name))).collect();
        assert!(unknown.is_empty(), "{path} names metrics that are not recorded: {unknown:?}");
    }
}

#[test]
fn every_metric_is_documented_and_on_the_dashboard() {
    for path in ["deploy/grafana/trawl.json", "docs/operations.md"] {
        let text = fs::read_to_string(root().join(path)).expect(path);
        let named: BTreeSet<_> =
            metric_names(&text).iter().map(|name| metric(name).to_owned()).collect();
        let missing: Vec<_> = recorded().into_iter().filter(|name| !named.contains(name)).collect();
        assert!(missing.is_empty(), "{path} does not name {missing:?}");
    }
}

#[test]
fn every_alert_has_a_test_and_says_what_to_do() {
    let rules = fs::read_to_string(root().join("deploy/prometheus/alerts.yml")).expect("rules");
    let tests =
        fs::read_to_string(root().join("deploy/prometheus/alerts.test.yml")).expect("tests");
    let guide = fs::read_to_string(root().join("docs/operations.md")).expect("a guide");
    let alerts: Vec<_> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert!(alerts.len() > 10, "{alerts:?}");
    for alert in alerts {
        assert!(tests.contains(&format!("alertname=\"{alert}\"")), "{alert} has no test");
        assert!(
            guide.contains(&format!("\n### {alert}\n")),
            "docs/operations.md does not explain {alert}"
        );
        let anchor = format!("runbook: docs/operations.md#{}\n", alert.to_lowercase());
        assert!(rules.contains(&anchor), "{alert} has no link to its section");
    }
}
