//! `contacts` runs: from a domain list to records, over kills, with bot protection, and on the
//! command line.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use contract::ContactStatus;
use lab::{Company, Lab, Tunnel};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, trawl};

/// Serves unreachable, protected, parked and moved domains, and companies.
async fn served(companies: &[Company]) -> (Lab, tempfile::TempDir, Setup) {
    let lab = Lab::start().await.expect("a port");
    let names = Company::serve_all(companies, &lab);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", names)
        // Without a browser there is no protected tier, so no confirmation is asked for.
        .with("TRAWL_CHROMIUM", "none")
        // Only the domain that never responds is slow.
        .with("TRAWL_FIRST_BYTE_MS", 4_000);
    (lab, folder, setup)
}

fn word(status: ContactStatus) -> &'static str {
    match status {
        ContactStatus::Found => "found",
        ContactStatus::Partial => "partial",
        ContactStatus::None => "none",
        ContactStatus::Blocked => "blocked",
        ContactStatus::Unreachable => "unreachable",
        ContactStatus::Parked => "parked",
    }
}

async fn create(server: &Server, key: &str, domains: &[&str]) -> String {
    let body = json!({"mode": "contacts", "legal_basis_accepted": true, "domains": domains});
    let answer = server.post("/v1/jobs", key, &body).await;
    let status = answer.status();
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(status, 202, "{answer}");
    answer["job_id"].as_str().expect("an id").to_owned()
}

/// The records by domain; each domain has one.
fn by_domain(records: &[Value]) -> BTreeMap<String, Value> {
    let one = |record: &Value| (record["domain"].as_str().expect("it").to_owned(), record.clone());
    let by_domain: BTreeMap<_, _> = records.iter().map(one).collect();
    assert_eq!(by_domain.len(), records.len(), "no domain has two records");
    by_domain
}

fn charged(records: &[Value]) -> usize {
    let found = |record: &&Value| ["found", "partial"].iter().any(|word| record["status"] == *word);
    records.iter().filter(found).count() * 10
}

