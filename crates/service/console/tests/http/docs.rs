//! The documentation: its pages, links, Markdown, search, and the forms of the reference.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use reqwest::Method;

use crate::harness::{ConsoleServer, form, header};

/// The text of a page for a visitor without a session.
async fn text(server: &ConsoleServer, path: &str) -> String {
    let answer = server.anonymous(Method::GET, path).send().await.expect("an answer");
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.expect("text")
}

/// The response for a client that accepts this type.
async fn accepting(server: &ConsoleServer, path: &str, kind: &str) -> reqwest::Response {
    let request =
        reqwest::Client::new().get(format!("{}{path}", server.url)).header("accept", kind);
    request.send().await.expect("an answer")
}

/// The values of an attribute in the tags of a page.
fn attributes<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let start = format!(" {name}=\"");
    let tags = page.split('<').skip(1).filter_map(|part| part.split('>').next());
    tags.filter_map(|tag| tag.split_once(start.as_str())?.1.split('"').next()).collect()
}

/// All pages that links from the first one lead to.
async fn all_pages(server: &ConsoleServer) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    let mut open = VecDeque::from(["/docs".to_owned()]);
    while let Some(path) = open.pop_front() {
        if pages.contains_key(&path) {
            continue;
        }
        let page = text(server, &path).await;
        for link in attributes(&page, "href") {
            let target = link.split('#').next().unwrap_or_default();
            let is_page = target == "/docs" || target.starts_with("/docs/");
            if is_page && !target.ends_with(".md") {
                open.push_back(target.to_owned());
            }
        }
        pages.insert(path, page);
    }
    pages
}

#[tokio::test]
async fn no_link_of_the_documentation_is_dead() {
    let server = ConsoleServer::start().await;
    let pages = all_pages(&server).await;
    for path in ["/docs/getting-started", "/docs/crawling", "/docs/spec/jobs", "/docs/errors"] {
        assert!(pages.contains_key(path), "{path} is not linked");
    }
    assert!(pages.contains_key("/docs/api/create_job") && pages.len() > 150, "{}", pages.len());
    let mut others = BTreeSet::new();
    for (path, page) in &pages {
        for link in attributes(page, "href") {
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if target.is_empty() { path } else { target };
            match pages.get(target) {
                Some(found) => {
                    let id = format!(" id=\"{anchor}\"");
                    assert!(anchor.is_empty() || found.contains(&id), "{path}: {link} is dead");
                }
                None if target.starts_with('/') => {
                    others.insert(target.to_owned());
                }
                None => assert!(target.starts_with("http"), "{path}: {link} leads nowhere"),
            }
        }
    }
    for target in others {
        let answer = server.anonymous(Method::GET, &target).send().await.expect("an answer");
        let status = answer.status().as_u16();
        assert!(status == 200 || status == 303, "{target} answers {status}");
    }
}

#[tokio::test]
async fn pages_are_for_everybody_and_keep_the_strict_policy() {
    let server = ConsoleServer::start().await;
    for path in ["/docs", "/docs/", "/docs/webhooks", "/docs/api/create_job", "/docs/search?q=x"] {
        let answer = server.anonymous(Method::GET, path).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        let policy = header(&answer, "content-security-policy").to_owned();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let page = answer.text().await.expect("text");
        assert!(attributes(&page, "style").is_empty() && !page.contains("<style"), "{path}");
        assert!(page.contains(">Sign in</a>"), "{path} has no way in");
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
        let page = server.page(path).await;
        assert!(page.contains(">Sign out</button>") && page.contains("role=\"search\""), "{path}");
    }
}

#[tokio::test]
async fn first_page_and_its_files_weigh_less_than_60_kb() {
    let server = ConsoleServer::start().await;
    let page = server.page("/docs").await;
    let mut weight = page.len();
    for file in page.split('"').filter(|part| part.starts_with("/assets/")) {
        let request = server.anonymous(Method::GET, file).header("accept-encoding", "gzip");
        weight += request.send().await.expect("an answer").bytes().await.expect("bytes").len();
    }
    assert!(weight < 60_000, "{weight} bytes");
}

#[tokio::test]
async fn every_page_is_also_markdown() {
    let server = ConsoleServer::start().await;
    let by_header = accepting(&server, "/docs/webhooks", "text/markdown").await;
    assert_eq!(header(&by_header, "content-type"), "text/markdown; charset=utf-8");
    assert!(header(&by_header, "vary").contains("accept"));
    let by_header = by_header.text().await.expect("text");
    assert!(by_header.starts_with("# ") && by_header.contains("](http://trawl.example/docs/"));
    for path in ["/docs/webhooks.md", "/docs/WEBHOOKS.md"] {
        assert_eq!(text(&server, path).await, by_header, "{path}");
    }
    assert!(text(&server, "/docs/spec/README.md").await.starts_with("# "));
    assert!(text(&server, "/docs/CRAWLING.md").await.starts_with("# "));
    let operation = text(&server, "/docs/api/create_job.md").await;
    assert!(operation.contains("`POST /v1/jobs`"), "{operation}");
}

