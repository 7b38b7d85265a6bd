//! Runs: ownership, abort, filters and sorting.

use reqwest::Method;

use crate::harness::{ConsoleServer, form, header};

#[tokio::test]
async fn run_is_visible_to_its_owner_only() {
    let (server, other) = (ConsoleServer::start().await, ConsoleServer::start().await);
    let lease =
        fixture::running(&server.store, &fixture::new_job(&server.account, "a.example")).await;
    let job = lease.job.as_str();
    for below in [
        "",
        "/progress",
        "/use",
        "/log",
        "/results",
        "/tree",
        "/charts",
        "/skipped",
        "/exports",
        "/events",
    ] {
        let path = format!("/runs/{job}{below}");
        assert_eq!(server.get(&path).await.status(), 200, "{path}");
        assert_eq!(other.get(&path).await.status(), 404, "{path}");
    }
    assert_eq!(other.get(&format!("/runs/{job}/live")).await.status(), 404);
    assert_eq!(other.get(&format!("/runs/new?from={job}")).await.status(), 404);
    assert_eq!(server.get("/runs/nonsense").await.status(), 404);
    assert_eq!(server.get(&format!("/runs/{job}/results/nonsense")).await.status(), 404);
}

#[tokio::test]
async fn run_is_aborted_by_post_only() {
    let server = ConsoleServer::start().await;
    let lease =
        fixture::running(&server.store, &fixture::new_job(&server.account, "a.example")).await;
    let path = format!("/runs/{}/abort", lease.job);
    let forged = form(server.request(Method::POST, &path), String::new()).send().await;
    assert_eq!(forged.expect("an answer").status(), 403);
    let done = server.post(&path, "").await;
    let run = format!("/runs/{}", lease.job);
    assert_eq!((done.status().as_u16(), header(&done, "location")), (303, run.as_str()));
    assert!(server.page(&run).await.contains("user_stopped"));
    let export = server.post(&format!("{run}/exports"), "format=csv").await;
    assert!(header(&export, "location").starts_with("/downloads/"));
    let live = server.get(&format!("{run}/live")).await;
    assert_eq!(header(&live, "content-type"), "text/event-stream");
    let events = live.text().await.expect("a stream that ends");
    assert!(events.contains("event: end") && events.contains("\"status\":\"aborted\""), "{events}");
}

#[tokio::test]
async fn runs_are_filtered_by_query() {
    let server = ConsoleServer::start().await;
    for host in ["a.example", "b.example"] {
        fixture::running(&server.store, &fixture::new_job(&server.account, host)).await;
    }
    assert!(server.page("/").await.contains("b.example"), "the list is also at /");
    assert!(
        server.page("/runs?status=running&mode=links&source=direct").await.contains("a.example")
    );
    assert!(server.page("/runs?mode=contacts").await.contains("No runs."));
    let page = server.page("/runs?page_size=1").await;
    assert!(page.contains("href=\"/runs?page_size=1&amp;page=2\""), "the next page is a link");
    let refused = server.get("/runs?status=nonsense").await;
    assert_eq!(refused.status(), 422);
    assert!(refused.text().await.expect("text").contains("Request <code>req_"));
}

