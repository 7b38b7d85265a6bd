//! Nodes behind PgBouncer with `pool_mode = transaction`.

use std::process::{Child, Command, Stdio};

use lab::{Catalogue, Lab};
use reqwest::Method;
use serde_json::json;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, wait_for};

/// The first version that knows prepared statements in transaction mode.
const NEEDED: (u32, u32) = (1, 21);

/// `TRAWL_TEST_PGBOUNCER`, or `pgbouncer` of the system.
fn program() -> String {
    std::env::var("TRAWL_TEST_PGBOUNCER").unwrap_or_else(|_| "pgbouncer".to_owned())
}

/// Major and minor version of the installed PgBouncer.
fn version() -> Option<(u32, u32)> {
    let output = Command::new(program()).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.lines().next()?.strip_prefix("PgBouncer ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A PgBouncer in front of a PostgreSQL.
struct Bouncer {
    child: Child,
    url: url::Url,
}

impl Bouncer {
    /// Fewer connections to the server than nodes use at once, so that transactions change them.
    fn start(folder: &std::path::Path, database: &str, settings: &str) -> Self {
        let mut url = url::Url::parse(database).expect("an address");
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let file = folder.join("pgbouncer.ini");
        let (server, user) = (url.port().expect("a port"), url.username());
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={server} user={user}\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\nignore_startup_parameters = extra_float_digits\n\
             default_pool_size = 3\n{settings}\n"
        );
        std::fs::write(&file, text).expect("written");
        let mut command = Command::new(program());
        // It refuses to run as root.
        let is_root = Command::new("id").arg("-u").output().expect("an id").stdout == b"0\n";
        if is_root {
            command.args(["-u", "nobody"]);
            let open: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(folder, open).expect("readable");
        }
        let child = command.arg("-q").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let child = child.spawn().expect("it starts");
        url.set_port(Some(port)).expect("an address with a port");
        Self { child, url }
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the test can run; says why it cannot.
fn is_available() -> bool {
    match version() {
        Some(found) if found >= NEEDED => true,
        found => {
            println!("skipped: needs PgBouncer {NEEDED:?} or newer, found {found:?}");
            false
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and PgBouncer: scripts/test installs them"]
async fn nodes_share_a_database_behind_pgbouncer_on_postgres() {
    if !is_available() {
        return;
    }
    let lab = Lab::start().await.expect("a port");
    for site in ["one.lab", "two.lab", "three.lab"] {
        lab.serve(site, Catalogue::plain(80));
    }
    lab.serve("endless.lab", Catalogue::plain(2_000));
    let folder = tempfile::tempdir().expect("a folder");
    let database = database::fresh(Kind::Postgres).await;
    let bouncer = Bouncer::start(folder.path(), &database, "max_prepared_statements = 200");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &bouncer.url)
        .with("TRAWL_PGBOUNCER", true)
        .with("TRAWL_RESOLVE", lab.name_table());
    let mut first = Server::start(&setup).await;
    let key = first.first_key();
    let second = Server::start(&setup).await;
    let mut jobs = Vec::new();
    for (number, site) in ["one.lab", "two.lab", "three.lab"].into_iter().enumerate() {
        let node = if number % 2 == 0 { &first } else { &second };
        jobs.push(node.create(&key, &format!("http://{site}/"), json!({})).await);
    }
    let aborted = first.create(&key, "http://endless.lab/", json!({})).await;
    wait_for(async || {
        let job = first.get(&format!("/v1/jobs/{aborted}"), &key).await;
        (job["counts"]["results"].as_u64()? > 0).then_some(())
    })
    .await;
    let path = format!("/v1/jobs/{aborted}/abort");
    let answer = second.request(Method::POST, &path, &key).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    for job in &jobs {
        let done = second.wait(&key, job, &["completed", "failed"]).await;
        assert_eq!(
            (&done["status"], &done["counts"]["results"]),
            (&"completed".into(), &80.into())
        );
    }
    let store = database::open(&database, folder.path()).await;
    let account = first.get("/v1/account", &key).await;
    let id = account["account_id"].as_str().expect("an id").parse().expect("an account");
    let audit = store.audit_ledger(&id).await.expect("it answers").expect("an account");
    assert!(audit.is_consistent() && audit.reserved.0 == 0, "{audit:?}");
    for server in [&first, &second] {
        let log = server.logged.lock();
        assert!(!format!("{log:?}").contains("prepared statement"), "{log:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL and PgBouncer: scripts/test installs them"]
async fn pgbouncer_without_prepared_statements_is_reported_on_postgres() {
    if !is_available() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let database = database::fresh(Kind::Postgres).await;
    let bouncer = Bouncer::start(folder.path(), &database, "max_prepared_statements = 0");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &bouncer.url)
        .with("TRAWL_PGBOUNCER", true);
    let server = Server::start_unready(&setup);
    wait_for(async || {
        let log = format!("{:?}", server.logged.lock());
        log.contains("max_prepared_statements").then_some(())
    })
    .await;
}
