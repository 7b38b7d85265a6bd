//! Estimates hold: the cost of a run lies within the range of its estimate.

use lab::{
    Catalogue, Copies, Empty, Extras, Handbook, Lab, Mapped, Marking, Polyglot, Refusing, Shop,
    Trapping,
};
use serde_json::{Value, json};

use crate::server::{Server, Setup};

/// Share of estimates whose range contains the cost, in percent.
const CONTAINED_PERCENT: usize = 95;

const SHOPS: [&str; 3] = ["holzwurm.lab.test", "normteil.lab.test", "mill.lab.test"];

fn extras() -> Extras {
    Extras { redirects: 60, missing: 60, variants: 60, external: 60, ..Extras::default() }
}

async fn served() -> (Lab, tempfile::TempDir, Server, String) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("small.lab", Catalogue::plain(12))
        .serve("mixed.lab", Catalogue { extras: extras(), ..Catalogue::plain(36) })
        .serve("large.lab", Catalogue { extras: extras(), ..Catalogue::plain(260) })
        .serve("handbook.lab", Handbook::default())
        .serve("manual.lab", Handbook { chapters: 9, sections: 12 })
        .serve("copies.lab", Copies)
        .serve("tongues.lab", Polyglot::new(Marking::Hreflang))
        .serve("refusing.lab", Refusing::Everything)
        .serve("empty.lab", Empty)
        .serve("calendar.lab", Trapping::Calendar)
        .serve("facets.lab", Trapping::Facets);
    lab.serve("mapped.lab", Mapped::new(format!("http://mapped.lab:{}", lab.address().port())));
    for host in SHOPS {
        lab.serve(host, Shop::named(host).expect("a shop"));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_RESOLVE", lab.name_table());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    (lab, folder, server, key)
}

/// The runs: host, mode, and the other members of the request.
fn runs(lab: &Lab) -> Vec<Value> {
    let mut runs = Vec::new();
    let mut add = |host: &str, mode: &str, more: Value| {
        let mut run = json!({"url": format!("http://{host}/"), "mode": mode});
        for (name, value) in more.as_object().expect("members") {
            run[name] = value.clone();
        }
        runs.push(run);
    };
    for host in ["small.lab", "mixed.lab", "large.lab"] {
        for mode in ["links", "markdown", "sitemap"] {
            add(host, mode, json!({}));
        }
        add(host, "links", json!({"scope": {"one_page": true}}));
        add(host, "links", json!({"options": {"sample_size": 7}}));
        add(host, "links", json!({"options": {"max_credits": 9}}));
        add(host, "markdown", json!({"options": {"max_pages": 10}}));
        add(host, "links", json!({"options": {"max_depth": 1}}));
        add(host, "links", json!({"scope": {"include_query_strings": true}}));
    }
    for host in ["handbook.lab", "manual.lab", "copies.lab", "tongues.lab"] {
        add(host, "links", json!({}));
        add(host, "markdown", json!({}));
        add(host, "markdown", json!({"options": {"sample_size": 3}}));
    }
    for host in ["refusing.lab", "empty.lab", "calendar.lab", "facets.lab"] {
        add(host, "links", json!({}));
        add(host, "markdown", json!({"options": {"sample_size": 5}}));
    }
    for host in SHOPS {
        add(host, "products", json!({}));
        add(host, "products", json!({"options": {"sample_size": 4}}));
        add(host, "links", json!({}));
    }
    let mapped = format!("http://mapped.lab:{}/", lab.address().port());
    for scope in [json!({}), json!({"include_sitemap": true}), json!({"include_orphan": true})] {
        add("mapped.lab", "links", json!({"url": mapped, "scope": scope}));
    }
    add("mapped.lab", "sitemap", json!({"url": mapped}));
    runs
}

#[tokio::test(flavor = "multi_thread")]
async fn cost_of_a_run_lies_within_the_range_of_its_estimate() {
    let (lab, _folder, server, key) = served().await;
    let (mut missed, mut bounded) = (Vec::new(), 0);
    let runs = runs(&lab);
    for run in &runs {
        let answer = server.post("/v1/estimate", &key, run).await;
        let status = answer.status();
        let estimate: Value = answer.json().await.expect("JSON");
        assert_eq!(status, 200, "{run}: {estimate}");
        let url = run["url"].as_str().expect("a URL");
        let job = server.create(&key, url, run.clone()).await;
        let done = server.wait(&key, &job, &["completed", "failed"]).await;
        let cost = done["credits_used"].as_u64().expect("a number");
        let min = estimate["estimated_credits_min"].as_u64().expect("a lower bound");
        let max = estimate["estimated_credits_max"].as_u64();
        bounded += usize::from(max.is_some());
        if cost < min || max.is_some_and(|max| cost > max) {
            missed.push(format!("{run}: {cost} is not in {min} to {max:?}"));
        }
        if let Some(likely) = estimate["estimated_credits"].as_u64() {
            assert!(likely >= min && max.is_none_or(|max| likely <= max), "{run}: {estimate}");
        }
    }
    let contained = runs.len() - missed.len();
    assert!(contained * 100 >= runs.len() * CONTAINED_PERCENT, "{missed:#?}");
    assert!(bounded * 2 > runs.len(), "only {bounded} of {} ranges have an end", runs.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn estimate_of_the_command_line_has_both_prices_of_a_path() {
    let (lab, folder, _server, _key) = served().await;
    let setup = Setup::new(folder.path()).with("TRAWL_RESOLVE", lab.name_table());
    let estimate = |arguments: &[&str]| {
        let mut command = setup.other();
        command.args([
            "estimate",
            "http://handbook.lab/chapter-1/section-0",
            "--mode",
            "links",
            "--json",
        ]);
        let ended = crate::server::output(command.args(arguments));
        assert!(ended.status.success(), "{}", crate::server::text(&ended.stderr));
        serde_json::from_slice::<Value>(&ended.stdout).expect("JSON")
    };
    let (path, site) = (estimate(&[]), estimate(&["--whole-site"]));
    assert_eq!(path["estimated_pages_max"], path["under_path"]["estimated_pages_max"], "{path}");
    assert_eq!(site["estimated_pages_max"], site["whole_site"]["estimated_pages_max"], "{site}");
    let least = |price: &Value| price["estimated_pages_min"].as_u64().expect("a number");
    assert!(least(&path["under_path"]) <= least(&path["whole_site"]), "{path}");
}
