//! `start_run`: starts a run. Calls with the same arguments start it once.

use axum::http::{HeaderName, HeaderValue, StatusCode};
use client::{ApiCall, ApiResponse};
use contract::{
    ChangeJob, EventKind, IfBusy, JobAccepted, JobLabels, MAX_ACTIONS, Mode, PageFileFormat,
    WebhookFormat,
};
use data_encoding::HEXLOWER;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::schema::{action, strings, with_site_members};
use super::{run_arguments, schema, writing};
use crate::api_session::ApiSession;
use crate::tool_error::{ToolError, ToolResult};

pub(super) const NAME: &str = "start_run";

const KEY: &str = "idempotency_key";
/// Most deleted runs with the same arguments that are passed over for a new one.
const MAX_DELETED: u8 = 20;

/// Arguments that name the run and are no part of its request.
const LABELS: [&str; 2] = ["name", "tags"];
const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

const ABOUT: &str = "Starts a crawl and returns its job_id at once; the crawl continues in the \
    background for seconds to hours. This spends the user's credits, one unit at a time as \
    results are delivered, never more than the balance. Call estimate_run before it and make sure \
    that the user agrees with the price; set options.sample_size to try a site with a few \
    results. Safe to repeat: the same arguments within 24 hours give the same run again \
    (replayed is true) and are not charged twice. One site has one run at a time; \
    if_busy queue waits for its turn. \
    Next: get_run with wait_seconds, then read_results.";

/// Arguments that hold secrets.
const SECRETS: [&str; 5] = ["headers", "cookies", "basic_auth", "bearer", "login"];

/// Members of `webhook` that hold secrets.
const WEBHOOK_SECRETS: [&str; 2] = ["secret", "headers"];

pub(super) fn tool() -> Tool {
    let replayed = json!({"replayed": {
        "type": "boolean",
        "description": "True when this run was started before with the same arguments.",
    }});
    Tool::new(NAME, ABOUT, rmcp::model::object(input()))
        .with_title("Start a crawl")
        .with_annotations(writing().destructive(false).idempotent(true).open_world(true))
        .with_raw_output_schema(schema::response_with::<JobAccepted>(&replayed))
}

