//! E-mails through a real mail server, with STARTTLS and a password.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use contract::{Clock, ScheduleId};
use reqwest::Method;
use runtime::SystemClock;
use serde_json::{Value, json};
use store::ScheduleChange;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

const ADDRESS: &str = "ada@example.com";

/// The Python that has aiosmtpd, installed by `scripts/test`.
fn python() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python-tools");
    let tools = std::env::var_os("TRAWL_PYTHON_TOOLS").map_or(here, PathBuf::from);
    tools.join("bin/python")
}

/// Folder, port and process of a mail server.
struct MailServer {
    folder: tempfile::TempDir,
    port: u16,
    process: Option<Child>,
}

impl MailServer {
    /// A mail server that does not run yet.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["127.0.0.1".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        std::fs::write(folder.path().join("cert.pem"), made.cert.pem()).expect("written");
        let key = made.signing_key.serialize_pem();
        std::fs::write(folder.path().join("key.pem"), key).expect("written");
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        Self { folder, port, process: None }
    }

    fn start(&mut self) {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binary/mails/smtp_server.py");
        let mut process = Command::new(python())
            .arg(script)
            .args([self.folder.path(), Path::new(&self.port.to_string())])
            .stdout(Stdio::piped())
            .spawn()
            .expect("python runs");
        let mut line = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), "ready");
        self.process = Some(process);
    }

    fn setup(&self, database: &str) -> Setup {
        Setup::new(&self.folder.path().join("data"))
            .with("TRAWL_DATABASE", database)
            .with("TRAWL_SMTP_SERVER", format!("127.0.0.1:{}", self.port))
            .with("TRAWL_SMTP_USER", "trawl")
            .with("TRAWL_SMTP_PASSWORD", "secret")
            .with("TRAWL_MAIL_FROM", "Trawl <trawl@example.com>")
            .with("TRAWL_EXTRA_CA", self.folder.path().join("cert.pem").display())
            .with("TRAWL_CHROMIUM", "none")
    }

    fn busy(&self, is_busy: bool) {
        let file = self.folder.path().join("busy");
        match is_busy {
            true => std::fs::write(file, "").expect("written"),
            false => std::fs::remove_file(file).expect("removed"),
        }
    }

    /// The e-mails that were accepted.
    fn mails(&self) -> Vec<Value> {
        let lines = std::fs::read_to_string(self.folder.path().join("mails")).unwrap_or_default();
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    async fn arrived(&self, number: usize) -> Vec<Value> {
        wait_for(async || Some(self.mails()).filter(|mails| mails.len() >= number)).await
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn create_account(setup: &Setup, email: &str) {
    let mut command = setup.other();
    command.args(["account", "create", "--email", email, "--json"]);
    let created = output(&mut command);
    assert!(created.status.success(), "{}", text(&created.stderr));
}

/// Sends a form of the console.
async fn post(server: &Server, path: &str, fields: &[(&str, &str)]) -> (u16, String) {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    let request = server.request(Method::POST, path, "").header("accept", "text/html");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = request.body(body.finish()).send().await.expect("an answer");
    (answer.status().as_u16(), answer.text().await.expect("text"))
}

/// Text of an e-mail without the soft line breaks of quoted-printable.
fn plain(mail: &Value) -> String {
    let text = mail["text"].as_str().expect("a text").replace("=\r\n", "").replace("=3D", "=");
    text.replace("\r\n", "\n")
}

async fn forgotten_password_is_replaced_by_mail(kind: Kind) {
    let mut mail = MailServer::new();
    mail.start();
    let database = database::fresh(kind).await;
    let setup = mail.setup(&database);
    let server = Server::start(&setup).await;
    create_account(&setup, ADDRESS);
    let (status, page) = post(&server, "/forgot-password", &[("email", "x@example.com")]).await;
    assert_eq!(status, 200, "{page}");
    let (status, known) = post(&server, "/forgot-password", &[("email", ADDRESS)]).await;
    assert_eq!(status, 200);
    assert_eq!(page.replace("x@example.com", ""), known.replace(ADDRESS, ""));
    let mails = mail.arrived(1).await;
    assert_eq!(
        (&mails[0]["to"], &mails[0]["from"]),
        (&json!([ADDRESS]), &"trawl@example.com".into())
    );
    let letter = plain(&mails[0]);
    assert!(letter.contains("Subject: Set a new password") && letter.contains("Auto-Submitted"));
    let start = format!("{}/reset-password?token=", server.url);
    let token = letter.split(&start).nth(1).expect("a link").split_whitespace().next();
    let token = token.expect("a token").to_owned();
    let fields = [("token", token.as_str()), ("password", "a new one"), ("again", "a new one")];
    assert_eq!(post(&server, "/reset-password", &fields).await.0, 200);
    assert_eq!(post(&server, "/reset-password", &fields).await.0, 410, "once");
    let body = json!({"email": ADDRESS, "password": "a new one"});
    assert_eq!(server.post("/session", "none", &body).await.status(), 201);
    let doctor = output(setup.other().args(["doctor", "--json"]));
    assert!(text(&doctor.stdout).contains("accepts e-mails of Trawl"), "{}", text(&doctor.stdout));
    let logged = server.logged.lock().expect("no panic").clone();
    assert!(logged.contains("e-mail sent") && !logged.contains(&token), "{logged}");
    assert!(!logged.contains(ADDRESS), "addresses are not logged: {logged}");
    assert!(server.metrics().await.contains("trawl_mails_total{outcome=\"sent\"} 1"));
    assert!(server.terminate().success());
    let server = Server::start(&setup).await;
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert!(server.terminate().success());
    assert_eq!(mail.mails().len(), 1, "not again after a restart");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: scripts/test installs it"]
async fn forgotten_password_is_replaced_by_mail_on_sqlite() {
    forgotten_password_is_replaced_by_mail(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd and PostgreSQL: scripts/test installs them"]
async fn forgotten_password_is_replaced_by_mail_on_postgres() {
    forgotten_password_is_replaced_by_mail(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: scripts/test installs it"]
async fn mail_outlives_outages_of_the_mail_server_and_kills() {
    let mut mail = MailServer::new();
    let setup = mail.setup("");
    let server = Server::start(&setup).await;
    create_account(&setup, ADDRESS);
    create_account(&setup, "refused@example.com");
    // No mail server, then one that is busy.
    post(&server, "/forgot-password", &[("email", ADDRESS)]).await;
    post(&server, "/forgot-password", &[("email", "refused@example.com")]).await;
    // An outcome is logged after it is stored.
    let logs = async |server: &Server, part: &str, times: usize| {
        wait_for(async || {
            let logged = server.logged.lock().expect("no panic").clone();
            (logged.matches(part).count() >= times).then_some(())
        })
        .await;
    };
    logs(&server, "outcome=\"retried\"", 2).await;
    server.kill();
    mail.busy(true);
    mail.start();
    let server = Server::start(&setup).await;
    logs(&server, "outcome=\"refused\"", 1).await;
    logs(&server, "451", 1).await;
    server.kill();
    mail.busy(false);
    let server = Server::start(&setup).await;
    logs(&server, "e-mail sent", 1).await;
    server.kill();
    let server = Server::start(&setup).await;
    tokio::time::sleep(std::time::Duration::from_secs(12)).await;
    let mails = mail.mails();
    assert_eq!(mails.len(), 1, "neither lost nor sent twice: {mails:?}");
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: scripts/test installs it"]
async fn owner_learns_of_a_schedule_that_did_not_start() {
    let mut mail = MailServer::new();
    mail.start();
    let database = database::fresh(Kind::Sqlite).await;
    let setup = mail.setup(&database).with("TRAWL_SCHEDULE_TOLERANCE", "60");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let request = json!({"mode": "links", "url": "http://one.lab/"});
    let body = json!({"cron": "@yearly", "request": request});
    let made = server.post("/v1/schedules", &key, &body).await;
    let made: Value = made.json().await.expect("JSON");
    let id: ScheduleId = made["id"].as_str().expect("an id").parse().expect("an id");
    let store = database::open(&database, &mail.folder.path().join("data")).await;
    let schedule = store.schedule(&id).await.expect("it answers").expect("it is kept");
    let due = contract::Millis(SystemClock.now().0 - 24 * 60 * 60 * 1_000);
    let change = ScheduleChange { next_at: Some(due), ..ScheduleChange::default() };
    store.change_schedule(&schedule.account, &id, &change).await.expect("it is changed");
    store.close().await;
    let mails = mail.arrived(1).await;
    let letter = plain(&mails[0]);
    assert!(letter.contains("Subject: A scheduled run failed"), "{letter}");
    assert!(letter.contains(&format!("/schedules/{id}")) && letter.contains("missed"), "{letter}");
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aiosmtpd: scripts/test installs it"]
async fn owner_learns_of_a_scheduled_run_that_failed() {
    let mut mail = MailServer::new();
    mail.start();
    let database = database::fresh(Kind::Sqlite).await;
    let setup = mail.setup(&database).with("TRAWL_RESOLVE", "closed.lab=127.0.0.1:1");
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    // The run starts, and fails when it reads its first page.
    let request = json!({"mode": "links", "url": "http://closed.lab/"});
    let body = json!({"cron": "@yearly", "request": request});
    let made = server.post("/v1/schedules", &key, &body).await;
    let made: Value = made.json().await.expect("JSON");
    let id = made["id"].as_str().expect("an id").to_owned();
    let started = server.post(&format!("/v1/schedules/{id}/run"), &key, &json!({})).await;
    assert_eq!(started.status(), 202);
    let started: Value = started.json().await.expect("JSON");
    let job = started["job_id"].as_str().expect("an id").to_owned();
    let mails = mail.arrived(1).await;
    let letter = plain(&mails[0]);
    assert!(letter.contains("Subject: A scheduled run failed"), "{letter}");
    assert!(letter.contains(&format!("/schedules/{id}")), "{letter}");
    assert!(letter.contains(&format!("{job} failed: ")), "{letter}");
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_mail_server_the_console_names_the_other_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&Setup::new(folder.path())).await;
    let request = server.request(Method::GET, "/forgot-password", "").header("accept", "text/html");
    let page = request.send().await.expect("an answer").text().await.expect("text");
    assert!(page.contains("trawl account password") && !page.contains("<form"), "{page}");
    assert!(server.terminate().success());
}
