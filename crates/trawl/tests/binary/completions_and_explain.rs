//! `trawl completions` and `trawl explain`.

use std::process::Command;

use contract::{ErrorCode, ProblemCode};

use crate::server::{output, text, trawl};

fn script(shell: &str) -> String {
    let ended = output(trawl().args(["completions", shell]));
    assert!(ended.status.success(), "{shell}: {}", text(&ended.stderr));
    text(&ended.stdout)
}

/// The completions of bash for an unfinished line.
fn offered(words: &[&str]) -> Vec<String> {
    let line = words.join(" ");
    let list: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    let ask = format!(
        "source /dev/stdin\nCOMP_WORDS=({})\nCOMP_CWORD={}\nCOMP_LINE='{line}'\n\
         _trawl trawl '{}' '{}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        list.join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), script("bash")).expect("written");
    let ended = Command::new("bash")
        .args(["--norc", "-c", &ask])
        .stdin(std::fs::File::open(file.path()).expect("it is there"))
        .output()
        .expect("bash runs");
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    text(&ended.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_flags_and_values() {
    assert_eq!(offered(&["trawl", "ser"]), ["serve"]);
    assert_eq!(offered(&["trawl", "completions", "z"]), ["zsh"]);
    assert_eq!(offered(&["trawl", "mcp", "--u"]), ["--url"]);
    assert!(offered(&["trawl", "account", "gra"]).contains(&"grant".to_owned()));
}

#[test]
fn completion_scripts_contain_all_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = script(shell);
        for command in ["serve", "crawl", "mcp", "explain"] {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    let refused = output(trawl().args(["completions", "tcsh"]));
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn codes_are_explained_and_typos_get_suggestions() {
    let known = output(trawl().args(["explain", "insufficient_credits"]));
    assert!(known.status.success());
    let remedy = ProblemCode::InsufficientCredits.guide().remedy;
    assert!(text(&known.stdout).contains(remedy));
    // A code of both lists is explained for both.
    let both = text(&output(trawl().args(["explain", "rate_limited"])).stdout);
    assert!(both.contains(ProblemCode::RateLimited.guide().remedy));
    assert!(both.contains(ErrorCode::RateLimited.guide().remedy));
    let near = output(trawl().args(["explain", "nodata"]));
    assert_eq!(near.status.code(), Some(1));
    assert!(text(&near.stderr).contains("did you mean no_data?"), "{}", text(&near.stderr));
    let all = text(&output(trawl().arg("explain")).stdout);
    for code in ErrorCode::ALL {
        assert!(all.contains(code.as_str()), "{code}");
    }
}