#[tokio::test]
async fn runs_are_searched_and_several_are_aborted_and_deleted() {
    let server = ConsoleServer::start().await;
    let mut jobs = Vec::new();
    for host in ["a.example", "b.example"] {
        let lease = fixture::running(&server.store, &fixture::new_job(&server.account, host)).await;
        jobs.push(lease.job);
    }
    let found = server.page("/runs?q=A.EX&from=2000-01-01&until=2999-12-31&sort=oldest").await;
    assert!(found.contains("a.example") && !found.contains("b.example"), "{found}");
    assert!(server.page("/runs?until=2000-01-01").await.contains("No runs."));
    let ids = format!("id={}&id={}", jobs[0], jobs[1]);
    let none = server.post("/runs/bulk", "action=abort").await;
    assert_eq!(none.status(), 422);
    let asked = server.post("/runs/bulk", &format!("action=delete&{ids}")).await;
    assert!(asked.text().await.expect("text").contains("abort them first"));
    let asked = server.post("/runs/bulk", &format!("action=abort&{ids}")).await;
    assert!(asked.text().await.expect("text").contains("Abort 2 runs"));
    assert!(server.page("/runs?status=aborted").await.contains("No runs."), "only asked");
    let done = server.post("/runs/bulk", &format!("action=abort&confirmed=on&{ids}")).await;
    assert_eq!((done.status().as_u16(), header(&done, "location")), (303, "/runs"));
    let export = server.post("/runs/bulk", &format!("action=export&format=csv&{ids}")).await;
    let export = export.text().await.expect("text");
    assert_eq!(export.matches("href=\"/downloads/").count(), 2, "{export}");
    let done = server.post("/runs/bulk", &format!("action=delete&confirmed=on&{ids}")).await;
    assert_eq!(done.status(), 303);
    assert!(server.page("/runs").await.contains("No runs."));
    let other = ConsoleServer::start().await;
    let lease =
        fixture::running(&other.store, &fixture::new_job(&other.account, "c.example")).await;
    let foreign = format!("action=abort&confirmed=on&id={}", lease.job);
    assert_eq!(server.post("/runs/bulk", &foreign).await.status(), 404);
}

#[tokio::test]
async fn run_gets_a_name_and_tags_that_lists_search() {
    let server = ConsoleServer::start().await;
    for host in ["a.example", "b.example"] {
        fixture::running(&server.store, &fixture::new_job(&server.account, host)).await;
    }
    let lease =
        fixture::running(&server.store, &fixture::new_job(&server.account, "c.example")).await;
    let run = format!("/runs/{}", lease.job);
    let saved = server.post(&format!("{run}/labels"), "name=Re%3Claunch&tags=shop,+old%25").await;
    assert_eq!((saved.status().as_u16(), header(&saved, "location")), (303, run.as_str()));
    let page = server.page(&run).await;
    assert!(page.contains("Re&lt;launch") && page.contains("/runs?tag=shop"), "{page}");
    for query in ["tag=shop", "tag=old%25", "q=RELAUNCH%3C", "q=re%3Cla"] {
        let list = server.page(&format!("/runs?{query}")).await;
        let found = query != "q=RELAUNCH%3C";
        assert_eq!(list.contains("c.example"), found, "{query}: {list}");
        assert!(!list.contains("a.example"), "{query}");
    }
    assert!(server.page("/runs?tag=sho").await.contains("No runs."), "whole tags only");
    let refused = server.post(&format!("{run}/labels"), &format!("tags={}", "x".repeat(41))).await;
    assert_eq!(refused.status(), 422);
    let cleared = server.post(&format!("{run}/labels"), "name=&tags=").await;
    assert_eq!(cleared.status(), 303);
    assert!(!server.page(&run).await.contains("/runs?tag="));
    let other = ConsoleServer::start().await;
    assert_eq!(other.post(&format!("{run}/labels"), "name=x").await.status(), 404);
}

#[tokio::test]
async fn result_has_a_page_by_position_and_by_url() {
    let server = ConsoleServer::start().await;
    let mut lease =
        fixture::running(&server.store, &fixture::new_job(&server.account, "example.com")).await;
    let (commit, items) = fixture::pages_commit(0..30);
    let stored = server.store.append(&mut lease, &commit, &items, &[], fixture::NOW).await;
    stored.expect("the database answers");
    let run = format!("/runs/{}", lease.job);
    let by_place = server.page(&format!("{run}/results/8")).await;
    assert!(by_place.contains("https://example.com/7") && by_place.contains("8 of 30"));
    assert!(by_place.contains("&quot;url&quot;: &quot;https://example.com/7&quot;"), "as JSON");
    let by_url = server.page(&format!("{run}/result?key=https%3A%2F%2Fexample.com%2F7")).await;
    assert!(by_url.contains("&quot;url&quot;: &quot;https://example.com/7&quot;"));
    for missing in ["/results/31", "/result?key=https%3A%2F%2Fexample.com%2F99", "/result"] {
        assert_eq!(server.get(&format!("{run}{missing}")).await.status(), 404, "{missing}");
    }
}

