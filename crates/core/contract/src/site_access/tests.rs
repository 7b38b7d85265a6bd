//! Reading and hiding of what a request says about the access to a site.

use serde_json::{Value, json};

use super::*;
use crate::{JobRequest, Mode};

/// Accepts all URLs; a URL is of the origin that its first character names.
struct Letters;

impl RequestPolicy for Letters {
    type Url = String;
    type Domain = String;

    fn max_domains(&self) -> usize {
        9
    }

    fn check_mode(&self, _: Mode) -> Result<(), String> {
        Ok(())
    }

    fn check_rendering(&self) -> Result<(), String> {
        Ok(())
    }

    fn check_one_origin(&self, urls: &[String]) -> Result<(), String> {
        let mut letters: Vec<_> = urls.iter().map(|url| url.chars().next()).collect();
        letters.dedup();
        if letters.len() > 1 { Err("have two origins".to_owned()) } else { Ok(()) }
    }

    fn check_login(&self, start: &String, login: &String) -> Result<(), String> {
        self.check_one_origin(&[start.clone(), login.clone()])
    }

    fn parse_url(&self, text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }

    fn parse_domain(&self, text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }

    fn check_domains(&self, _: &[String]) -> Result<(), String> {
        Ok(())
    }
}

fn read(more: Value) -> Result<SiteAccess, Vec<String>> {
    let mut body = json!({"mode": "links"});
    let Value::Object(more) = more else { panic!("an object") };
    body.as_object_mut().expect("an object").extend(more);
    match JobRequest::from_json(&body, &Letters) {
        Ok((request, _)) => Ok(request.access()),
        Err(invalid) => Err(invalid.errors.into_iter().map(|error| error.field).collect()),
    }
}

fn whole() -> Value {
    json!({
        "url": "a.test",
        "headers": {"X-Token": "s3cret"},
        "cookies": {"id": "s3cret"},
        "basic_auth": {"username": "ada", "password": "s3cret"},
        "login": {"url": "a.test/login", "wait_for": "#in", "actions": [
            {"type": "type", "selector": "#password", "text": "s3cret"},
            {"type": "click", "selector": "#go"},
        ]},
        "render": "always",
        "device": "mobile",
        "wait_for": 100,
        "actions": [{"type": "scroll"}],
    })
}

#[test]
fn secrets_are_hidden_and_their_names_are_not() {
    let access = read(whole()).expect("a valid request");
    assert!(access.has_secrets() && access.always_renders());
    let hidden = access.hidden();
    let shown = serde_json::to_string(&hidden).expect("JSON");
    assert!(!shown.contains("s3cret") && shown.contains("X-Token"), "{shown}");
    assert!(shown.contains("#password") && shown.contains(HIDDEN), "{shown}");
    assert!(!format!("{access:?}").contains("s3cret"), "{access:?}");
    let whole = serde_json::to_value(&access).expect("JSON");
    assert_eq!(serde_json::from_value::<SiteAccess>(whole).expect("JSON"), access);
    let bearer = read(json!({"url": "a.test", "bearer": "s3cret"})).expect("a valid request");
    assert_eq!(bearer.hidden().bearer, Some(SecretText::new(HIDDEN)));
    assert!(SiteAccess::default().is_default() && !SiteAccess::default().has_secrets());
}

#[test]
fn values_that_answers_hide_are_refused() {
    let access = read(whole()).expect("a valid request").hidden();
    let mut body = serde_json::to_value(&access).expect("JSON");
    body["url"] = "a.test".into();
    let expected = ["headers.X-Token", "cookies.id", "basic_auth.password", "login.actions"]
        .map(str::to_owned);
    assert_eq!(read(body), Err(expected.to_vec()));
}

#[test]
fn secrets_need_one_origin_and_no_domains() {
    let lists = |more: Value| {
        let mut body = json!({"urls": ["a.test/1", "b.test/2"]});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("it").clone());
        read(body)
    };
    assert_eq!(lists(json!({"bearer": "s3cret"})), Err(vec!["bearer".to_owned()]));
    assert!(lists(json!({"render": "always", "wait_for": "#a"})).is_ok());
    assert!(read(json!({"urls": ["a.test/1", "a.test/2"], "bearer": "s3cret"})).is_ok());
    let domains = json!({"mode": "contacts", "domains": ["a.test"], "bearer": "s3cret",
        "render": "never", "legal_basis_accepted": true});
    assert_eq!(read(domains), Err(vec!["bearer".to_owned(), "render".to_owned()]));
}

#[test]
fn incomplete_and_contradictory_logins_are_errors() {
    let with = |more: Value| {
        let mut body = json!({"url": "a.test"});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("it").clone());
        read(body).expect_err("an invalid request")
    };
    let step = json!([{"type": "click", "selector": "#go"}]);
    for (login, wrong) in [
        (json!({}), vec!["login.url", "login.actions"]),
        (json!({"url": "a.test/login", "actions": []}), vec!["login.actions"]),
        (json!({"url": "a.test/login", "actions": [{}]}), vec!["login.actions[0].type"]),
        (json!({"url": "b.test/login", "actions": step}), vec!["login.url"]),
        (json!({"url": "http://a:b@a.test/", "actions": step}), vec!["login.url"]),
        (json!({"url": "a.test/login", "actions": step, "x": 1}), vec!["login.x"]),
    ] {
        assert_eq!(with(json!({"login": login})), wrong, "{login}");
    }
    let login = json!({"url": "a.test/login", "actions": step});
    let cookie = json!({"login": login, "headers": {"cookie": "a=1"}});
    assert_eq!(with(cookie), ["headers.Cookie"]);
    assert_eq!(with(json!({"render": "never", "actions": step})), ["render"]);
    let never = read(json!({"url": "a.test", "render": "never", "login": login}));
    assert!(never.is_ok(), "a login needs the browser, the pages do not");
}

#[test]
fn password_in_a_url_is_refused_with_a_hint() {
    for body in [
        json!({"mode": "links", "url": "https://ada:s3cret@a.test/"}),
        json!({"mode": "links", "urls": ["https://ada:s3cret@a.test/"]}),
    ] {
        let invalid = JobRequest::from_json(&body, &Letters).expect_err("a password");
        let message = &invalid.errors[0].message;
        assert!(message.contains("basic_auth") && !message.contains("s3cret"), "{message}");
    }
}
