//! The line to the client while one of its requests is being answered.

use contract::JobProgress;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

/// By this a tool tells how far it is, and notices that nobody waits any more.
#[derive(Debug)]
pub(crate) struct Line {
    context: RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    told: Option<u64>,
}

impl Line {
    pub fn new(context: RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { context, token, told: None }
    }

    /// Waits until the client takes its request back.
    pub async fn hung_up(&self) {
        self.context.ct.cancelled().await;
    }

    /// Tells how far a run is, if the client wants to know and there is more than before: the
    /// protocol wants progress to grow.
    pub async fn tell(&mut self, progress: &JobProgress) {
        let Some(token) = self.token.clone() else { return };
        let done = progress.fetched;
        if self.told.is_some_and(|told| done <= told) {
            return;
        }
        self.told = Some(done);
        #[expect(clippy::cast_precision_loss, reason = "progress need not be exact")]
        let [at, of] = [done, progress.counts.pages.max(done)].map(|number| number as f64);
        let mut message = format!("{}: {} results", progress.status, progress.counts.results);
        if let Some(url) = progress.fetching.first() {
            message.push_str(&format!(", fetching {url}"));
        }
        let notice = ProgressNotificationParam::new(token, at).with_total(of).with_message(message);
        let peer: &Peer<RoleServer> = &self.context.peer;
        // A client that is gone is noticed elsewhere.
        let _ = peer.notify_progress(notice).await;
    }
}