#[tokio::test]
async fn run_page_opens_on_results_with_id_and_progress() {
    let server = ConsoleServer::start().await;
    let mut lease =
        fixture::running(&server.store, &fixture::new_job(&server.account, "example.com")).await;
    let run = format!("/runs/{}", lease.job);
    assert!(server.page(&run).await.contains("They appear here as they arrive."));
    let (commit, items) = fixture::pages_commit(0..30);
    let stored = server.store.append(&mut lease, &commit, &items, &[], fixture::NOW).await;
    stored.expect("the database answers");
    let page = server.page(&run).await;
    for words in ["<progress", "https://example.com/7", "role=\"status\"", "data-copies=\"job-id\""]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    let programs = server.page(&format!("{run}/use")).await;
    let calls = format!("http://trawl.example/v1/jobs/{}/results", lease.job);
    assert_eq!(programs.matches(&calls).count(), 3, "{programs}");
    let fields = "format=csv&selection=%3Fstatus%3D2xx%26q%3Dexample";
    let export = server.post(&format!("{run}/exports"), fields).await;
    assert!(header(&export, "location").starts_with("/downloads/"));
    let file = server.get(header(&export, "location")).await.text().await.expect("text");
    assert_eq!(file.lines().count(), 31, "a heading and the results");
    let fields = "format=csv&selection=%3Fstatus%3D5xx";
    let export = server.post(&format!("{run}/exports"), fields).await;
    let file = server.get(header(&export, "location")).await.text().await.expect("text");
    assert_eq!(file.lines().count(), 1, "a heading only");
}

#[tokio::test]
async fn results_are_sorted_and_filtered_by_query() {
    let server = ConsoleServer::start().await;
    let mut lease =
        fixture::running(&server.store, &fixture::new_job(&server.account, "example.com")).await;
    let (commit, items) = fixture::pages_commit(0..30);
    let stored = server.store.append(&mut lease, &commit, &items, &[], fixture::NOW).await;
    stored.expect("the database answers");
    let results = format!("/runs/{}/results", lease.job);
    let page = server.page(&format!("{results}?sort=url&order=desc&page_size=2")).await;
    let place = |url: &str| page.find(&format!(">https://example.com/{url}<"));
    assert!(place("9") < place("8") && place("9").is_some() && place("7").is_none());
    assert!(page.contains("aria-sort=\"descending\""));
    let narrowed = server.page(&format!("{results}?q=PAGE+29")).await;
    assert!(narrowed.contains("1 URL") && narrowed.contains("example.com/29"));
    let counted = server.page(&format!("{results}?status=2xx&type=page&page_size=5")).await;
    assert!(counted.contains("30 of 30 URLs match") && counted.contains("Download the selection"));
    let none = server.page(&format!("{results}?status=5xx")).await;
    assert!(none.contains("No results match."));
    let columns = server.page(&format!("{results}?col=found_on&col=word_count")).await;
    assert!(columns.contains("sort=found_on") && !columns.contains("sort=inlinks"), "{columns}");
    let tree = server.page(&format!("/runs/{}/tree", lease.job)).await;
    assert!(tree.contains(">29</a>"));
    let charts = server.page(&format!("/runs/{}/charts", lease.job)).await;
    assert!(charts.contains("200") && charts.contains("1 click"));
}

#[tokio::test]
async fn missing_url_is_explained_for_sites_and_lists() {
    let server = ConsoleServer::start().await;
    let site = "seen=1&mode=links&url=https%3A%2F%2Fexample.com%2F&options.discovery=on";
    let list =
        "seen=1&mode=links&urls=https%3A%2F%2Fexample.com%2Fa%0Ahttps%3A%2F%2Fexample.org%2F";
    for (fields, url, expected) in [
        (site, "%2Fnowhere", "never found"),
        (list, "https%3A%2F%2Fexample.org%2F", "pending"),
        (list, "https%3A%2F%2Fexample.org%2Fb", "It is not in the list of the run."),
    ] {
        let started = server.post("/runs/new", fields).await;
        assert_eq!(started.status(), 303, "{fields}");
        let run = header(&started, "location").to_owned();
        let page = server.page(&format!("{run}/skipped?url={url}")).await;
        assert!(page.contains("Why is a URL missing?"), "{fields}");
        assert!(page.contains(expected), "{url}: {page}");
    }
}
