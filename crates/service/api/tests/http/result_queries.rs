//! `fields`, `filter` and `cursor` of `GET /v1/jobs/{id}/results`.

use contract::{Item, Millis, Mode};
use http::Method;
use job::{JobCommand, RunEnding};
use serde_json::{Value, json};
use store::{Appended, Lease};

use crate::harness::{ApiReply, TestApi, bearer};

/// Sends a request without checking it against the document: items with selected fields lack
/// members that the schema of an item requires.
async fn get_raw(api: &TestApi, path: &str) -> ApiReply {
    let token = bearer(&api.key);
    api.send_raw(Method::GET, path, &[("authorization", &token)], "").await
}

fn numbers(answer: &ApiReply) -> Vec<u32> {
    let items = answer.body["items"].as_array().expect("items").iter();
    let urls = items.map(|item| item["url"].as_str().expect("a URL"));
    urls.map(|url| url.rsplit('/').next().expect("a number").parse().expect("a number")).collect()
}

/// Delivers pages whose status is 404 for every number that `every` divides.
pub async fn deliver_broken(
    api: &TestApi,
    lease: &mut Lease,
    pages: std::ops::Range<u32>,
    every: u32,
) {
    let (commit, items) = fixture::pages_commit(pages);
    let items: Vec<_> = items
        .into_iter()
        .map(|item| {
            let Item::Link(mut link) = item else { panic!("a link") };
            let number: u32 = link.url.rsplit('/').next().expect("a number").parse().expect("one");
            if number.is_multiple_of(every) {
                (link.status_code, link.broken) = (Some(404), true);
            }
            Item::Link(link)
        })
        .collect();
    let appended = api.store.append(lease, &commit, &items, &[], Millis(0)).await;
    assert_eq!(appended.expect("the database answers"), Appended::Stored);
}

#[tokio::test]
async fn results_are_searched_for_a_text_together_with_filters() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    deliver_broken(&api, &mut lease, 0..30, 2).await;
    let results = format!("/v1/jobs/{id}/results");
    let found = api.get(&format!("{results}?q=EXAMPLE.COM%2F2")).await;
    assert_eq!(numbers(&found), [2, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
    let found = api.get(&format!("{results}?q=example.com%2F2&filter[status_code]=404")).await;
    assert_eq!(numbers(&found), [2, 20, 22, 24, 26, 28]);
    let first = api.get(&format!("{results}?q=example.com%2F2&page_size=3")).await;
    assert_eq!(numbers(&first), [2, 20, 21]);
    let cursor = first.body["next_cursor"].as_str().expect("a cursor");
    let next = format!("{results}?q=example.com%2F2&page_size=3&cursor={cursor}");
    assert_eq!(numbers(&api.get(&next).await), [22, 23, 24]);
    let other = api.get(&format!("{results}?q=other&cursor={cursor}")).await;
    assert_eq!((other.status, other.fields()), (422, vec!["cursor"]));
    for wrong in ["q=", "q=%20", &format!("q={}", "x".repeat(201))] {
        let refused = api.get(&format!("{results}?{wrong}")).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["q"]), "{wrong}");
    }
}

#[tokio::test]
async fn schema_of_a_mode_has_a_column_for_every_field() {
    let document = api::openapi(&api::ApiSettings::default());
    let properties = |schema: &Value| -> Vec<String> {
        let own = schema["properties"].as_object().into_iter().flatten();
        own.map(|(name, _)| name.clone()).collect()
    };
    for (mode, name) in [
        (Mode::Links, "LinkItem"),
        (Mode::Sitemap, "SitemapItem"),
        (Mode::Markdown, "MarkdownItem"),
        (Mode::Products, "ProductItem"),
        (Mode::Contacts, "ContactItem"),
    ] {
        let schemas = &document["components"]["schemas"];
        let mut expected = properties(&schemas[name]);
        for part in schemas[name]["allOf"].as_array().into_iter().flatten() {
            expected.extend(properties(part));
            if part["$ref"].is_string() {
                expected.extend(properties(&schemas["LinkItem"]));
            }
        }
        // Links to the files of a page expire: they are in no export.
        expected.retain(|field| field != "files");
        let mut fields = registry::item_schema(mode).fields();
        fields.sort_unstable();
        expected.sort_unstable();
        assert!(!expected.is_empty(), "{name} has no properties");
        assert_eq!(fields, expected, "{mode}");
    }
}

