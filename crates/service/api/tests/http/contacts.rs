//! Jobs of mode `contacts`: validation, price, records, exports.

use contract::{
    ContactEmail, ContactItem, ContactMethod, ContactPerson, ContactSource, ContactStatus, Item,
    MailboxType, Millis, PersonContextKind, PersonSource,
};
use job::RunEnding;
use journal::{Commit, Step, Visited};
use serde_json::{Value, json};
use store::{Appended, ShardEnd};

use crate::harness::TestApi;

const NOW: Millis = Millis(1_780_000_000_000);

fn body(domains: &Value) -> Value {
    json!({"mode": "contacts", "legal_basis_accepted": true, "domains": domains})
}

fn records() -> Vec<Item> {
    let mut found = ContactItem::empty("a.example".to_owned(), ContactStatus::Found, NOW);
    found.company.name = Some("=Acme".to_owned());
    found.emails.push(ContactEmail {
        value: "ada@a.example".to_owned(),
        kind: MailboxType::Personal,
        label: None,
        sources: vec![ContactSource {
            url: "https://a.example/team".to_owned(),
            method: ContactMethod::Mailto,
        }],
    });
    found.people.push(ContactPerson {
        name: "Ada Bee".to_owned(),
        first_name: Some("Ada".to_owned()),
        last_name: Some("Bee".to_owned()),
        honorific: None,
        title: Some("Owner".to_owned()),
        department: None,
        seniority: None,
        legal_representative: true,
        emails: vec!["ada@a.example".to_owned()],
        phones: Vec::new(),
        profiles: Vec::new(),
        confidence: 0.9,
        sources: vec![PersonSource {
            url: "https://a.example/team".to_owned(),
            method: ContactMethod::Mailto,
            context: Some(PersonContextKind::Team),
        }],
    });
    let dead = ContactItem::empty("b.example".to_owned(), ContactStatus::Unreachable, NOW);
    vec![Item::Contact(Box::new(found)), Item::Contact(Box::new(dead))]
}

/// A job over two domains, one of which has something to tell.
async fn visited(api: &TestApi) -> (String, Vec<Item>) {
    let answer = api.post("/v1/jobs", &body(&json!(["a.example", "b.example"]))).await;
    assert_eq!((answer.status, &answer.body["url"]), (202, &Value::Null), "{}", answer.text);
    let mut lease = api.taken_up().await;
    let visit = |domain_index, units| Step::Visited(Visited { domain_index, pages: 3, units });
    let commit = Commit { steps: vec![visit(0, 1), visit(1, 0)] };
    let items = records();
    let appended = api.store.append(&mut lease, &commit, &items, &[], NOW).await;
    assert_eq!(appended.expect("the database answers"), Appended::Stored);
    let done = ShardEnd::Done(RunEnding::Complete);
    api.store.end_shard(&lease, &done, NOW).await.expect("it ends");
    (answer.job_id(), items)
}

#[tokio::test]
async fn one_record_per_domain_and_only_found_ones_are_charged() {
    let api = TestApi::start().await;
    let (id, items) = visited(&api).await;
    let answer = api.get(&format!("/v1/jobs/{id}/results")).await;
    assert_eq!((answer.status, &answer.body["mode"]), (200, &json!("contacts")));
    assert_eq!(answer.body["items"], serde_json::to_value(&items).expect("JSON"));
    let job = api.get(&format!("/v1/jobs/{id}")).await.body;
    assert_eq!((&job["status"], &job["credits_used"]), (&json!("completed"), &json!(10)));
    assert_eq!(job["counts"], json!({"pages": 6, "products": 0, "results": 2}));
    assert_eq!(api.get("/v1/account").await.body["credits"], 990, "the rest is given back");
}

#[tokio::test(flavor = "multi_thread")]
async fn contact_records_are_exported_in_every_format() {
    let api = TestApi::start().await;
    let (id, items) = visited(&api).await;
    for (format, pieces) in [
        ("json", &["\"domain\":\"a.example\""][..]),
        ("csv", &["company.legal_name", "'=Acme", "ada@a.example", "unreachable"]),
        ("xml", &["<results>", "<domain>b.example</domain>", "<name>Ada Bee</name>"]),
        ("md", &["| domain | status |", "b.example"]),
        ("xlsx", &["PK"]),
    ] {
        let file = api.take_away(&id, format).await;
        for piece in pieces {
            assert!(file.text.contains(piece), "{piece} in {format}: {}", file.text);
        }
        if format == "json" {
            assert_eq!(file.body, serde_json::to_value(&items).expect("JSON"));
        }
    }
}

