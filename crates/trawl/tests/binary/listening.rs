//! TLS, HTTP/2, Unix sockets and sockets of systemd, with curl and openssl as clients.

use std::io::Write;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::server::{PATIENCE, Server, Setup, output, text, trawl, wait_for};

/// Certificate and key files for `localhost` and loopback.
struct Certificate {
    folder: tempfile::TempDir,
}

impl Certificate {
    fn new() -> Self {
        let certificate = Self { folder: tempfile::tempdir().expect("a folder") };
        certificate.renew();
        certificate
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a new pair; returns the certificate.
    fn renew(&self) -> String {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        let pem = made.cert.pem();
        // As certbot: one file after the other.
        std::fs::write(self.path("cert.pem"), &pem).expect("written");
        std::fs::write(self.path("key.pem"), made.signing_key.serialize_pem()).expect("written");
        pem
    }

    fn setup(&self) -> Setup {
        Setup::new(&self.path("data"))
            .with("TRAWL_TLS_CERTIFICATE", self.path("cert.pem").display())
            .with("TRAWL_TLS_KEY", self.path("key.pem").display())
    }
}

/// Starts a server and waits for readiness by `trawl health`, which needs no certificate authority.
fn start(setup: &Setup) -> Server {
    let server = Server::start_unready(setup);
    let listen = server.url.trim_start_matches("https://").to_owned();
    await_health(setup, &listen);
    server
}

fn await_health(setup: &Setup, listen: &str) {
    let deadline = std::time::Instant::now() + PATIENCE;
    loop {
        let health = output(setup.other().args(["health", "--listen", listen]));
        if health.status.success() {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "{}", text(&health.stderr));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

fn curl(arguments: &[&str]) -> (bool, String) {
    let ended = output(Command::new("curl").args(["-sS", "--max-time", "60"]).args(arguments));
    (ended.status.success(), text(&ended.stdout) + &text(&ended.stderr))
}

/// The output of `openssl s_client` after the handshake.
fn s_client(address: &str, arguments: &[&str]) -> String {
    let mut command = Command::new("openssl");
    command.args(["s_client", "-connect", address]).args(arguments).stdin(Stdio::null());
    let ended = output(&mut command);
    text(&ended.stdout) + &text(&ended.stderr)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and openssl: scripts/test installs them"]
async fn tls_serves_both_versions_of_http_and_refuses_old_tls() {
    let files = Certificate::new();
    let mut server = start(&files.setup());
    let key = server.first_key();
    let (url, ca) = (server.url.clone(), files.path("cert.pem").display().to_string());
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    let account = format!("{url}/v1/account");
    let bearer = format!("Authorization: Bearer {key}");
    for (option, version) in [("--http2", "2"), ("--http1.1", "1.1")] {
        let (done, said) =
            curl(&[option, "--cacert", &ca, "-H", &bearer, "-w", " %{http_version}", &account]);
        assert!(done && said.contains("\"credits\""), "{said}");
        assert!(said.ends_with(&format!(" {version}")), "{said}");
    }
    let (done, said) = curl(&[&account]);
    assert!(!done && said.contains("certificate"), "an unknown authority: {said}");

    // A sign-in form, whose token and origin are checked, and the session cookies, on HTTP/2.
    let (_, page) = curl(&["--http2", "--cacert", &ca, "-i", &format!("{url}/sign-in")]);
    assert!(page.starts_with("HTTP/2 200"), "{page}");

    let address = url.trim_start_matches("https://");
    assert!(s_client(address, &["-tls1_2"]).contains("Protocol  : TLSv1.2"));
    assert!(s_client(address, &["-tls1_3"]).contains("TLSv1.3"));
    let old = s_client(address, &["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]);
    assert!(old.contains("alert"), "{old}");
    let plain = curl(&[&format!("http://{address}/healthz")]);
    assert!(!plain.0, "no HTTP on the port of TLS: {}", plain.1);

    // Commands with a private certificate authority.
    let list = |variable: &str, value: &str| {
        let mut command = trawl();
        command.env(variable, value).args(["job", "list", "--url", &url, "--key", &key]);
        output(&mut command)
    };
    for variable in ["SSL_CERT_FILE", "TRAWL_EXTRA_CA"] {
        let listed = list(variable, &ca);
        assert!(listed.status.success(), "{variable}: {}", text(&listed.stderr));
    }
    let refused = list("OTHER", "");
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("SSL_CERT_FILE") && said.contains("UnknownIssuer"), "{said}");
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and openssl: scripts/test installs them"]
async fn new_certificate_is_used_without_dropping_connections_and_a_broken_one_is_not() {
    let files = Certificate::new();
    let server = start(&files.setup());
    let address = server.url.trim_start_matches("https://").to_owned();
    let served = || {
        let shown = s_client(&address, &[]);
        let start = shown.find("-----BEGIN").expect("a certificate");
        let end = shown.find("-----END").expect("its end");
        shown[start..end].split_whitespace().collect::<String>()
    };
    let is_served = |pem: &str| {
        let pem: String = pem.split_whitespace().collect();
        pem.starts_with(&served())
    };
    let first = std::fs::read_to_string(files.path("cert.pem")).expect("a certificate");
    assert!(is_served(&first));
    let mut open = Command::new("openssl")
        .args(["s_client", "-quiet", "-connect", &address])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssl runs");
    let mut input = open.stdin.take().expect("a pipe");
    input.write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").expect("written");

    let second = files.renew();
    wait_for(async || is_served(&second).then_some(())).await;

    std::fs::write(files.path("cert.pem"), "no certificate").expect("written");
    wait_for(async || {
        let logged = server.logged.lock().expect("no panic").clone();
        let is_reported = logged.contains("the certificate before remains in use")
            && logged.contains("has no certificate in PEM");
        is_reported.then_some(())
    })
    .await;
    assert!(is_served(&second));

    // The connection of the first certificate still answers.
    input
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        .expect("it is open");
    let answered = open.wait_with_output().expect("it ends");
    assert_eq!(text(&answered.stdout).matches("HTTP/1.1 200").count(), 2);
    drop(input);

    let third = files.renew();
    wait_for(async || is_served(&third).then_some(())).await;
    let metrics = ["-sk", "-H", "Authorization: Bearer a token for prometheus"];
    let (_, metrics) = curl(&[&metrics[..], &[&format!("{}/metrics", server.url)]].concat());
    assert!(metrics.contains("trawl_tls_certificate_expires "), "{metrics}");
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl: scripts/test installs it"]
async fn stop_answers_requests_in_flight_over_tls_and_http2() {
    let files = Certificate::new();
    let mut server = start(&files.setup());
    let key = server.first_key();
    // A body that arrives slowly: the request is in flight while the server stops.
    let mut slow = Command::new("curl");
    slow.args(["-sSk", "--http2", "--max-time", "60", "-w", " %{http_version} %{http_code}"])
        .args([
            "-H",
            &format!("Authorization: Bearer {key}"),
            "-H",
            "Content-Type: application/json",
        ])
        .args(["-T", "-", "-X", "POST", &format!("{}/v1/jobs", server.url)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut slow = slow.spawn().expect("curl runs");
    let mut body = slow.stdin.take().expect("a pipe");
    body.write_all(b"{\"mode\": ").expect("written");
    // The request has reached the server when it is the only one in flight on a second connection.
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    let stopping = tokio::task::spawn_blocking(move || server.terminate());
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    body.write_all(b"\"links\"}").expect("the connection is open");
    drop(body);
    let answered = text(&slow.wait_with_output().expect("it ends").stdout);
    assert!(answered.ends_with(" 2 422"), "validated and answered: {answered}");
    assert!(stopping.await.expect("it stops").success());
}

#[test]
fn tls_files_that_cannot_be_used_stop_the_start_with_one_line() {
    let files = Certificate::new();
    let other = Certificate::new();
    let setup = files.setup();
    let key = other.path("key.pem");
    for (setup, expected) in [
        (setup.clone().with("TRAWL_TLS_KEY", key.display()), "not that of the first certificate"),
        (setup.clone().with("TRAWL_TLS_KEY", "/nonexistent"), "cannot read /nonexistent"),
        (setup.clone().with("TRAWL_TLS_CERTIFICATE", key.display()), "no certificate in PEM"),
        (setup.clone().with("TRAWL_TLS_KEY", ""), "it requires tls_key"),
    ] {
        let ended = output(&mut setup.command());
        let said = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "{said}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
        assert!(!files.path("data/trawl.db").exists(), "nothing is created");
    }
    let found = output(setup.other().args(["doctor", "--json"]).env("TRAWL_CHROMIUM", "none"));
    let found: Vec<Value> = serde_json::from_slice(&found.stdout).expect("JSON");
    let tls = found.iter().find(|one| one["check"] == "tls").expect("a finding");
    assert_eq!(tls["verdict"], "ok", "{tls}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl: scripts/test installs it"]
async fn unix_socket_serves_programs_of_this_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("trawl.sock");
    let listen = format!("unix:{}", socket.display());
    let setup = Setup::new(&folder.path().join("data"))
        .with("TRAWL_UNIX_SOCKET_MODE", "0660")
        .with("TRAWL_ADDRESS_PER_MINUTE", "1");
    let command = |setup: &Setup| Setup { listen: listen.clone(), ..setup.clone() };
    // A killed server leaves its socket behind.
    let mut server = Server::start_unready(&command(&setup));
    let key = server.first_key();
    assert_eq!(server.url, "http://localhost");
    await_health(&setup, &listen);
    server.kill();
    assert!(socket.exists());

    let server = Server::start_unready(&command(&setup));
    await_health(&setup, &listen);
    let meta = std::fs::metadata(&socket).expect("a socket");
    assert!(meta.file_type().is_socket());
    assert_eq!(meta.permissions().mode() & 0o777, 0o660);
    for _ in 0..3 {
        let (done, said) = curl(&[
            "--unix-socket",
            &socket.display().to_string(),
            "-H",
            &format!("Authorization: Bearer {key}"),
            "http://localhost/v1/account",
        ]);
        assert!(done && said.contains("\"credits\""), "{said}");
    }
    let other = Setup::new(&folder.path().join("other"));
    let ended = output(&mut command(&other).command());
    let said = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(said.contains("another process listens on") && said.contains("--listen"), "{said}");
    UnixStream::connect(&socket).expect("the first server has it");
    assert!(server.terminate().success());
    assert!(!socket.exists(), "a stopped server removes its socket");

    std::fs::write(&socket, "a file").expect("written");
    let ended = output(&mut command(&other).command());
    assert!(text(&ended.stderr).contains("exists and is no socket"), "{}", text(&ended.stderr));
    assert_eq!(std::fs::read(&socket).expect("it is left"), b"a file");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl and systemd-socket-activate: scripts/test installs them"]
async fn sockets_of_systemd_are_served_with_the_first_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("activated.sock");
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = port.local_addr().expect("an address").to_string();
    drop(port);
    let setup = Setup::new(&folder.path().join("data"));
    let server = setup.command();
    let mut activate = Command::new("systemd-socket-activate");
    activate.args(["-l", &address, "-l"]).arg(&socket);
    for (name, value) in server.get_envs() {
        // systemd-socket-activate passes on what -E names.
        match value {
            Some(value) => {
                activate.env(name, value).arg("-E").arg(name);
            }
            None => {
                activate.env_remove(name);
            }
        }
    }
    activate.arg(server.get_program()).args(server.get_args());
    let mut child = activate.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    wait_for(async || Path::new(&socket).exists().then_some(())).await;
    // The first request starts the server and is answered by it, although its settings name another
    // address.
    let socket = socket.display().to_string();
    let (done, said) = curl(&["--retry", "5", &format!("http://{address}/healthz")]);
    assert!(done && said == "ok", "{said}");
    let (done, said) = curl(&["--unix-socket", &socket, "http://localhost/healthz"]);
    assert!(done && said == "ok", "{said}");
    await_health(&setup, &address);
    await_health(&setup, &format!("unix:{socket}"));
    let stopped = Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
    assert!(stopped.success());
    assert!(child.wait().expect("it ends").success());
    assert!(Path::new(&socket).exists(), "systemd owns the socket");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs curl: scripts/test installs it"]
async fn http2_without_tls_needs_prior_knowledge() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&Setup::new(folder.path())).await;
    let url = format!("{}/healthz", server.url);
    let (_, said) = curl(&["--http2-prior-knowledge", "-w", " %{http_version}", &url]);
    assert_eq!(said, "ok 2");
    let (_, said) = curl(&["-w", " %{http_version}", &url]);
    assert_eq!(said, "ok 1.1");
}