fn input() -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "mode": run_arguments::mode(),
            "url": {
                "type": "string",
                "description": "Start URL, as an absolute http or https URL. Required \
                    unless urls or domains is given. The run covers the whole host of this URL, or \
                    what is below its path if it has one, unless scope says otherwise.",
            },
            "domains": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "description": "Only for contacts, instead of url: the domains to visit, as \
                    example.com.",
            },
            "urls": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "maxItems": 10_000,
                "description": "Only for links, markdown and products, instead of url: a list \
                    of absolute URLs on any sites. Each is requested once and nothing else is; \
                    each gives one result or one skipped URL.",
            },
            "list_id": {
                "type": "string",
                "description": "Instead of urls, for up to 1,000,000 of them: the id of a list \
                    that the user uploaded with trawl list upload or POST /v1/lists, as lst_…. \
                    No tool uploads one.",
            },
            "scope": run_arguments::scope(),
            "options": run_arguments::options(),
            "on_protected": {
                "type": "string",
                "enum": contract::OnProtected::ALL,
                "description": "Action if the site is behind bot protection, \
                    where a unit costs about five times as much. pause (the default): stop and \
                    wait for confirm_run. auto: continue as long as a unit costs at most \
                    max_credit_per_unit. fail: end the run.",
            },
            "max_credit_per_unit": {
                "type": "integer",
                "minimum": 1,
                "description": "Maximum credits per unit without asking. Required with \
                    on_protected auto.",
            },
            "if_busy": {
                "type": "string",
                "enum": IfBusy::ALL,
                "description": "What happens if the account has another run on this site. \
                    reject (the default): an error that names that run. queue: the run waits for \
                    it; waits_for_job of the answer is its id.",
            },
            "legal_basis_accepted": {
                "type": "boolean",
                "description": "Required to be true for contacts, which collects personal data: \
                    the user confirms a lawful basis for processing it. Ask the user; never \
                    decide this yourself. Rejected unless the owner of the account has allowed \
                    assistants to pass it on.",
            },
            "login": {
                "type": "object",
                "properties": {
                    "url": {"type": "string", "description": "The page with the form."},
                    "actions": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": MAX_ACTIONS,
                        "items": action(),
                    },
                    "wait_for": {
                        "type": ["string", "integer"],
                        "description": "A CSS selector that only members see, or milliseconds.",
                    },
                },
                "required": ["url", "actions"],
                "additionalProperties": false,
                "description": "A login in a browser before the first page, only if the user gave \
                    the credentials. Its cookies are kept for the run.",
            },
            "formats": {
                "type": "array",
                "items": {"type": "string", "enum": PageFileFormat::ALL},
                "minItems": 1,
                "description": "Files to keep of the page of each result: html (cleaned), raw_html \
                    (as received), screenshot (renders every page in a browser, which is slow). \
                    read_results with fields [\"url\", \"files\"] has links to them, which work \
                    for 15 minutes. Not for contacts.",
            },
            "external": {
                "type": "object",
                "description": "Free-form notes that come back with the run, up to 4 KiB; \
                    user_id and run_id are strings.",
            },
            "webhook": {
                "type": "object",
                "properties": {
                    "url": {"type": "string", "description": "HTTPS URL of the receiver."},
                    "events": {
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": "string", "enum": events_of_a_run()},
                        "description": "Types of events, such as job.completed. Omitted: all.",
                    },
                    "secret": {
                        "type": "string",
                        "minLength": 32,
                        "maxLength": 200,
                        "description": "The key of the signatures, only if the user gave one. \
                            Omitted: one is generated.",
                    },
                    "headers": strings("Headers of every delivery, only if the user gave them."),
                    "format": {
                        "type": "string",
                        "enum": WebhookFormat::ALL,
                        "description": "The form of the deliveries: event (the default), or \
                            firecrawl for a receiver that expects the events of Firecrawl.",
                    },
                    "results": {
                        "type": "boolean",
                        "description": "A delivery for each result too; only in format firecrawl.",
                    },
                },
                "required": ["url"],
                "additionalProperties": false,
                "description": "Where the events of this run are sent, only if the user gave it. \
                    Give the user the webhook_secret of the answer: it is shown once.",
            },
            "name": {
                "type": "string",
                "maxLength": JobLabels::MAX_NAME_CHARS,
                "description": "A name for lists of runs, which helps the user to find it.",
            },
            "tags": {
                "type": "array",
                "maxItems": JobLabels::MAX_TAGS,
                "items": {"type": "string", "minLength": 1, "maxLength": JobLabels::MAX_TAG_CHARS},
                "description": "Tags, by which list_runs filters.",
            },
            KEY: {
                "type": "string",
                "minLength": 1,
                "maxLength": 200,
                "pattern": r"^[\x21-\x7e]+$",
                "description": "Normally omitted. To crawl the same site again within 24 \
                    hours with the same arguments, pass a word that was not used before, such as \
                    today's date and a number.",
            },
        },
        "required": ["mode"],
        "additionalProperties": false,
    });
    with_site_members(&mut schema["properties"]);
    schema
}

/// The events that a webhook of a run can name.
fn events_of_a_run() -> Vec<EventKind> {
    let all = EventKind::ALL.iter().copied();
    all.filter(|event| *event != EventKind::BillingRechargeFailed).collect()
}

