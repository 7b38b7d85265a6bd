//! The first five minutes of a new account, in a real browser.

use lab::{Handbook, Lab};
use serde_json::json;

use super::browser;
use crate::server::{Server, Setup};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium, Node.js and Playwright: scripts/test installs them"]
async fn new_account_gets_from_its_link_to_an_own_run_in_a_browser() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("handbook.lab", Handbook { chapters: 3, sections: 4 });
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_RESOLVE", lab.name_table());
    let mut server = Server::start(&setup).await;
    let line = server.credentials_line("/welcome?once=");
    let once = line.split("once=").nth(1).and_then(|rest| rest.split_whitespace().next());
    let stage = json!({
        "url": server.url,
        "once": once.expect("a token"),
        "own": "http://handbook.lab/chapter-1/section-1",
    });
    let mut command = tokio::process::Command::new("node");
    command.arg(browser().join("welcome.mjs")).env("TRAWL_STAGE", stage.to_string());
    let ended = command.kill_on_drop(true).output().await.expect("node runs");
    let stdout = String::from_utf8_lossy(&ended.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&ended.stderr).into_owned();
    let logged = server.logged.lock().expect("no panic").clone();
    assert!(ended.status.success(), "log of the server:\n{logged}\n{wrong}\nproblems:\n{stdout}");
}

#[tokio::test(flavor = "multi_thread")]
async fn first_start_writes_a_link_that_signs_in_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(folder.path())).await;
    let line = server.credentials_line("/welcome?once=");
    let link = line.split_whitespace().find(|word| word.starts_with("http")).expect("a link");
    assert!(link.starts_with(&server.url), "{link} is not at {}", server.url);
    let visitor = super::visitor();
    for (number, is_signed_in) in [(1, true), (2, false)] {
        let answer = visitor.get(link).header("accept", "text/html").send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 303);
        let has_cookie = answer.headers().contains_key("set-cookie");
        assert_eq!(has_cookie, is_signed_in, "request {number}");
    }
}
