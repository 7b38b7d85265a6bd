//! Changes the state of jobs like a worker.

use std::ops::Range;
use std::time::Duration;

use axum::http::Method;
use job::{JobCommand, Tier};
use serde_json::json;
use store::{Appended, Lease};

use super::{ApiReply, NOW, TestApi};

impl TestApi {
    /// Creates a job for the site and returns its id.
    pub async fn queued(&self, host: &str) -> String {
        self.queued_in("links", host).await
    }

    async fn queued_in(&self, mode: &str, host: &str) -> String {
        let body = json!({"mode": mode, "url": format!("https://{host}/")});
        let answer = self.post("/v1/jobs", &body).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        answer.job_id()
    }

    /// Creates a job and claims it as a worker.
    pub async fn running(&self, host: &str) -> (String, Lease) {
        self.running_in("links", host).await
    }

    /// Creates a job in this mode and claims it.
    pub async fn running_in(&self, mode: &str, host: &str) -> (String, Lease) {
        let id = self.queued_in(mode, host).await;
        (id, self.taken_up().await)
    }

    /// Claims the shard that has waited longest.
    pub async fn taken_up(&self) -> Lease {
        let lease = self
            .store
            .claim(&self.node, Duration::from_secs(60), NOW)
            .await
            .expect("the database answers")
            .expect("a free shard");
        self.report(&lease, &JobCommand::Start).await;
        self.report(&lease, &JobCommand::LearnTier(Tier::Normal)).await;
        lease
    }

    /// Exports the results in this format and downloads the file.
    pub async fn take_away(&self, job: &str, format: &str) -> ApiReply {
        let answer = self.post(&format!("/v1/jobs/{job}/export"), &json!({"format": format})).await;
        let url = answer.body["url"].as_str().expect("an address");
        let path = url.strip_prefix("https://trawl.example").expect("under the public address");
        let file = self.send(Method::GET, path, &[], "").await;
        assert_eq!(file.status, 200, "{format}");
        file
    }

    pub async fn report(&self, lease: &Lease, command: &JobCommand) {
        self.store.report(lease, command, NOW).await.expect("the command fits");
    }

    /// Delivers pages, each for one unit.
    pub async fn deliver(&self, lease: &mut Lease, pages: Range<u32>) {
        self.deliver_with(lease, pages, 0..0).await;
    }

    /// Delivers pages and skipped URLs.
    pub async fn deliver_with(&self, lease: &mut Lease, pages: Range<u32>, skipped: Range<u32>) {
        let (commit, items) = fixture::pages_commit(pages);
        let skipped: Vec<_> = skipped.map(fixture::skipped_url).collect();
        let appended = self.store.append(lease, &commit, &items, &skipped, NOW).await;
        assert_eq!(appended.expect("the database answers"), Appended::Stored);
    }
}
