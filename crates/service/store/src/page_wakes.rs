//! Wake-ups of page calls between nodes. They may be lost: nodes poll as well.

use contract::PageId;
use tokio::sync::{broadcast, watch};

/// Sent to the node that has the host of a call.
pub(crate) const CALL_WAITS: &str = "pages";

/// Sent to the node of the client, with the id of the call.
const CALL_ENDED: &str = "page ";

/// Ended calls that a slow receiver may be behind.
const BACKLOG: usize = 1_024;

/// Receivers of the wake-ups of this process.
#[derive(Debug)]
pub(crate) struct PageWakes {
    waiting: watch::Sender<()>,
    ended: broadcast::Sender<PageId>,
}

impl Default for PageWakes {
    fn default() -> Self {
        Self { waiting: watch::Sender::new(()), ended: broadcast::channel(BACKLOG).0 }
    }
}

impl PageWakes {
    /// The payload that reports the end of a call.
    pub fn ended_payload(id: &PageId) -> String {
        format!("{CALL_ENDED}{id}")
    }

    /// Wakes the tasks that a payload is for; false if it is about something else.
    pub fn receive(&self, payload: &str) -> bool {
        if payload == CALL_WAITS {
            self.waiting.send_replace(());
            return true;
        }
        let Some(id) = payload.strip_prefix(CALL_ENDED) else { return false };
        if let Ok(id) = id.parse() {
            // Without a receiver no call of this node is open.
            drop(self.ended.send(id));
        }
        true
    }

    /// Changes when a call may wait for this node.
    pub fn waiting(&self) -> watch::Receiver<()> {
        self.waiting.subscribe()
    }

    /// The calls of this node that have ended, from now on.
    pub fn ended(&self) -> broadcast::Receiver<PageId> {
        self.ended.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use contract::Millis;

    use super::*;

    #[tokio::test]
    async fn payload_of_an_ended_call_wakes_its_receivers_with_the_id() {
        let wakes = PageWakes::default();
        let (mut waiting, mut ended) = (wakes.waiting(), wakes.ended());
        let id = PageId::new(Millis(1), [1; 10]);
        assert!(wakes.receive(&PageWakes::ended_payload(&id)));
        assert_eq!(ended.recv().await.expect("a wake-up"), id);
        assert!(!waiting.has_changed().expect("open"));
        assert!(wakes.receive(CALL_WAITS));
        waiting.changed().await.expect("open");
        assert!(!wakes.receive("work"));
    }
}