#[tokio::test]
async fn fields_select_members_of_items() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    let path = format!("/v1/jobs/{id}/results");
    let answer = get_raw(&api, &format!("{path}?fields=status_code,url&page_size=1")).await;
    let expected = json!([{"url": "https://example.com/0", "status_code": 200}]);
    assert_eq!((answer.status, &answer.body["items"]), (200, &expected));
    assert_eq!(answer.body["has_more"], true, "ordinary pages take fields too");
    let answer = api.get(&format!("{path}?fields=url,statuscode")).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["fields"]));
    assert!(answer.text.contains("did you mean status_code?"), "{}", answer.text);
}

#[tokio::test]
async fn filters_select_items_and_continue_by_cursor() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    for pages in [0..20, 20..21, 21..50] {
        deliver_broken(&api, &mut lease, pages, 7).await;
    }
    let path = format!("/v1/jobs/{id}/results?filter[status_code]=404&page_size=3");
    let (mut found, mut query, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let answer = api.get(&format!("{path}{query}")).await;
        assert_eq!((answer.status, &answer.body["total"]), (200, &json!(50)), "{}", answer.text);
        found.extend(numbers(&answer));
        pages += 1;
        let cursor = answer.body["next_cursor"].as_str().expect("the job runs");
        query = format!("&cursor={cursor}");
        if answer.body["has_more"] == false {
            break;
        }
    }
    assert_eq!((found, pages), (vec![0, 7, 14, 21, 28, 35, 42, 49], 3));
    // The cursor of the last page continues with what the run adds.
    let again = api.get(&format!("{path}{query}")).await;
    assert_eq!((numbers(&again), &again.body["has_more"]), (vec![], &json!(false)));
    deliver_broken(&api, &mut lease, 50..60, 7).await;
    let next = api.get(&format!("{path}{query}")).await;
    assert_eq!(numbers(&next), [56]);

    let none = api.get(&format!("/v1/jobs/{id}/results?filter[depth][gt]=9")).await;
    assert_eq!((none.status, numbers(&none), &none.body["has_more"]), (200, vec![], &json!(false)));
    let both = format!(
        "/v1/jobs/{id}/results?filter%5Bbroken%5D=true&filter%5Burl%5D=https://example.com/7"
    );
    assert_eq!(numbers(&api.get(&both).await), [7], "encoded brackets are the same");
}

#[tokio::test]
async fn cursor_is_stable_while_the_run_goes_on_and_after_segments_are_merged() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    for page in 0..10 {
        api.deliver(&mut lease, page..page + 1).await;
    }
    let path = format!("/v1/jobs/{id}/results");
    let first = api.get(&format!("{path}?page=1&page_size=4")).await;
    assert_eq!(numbers(&first), [0, 1, 2, 3]);
    let cursor = first.body["next_cursor"].as_str().expect("a cursor").to_owned();
    let second = format!("{path}?cursor={cursor}&page_size=4");
    let before = api.get(&second).await;
    assert_eq!((numbers(&before), &before.body["offset"]), (vec![4, 5, 6, 7], &json!(4)));
    api.deliver(&mut lease, 10..30).await;
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    api.store.merge_segments(&lease.job).await.expect("they are merged");
    let after = api.get(&second).await;
    assert_eq!(after.body["items"], before.body["items"]);
    assert_eq!(after.body["next_cursor"], before.body["next_cursor"]);
    // Following the cursors reads every item once; null ends them.
    let (mut read, mut next) = (Vec::new(), Some(cursor));
    while let Some(cursor) = next {
        let answer = api.get(&format!("{path}?cursor={cursor}&page_size=7")).await;
        read.extend(numbers(&answer));
        next = answer.body["next_cursor"].as_str().map(str::to_owned);
        assert_eq!(answer.body["has_more"], next.is_some());
    }
    assert_eq!(read, (4..30).collect::<Vec<_>>());
}

