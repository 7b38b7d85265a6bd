//! The documents by which applications find their way.

use http::Method;

use crate::bench::Bench;

#[tokio::test]
async fn the_documents_tell_of_this_service() {
    let bench = Bench::start().await;
    for (name, path) in [
        ("authorization_server", "/.well-known/oauth-authorization-server"),
        ("protected_resource", "/.well-known/oauth-protected-resource"),
        ("protected_tools", "/.well-known/oauth-protected-resource/mcp"),
    ] {
        let answer = bench.send(Method::GET, path, &[], "").await;
        assert_eq!(answer.status, 200);
        insta::assert_json_snapshot!(name, answer.body);
    }
}
