//! `GET /v1/jobs`.

use serde_json::json;

use crate::harness::TestApi;

#[tokio::test]
async fn jobs_are_paged_newest_first() {
    let api = TestApi::start().await;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(api.queued(&format!("s{n}.example")).await);
        api.pass(std::time::Duration::from_millis(1));
    }
    ids.reverse();
    let mut listed = Vec::new();
    for page in 1..=4 {
        let answer = api.get(&format!("/v1/jobs?page={page}&page_size=2")).await;
        assert_eq!(answer.body["total"], 5);
        assert_eq!((&answer.body["page"], &answer.body["page_size"]), (&json!(page), &json!(2)));
        let items = answer.body["items"].as_array().expect("items").clone();
        listed.extend(items.iter().map(|item| item["job_id"].as_str().expect("an id").to_owned()));
    }
    assert_eq!(listed, ids);
    let answer = api.get("/v1/jobs").await;
    assert_eq!((&answer.body["page"], &answer.body["page_size"]), (&json!(1), &json!(100)));
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let api = TestApi::start().await;
    let first = api.queued("a.example").await;
    api.queued("b.example").await;
    api.post(&format!("/v1/jobs/{first}/abort"), &json!({})).await;
    for (query, total) in [
        ("status=aborted", 1),
        ("status=queued", 1),
        ("status=running", 0),
        ("mode=links", 2),
        ("mode=contacts", 0),
        ("source=direct", 2),
        ("source=mcp", 0),
        ("status=aborted&mode=links&source=direct", 1),
    ] {
        let answer = api.get(&format!("/v1/jobs?{query}")).await;
        assert_eq!((answer.status, &answer.body["total"]), (200, &json!(total)), "{query}");
    }
}

#[tokio::test]
async fn jobs_are_searched_by_url_and_time_and_sorted() {
    let api = TestApi::start().await;
    let first = api.queued("shop.example").await;
    api.pass(std::time::Duration::from_secs(3_600));
    let second = api.queued("half.example").await;
    let listed = async |query: &str| {
        let answer = api.get(&format!("/v1/jobs?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {:?}", answer.body);
        let items = answer.body["items"].as_array().expect("items").clone();
        assert_eq!(answer.body["total"], json!(items.len()), "{query}");
        items
            .iter()
            .map(|item| item["job_id"].as_str().expect("an id").to_owned())
            .collect::<Vec<_>>()
    };
    let nothing: Vec<String> = Vec::new();
    for (query, expected) in [
        ("q=SHOP", vec![first.clone()]),
        ("q=example&sort=newest", vec![second.clone(), first.clone()]),
        ("sort=oldest", vec![first.clone(), second.clone()]),
        ("sort=results", vec![second.clone(), first.clone()]),
        // No character has a meaning.
        ("q=s_op", nothing.clone()),
        ("q=%25", vec![]),
        ("from=2000-01-01&to=2000-01-02", nothing.clone()),
        ("from=2000-01-01", vec![second.clone(), first.clone()]),
    ] {
        let found: Vec<String> = listed(query).await;
        assert_eq!(found, expected, "{query}");
    }
    for query in ["sort=best", "from=yesterday", &format!("q={}", "x".repeat(201))] {
        assert_eq!(api.get(&format!("/v1/jobs?{query}")).await.status, 422, "{query}");
    }
}

#[tokio::test]
async fn name_and_tags_of_a_job_are_changed_and_searched() {
    let api = TestApi::start().await;
    let id = api.queued("a.example").await;
    api.queued("b.example").await;
    let job = format!("/v1/jobs/{id}");
    let changed =
        api.patch(&job, &json!({"name": " Relaunch ", "tags": ["shop", "shop", "x"]})).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(
        (&changed.body["name"], &changed.body["tags"]),
        (&json!("Relaunch"), &json!(["shop", "x"]))
    );
    let changed = api.patch(&job, &json!({"tags": ["shop"]})).await;
    assert_eq!(
        (&changed.body["name"], &changed.body["tags"]),
        (&json!("Relaunch"), &json!(["shop"]))
    );
    assert_eq!(api.get(&job).await.body["name"], "Relaunch");
    for (query, total) in [("tag=shop", 1), ("tag=sho", 0), ("tag=x", 0), ("q=relaunch", 1)] {
        let list = api.get(&format!("/v1/jobs?{query}")).await;
        assert_eq!(list.body["total"], total, "{query}");
    }
    let cleared = api.patch(&job, &json!({"name": "", "tags": []})).await;
    assert_eq!(
        (cleared.status, cleared.body.get("name"), cleared.body.get("tags")),
        (200, None, None)
    );
    for (body, field) in [
        (json!({"name": "x".repeat(101)}), "name"),
        (json!({"tags": ["a", "b,c"]}), "tags[1]"),
        (json!({"tags": ["a\nb"]}), "tags[0]"),
        (json!({"status": "aborted"}), "status"),
    ] {
        let refused = api.patch(&job, &body).await;
        assert_eq!((refused.status, refused.fields()), (422, vec![field]), "{body}");
    }
    let (_, stranger) = api.account("eve@x.org", 10).await;
    assert_eq!(api.get_as(&stranger, &job).await.status, 404);
}

#[tokio::test]
async fn all_invalid_parameters_are_reported() {
    let api = TestApi::start().await;
    let answer = api.get("/v1/jobs?page=0&page_size=5000&status=done&mode=x&source=%00").await;
    assert_eq!(answer.status, 422);
    insta::assert_json_snapshot!(answer.stable());
    for value in ["", "-1", "1.5", "1e2", "+1", "%201", "x", "99999999999999999999"] {
        let answer = api.get(&format!("/v1/jobs?page={value}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["page"]), "{value}");
    }
    let answer = api.get("/v1/jobs?page=9007199254740991&page_size=1000").await;
    assert_eq!((answer.status, &answer.body["items"]), (200, &json!([])));
}
