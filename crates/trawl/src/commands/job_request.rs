//! The body of a job request, from the flags of `trawl run` and `trawl schedule create`.

use anyhow::Context;
use contract::{Mode, comma_list};
use serde_json::{Map, Value, json};
use urls::CanonicalUrl;

use super::crawl::{NO_LEGAL_BASIS, read_text_list};
use super::{Exit, site_members};
use crate::cli::RequestFlags;
use crate::exit::fail;
use crate::start_url::{route_of, with_scheme};

/// Maximum bytes of a request that is sent; the API takes 1 MiB.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Maximum entries of `urls`; more are uploaded.
const MAX_URLS: usize = 10_000;

/// A request and what the user has to know about it.
pub struct FlaggedRequest {
    pub body: Value,
    /// The path below which the run stays, because the start URL has it.
    pub route: Option<String>,
    /// The URLs of a list that is too long for the request, one per line. It is uploaded, and its id is
    /// the `list_id` of the request.
    pub long_list: Option<String>,
}

/// The request of the flags. The server validates it.
pub fn of_flags(flags: &RequestFlags) -> anyhow::Result<FlaggedRequest> {
    let Ok(mode) = flags.mode.parse::<Mode>() else {
        fail!(Usage, "there is no mode {:?}; the modes are {}", flags.mode, comma_list(Mode::ALL))
    };
    if mode.requires_legal_basis() && !flags.accept_legal_basis {
        fail!(Usage, "{NO_LEGAL_BASIS}");
    }
    let mut body = site_members::members(&flags.site)?;
    if flags.site.render == "auto" {
        // The default, which a run over domains does not take.
        body.remove("render");
    }
    body.insert("mode".to_owned(), json!(mode));
    let mut scope = flags.flags.scope.clone();
    let mut route = None;
    if let Some(list) = &flags.list_id {
        body.insert("list_id".to_owned(), json!(list));
    } else if let Some(path) = &flags.urls {
        let text = read_text_list(path).with_context(|| format!("cannot read {path}"))?;
        body.insert("urls".to_owned(), json!(entries(&text)));
    } else if let Some(path) = &flags.domains {
        let text = read_text_list(path).with_context(|| format!("cannot read {path}"))?;
        body.insert("domains".to_owned(), json!(entries(&text)));
    } else if mode.visits_domains() && !has_one_url(&flags.targets) {
        body.insert("domains".to_owned(), json!(flags.targets));
    } else if let [target] = flags.targets.as_slice() {
        let url = with_scheme(target).into_owned();
        // The server reports an invalid URL.
        if let Ok(start) = CanonicalUrl::parse(&url)
            && !mode.visits_domains()
        {
            let was_narrow = scope.specific_route;
            scope = flags.flags.clone().starting_at(&start).scope;
            route = route_of(&url).filter(|_| scope.specific_route && !was_narrow);
        }
        body.insert("url".to_owned(), json!(url));
    } else {
        fail!(Usage, "mode {mode} takes one URL; --urls takes a file with many");
    }
    body.insert("scope".to_owned(), changed(&scope, &contract::Scope::default())?);
    let mut options = flags.flags.options.clone();
    options.concurrency = flags.concurrency;
    options.delay_ms = flags.delay_ms;
    body.insert("options".to_owned(), changed(&options, &contract::Options::default())?);
    if flags.accept_legal_basis {
        body.insert("legal_basis_accepted".to_owned(), json!(true));
    }
    if let Some(choice) = &flags.on_protected {
        body.insert("on_protected".to_owned(), json!(choice));
    }
    if let Some(most) = flags.max_credit_per_unit {
        body.insert("max_credit_per_unit".to_owned(), json!(most));
    }
    if let Some(path) = &flags.login {
        body.insert("login".to_owned(), site_members::json_file(path, "--login")?);
    }
    if !flags.formats.is_empty() {
        body.insert("formats".to_owned(), json!(flags.formats));
    }
    if let Some(area) = &flags.screenshot_area {
        body.insert("screenshot_area".to_owned(), json!(area));
    }
    if let Some(seconds) = flags.max_age {
        body.insert("max_age".to_owned(), json!(seconds));
    }
    if let Some(notes) = &flags.external {
        let invalid = |cause| Exit::Usage.with(format!("--external is not valid JSON: {cause}"));
        let notes: Value = serde_json::from_str(notes).map_err(invalid)?;
        body.insert("external".to_owned(), notes);
    }
    let body = Value::Object(body);
    let (body, long_list) = without_long_list(body);
    let bytes = body.to_string().len();
    if bytes > MAX_BODY_BYTES {
        fail!(Usage, "the request has {bytes} bytes, more than {MAX_BODY_BYTES}; divide the list");
    }
    Ok(FlaggedRequest { body, route, long_list })
}

/// Takes `urls` out of a request that would be too large, or have too many of them.
fn without_long_list(mut body: Value) -> (Value, Option<String>) {
    let urls = body.get("urls").and_then(Value::as_array);
    let is_long = urls.is_some_and(|urls| urls.len() > MAX_URLS)
        || urls.is_some() && body.to_string().len() > MAX_BODY_BYTES;
    if !is_long {
        return (body, None);
    }
    let urls = body.as_object_mut().and_then(|members| members.remove("urls"));
    let urls = urls.as_ref().and_then(Value::as_array).into_iter().flatten();
    let lines: Vec<&str> = urls.filter_map(Value::as_str).collect();
    (body, Some(lines.join("\n")))
}

