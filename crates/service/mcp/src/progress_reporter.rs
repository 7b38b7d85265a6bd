//! Progress notifications to the client during a tool call.

use contract::JobProgress;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

/// Sends progress to the client and notices when the client cancels the request.
#[derive(Debug)]
pub(crate) struct ProgressReporter {
    context: RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    reported: Option<u64>,
}

impl ProgressReporter {
    pub fn new(context: RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { context, token, reported: None }
    }

    /// Waits until the client cancels the request.
    pub async fn cancelled(&self) {
        self.context.ct.cancelled().await;
    }

    /// Reports the progress of a run if the client asked for it and it increased: MCP requires
    /// increasing progress.
    pub async fn report(&mut self, progress: &JobProgress) {
        let Some(token) = self.token.clone() else { return };
        let done = progress.fetched;
        if self.reported.is_some_and(|reported| done <= reported) {
            return;
        }
        self.reported = Some(done);
        #[expect(clippy::cast_precision_loss, reason = "progress need not be exact")]
        let [at, of] = [done, progress.counts.pages.max(done)].map(|number| number as f64);
        let mut message = format!("{}: {} results", progress.status, progress.counts.results);
        if let Some(url) = progress.fetching.first() {
            message.push_str(&format!(", fetching {url}"));
        }
        let notice = ProgressNotificationParam::new(token, at).with_total(of).with_message(message);
        let peer: &Peer<RoleServer> = &self.context.peer;
        // A disconnected client is noticed by the transport.
        let _ = peer.notify_progress(notice).await;
    }
}
