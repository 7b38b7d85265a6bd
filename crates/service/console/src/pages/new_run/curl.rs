//! The request as a `curl` command.

use maud::{Markup, html};
use serde_json::Value;

/// Longer requests are read from a file.
const MAX_INLINE_BYTES: usize = 4_000;

/// A curl command that starts the run. The key comes from the environment, so that it is not in
/// the shell history.
pub(crate) fn line(public_url: &str, body: &Value) -> String {
    line_of(public_url, "/v1/jobs", body)
}

/// A curl command for another operation.
pub(crate) fn line_of(public_url: &str, path: &str, body: &Value) -> String {
    let body = body.to_string();
    let body =
        if body.len() > MAX_INLINE_BYTES { "@request.json".to_owned() } else { quoted(&body) };
    format!(
        "curl -s {} \\\n  -H \"Authorization: Bearer $TRAWL_KEY\" \\\n  \
         -H 'Content-Type: application/json' \\\n  -d {body}",
        quoted(&format!("{public_url}{path}")),
    )
}

/// The command in a box with a button that copies it. The page needs `COPY_JS`.
pub(crate) fn panel(line: &str) -> Markup {
    html! {
        section.panel aria-labelledby="request-title" {
            div.head {
                h2 #request-title { "The same request with the API" }
                div.actions {
                    button type="button" data-copies="request" hidden { "Copy" }
                }
            }
            pre.request #request tabindex="0" { (line) }
        }
    }
}

/// Quotes a text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shell_quoting_prevents_injection() {
        let body = json!({"url": "https://a.test/'; rm -rf $HOME; '"});
        let line = line("https://trawl.example", &body);
        let said = std::process::Command::new("sh")
            .args(["-c", &line.replace("curl -s", "printf '%s\\n'")])
            .env("TRAWL_KEY", "key_live_1")
            .env("HOME", "/nowhere")
            .output()
            .expect("a shell");
        let words = String::from_utf8(said.stdout).expect("text");
        let expected = [
            "https://trawl.example/v1/jobs",
            "-H",
            "Authorization: Bearer key_live_1",
            "-H",
            "Content-Type: application/json",
            "-d",
            &body.to_string(),
        ];
        assert_eq!(words.lines().collect::<Vec<_>>(), expected);
    }
}
