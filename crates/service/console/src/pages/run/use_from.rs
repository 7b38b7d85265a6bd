//! Programs that read the results of this run, with its id filled in.

use axum::response::Response;
use contract::JobId;
use maud::{Markup, html};

use super::RunPage;
use super::tab::RunTab;

pub(super) async fn show(run: RunPage) -> Response {
    let url = &run.user.state.settings.public_url;
    let content = html! {
        p {
            "These programs read all results of this run, also while it continues. They take the key \
             from the environment: " code { "export TRAWL_KEY=key_live_…" } ". "
            a href="/account/keys" { "Create a key" } "."
        }
        @for snippet in snippets(url, &run.job.id) { (snippet.show()) }
    };
    run.tab(RunTab::Use, &content)
}

/// A program in one language.
struct CodeSnippet {
    id: &'static str,
    title: &'static str,
    hint: &'static str,
    code: String,
}

impl CodeSnippet {
    fn show(&self) -> Markup {
        let (title_id, code_id) = (format!("{}-title", self.id), format!("{}-code", self.id));
        html! {
            section.panel aria-labelledby=(title_id) {
                div.copyline {
                    h2 id=(title_id) { (self.title) }
                    button type="button" data-copies=(code_id) hidden
                        aria-label={ "Copy " (self.title) } { "Copy" }
                }
                pre.request tabindex="0" id=(code_id) { (self.code) }
                p.hint { (self.hint) }
            }
        }
    }
}

fn snippets(url: &str, job: &JobId) -> [CodeSnippet; 5] {
    [
        CodeSnippet {
            id: "curl",
            title: "curl",
            hint: "One result as JSON on each line.",
            code: format!(
                "curl -s '{url}/v1/jobs/{job}/results' \\\n  -H \"Authorization: Bearer $TRAWL_KEY\" \\\n  \
                 -H 'Accept: application/x-ndjson'"
            ),
        },
        CodeSnippet {
            id: "python",
            title: "Python",
            hint: "Needs the standard library only.",
            code: format!(
                r#"import json, os, urllib.request

request = urllib.request.Request(
    "{url}/v1/jobs/{job}/results",
    headers={{
        "Authorization": "Bearer " + os.environ["TRAWL_KEY"],
        "Accept": "application/x-ndjson",
    }},
)
with urllib.request.urlopen(request) as lines:
    for line in lines:
        if line.strip():
            print(json.loads(line))"#
            ),
        },
        CodeSnippet {
            id: "javascript",
            title: "JavaScript",
            hint: "Node.js 20 or later, as a module; without packages.",
            code: format!(
                r#"const headers = {{
  authorization: `Bearer ${{process.env.TRAWL_KEY}}`,
  accept: "application/x-ndjson",
}};
const answer = await fetch("{url}/v1/jobs/{job}/results", {{ headers }});
if (!answer.ok) throw new Error(await answer.text());
for (const line of (await answer.text()).split("\n")) {{
  if (line) console.log(JSON.parse(line));
}}"#
            ),
        },
        CodeSnippet {
            id: "cli",
            title: "Command line",
            hint: "On the server. The format follows from the name of the file: .jsonl, .csv, .xlsx and others.",
            code: format!("trawl export {job} -o results.csv"),
        },
        CodeSnippet {
            id: "mcp",
            title: "Assistant (MCP)",
            hint: "A message to an assistant that is connected to this server.",
            code: format!("Read the results of run {job} with read_results and summarise them."),
        },
    ]
}

#[cfg(test)]
mod tests {
    use contract::Millis;

    use super::*;

    #[test]
    fn every_program_has_the_id_of_the_run() {
        let job = JobId::new(Millis(1), [7; 10]);
        for snippet in snippets("https://trawl.example", &job) {
            assert!(snippet.code.contains(job.as_str()), "{}", snippet.title);
            assert!(!snippet.code.contains("key_"), "no key is shown: {}", snippet.title);
        }
    }
}