#[tokio::test]
async fn invalid_domains_are_reported_by_index() {
    let api = TestApi::start().await;
    for wrong in [
        "",
        "  ",
        "exa mple.com",
        "info@example.com",
        "ftp://example.com",
        "127.0.0.1",
        "[::1]",
        "10.0.0.1:80",
        "co.uk",
        "com",
        "localhost",
        "printer.local",
        "db.internal",
        "-",
        "a..b",
    ] {
        let answer = api.post("/v1/jobs", &body(&json!(["a.example", wrong]))).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["domains[1]"]), "{wrong:?}");
    }
    let fine = json!([
        "https://www.a.example/about?x#y",
        "A.EXAMPLE.",
        "a.example:8443",
        "bücher.example",
        "xn--bcher-kva.example",
    ]);
    let answer = api.post("/v1/jobs", &body(&fine)).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let id = answer.job_id().parse().expect("an id");
    let job = with_domains(&api, &id).await;
    assert_eq!(job.domains, ["a.example", "xn--bcher-kva.example"], "each once, in one spelling");
}

#[tokio::test]
async fn contacts_by_url_is_one_visit_and_locks_the_site() {
    let api = TestApi::start().await;
    let at_url = json!({
        "mode": "contacts", "legal_basis_accepted": true, "url": "https://a.example:8443/about"
    });
    let answer = api.post("/v1/jobs", &at_url).await;
    assert_eq!(answer.body["url"], "https://a.example:8443/about");
    assert_eq!(api.post("/v1/jobs", &at_url).await.refusal(), (409, "conflict"));
    let list = body(&json!(["a.example"]));
    assert_eq!(api.post("/v1/jobs", &list).await.status, 202, "lists of domains are exempt");
    assert_eq!(api.post("/v1/jobs", &list).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn people_table_has_one_row_per_person() {
    let api = TestApi::start().await;
    let (id, _) = visited(&api).await;
    let wanted = json!({"format": "csv", "table": "people"});
    let answer = api.post(&format!("/v1/jobs/{id}/export"), &wanted).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let path =
        answer.body["url"].as_str().expect("an address").replace("https://trawl.example", "");
    let file = api.send(http::Method::GET, &path, &[], "").await;
    let rows: Vec<_> = file.text.lines().collect();
    assert_eq!(rows.len(), 2, "{}", file.text);
    assert!(rows[0].contains("\"domain\",\"company.name\",\"name\""), "{}", rows[0]);
    assert!(rows[1].starts_with("\"a.example\",\"'=Acme\",\"Ada Bee\""), "{}", rows[1]);
    assert!(rows[1].contains("\"ada@a.example\""), "{}", rows[1]);
    let name = file.header("content-disposition").expect("a name");
    assert!(name.contains("contacts-people-"), "{name}");
}

async fn with_domains(api: &TestApi, id: &contract::JobId) -> job::Job {
    let job = api.store.job(id).await.expect("it answers").expect("a job");
    api.store.with_domains(job).await.expect("it answers")
}

#[tokio::test]
async fn entries_of_domains_have_a_length_limit() {
    let api = TestApi::start().await;
    let entry = |bytes: usize| format!("a.example/{}", "x".repeat(bytes - "a.example/".len()));
    let answer = api.post("/v1/jobs", &body(&json!([entry(2_049)]))).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["domains[0]"]), "{}", answer.text);
    assert!(answer.text.contains("2048 bytes"), "{}", answer.text);
    assert_eq!(api.post("/v1/jobs", &body(&json!([entry(2_048)]))).await.status, 202);
}

#[tokio::test]
async fn records_contain_the_input_of_the_client() {
    let api = TestApi::start().await;
    let given = json!(["https://www.A.example/about", "b.EXAMPLE", "a.example"]);
    let answer = api.post("/v1/jobs", &body(&given)).await;
    let id = answer.job_id().parse().expect("an id");
    let job = with_domains(&api, &id).await;
    assert_eq!(job.domains, ["a.example", "b.example"]);
    assert_eq!(job.inputs, ["https://www.A.example/about", "b.EXAMPLE"]);
    let by_url =
        json!({"mode": "contacts", "legal_basis_accepted": true, "url": "HTTP://C.example"});
    let id = api.post("/v1/jobs", &by_url).await.job_id().parse().expect("an id");
    let job = with_domains(&api, &id).await;
    assert_eq!(job.inputs_of_shard(0), ["HTTP://C.example"]);
}