pub(super) async fn call(session: &ApiSession, mut arguments: JsonObject) -> ToolResult {
    let given = match arguments.remove(KEY) {
        Some(Value::String(word)) => Some(word),
        Some(Value::Null) | None => None,
        Some(_) => return Err(ToolError::Arguments(format!("{KEY}: must be a string"))),
    };
    let labels = labels(&mut arguments)?;
    let stays_under_path = run_arguments::stay_under_path(&mut arguments);
    let body = canonical(&Value::Object(arguments));
    let mode = body["mode"].as_str().and_then(|name| name.parse::<Mode>().ok());
    let accepts =
        mode.is_some_and(Mode::requires_legal_basis) && body["legal_basis_accepted"] == true;
    if accepts && !session.may_accept_legal_basis().await {
        return Err(ToolError::LegalBasis);
    }
    let (answer, accepted) = create(session, &body, given).await?;
    if let Some(labels) = labels {
        let call = ApiCall::patch(&format!("/v1/jobs/{}", accepted.job_id)).json(&labels);
        session.answer(call).await?.check()?;
    }
    let is_replayed = answer.headers.contains_key(REPLAYED);
    let id = &accepted.job_id;
    let route = match stays_under_path {
        true => {
            " It stays below the path of the URL; for the whole site pass scope.specific_route false."
        }
        false => "",
    };
    let next = if is_replayed {
        format!(
            "No new run was started: this run was started at {} with the same arguments. Show \
             it with get_run (job_id {id}). If the user really wants another one, call start_run \
             again with a new {KEY}.",
            accepted.created_at
        )
    } else {
        format!("The run has started.{route} Call get_run with job_id {id} and wait_seconds 50.")
    };
    let mut response = schema::with_next(&accepted, &next);
    response["replayed"] = is_replayed.into();
    Ok(CallToolResult::structured(response))
}

/// Creates the run. A run with the same arguments that was deleted since is not replayed: the arguments
/// ask for a new one.
async fn create(
    session: &ApiSession,
    body: &Value,
    mut given: Option<String>,
) -> ToolResult<(ApiResponse, JobAccepted)> {
    let mut deleted = 0;
    loop {
        let key = HeaderValue::from_str(&idempotency_key(body, given.as_deref()))
            .map_err(|_| ToolError::Arguments(format!("{KEY}: must be printable ASCII")))?;
        let call = ApiCall::post("/v1/jobs").json(body).header(HEADER, key);
        let answer = session.answer(call).await?;
        let accepted: JobAccepted = answer.json()?;
        if deleted == MAX_DELETED || !answer.headers.contains_key(REPLAYED) {
            return Ok((answer, accepted));
        }
        let found = session.answer(ApiCall::get(&format!("/v1/jobs/{}", accepted.job_id))).await?;
        if found.status != StatusCode::NOT_FOUND {
            return Ok((answer, accepted));
        }
        deleted += 1;
        given = Some(accepted.job_id.to_string());
    }
}

/// Takes name and tags out of the arguments. They are checked before a run is created.
fn labels(arguments: &mut JsonObject) -> Result<Option<ChangeJob>, ToolError> {
    let given = LABELS.iter().filter_map(|name| arguments.remove_entry(*name));
    let given: JsonObject = given.filter(|(_, value)| !value.is_null()).collect();
    if given.is_empty() {
        return Ok(None);
    }
    let invalid = |error: serde_json::Error| ToolError::Arguments(error.to_string());
    let labels: ChangeJob = serde_json::from_value(Value::Object(given)).map_err(invalid)?;
    if let Some(wrong) = labels.name.as_deref().and_then(JobLabels::wrong_name) {
        return Err(ToolError::Arguments(format!("name: {wrong}")));
    }
    let tags = labels.tags.iter().flatten();
    match tags.clone().find_map(|tag| JobLabels::wrong_tag(tag)) {
        Some(wrong) => Err(ToolError::Arguments(format!("tags: {wrong}"))),
        None if tags.count() > JobLabels::MAX_TAGS => {
            Err(ToolError::Arguments(format!("tags: at most {}", JobLabels::MAX_TAGS)))
        }
        None => Ok(Some(labels)),
    }
}

/// The `Idempotency-Key` of the run: a hash of the arguments and of the key that was given to
/// repeat a run. A model that lost the response calls with the same arguments. Secrets are left out:
/// the key is stored as it is.
fn idempotency_key(body: &Value, given: Option<&str>) -> String {
    let mut body = body.clone();
    if let Some(members) = body.as_object_mut() {
        members.retain(|name, _| !SECRETS.contains(&name.as_str()));
    }
    if let Some(members) = body.get_mut("webhook").and_then(Value::as_object_mut) {
        members.retain(|name, _| !WEBHOOK_SECRETS.contains(&name.as_str()));
    }
    let mut hash = Sha256::new();
    hash.update(given.unwrap_or_default());
    hash.update([0]);
    hash.update(body.to_string());
    format!("mcp-{}", HEXLOWER.encode(&hash.finalize()))
}

