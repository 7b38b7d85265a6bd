//! Security headers and cache headers of responses.

use reqwest::Method;

use crate::harness::{ConsoleServer, header};

#[tokio::test]
async fn every_response_has_a_strict_content_security_policy() {
    let server = ConsoleServer::start().await;
    let session = [("/runs", 200), ("/runs/new", 200), ("/no/such/page", 404)];
    let anybody = [("/sign-in", 200), ("/runs", 303), ("/runs/job_1", 303)];
    let mut answers = Vec::new();
    for (path, status) in session {
        answers.push((server.get(path).await, status, path));
    }
    for (path, status) in anybody {
        let answer = server.anonymous(Method::GET, path).send().await.expect("an answer");
        answers.push((answer, status, path));
    }
    for (answer, status, path) in &answers {
        assert_eq!(answer.status(), *status, "{path}");
        let policy = header(answer, "content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'self'",
            "base-uri 'none'",
        ] {
            assert!(policy.split("; ").any(|it| it == part), "{path}: {part} is not in {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert_eq!(header(answer, "x-frame-options"), "DENY");
        assert_eq!(header(answer, "x-content-type-options"), "nosniff");
        assert_eq!(header(answer, "referrer-policy"), "same-origin");
        assert_eq!(header(answer, "cache-control"), "no-store");
        assert!(header(answer, "x-request-id").starts_with("req_"));
    }
}

#[tokio::test]
async fn assets_are_small_hashed_and_cached_forever() {
    let server = ConsoleServer::start().await;
    let page = server.page("/runs/new").await;
    let mut whole = page.len();
    let mut files = 0;
    for part in page.split('"').filter(|part| part.starts_with("/assets/")) {
        let request = server.anonymous(Method::GET, part).header("accept-encoding", "gzip");
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{part}");
        assert_eq!(header(&answer, "cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(header(&answer, "content-encoding"), "gzip");
        whole += answer.bytes().await.expect("bytes").len();
        files += 1;
    }
    assert!(files >= 4, "{files}");
    let style = page.split('"').find(|part| part.ends_with(".css")).expect("a style sheet");
    for encoding in ["br", "zstd", "gzip"] {
        let request = server.anonymous(Method::GET, style).header("accept-encoding", encoding);
        let answer = request.send().await.expect("an answer");
        assert_eq!(header(&answer, "content-encoding"), encoding);
        assert_eq!(header(&answer, "vary"), "accept-encoding", "caches have to know");
    }
    let plain = server.get(style).await;
    assert_eq!(
        (header(&plain, "content-encoding"), header(&plain, "vary")),
        ("", "accept-encoding")
    );
    assert!(whole < 60_000, "a page and its files are {whole} bytes");
    let stale = server.get("/assets/console-0000000000000000.css").await;
    assert_eq!(stale.status(), 404);
}
