//! OAuth with a strict client library, including the consent page.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::server::{Server, Setup};

async fn walk(auth: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binary/oauth");
    assert!(
        folder.join("node_modules/oauth4webapi").exists(),
        "the client library is missing; scripts/test installs it"
    );
    let data = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(data.path())).await;
    let password = server.first_password();
    let url = server.url.clone();
    let arguments = [url.as_str(), "operator@localhost", &password, auth];
    let mut command = Command::new("node");
    command.arg(folder.join("client.mjs")).args(arguments);
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("it ends");
    let output = output.expect("node; scripts/test installs it");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "done");
    let logged = server.logged.lock().expect("no panic").clone();
    for secret in ["oat_", "ort_", "oac_", "aps_"] {
        assert!(!logged.contains(secret), "{secret} in the log: {logged}");
    }
}

/// The code blocks of docs/oauth.md in order.
fn walk_of_the_docs() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/oauth.md");
    let text = std::fs::read_to_string(path).expect("docs/oauth.md");
    let blocks = text.split("```bash\n").skip(1);
    blocks.map(|rest| rest.split_once("```").expect("its end").0.to_owned()).collect()
}

/// The user of the walkthrough, who approves.
const PERSON: &str = r#"
CODE=$(curl -sS "$TRAWL/oauth/authorization?$ASK" -H "Authorization: Bearer $SESSION" \
  -H 'Content-Type: application/json' -d '{"approved": true}' |
  jq -r .redirect_to | sed 's/.*code=//; s/&.*//')
"#;

#[tokio::test]
#[ignore = "needs curl, jq and openssl: scripts/test installs them"]
async fn documented_oauth_walkthrough_works_as_written() {
    let data = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(data.path());
    let mut server = Server::start(&setup).await;
    let sign_in = json!({"email": "operator@localhost", "password": server.first_password()});
    let session: Value = server.post("/session", "", &sign_in).await.json().await.expect("JSON");
    let [register, ask, redeem, refresh, revoke] = walk_of_the_docs().try_into().expect("blocks");
    let last = "curl -s -o /dev/null -w ' %{http_code}' $TRAWL/v1/account \
        -H \"Authorization: Bearer $(jq -r .access_token <<<\"$TOKENS\")\"";
    let seen = "$BINARY account applications operator@localhost --json | jq -r '.[].name'";
    let walk = [
        "set -euo pipefail",
        &register,
        &ask,
        PERSON,
        &redeem,
        seen,
        &refresh,
        last,
        &revoke,
        last,
    ];
    let mut command = Command::new("bash");
    command.args(["-c", &walk.join("\n")]).env("TRAWL", &server.url);
    command.env_remove("TRAWL_TEST_POSTGRES").envs(setup.environment.iter().cloned());
    command.env("BINARY", env!("CARGO_BIN_EXE_trawl")).env("TRAWL_DATA", data.path());
    command.env("SESSION", session["token"].as_str().expect("a token"));
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("it ends");
    let output = output.expect("bash");
    let (stdout, wrong) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{wrong}");
    assert!(stdout.contains(r#""auth_method":"oauth""#), "{stdout}");
    assert!(stdout.contains("Notes\n"), "the operator sees it: {stdout}");
    assert!(stdout.ends_with(" 200 401"), "refreshed, then revoked: {stdout}");
}

#[tokio::test]
#[ignore = "needs Node.js and an OAuth client: scripts/test installs them"]
async fn public_client_completes_the_oauth_flow() {
    walk("none").await;
}

#[tokio::test]
#[ignore = "needs Node.js and an OAuth client: scripts/test installs them"]
async fn client_secret_basic_completes_the_oauth_flow() {
    walk("client_secret_basic").await;
}

#[tokio::test]
#[ignore = "needs Node.js and an OAuth client: scripts/test installs them"]
async fn client_secret_post_completes_the_oauth_flow() {
    walk("client_secret_post").await;
}