#[tokio::test]
async fn unknown_pages_are_an_error_for_people_and_programs() {
    let server = ConsoleServer::start().await;
    let page = server.anonymous(Method::GET, "/docs/nothing").send().await.expect("an answer");
    assert_eq!(page.status(), 404);
    assert!(page.text().await.expect("text").contains("Page not found"));
    let answer = accepting(&server, "/docs/nothing", "application/json").await;
    let problem: serde_json::Value = answer.json().await.expect("JSON");
    assert_eq!(problem["code"], "not_found");
    let docs =
        problem["docs"].as_str().expect("an address").trim_start_matches("http://trawl.example");
    let (path, code) = docs.split_once('#').expect("an anchor");
    assert!(text(&server, path).await.contains(&format!(" id=\"{code}\"")));
    let answer = server.post("/docs/webhooks", "").await;
    assert_eq!(answer.status(), 405, "a guide is not a form");
}

#[tokio::test]
async fn search_shows_parts_of_pages_and_escapes_the_query() {
    let server = ConsoleServer::start().await;
    let page = text(&server, "/docs/search?q=webhook+signature").await;
    assert!(page.contains("href=\"/docs/webhooks#"), "{page}");
    let page = text(&server, "/docs/search?q=%3Cscript%3Ealert(1)").await;
    assert!(page.contains("No page has all of these words") && !page.contains("<script>alert"));
    let long = format!("/docs/search?q={}", "robots+".repeat(1_000));
    assert!(text(&server, &long).await.contains("/docs/crawling"));
    assert!(text(&server, "/docs/search").await.contains("Enter one or more words."));
}

#[tokio::test]
async fn llms_files_have_absolute_addresses() {
    let server = ConsoleServer::start().await;
    let list = text(&server, "/llms.txt").await;
    assert!(list.starts_with("# Trawl\n\n> "), "{list}");
    assert!(list.contains("](http://trawl.example/docs/getting-started.md): "), "{list}");
    for line in list.lines().filter(|line| line.starts_with("- [")) {
        let (_, rest) = line.split_once("](http://trawl.example").expect("an address");
        text(&server, rest.split(')').next().expect("its end")).await;
    }
    let whole = text(&server, "/llms-full.txt").await;
    assert!(whole.contains("Source: http://trawl.example/docs/webhooks\n"));
    assert!(whole.contains("`POST /v1/jobs`") && !whole.contains("](/docs"));
    assert!(whole.len() < 2_000_000, "{} bytes", whole.len());
}

#[tokio::test]
async fn reference_sends_an_operation_with_the_session() {
    let server = ConsoleServer::start().await;
    let page = server.page("/docs/api/get_account").await;
    assert!(page.contains("Send GET") && page.contains("name=\"form_token\""));
    let answer = server.post("/docs/api/get_account", "key=").await;
    assert_eq!(answer.status(), 200);
    let page = answer.text().await.expect("text");
    assert!(page.contains("200 OK") && page.contains("ada@example.com"), "{page}");
    // Without the form token another site could have caused it.
    let request = server.request(Method::POST, "/docs/api/get_account");
    let answer = form(request, "key=".to_owned()).send().await.expect("an answer");
    assert_eq!(answer.status(), 403);
}

#[tokio::test]
async fn reference_sends_an_operation_with_a_pasted_key() {
    let server = ConsoleServer::start().await;
    let send = async |path: &str, fields: &str| {
        let request = server.anonymous(Method::POST, path);
        let answer = form(request, fields.to_owned()).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.expect("text")
    };
    let page = send("/docs/api/get_account", "key=key_live_wrong").await;
    assert!(page.contains("401 Unauthorized") && page.contains("unauthorized"), "{page}");
    assert!(!page.contains("key_live_wrong"), "a key is not shown again");
    // The token of a session is a credential as well.
    let token = &server.session.token;
    let page = send("/docs/api/list_jobs", &format!("key={token}&p.page_size=3")).await;
    assert!(page.contains("200 OK") && page.contains("page_size&quot;: 3"), "{page}");
    let page = send("/docs/api/get_job", &format!("key={token}&p.id=..%2Faccount")).await;
    assert!(!page.contains("ada@example.com"), "a parameter stays in its place: {page}");
    let page = send("/docs/api/get_job", "key=&p.id=").await;
    assert!(page.contains("id is required."), "{page}");
    let page = send("/docs/api/create_job", "body=%7B").await;
    assert!(page.contains("The body is not valid JSON"), "{page}");
}
