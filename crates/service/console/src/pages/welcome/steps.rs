//! The first steps of an account: a sample run, the first API call, an assistant, a schedule.

use contract::JobId;
use maud::{Markup, html};
use store::FirstSteps;

use crate::ConsoleUser;

/// Keys that were just created, to be shown once.
#[derive(Default)]
pub(super) struct StepKeys {
    pub code: Option<String>,
    pub assistant: Option<String>,
}

runtime::partial_debug!(StepKeys);

/// Shown instead of a key.
const NO_KEY: &str = "key_live_…";

/// The names of the steps that are taken.
pub(super) fn taken(steps: &FirstSteps) -> Vec<&'static str> {
    let all = [
        ("sample", steps.sample_run.is_some()),
        ("call", steps.has_called),
        ("assistant", steps.has_assistant),
        ("schedule", steps.has_schedule),
    ];
    all.into_iter().filter(|(_, is_taken)| *is_taken).map(|(name, _)| name).collect()
}

pub(super) fn show(steps: &FirstSteps, keys: &StepKeys, user: &ConsoleUser) -> Markup {
    let url = user.state.settings.public_url.as_str();
    let taken = taken(steps);
    let step = |name: &'static str, title: &str, content: &Markup| {
        let is_taken = taken.contains(&name);
        html! {
            li.step data-step=(name) data-taken[is_taken] {
                h3 { (title) " " span.chip.good { "done" } }
                (content)
            }
        }
    };
    html! {
        section aria-labelledby="steps-title" {
            h2 #steps-title { "First steps" }
            p.quiet #steps-state aria-live="polite" { (taken.len()) " of 4 done" }
            ol.steps #steps {
                (step("sample", "Run a sample", &sample(steps)))
                (step("call", "Call it from your code", &call(steps, keys.code.as_deref(), url, user)))
                (step("assistant", "Connect your assistant", &assistant(keys.assistant.as_deref(), url, user)))
                (step("schedule", "Schedule it", &schedule(steps)))
            }
        }
    }
}

fn sample(steps: &FirstSteps) -> Markup {
    html! {
        @match &steps.sample_run {
            Some(job) => p { a href={ "/runs/" (job) } { "Open the sample run" } },
            None => p { "Choose one of the sample sites above. It takes some seconds." },
        }
    }
}

fn call(steps: &FirstSteps, key: Option<&str>, url: &str, user: &ConsoleUser) -> Markup {
    let code = python(key, url, steps.sample_run.as_ref());
    html! {
        p { "Prints the results of a run. Python has all that it needs." }
        (copied("code", &code))
        @match key {
            Some(_) => p.hint { "The key is shown once. It can spend your credits." },
            None => (new_key("code", "Create a key and put it in", user)),
        }
    }
}

/// A program that prints the URLs of a run.
fn python(key: Option<&str>, url: &str, job: Option<&JobId>) -> String {
    let key = key.unwrap_or(NO_KEY);
    let path = job.map_or_else(|| "/v1/jobs".to_owned(), |job| format!("/v1/jobs/{job}/results"));
    format!(
        "import json, urllib.request\n\nrequest = urllib.request.Request(\n    \
         \"{url}{path}\",\n    headers={{\"Authorization\": \"Bearer {key}\"}},\n)\n\
         with urllib.request.urlopen(request) as answer:\n    \
         for item in json.load(answer)[\"items\"]:\n        print(item[\"url\"])\n"
    )
}

fn assistant(key: Option<&str>, url: &str, user: &ConsoleUser) -> Markup {
    let shown = key.unwrap_or(NO_KEY);
    let line = format!(
        "claude mcp add --transport http trawl {url}/mcp \\\n  --header \"Authorization: Bearer {shown}\""
    );
    let file = format!(
        "{{\"mcpServers\": {{\"trawl\": {{\"url\": \"{url}/mcp\",\n  \
         \"headers\": {{\"Authorization\": \"Bearer {shown}\"}}}}}}}}"
    );
    html! {
        p { "Claude Code:" }
        (copied("claude", &line))
        p { "Cursor, VS Code and others, in their file for MCP servers:" }
        (copied("servers", &file))
        @match key {
            Some(_) => p.hint { "The key is shown once. It can spend your credits." },
            None => (new_key("assistant", "Create a key for an assistant", user)),
        }
    }
}

fn schedule(steps: &FirstSteps) -> Markup {
    let from = steps.sample_run.as_ref().map(|job| format!("?from={job}")).unwrap_or_default();
    html! {
        p { "A run that starts again every day shows what has changed." }
        p { a.button href={ "/schedules/new" (from) } { "Create a schedule" } }
    }
}

/// A text with a button that copies it.
fn copied(id: &str, text: &str) -> Markup {
    html! {
        pre.request id=(id) tabindex="0" { (text) }
        p.copied { button type="button" data-copies=(id) hidden { "Copy" } }
    }
}

fn new_key(purpose: &str, label: &str, user: &ConsoleUser) -> Markup {
    html! {
        form method="post" action="/welcome/key" {
            (user.form_token())
            input type="hidden" name="for" value=(purpose);
            button type="submit" { (label) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_the_key_and_the_run() {
        let job: JobId = "job_019a8671c5f87a3b9c1d2e3f40516273".parse().expect("an id");
        let code = python(Some("key_live_1"), "http://a.test", Some(&job));
        assert!(code.contains("Bearer key_live_1") && code.contains(&format!("/{job}/results")));
        assert!(python(None, "http://a.test", None).contains("\"http://a.test/v1/jobs\""));
    }

    #[test]
    fn taken_steps_have_their_names() {
        let steps = FirstSteps { has_called: true, has_schedule: true, ..FirstSteps::default() };
        assert_eq!(taken(&steps), ["call", "schedule"]);
    }
}