fn has_one_url(targets: &[String]) -> bool {
    matches!(targets, [one] if one.contains("://"))
}

/// The entries of a list: one per line, without empty lines and comments.
fn entries(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The members of a value that differ from its default.
pub fn changed<T: serde::Serialize>(value: &T, default: &T) -> anyhow::Result<Value> {
    let (Value::Object(mut members), default) =
        (serde_json::to_value(value)?, serde_json::to_value(default)?)
    else {
        return Ok(Value::Object(Map::new()));
    };
    members.retain(|name, member| default.get(name) != Some(member));
    Ok(Value::Object(members))
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;
    use crate::cli::{self, Cli, CliCommand};

    fn request(words: &[&str]) -> anyhow::Result<FlaggedRequest> {
        let words = ["trawl", "run"].iter().chain(words);
        let matches = cli::command().try_get_matches_from(words)?;
        let CliCommand::Run(args) = Cli::from_arg_matches(&matches)?.command else {
            panic!("another command")
        };
        of_flags(&args.request)
    }

    fn body(words: &[&str]) -> Value {
        request(words).expect("a request").body
    }

    #[test]
    fn host_alone_is_a_whole_request() {
        let expected =
            json!({"mode": "markdown", "url": "https://a.test", "scope": {}, "options": {}});
        assert_eq!(body(&["a.test"]), expected);
    }

    #[test]
    fn start_url_with_a_path_limits_the_run_unless_the_whole_site_is_wanted() {
        let limited = request(&["a.test/docs/"]).expect("a request");
        assert_eq!(limited.body["scope"], json!({"specific_route": true}));
        assert_eq!(limited.route.as_deref(), Some("/docs"));
        for words in [&["a.test/docs/", "--whole-site"][..], &["a.test/"]] {
            let whole = request(words).expect("a request");
            assert_eq!((&whole.body["scope"], whole.route), (&json!({}), None), "{words:?}");
        }
        assert_eq!(body(&["a.test/x", "--one-page"])["scope"], json!({"one_page": true}));
        assert!(request(&["a.test/x", "--whole-site", "--specific-route"]).is_err());
    }

    #[test]
    fn flags_become_members_of_the_request() {
        let words = ["a.test", "--mode", "products", "--sample-size", "5", "--concurrency", "2"];
        let more = ["--max-credit-per-unit", "3", "--on-protected", "auto", "--header", "X-A: b"];
        let body = body(&[&words[..], &more].concat());
        assert_eq!(body["options"], json!({"sample_size": 5, "concurrency": 2}));
        assert_eq!(
            (&body["max_credit_per_unit"], &body["on_protected"]),
            (&json!(3), &json!("auto"))
        );
        assert_eq!(body["headers"], json!({"X-A": "b"}));
    }

    #[test]
    fn list_cache_and_notes_become_members_of_the_request() {
        let words = ["--list-id", "lst_1", "--max-age", "3600", "--formats", "html,screenshot"];
        let more = ["--screenshot-area", "viewport", "--external", r#"{"run_id": "7"}"#];
        let body = body(&[&words[..], &more].concat());
        assert_eq!((&body["list_id"], body.get("url")), (&json!("lst_1"), None));
        assert_eq!(
            (&body["max_age"], &body["screenshot_area"]),
            (&json!(3600), &json!("viewport"))
        );
        assert_eq!(body["external"], json!({"run_id": "7"}));
        assert!(request(&["a.test", "--list-id", "lst_1"]).is_err(), "one target");
        assert!(request(&["a.test", "--external", "{"]).is_err(), "no JSON");
    }

    #[test]
    fn contacts_take_domains_and_require_a_legal_basis() {
        let words = ["--mode", "contacts", "a.test", "b.test"];
        let error = request(&words).err().expect("no basis").to_string();
        assert!(error.contains("--accept-legal-basis"), "{error}");
        let body = body(&[&words[..], &["--accept-legal-basis"]].concat());
        assert_eq!(body["domains"], json!(["a.test", "b.test"]));
        assert_eq!((&body["legal_basis_accepted"], body.get("url")), (&json!(true), None));
    }

    #[test]
    fn lists_are_read_without_empty_lines_and_comments() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "# two\nhttps://a.test/1\n\n https://a.test/2 \n")
            .expect("written");
        let path = file.path().to_str().expect("UTF-8");
        assert_eq!(
            body(&["--urls", path])["urls"],
            json!(["https://a.test/1", "https://a.test/2"])
        );
        assert!(request(&["a.test", "b.test"]).is_err(), "two URLs need a list");
    }

    #[test]
    fn lists_that_are_too_long_for_a_request_are_uploaded() {
        let list = |count: usize, padding: usize| {
            let file = tempfile::NamedTempFile::new().expect("a file");
            let line = |number| format!("https://a.test/{number}/{}\n", "x".repeat(padding));
            std::fs::write(file.path(), (0..count).map(line).collect::<String>()).expect("written");
            request(&["--urls", file.path().to_str().expect("UTF-8")]).expect("a request")
        };
        let short = list(MAX_URLS, 0);
        assert_eq!(short.body["urls"].as_array().map(Vec::len), Some(MAX_URLS));
        assert_eq!(short.long_list, None);
        for (count, padding) in [(MAX_URLS + 1, 0), (1_000, 2_000)] {
            let long = list(count, padding);
            assert_eq!(long.body.get("urls"), None);
            assert_eq!(long.long_list.expect("a list").lines().count(), count);
        }
    }
}
