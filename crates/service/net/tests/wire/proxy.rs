//! Proxies of the environment are not used.

use std::process::{Command, Stdio};

use lab::Catalogue;
use tokio::net::TcpListener;

use crate::{get, lab_with, on_loopback};

/// The test below sets this variable for its child process: the file that it writes at its end.
const CHILD: &str = "TRAWL_TEST_PROXY_CHILD";

/// Does nothing unless the test below runs it in a child process, with proxy variables.
#[tokio::test]
async fn child_fetches_directly() {
    let Some(done) = std::env::var_os(CHILD) else { return };
    let lab = lab_with(Catalogue::plain(1)).await;
    let answer = get(on_loopback(), &lab.url("/")).await.expect("the lab answers");
    assert_eq!(answer.remote, lab.address());
    std::fs::write(done, "fetched").expect("the file can be written");
}

#[tokio::test]
async fn proxy_variables_of_the_environment_are_ignored() {
    let proxy = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = format!("http://{}", proxy.local_addr().expect("it is bound"));
    let mut child = Command::new(std::env::current_exe().expect("the test itself"));
    let folder = tempfile::tempdir().expect("a folder");
    let done = folder.path().join("done");
    child.args(["--exact", "proxy::child_fetches_directly"]).env(CHILD, &done);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        child.env(name, &address);
    }
    child.env_remove("no_proxy").env_remove("NO_PROXY").stdout(Stdio::null());
    let status = tokio::task::spawn_blocking(move || child.status()).await.expect("it runs");
    assert!(status.expect("it starts").success());
    // The test runner also succeeds if no test has that name.
    assert!(done.exists(), "the child has fetched nothing");
    tokio::select! {
        biased;
        _ = proxy.accept() => panic!("the proxy was used"),
        () = std::future::ready(()) => {}
    }
}