/// The value with sorted members and without null members, which mean the same as omitted ones.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().filter(|(_, value)| !value.is_null()).collect();
            members.sort_by_key(|(name, _)| name.as_str());
            let members = members.into_iter().map(|(name, value)| (name.clone(), canonical(value)));
            Value::Object(members.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contract::{BasicAuth, JobRequest, JobWebhook, Options, PageAction, Scope, SiteLogin};
    use utoipa::PartialSchema;

    use super::*;

    fn members(schema: &Value) -> BTreeSet<String> {
        schema["properties"].as_object().expect("members").keys().cloned().collect()
    }

    #[test]
    fn input_schema_has_the_members_of_the_api_request() {
        let of = |schema| members(&serde_json::to_value(schema).expect("JSON"));
        let mut own = members(&input());
        for name in LABELS.iter().chain([&KEY]) {
            assert!(own.remove(*name), "{name}");
        }
        assert_eq!(own, of(JobRequest::schema()));
        assert_eq!(members(&input()["properties"]["scope"]), of(Scope::schema()));
        assert_eq!(members(&input()["properties"]["options"]), of(Options::schema()));
    }

    #[test]
    fn nested_arguments_have_the_members_of_the_api_request() {
        let of = |schema| members(&serde_json::to_value(schema).expect("JSON"));
        let own = &input()["properties"];
        assert_eq!(members(&own["webhook"]), of(JobWebhook::schema()));
        assert_eq!(members(&own["login"]), of(SiteLogin::schema()));
        assert_eq!(members(&own["basic_auth"]), of(BasicAuth::schema()));
        assert_eq!(members(&own["actions"]["items"]), of(PageAction::schema()));
        assert_eq!(
            members(&own["login"]["properties"]["actions"]["items"]),
            of(PageAction::schema())
        );
    }

    #[test]
    fn labels_are_checked_before_a_run_is_created() {
        let of = |value: Value| labels(&mut rmcp::model::object(value));
        assert!(of(json!({"mode": "links", "name": null})).expect("none").is_none());
        let valid = of(json!({"name": "Shop", "tags": ["a"]})).expect("valid").expect("labels");
        assert_eq!((valid.name.as_deref(), valid.tags), (Some("Shop"), Some(vec!["a".to_owned()])));
        for wrong in [json!({"name": 1}), json!({"tags": ["a,b"]}), json!({"tags": vec!["a"; 11]})]
        {
            assert!(of(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn idempotency_key_depends_on_arguments_only() {
        let key = |body: Value, given| idempotency_key(&canonical(&body), given);
        let body = json!({"mode": "links", "url": "https://a/", "scope": {"one_page": true}});
        let same = json!({"url": "https://a/", "scope": {"one_page": true}, "on_protected": null,
            "mode": "links"});
        assert_eq!(key(body.clone(), None), key(same, None));
        assert_ne!(key(body.clone(), None), key(json!({"mode": "links"}), None));
        assert_ne!(key(body.clone(), None), key(body.clone(), Some("again")));
        let mut member = body.clone();
        member["cookies"] = json!({"id": "s3cret"});
        assert_eq!(key(member, None), key(body.clone(), None), "secrets are no part of it");
        let webhook = |more: Value| {
            let mut member = body.clone();
            member["webhook"] = json!({"url": "https://b/"});
            for (name, value) in more.as_object().expect("members") {
                member["webhook"][name] = value.clone();
            }
            key(member, None)
        };
        let secrets = json!({"secret": "s3cret", "headers": {"X-Token": "s3cret"}});
        assert_eq!(webhook(secrets), webhook(json!({})), "nor are those of a webhook");
        assert_ne!(webhook(json!({"events": ["job.failed"]})), webhook(json!({})));
        let key = key(body, None);
        assert!(key.len() <= 255 && key.is_ascii());
    }
}
