//! Moves jobs through their lives, as a worker would.

use std::ops::Range;
use std::time::Duration;

use contract::{DiscoveredBy, Item, LinkItem, LinkType};
use job::{Command, Tier};
use journal::{Commit, Finished, Outcome, Step};
use serde_json::json;
use store::{Appended, Lease};

use super::{Bench, NOW};

impl Bench {
    /// A new job for the site, as its id.
    pub async fn queued(&self, host: &str) -> String {
        let body = json!({"mode": "links", "url": format!("https://{host}/")});
        let answer = self.post("/v1/jobs", &body).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        answer.job_id()
    }

    /// A job that a worker has taken up.
    pub async fn running(&self, host: &str) -> (String, Lease) {
        let id = self.queued(host).await;
        let lease = self
            .store
            .claim(&self.node, Duration::from_secs(60), NOW)
            .await
            .expect("the database answers")
            .expect("a free shard");
        self.report(&lease, &Command::Start).await;
        self.report(&lease, &Command::LearnTier(Tier::Normal)).await;
        (id, lease)
    }

    pub async fn report(&self, lease: &Lease, command: &Command) {
        self.store.report(lease, command, NOW).await.expect("the command fits");
    }

    /// Delivers pages, each for one unit.
    pub async fn deliver(&self, lease: &mut Lease, pages: Range<u32>) {
        let steps = pages.clone().map(|ordinal| {
            Step::Finished(Finished {
                ordinal,
                outcome: Outcome::Answered(200),
                found: Vec::new(),
                linked: Vec::new(),
                content: None,
                delivered: true,
                units: 1,
            })
        });
        let commit = Commit { steps: steps.collect() };
        let items: Vec<_> = pages.map(item).collect();
        let appended = self.store.append(lease, &commit, &items, NOW).await;
        assert_eq!(appended.expect("the database answers"), Appended::Stored);
    }
}

fn item(ordinal: u32) -> Item {
    Item::Link(Box::new(LinkItem {
        url: format!("https://example.com/{ordinal}"),
        title: Some(format!("Page {ordinal} \u{202e}ü\u{1f600}")),
        kind: LinkType::Page,
        status_code: Some(200),
        final_url: None,
        redirects: Vec::new(),
        content_type: Some("text/html".to_owned()),
        size_bytes: Some(1_000),
        response_ms: Some(3),
        error: None,
        depth: Some(1),
        inlinks: 1,
        found_on: None,
        anchor: None,
        discovered_by: vec![DiscoveredBy::Link],
        external: false,
        broken: false,
        orphan: false,
        in_sitemap: false,
        indexable: Some(true),
        index_reason: None,
        canonical_url: None,
        duplicate_of: None,
        language: None,
        description: None,
        h1: None,
        word_count: Some(7),
        content_hash: Some(format!("{ordinal:016x}")),
        fetched_at: Some(NOW),
    }))
}