#[tokio::test(flavor = "multi_thread")]
async fn every_domain_has_one_record_with_its_outcome() {
    let companies: Vec<_> = Company::all();
    let (_lab, _folder, setup) = served(&companies).await;
    let mut server = Server::start(&setup.with("TRAWL_HOST_DELAY_MS", 5)).await;
    let key = server.first_key();
    let domains: Vec<_> = companies.iter().map(Company::host).collect();
    let job = create(&server, &key, &domains).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    let records = server.results(&key, &job).await;
    assert_eq!(done["counts"]["results"], domains.len());
    assert_eq!(done["credits_used"], charged(&records), "only what was found is charged");
    let records = by_domain(&records);
    let mut wrong = Vec::new();
    for company in &companies {
        let (truth, record) = (company.company_truth(), &records[company.host()]);
        assert!(record["pages_checked"].as_u64() <= Some(25), "{record}");
        assert_eq!(record["redirected_to"], json!(truth.redirected_to), "{}", company.host());
        if record["status"] != word(truth.status) {
            wrong.push(format!("{}: {} for {:?}", company.host(), record["status"], truth.status));
        }
    }
    // Extraction is tested elsewhere; this test checks the outcome of each domain.
    let of_doors = ["unreachable", "blocked"];
    let at_the_door = wrong.iter().filter(|line| {
        of_doors.iter().any(|word| line.contains(word) || line.to_lowercase().contains(word))
    });
    assert_eq!(at_the_door.count(), 0, "{wrong:?}");
    assert!(wrong.len() * 10 <= companies.len(), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_during_a_run_loses_no_record_and_charges_once() {
    let companies: Vec<_> = Company::generated(60);
    let (lab, _folder, setup) = served(&companies).await;
    lab.record_requests(false);
    let setup = setup
        .with("TRAWL_VISITS", 6)
        .with("TRAWL_FIRST_BYTE_MS", 800)
        .with("TRAWL_SNAPSHOT_BYTES", 200);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let domains: Vec<_> = companies.iter().map(Company::host).collect();
    let credits = server.get("/v1/account", &key).await["credits"].as_i64().expect("a number");
    let job = create(&server, &key, &domains).await;
    for enough in [5, 20, 40] {
        server = server.killed_after(&setup, &key, &job, enough).await;
    }
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let records = server.results(&key, &job).await;
    let seen: BTreeSet<_> = by_domain(&records).into_keys().collect();
    assert_eq!(seen, domains.iter().map(|domain| (*domain).to_owned()).collect());
    let charged = charged(&records);
    assert_eq!(done["credits_used"], charged);
    let left = server.get("/v1/account", &key).await["credits"].as_i64().expect("a number");
    assert_eq!(credits - left, i64::try_from(charged).expect("few"), "nothing is charged twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_domains_of_one_shard_do_not_block_another() {
    let silent = Company::named("silent-harrowgate.test").expect("one that says nothing");
    let lab = Lab::start().await.expect("a port");
    let mut names = Company::serve_all(std::slice::from_ref(&silent), &lab);
    // A closed port: known at once.
    let closed: Vec<_> = (0..255).map(|number| format!("closed-{number}.test")).collect();
    for name in &closed {
        names.push_str(&format!(",{name}=127.0.0.1:1,www.{name}=127.0.0.1:1"));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", names)
        .with("TRAWL_VISIT_SHARDS", 1)
        .with("TRAWL_FIRST_BYTE_MS", 12_000);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let domains: Vec<_> =
        std::iter::once(silent.host()).chain(closed.iter().map(String::as_str)).collect();
    let job = create(&server, &key, &domains).await;
    server.wait(&key, &job, &["completed", "failed"]).await;
    let records = server.results(&key, &job).await;
    assert_eq!(records.len(), domains.len());
    // The second shard finishes before the first ends.
    let last = records.last().expect("records")["domain"].as_str();
    assert_eq!(last, Some(silent.host()));
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_domains_are_confirmed_once_and_visited_by_the_tier() {
    let company = || Company::named("hohenrode-lab.de").expect("a company");
    let (outside, inside) =
        (Lab::start().await.expect("a port"), Lab::start().await.expect("a port"));
    outside
        .serve("walled.lab", Company::named("walled-castellan.test").expect("a protection page"));
    outside.serve("open.lab", company());
    inside.serve("walled.lab", company());
    let tunnel = Tunnel::start(inside.address(), None).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", outside.name_table())
        .with("TRAWL_PROTECTED_TIER", "proxy")
        .with("TRAWL_PROTECTED_PROXY", format!("http://{}", tunnel.address()));
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let create = async |more: Value| {
        let mut body = json!({
            "mode": "contacts", "legal_basis_accepted": true, "domains": ["walled.lab", "open.lab"]
        });
        for (name, value) in more.as_object().expect("members") {
            body[name] = value.clone();
        }
        let answer = server.post("/v1/jobs", &key, &body).await;
        let answer: Value = answer.json().await.expect("JSON");
        answer["job_id"].as_str().expect("an id").to_owned()
    };
    let ended = &["completed", "failed", "awaiting_confirmation"];
    let asking = create(json!({"on_protected": "pause"})).await;
    let job = server.wait(&key, &asking, ended).await;
    assert_eq!(job["status"], "awaiting_confirmation", "{job}");
    assert_eq!((&job["counts"]["results"], &job["credit_per_unit"]), (&json!(1), &json!(50)));
    let path = format!("/v1/jobs/{asking}/confirm");
    server.post(&path, &key, &json!({})).await;
    let job = server.wait(&key, &asking, &["completed", "failed"]).await;
    let records = by_domain(&server.results(&key, &asking).await);
    assert_eq!((records.len(), &job["status"]), (2, &json!("completed")), "{job}");
    assert_ne!(records["walled.lab"]["status"], "blocked", "{}", records["walled.lab"]);
    let failing = create(json!({"on_protected": "fail"})).await;
    let job = server.wait(&key, &failing, ended).await;
    assert_eq!(job["status"], "completed", "{job}");
    let records = by_domain(&server.results(&key, &failing).await);
    assert_eq!(records["walled.lab"]["status"], "blocked");
    assert_ne!(records["open.lab"]["status"], "blocked");
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_command_visits_a_domain_list() {
    let companies: Vec<_> =
        ["refused-kestrelmoor.test", "forbidden-minster.test", "vergangen-lab.de"]
            .iter()
            .filter_map(|host| Company::named(host))
            .collect();
    let (_lab, folder, setup) = served(&companies).await;
    let list = folder.path().join("list.txt");
    let lines = "# ours\nrefused-kestrelmoor.test\n\n https://www.forbidden-minster.test/x  # twice\n\
        forbidden-minster.test\nvergangen-lab.de\n";
    std::fs::write(&list, lines).expect("a file");
    let visit = |arguments: &[&str]| {
        let mut command = setup.other();
        command.args(["crawl", "--mode", "contacts"]).args(arguments);
        command
    };
    let file = list.to_str().expect("a path");
    let refused = output(&mut visit(&["--domains", file]));
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--accept-legal-basis"), "{}", text(&refused.stderr));
    let ended = output(&mut visit(&["--domains", file, "--accept-legal-basis"]));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let records: Vec<Value> = text(&ended.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record a line"))
        .collect();
    let statuses: BTreeMap<_, _> = by_domain(&records)
        .into_iter()
        .map(|(domain, record)| (domain, record["status"].clone()))
        .collect();
    let expected = json!({
        "refused-kestrelmoor.test": "unreachable", "forbidden-minster.test": "blocked",
        "vergangen-lab.de": "unreachable",
    });
    assert_eq!(json!(statuses), expected);
    assert!(text(&ended.stderr).contains("3 of 3 domains"), "{}", text(&ended.stderr));
    let table = folder.path().join("companies.csv");
    let named = ["refused-kestrelmoor.test", "-o", table.to_str().expect("a path")];
    let ended = output(&mut visit(&[&named[..], &["--accept-legal-basis"]].concat()));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let written = std::fs::read_to_string(&table).expect("a file");
    assert!(written.contains(r#""refused-kestrelmoor.test","unreachable""#), "{written}");
}

#[tokio::test(flavor = "multi_thread")]
async fn low_open_file_limit_makes_no_domain_unreachable() {
    let is_healthy = |company: &Company| !company.host().ends_with("9.test");
    let companies: Vec<_> = Company::generated(150).into_iter().filter(is_healthy).collect();
    let (_lab, folder, setup) = served(&companies).await;
    let list = folder.path().join("list.txt");
    let hosts: Vec<_> = companies.iter().map(Company::host).collect();
    std::fs::write(&list, hosts.join("\n")).expect("a file");
    let run = setup.other();
    // Fewer files than domains, with a hard limit.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 80 && exec \"$0\" \"$@\""]).arg(run.get_program());
    limited.args(["crawl", "--mode", "contacts", "--accept-legal-basis", "--domains"]).arg(list);
    limited.stdin(Stdio::null());
    for (name, value) in run.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let ended = output(&mut limited);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let records = text(&ended.stdout);
    assert_eq!(records.lines().count(), companies.len());
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).expect("a record a line");
        assert_eq!(record["status"], "found", "{line}");
    }
}

#[test]
fn invalid_domains_are_reported_with_their_line() {
    let visit = |arguments: &[&str], input: &str| {
        let mut command = trawl();
        command.args(["crawl", "--mode", "contacts", "--accept-legal-basis"]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(input.as_bytes()).expect("it reads");
        drop(pipe);
        child.wait_with_output().expect("it ends")
    };
    let ended = visit(&["--domains", "-"], "a.example\nno domain\n# fine\n127.0.0.1\nco.uk\n");
    assert_eq!(ended.status.code(), Some(2));
    let said = text(&ended.stderr);
    for piece in
        ["line 2: this is not a domain", "line 4: this is an IP", "line 5: this is a public"]
    {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    let empty = visit(&["--domains", "-"], "# nothing\n\n");
    assert_eq!(empty.status.code(), Some(2));
    assert!(text(&empty.stderr).contains("no domain"), "{}", text(&empty.stderr));
    let missing = visit(&["--domains", "/no/such/list"], "");
    assert_eq!(missing.status.code(), Some(3));
    for arguments in [&["crawl", "a.example", "b.example", "--mode", "links"][..], &["crawl"]] {
        assert_eq!(output(trawl().args(arguments)).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn extract_command_reads_contacts_of_one_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("contact.html");
    let html = "<!doctype html><title>Firm</title><p><a href=mailto:info@firm.test>Write</a>";
    std::fs::write(&page, html).expect("a file");
    let page = page.to_str().expect("a path");
    let url = "https://www.firm.test/contact";
    let ended = output(trawl().args(["extract", "--mode", "contacts", "--url", url, page]));
    let record: Value = serde_json::from_slice(&ended.stdout).expect("a record");
    assert_eq!((&record["domain"], &record["pages_checked"]), (&json!("firm.test"), &json!(1)));
}
