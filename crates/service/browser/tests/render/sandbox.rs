//! Rights of the Chromium processes: user, sandbox, environment and profile.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use browser::{RenderFetch, RenderSettings};
use net::{FetchError, RenderFault};

use crate::{Script, get, http, lab_with, patient, processes, renderer};

/// A line of `/proc/*/status`.
fn status(process: i32, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_default().trim().to_owned()
}

/// The nice value of a process: the 19th field of `/proc/*/stat`.
fn niceness(process: i32) -> i32 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    let fields = stat.rsplit(')').next().expect("what follows the name");
    fields.split_whitespace().nth(16).and_then(|field| field.parse().ok()).expect("a number")
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_runs_unprivileged_sandboxed_and_with_a_clean_environment() {
    let lab = lab_with(Script::default().page("/", "<p>hello")).await;
    let scratch = tempfile::tempdir().expect("a folder");
    let settings = RenderSettings { scratch: Some(scratch.path().to_owned()), ..patient() };
    let is_sandboxed = !settings.no_sandbox;
    let fetch = renderer(&lab, settings);
    get(&fetch, "http://site.lab.test/").await.expect("a page");
    let found = processes::under(scratch.path());
    assert!(found.iter().any(processes::Process::is_browser), "{found:?}");
    assert!(found.iter().any(processes::Process::is_renderer), "{found:?}");
    for process in &found {
        assert!(niceness(process.id) >= 5, "{process:?} takes as much CPU time as the service");
        let users = status(process.id, "Uid");
        assert!(users.split_whitespace().all(|user| user != "0"), "{process:?} runs as {users}");
        let has_switch = process.arguments.iter().any(|argument| argument == "--no-sandbox");
        assert_eq!(has_switch && process.is_browser(), !is_sandboxed && process.is_browser());
        if process.is_renderer() && is_sandboxed {
            assert_eq!(status(process.id, "Seccomp"), "2", "{process:?}: filtered");
        }
        let environment = fs::read(format!("/proc/{}/environ", process.id)).unwrap_or_default();
        for variable in String::from_utf8_lossy(&environment).split('\0') {
            let is_ours = variable.starts_with("CARGO") || variable.starts_with("TRAWL");
            assert!(!is_ours, "{process:?} has {variable}");
        }
    }
    let folder = fs::read_dir(scratch.path()).expect("a folder").next().expect("one").expect("it");
    let home = folder.path().join("home").metadata().expect("a home");
    assert_eq!(home.mode() & 0o777, 0o700);
    let browser = found.iter().find(|process| process.is_browser()).expect("a browser");
    let user = status(browser.id, "Uid");
    assert_eq!(user.split_whitespace().next(), Some(home.uid().to_string().as_str()));
}

/// A program that writes to stderr and exits.
fn complaining(folder: &Path, complaint: &str) -> std::path::PathBuf {
    let program = folder.join("chromium");
    fs::write(&program, format!("#!/bin/sh\necho '{complaint}' >&2\nexit 1\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("rights");
    RenderFetch::find(Some(&program)).expect("a program")
}

async fn why(fetch: &RenderFetch) -> String {
    match get(fetch, "http://site.lab.test/").await {
        Err(FetchError::Renderer(RenderFault::Unavailable(why))) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn missing_sandbox_is_reported_with_its_remedy() {
    let lab = lab_with(Script::default()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let program = complaining(folder.path(), "[FATAL] No usable sandbox! If you are");
    let why = why(&RenderFetch::new(program, patient(), http(&lab))).await;
    assert!(
        why.contains("user namespaces") && why.contains("TRAWL_CHROMIUM_NO_SANDBOX=1"),
        "{why}"
    );
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn root_needs_another_user_for_the_browser() {
    let lab = lab_with(Script::default().page("/", "<p>hello")).await;
    let absent = RenderSettings { user: "no-such-user".to_owned(), ..patient() };
    let fetch = renderer(&lab, absent);
    if !rustix::process::geteuid().is_root() {
        // Not root: the browser runs as the user of the test, `user` is ignored.
        get(&fetch, "http://site.lab.test/").await.expect("a page");
        return;
    }
    assert!(why(&fetch).await.contains("chromium_user"));
    let closed = tempfile::tempdir().expect("a folder");
    fs::set_permissions(closed.path(), fs::Permissions::from_mode(0o700)).expect("rights");
    let settings = RenderSettings { scratch: Some(closed.path().to_owned()), ..patient() };
    let why = why(&renderer(&lab, settings)).await;
    assert!(why.contains("chromium_profiles") && why.contains("has no access"), "{why}");
    assert_eq!(fs::read_dir(closed.path()).expect("a folder").count(), 0);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn profiles_of_a_killed_server_are_removed_at_the_next_start() {
    let lab = lab_with(Script::default()).await;
    let scratch = tempfile::tempdir().expect("a folder");
    let left = scratch.path().join("trawl-chromium-left");
    fs::create_dir_all(left.join("home/profile")).expect("a folder");
    fs::write(left.join("in-use"), "").expect("a file");
    let settings = RenderSettings { scratch: Some(scratch.path().to_owned()), ..patient() };
    let _fetch = renderer(&lab, settings);
    assert!(!left.exists(), "removed before the first page");
}
