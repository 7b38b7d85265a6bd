//! Metadata documents of OAuth.

use http::Method;

use crate::harness::TestApi;

#[tokio::test]
async fn metadata_documents_contain_the_public_url() {
    let api = TestApi::start().await;
    for (name, path) in [
        ("authorization_server", "/.well-known/oauth-authorization-server"),
        ("protected_resource", "/.well-known/oauth-protected-resource"),
        ("protected_tools", "/.well-known/oauth-protected-resource/mcp"),
    ] {
        let answer = api.send(Method::GET, path, &[], "").await;
        assert_eq!(answer.status, 200);
        insta::assert_json_snapshot!(name, answer.body);
    }
}
