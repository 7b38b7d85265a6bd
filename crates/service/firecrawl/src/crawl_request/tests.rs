use super::*;
use crate::request_field::FieldTreatment;

const RATE: Credits = Credits(10);

fn job(body: Value) -> Value {
    let Value::Object(members) = body else { panic!("an object") };
    let request = job_request(members, RATE).unwrap_or_else(|error| panic!("{error}"));
    request.job.into()
}

fn errors(body: Value) -> String {
    let Value::Object(members) = body else { panic!("an object") };
    job_request(members, RATE).expect_err("it is invalid").to_string()
}

#[test]
fn crawl_with_defaults_stays_below_the_path_and_reads_the_sitemap() {
    assert_eq!(
        job(json!({"url": " https://a.example/docs ", "origin": "x", "integration": "n8n"})),
        json!({
            "mode": "markdown",
            "url": "https://a.example/docs",
            "scope": {
                "specific_route": true, "include_query_strings": true, "include_sitemap": true,
            },
            "options": {"sample_size": 10_000},
            "external": {"firecrawl": {"kind": "crawl", "formats": ["markdown"]}},
            "if_busy": "queue",
            "on_protected": "fail",
        })
    );
}

#[test]
fn every_mapped_field_changes_the_job_request() {
    let plain = job(json!({"url": "https://a.example/"}));
    let changes = [
        ("limit", json!(5)),
        ("maxDiscoveryDepth", json!(2)),
        ("maxDepth", json!(2)),
        ("includePaths", json!(["blog/.*"])),
        ("excludePaths", json!(["/tag"])),
        ("crawlEntireDomain", json!(true)),
        ("allowBackwardLinks", json!(true)),
        ("allowSubdomains", json!(true)),
        ("sitemap", json!("only")),
        ("sitemap", json!("skip")),
        ("ignoreSitemap", json!(true)),
        ("ignoreQueryParameters", json!(true)),
        ("delay", json!(1.5)),
        ("maxConcurrency", json!(3)),
        ("url", json!("https://b.example/")),
        ("scrapeOptions", json!({"onlyMainContent": false})),
        ("scrapeOptions", json!({"formats": ["links"]})),
        ("scrapeOptions", json!({"proxy": "auto"})),
        ("scrapeOptions", json!({"maxAge": 5000})),
        ("scrapeOptions", json!({"includeTags": ["main"]})),
        ("scrapeOptions", json!({"excludeTags": [".share"]})),
        ("scrapeOptions", json!({"mobile": true})),
        ("formats", json!(["links"])),
    ];
    for (field, value) in &changes {
        let mut body = json!({"url": "https://a.example/"});
        body[field] = value.clone();
        assert_ne!(job(body), plain, "{field}");
    }
    let mapped = CRAWL.fields.iter().filter(|field| field.treatment == FieldTreatment::Mapped);
    // It is added with the credential of the caller: see `webhook.rs`.
    for field in mapped.filter(|field| field.name != "webhook") {
        assert!(changes.iter().any(|(name, _)| *name == field.name), "{} has no test", field.name);
    }
}

#[test]
fn paths_are_regular_expressions_and_depth_is_one_of_them() {
    let made = job(json!({"url": "https://a.example/docs/", "includePaths": ["blog/.*", ""],
        "excludePaths": ["/tag"], "maxDepth": 1}));
    assert_eq!(made["scope"]["include_paths"], json!(["re:blog/.*"]));
    assert_eq!(made["scope"]["exclude_paths"], json!(["re:/tag", "re:^(?:/[^/?]+){3}"]));
}

#[test]
fn limits_and_pace_are_those_of_the_job() {
    let made = job(json!({"url": "https://a.example/", "limit": 7, "maxDiscoveryDepth": 0,
        "delay": 0.25, "maxConcurrency": 500, "scrapeOptions": {"proxy": "stealth"}}));
    let options =
        json!({"sample_size": 7, "discovery": false, "delay_ms": 250, "concurrency": 100});
    assert_eq!(made["options"], options);
    assert_eq!((&made["on_protected"], &made["max_credit_per_unit"]), (&json!("auto"), &json!(10)));
}

#[test]
fn access_to_pages_is_that_of_the_job() {
    let made = job(json!({"url": "https://a.example/", "scrapeOptions": {"waitFor": 500,
        "headers": {"X-Token": "t"}, "actions": [{"type": "click", "selector": "#more"}]}}));
    assert_eq!(made["wait_for"], 500);
    assert_eq!(made["headers"], json!({"X-Token": "t"}));
    assert_eq!(made["actions"], json!([{"type": "click", "selector": "#more"}]));
    let plain = job(json!({"url": "https://a.example/",
        "scrapeOptions": {"waitFor": 0, "headers": {}, "actions": []}}));
    for member in ["wait_for", "headers", "actions"] {
        assert!(plain.get(member).is_none(), "{member}");
    }
    assert_eq!(renamed("headers.Host"), "scrapeOptions.headers.Host");
}

#[test]
fn files_parts_and_screen_of_pages_are_those_of_the_job() {
    let made = job(json!({"url": "https://a.example/", "scrapeOptions": {
        "formats": ["markdown", "html", "rawHtml", "screenshot", "screenshot@fullPage"],
        "maxAge": 172_800_500, "includeTags": ["main", ""], "excludeTags": [".share"],
        "mobile": true, "headers": {"User-Agent": "mine", "X-A": "b"}}}));
    assert_eq!(made["formats"], json!(["html", "raw_html", "screenshot"]));
    assert_eq!(made["screenshot_area"], "full_page");
    assert_eq!((&made["max_age"], &made["device"]), (&json!(172_800), &json!("mobile")));
    assert_eq!(made["options"]["include_selectors"], json!(["main"]));
    assert_eq!(made["options"]["exclude_selectors"], json!([".share"]));
    assert_eq!(made["headers"], json!({"X-A": "b"}));
    let warnings = &made["external"]["firecrawl"]["warnings"];
    assert!(warnings[0].as_str().is_some_and(|warning| warning.contains("User-Agent")), "{made}");
    assert_eq!(renamed("options.include_selectors[0]"), "scrapeOptions.includeTags[0]");
    let small = job(json!({"url": "https://a.example/", "formats": ["screenshot"],
        "scrapeOptions": {"maxAge": 999_999_999_999_i64, "mobile": false}}));
    assert_eq!(small["screenshot_area"], "viewport");
    assert_eq!(small["max_age"], 604_800);
    assert!(small.get("device").is_none());
}

#[test]
fn unsupported_fields_are_named_with_their_place() {
    let error = errors(json!({"url": "https://a.example/", "allowExternalLinks": true,
        "scrapeOptions": {"formats": ["summary"], "actions": [{"type": "pdf"}]}, "webhook": {"secret": "x"}}));
    for field in
        ["allowExternalLinks", "formats[0]", "scrapeOptions.actions[0].type", "webhook.url"]
    {
        assert!(error.contains(field), "{error}");
    }
    assert!(errors(json!({})).contains("url: is required"));
    assert!(errors(json!({"url": "https://a.example/", "delay": 61})).contains("delay"));
    assert!(errors(json!({"url": "u", "maxDepth": 101})).contains("maxDepth"));
}

#[test]
fn fields_of_errors_are_those_of_the_request() {
    assert_eq!(renamed("scope.include_paths[0]"), "includePaths[0]");
    assert_eq!(renamed("options.delay_ms"), "delay");
    assert_eq!(renamed("url"), "url");
}
