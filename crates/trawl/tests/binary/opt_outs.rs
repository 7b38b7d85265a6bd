//! Acceptances, opt-outs and erasure on the command line, next to a running server, on both
//! databases.

use std::path::Path;

use fixture::{NOW, contact_item, contacts_commit, new_contacts_job};
use serde_json::Value;
use store::{Appended, Store};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text};

const ADA: &str = "ada.lovelace@firm.test";

fn run_command(setup: &Setup, words: &[&str]) -> (Option<i32>, String, String) {
    let ended = output(setup.other().args(words));
    (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
}

fn json_output(setup: &Setup, words: &[&str]) -> Value {
    let (code, stdout, complaint) = run_command(setup, words);
    assert_eq!(code, Some(0), "{complaint}");
    serde_json::from_str(&stdout).expect("JSON")
}

/// Creates a running contacts job with a record of two people and returns its id.
async fn job_with_record(store: &Store) -> String {
    let account = fixture::account(store, 100).await;
    let mut lease = fixture::running(store, &new_contacts_job(&account, &["firm.test"])).await;
    let record = contact_item("firm.test", &["Ada Lovelace", "Bob Bit"]);
    let (commit, items) = contacts_commit(0, vec![record]);
    let appended = store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert_eq!(appended.expect("it answers"), Appended::Stored);
    lease.job.to_string()
}

async fn acceptances_opt_outs_and_erasure_work_next_to_a_server(kind: Kind) {
    let folder = tempfile::tempdir().expect("a folder");
    let database = database::fresh(kind).await;
    let setup = Setup::new(folder.path()).with("TRAWL_DATABASE", &database);
    let mut server = Server::start(&setup.clone().argument("--role").argument("api")).await;
    let _ = server.first_key();
    let store = database::open(&database, &setup.data).await;
    let job = job_with_record(&store).await;
    let key = json_output(&setup, &["key", "create", "--email", "ada@example.com", "--json"]);
    let key = key["key"].as_str().expect("a secret");

    let accepted = json_output(&setup, &["account", "acceptances", "--json"]);
    assert_eq!(
        (&accepted[0]["job_id"], &accepted[0]["terms"]),
        (&job.as_str().into(), &"5.7".into())
    );
    assert_eq!(accepted[0]["email"], "ada@example.com");
    let (code, table, _) = run_command(&setup, &["account", "acceptances", "ada@example.com"]);
    assert_eq!(code, Some(0));
    assert!(table.starts_with("accepted ") && table.contains(&job), "{table}");
    let of = accepted[0]["account_id"].as_str().expect("an id");
    assert_eq!(json_output(&setup, &["account", "acceptances", of, "--json"]), accepted);
    assert_eq!(run_command(&setup, &["account", "acceptances", "nobody@example.com"]).0, Some(1));

    let before = server.results(key, &job).await;
    let rehearsal = json_output(&setup, &["erase", "--email", ADA, "--dry-run", "--json"]);
    assert_eq!((&rehearsal["results"], &rehearsal["objection_added"]), (&1.into(), &false.into()));
    assert_eq!(server.results(key, &job).await, before);
    let (code, erased, hint) = run_command(&setup, &["erase", "--email", &ADA.to_uppercase()]);
    assert_eq!(code, Some(0), "{hint}");
    assert!(erased.contains("jobs searched: 1; changed:\n        1  results"), "{erased}");
    assert!(!erased.contains("lovelace"), "{erased}");
    assert_eq!(hint.contains("VACUUM"), kind == Kind::Postgres);
    let after = server.results(key, &job).await;
    assert_eq!(after[0]["people"].as_array().expect("people").len(), 1);
    assert!(!after[0].to_string().contains("ovelace"), "{}", after[0]);
    if kind == Kind::Sqlite {
        assert!(!holds(&setup.data, ADA), "erased data is left in the files");
    }
    let again = json_output(&setup, &["erase", "--email", ADA, "--json"]);
    assert_eq!((&again["results"], &again["objection_added"]), (&0.into(), &false.into()));
    assert_eq!(run_command(&setup, &["erase", "--email", ADA, "--dry-run"]).0, Some(1));

    erase_the_domain(&setup, &server, key, &job).await;
    opt_outs_are_added_listed_and_removed(&setup);
}

async fn erase_the_domain(setup: &Setup, server: &Server, key: &str, job: &str) {
    assert_eq!(json_output(setup, &["erase", "--domain", "firm.test", "--json"])["results"], 1);
    let left = server.results(key, job).await;
    assert_eq!((&left[0]["domain"], &left[0]["status"]), (&"firm.test".into(), &"blocked".into()));
    assert_eq!(left[0]["emails"].as_array().map(Vec::len), Some(0));
    let shown = server.get(&format!("/v1/jobs/{job}"), key).await;
    assert_eq!((&shown["counts"]["results"], &shown["credits_used"]), (&1.into(), &10.into()));
}

fn opt_outs_are_added_listed_and_removed(setup: &Setup) {
    let (code, added, _) = run_command(setup, &["opt-out", "add", "--name", "Dr. Bob Bit"]);
    assert_eq!(code, Some(0));
    assert!(added.starts_with("opt-out B… B… is added; it applies to all runs\n"), "{added}");
    assert!(run_command(setup, &["objection", "add", "--name", "bit, bob"]).1.contains("already"));
    let list = json_output(setup, &["opt-out", "list", "--json"]);
    let kinds: Vec<_> = list.as_array().expect("a list").iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["email", "domain", "name"]);
    let (_, table, _) = run_command(setup, &["opt-out", "list"]);
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.contains("email   a…@firm.test") && !table.contains("Bob"), "{table}");
    assert_eq!(run_command(setup, &["opt-out", "remove", "--name", "Bob Bit"]).0, Some(0));
    assert_eq!(run_command(setup, &["opt-out", "remove", "--name", "Bob Bit"]).0, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn acceptances_opt_outs_and_erasure_work_next_to_a_server_on_sqlite() {
    acceptances_opt_outs_and_erasure_work_next_to_a_server(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn acceptances_opt_outs_and_erasure_work_next_to_a_server_on_postgres() {
    acceptances_opt_outs_and_erasure_work_next_to_a_server(Kind::Postgres).await;
}

#[test]
fn invalid_arguments_are_rejected_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path());
    for (words, complaint) in [
        (&["erase", "--email", "ada"][..], "not an e-mail address"),
        (&["erase", "--domain", "127.0.0.1"], "IP address"),
        (&["erase", "--domain", "com"], "not a domain name"),
        (&["erase", "--name", "Ada"], "first and last name"),
        (&["erase"], "--email <ADDRESS>"),
        (&["erase", "--email", "a@b.org", "--domain", "b.org"], "cannot be used with"),
        (&["opt-out", "add"], "--email <ADDRESS>"),
    ] {
        let (code, _, said) = run_command(&setup, words);
        assert_eq!(code, Some(2), "{words:?}");
        assert!(said.contains(complaint), "{words:?}: {said}");
    }
    let wrong = setup.with("TRAWL_OBJECTIONS", "example.com, ada@");
    let (code, _, said) = run_command(&wrong, &["opt-out", "list"]);
    assert_eq!(code, Some(3));
    assert!(said.contains("objections") && said.contains("not an e-mail address"), "{said}");
}

fn holds(folder: &Path, words: &str) -> bool {
    std::fs::read_dir(folder).expect("a folder").any(|entry| {
        let bytes = std::fs::read(entry.expect("an entry").path()).unwrap_or_default();
        bytes.windows(words.len()).any(|part| part.eq_ignore_ascii_case(words.as_bytes()))
    })
}
