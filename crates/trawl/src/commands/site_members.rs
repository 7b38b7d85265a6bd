//! The members of a request that the flags about the access to a site set.

use std::path::Path;

use anyhow::Context as _;
use api::ApiSettings;
use contract::{JobRequest, Mode, ReadPage, RequestPolicy as _, SiteAccess};
use serde_json::{Map, Value, json};
use urls::CanonicalUrl;

use super::Exit;
use crate::cli::SiteFlags;
use crate::exit::{CommandFailure, fail};
use crate::settings::Settings;

/// The members of the flags, with the names of the API.
pub fn members(flags: &SiteFlags) -> anyhow::Result<Map<String, Value>> {
    let mut members = Map::new();
    members.insert("render".to_owned(), json!(flags.render));
    if let Some(device) = &flags.device {
        members.insert("device".to_owned(), json!(device));
    }
    for (name, values) in [
        ("headers", pairs(&flags.headers, ':', "header")?),
        ("cookies", pairs(&flags.cookies, '=', "cookie")?),
    ] {
        if !values.is_empty() {
            members.insert(name.to_owned(), Value::Object(values));
        }
    }
    if let Some(wait) = &flags.wait_for {
        let wait = wait.parse::<u64>().map_or_else(|_| json!(wait), |ms| json!(ms));
        members.insert("wait_for".to_owned(), wait);
    }
    if let Some(path) = &flags.actions {
        members.insert("actions".to_owned(), json_file(path, "--actions")?);
    }
    if let Some((username, password)) =
        flags.basic_auth.as_deref().map(|basic| basic.split_once(':').unwrap_or((basic, "")))
    {
        let basic = json!({"username": username, "password": password});
        members.insert("basic_auth".to_owned(), basic);
    }
    if let Some(token) = &flags.bearer {
        members.insert("bearer".to_owned(), json!(token));
    }
    Ok(members)
}

/// The names and values of a flag that is repeated.
pub fn pairs(
    entries: &[String],
    separator: char,
    flag: &str,
) -> Result<Map<String, Value>, CommandFailure> {
    let pairs = entries.iter().map(|entry| {
        let (name, value) = entry.split_once(separator).ok_or_else(|| {
            Exit::Usage.with(format!("--{flag} needs a name, {separator} and a value"))
        })?;
        Ok((name.trim().to_owned(), Value::from(value.trim())))
    });
    pairs.collect()
}

/// The JSON in the file of a flag.
pub fn json_file(path: &Path, flag: &str) -> anyhow::Result<Value> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the file {} of {flag}", path.display()))?;
    let invalid = |cause| Exit::Usage.with(format!("{flag} is not valid JSON: {cause}"));
    Ok(serde_json::from_str(&text).map_err(invalid)?)
}

/// Reads a request for one page, which has the URL and the members of the flags.
pub fn page_request(body: &Value, settings: &Settings) -> anyhow::Result<ReadPage> {
    match ReadPage::from_json(body, &policy(settings)) {
        Ok((request, _)) => Ok(request),
        Err(invalid) => first_error(&invalid.errors),
    }
}

/// The members that a run has and a page that is read at once has not, or has in another way.
#[derive(Debug, Clone, Copy)]
pub struct AccessOfRun<'a> {
    pub login: Option<&'a Path>,
    pub formats: &'a [String],
    pub screenshot_area: Option<&'a str>,
}

/// The access to the site of a crawl with these starts; none for a list of domains.
pub fn access(
    flags: &SiteFlags,
    run: AccessOfRun<'_>,
    starts: &[CanonicalUrl],
    settings: &Settings,
) -> anyhow::Result<SiteAccess> {
    let mut members = members(flags)?;
    if !run.formats.is_empty() {
        members.insert("formats".to_owned(), json!(run.formats));
    }
    if let Some(area) = run.screenshot_area {
        members.insert("screenshot_area".to_owned(), json!(area));
    }
    if let Some(path) = run.login {
        members.insert("login".to_owned(), json_file(path, "--login")?);
    }
    let Some(start) = starts.first() else {
        let is_default = flags.render == "auto" && members.len() == 1;
        if !is_default {
            fail!(Usage, "headers, credentials and rendering need one URL, not a list of domains");
        }
        return Ok(SiteAccess::default());
    };
    members.insert("mode".to_owned(), json!(Mode::PRESELECTED));
    members.insert("url".to_owned(), json!(start.as_str()));
    let access = match JobRequest::from_json(&Value::Object(members), &policy(settings)) {
        Ok((request, _)) => request.access(),
        Err(invalid) => return first_error(&invalid.errors),
    };
    if access.has_secrets()
        && let Err(message) = policy(settings).check_one_origin(starts)
    {
        fail!(Usage, "a header, a cookie or a login {message}");
    }
    Ok(access)
}

/// The checks of the API. Whether there is a browser is checked when it is known.
fn policy(settings: &Settings) -> ApiSettings {
    ApiSettings { browser: true, ..settings.api() }
}

fn first_error<T>(errors: &[contract::FieldError]) -> anyhow::Result<T> {
    let wrong = errors.first();
    let (field, message) =
        wrong.map_or(("", ""), |wrong| (wrong.field.as_str(), wrong.message.as_str()));
    fail!(Usage, "{field} {message}")
}
