//! OAuth with a client library that checks every answer, over the consent page itself.

use std::path::Path;
use std::process::Command;

use crate::server::{Server, Setup};

/// What the first start prints as the operator's password.
fn password(server: &mut Server) -> String {
    let line = server.printed_line("Password");
    line.split_whitespace().last().expect("a password").to_owned()
}

async fn walk(auth: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binary/oauth");
    assert!(
        folder.join("node_modules/oauth4webapi").exists(),
        "the client library is missing; scripts/test installs it"
    );
    let data = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(data.path())).await;
    let password = password(&mut server);
    let url = server.url.clone();
    let arguments = [url.as_str(), "operator@localhost", &password, auth];
    let mut command = Command::new("node");
    command.arg(folder.join("client.mjs")).args(arguments);
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("it ends");
    let output = output.expect("node; scripts/test installs it");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "done");
    let logged = server.logged.lock().expect("no panic").clone();
    for secret in ["oat_", "ort_", "oac_", "aps_"] {
        assert!(!logged.contains(secret), "{secret} in the log: {logged}");
    }
}

#[tokio::test]
async fn an_application_without_a_secret_walks_the_whole_way() {
    walk("none").await;
}

#[tokio::test]
async fn an_application_with_a_secret_in_its_header_walks_the_whole_way() {
    walk("client_secret_basic").await;
}

#[tokio::test]
async fn an_application_with_a_secret_in_its_form_walks_the_whole_way() {
    walk("client_secret_post").await;
}