#[tokio::test]
async fn scan_without_matches_ends_with_a_cursor_after_its_budget() {
    let api = TestApi::start().await;
    let (_, key) = api.account("big@example.com", 100_000).await;
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let id = api.post_as(&key, "/v1/jobs", &body).await.job_id();
    let mut lease = api.taken_up().await;
    for from in (0..24_000).step_by(4_000) {
        deliver_broken(&api, &mut lease, from..from + 4_000, 23_999).await;
    }
    let path = format!("/v1/jobs/{id}/results?filter[status_code]=404");
    let first = api.get_as(&key, &path).await;
    assert_eq!((first.status, numbers(&first)), (200, vec![0]));
    assert_eq!(first.body["has_more"], true, "the rest was not examined");
    let cursor = first.body["next_cursor"].as_str().expect("a cursor");
    let second = api.get_as(&key, &format!("{path}&cursor={cursor}")).await;
    assert_eq!((numbers(&second), &second.body["has_more"]), (vec![23_999], &json!(false)));
}

#[tokio::test]
async fn invalid_queries_of_results_are_rejected() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    let path = format!("/v1/jobs/{id}/results");
    let cursor = api.get(&format!("{path}?page_size=1")).await.body["next_cursor"].clone();
    let cursor = cursor.as_str().expect("a cursor");
    for (query, field, part) in [
        ("filter=404".to_owned(), "filter", "must name a column"),
        ("filter[]=404".to_owned(), "filter[]", "no column"),
        ("filter[status]=404".to_owned(), "filter[status]", "did you mean status_code?"),
        ("filter[price]=1".to_owned(), "filter[price]", "no column that filters this mode"),
        ("filter[depth][above]=1".to_owned(), "filter[depth][above]", "eq, ne, gt"),
        ("filter[depth]=deep".to_owned(), "filter[depth]", "integer"),
        ("filter[type]=html".to_owned(), "filter[type]", "page, image"),
        ("filters[depth]=1".to_owned(), "filters[depth]", "not known"),
        ("cursor=x".to_owned(), "cursor", "damaged"),
        (format!("cursor={cursor}&filter[depth]=1"), "cursor", "other filters"),
        (format!("cursor={cursor}&page=2"), "page", "together with cursor"),
        (format!("cursor={cursor}&offset=2"), "offset", "together with cursor"),
        ("filter[depth]=1&page=2".to_owned(), "page", "continue with cursor"),
        ("filter[depth]=1&offset=2".to_owned(), "offset", "continue with cursor"),
        ("follow=true".to_owned(), "follow", "application/x-ndjson"),
        ("follow=yes".to_owned(), "follow", "true or false"),
    ] {
        let answer = api.get(&format!("{path}?{query}")).await;
        assert_eq!(
            (answer.status, answer.fields()),
            (422, vec![field]),
            "{query}: {}",
            answer.text
        );
        assert!(answer.text.contains(part), "{query}: {}", answer.text);
    }
    // The cursor of another job.
    let other = api.queued("example.org").await;
    let answer = api.get(&format!("/v1/jobs/{other}/results?cursor={cursor}")).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["cursor"]));
    assert_eq!(api.get(&format!("{path}?cursor={cursor}")).await.status, 200);
}

#[test]
fn documentation_lists_the_filter_columns_of_every_mode() {
    let page = include_str!("../../../../../docs/results.md");
    let table = page.split("### Columns").nth(1).expect("the section");
    for mode in Mode::ALL {
        let rows = table.lines().filter(|line| {
            let first = line.trim_start_matches('|').split('|').next().unwrap_or_default();
            first.contains(&format!("`{mode}`"))
        });
        let mut listed: Vec<&str> = rows
            .flat_map(|row| row.split('|').skip(2))
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .collect();
        let columns = registry::item_schema(*mode).filter_columns();
        let mut expected: Vec<_> = columns.map(|column| column.name).collect();
        listed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(listed, expected, "{mode}");
    }
}
