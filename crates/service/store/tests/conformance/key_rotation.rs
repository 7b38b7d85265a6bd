//! Change of the secret key: all values stay readable, whenever it is interrupted.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use contract::{AuditAction, JobId, SecretText, SiteAccess, WebhookId};
use store::{AuditFilter, KeyRotation, PageRequest, SecretKey, Store};

use crate::harness::{Harness, LEASE, NOW, new_job};
use crate::on_both;

on_both!(
    values_are_readable_whenever_a_rotation_is_interrupted,
    nodes_write_with_the_key_of_the_database,
    rotation_without_the_right_keys_changes_nothing,
);

const OLD: &str = "a key for tests";
const NEW: &str = "the next key for tests";

/// A node with these keys.
async fn node(harness: &Harness, key: &str, next: Option<&str>) -> Store {
    let mut settings = harness.settings.clone();
    (settings.secret_key, settings.next_secret_key) =
        (Some(SecretKey::new(key)), next.map(SecretKey::new));
    let store = Store::new(settings).expect("an address of a database");
    store.prepare().await.expect("the tables are there");
    store
}

/// Webhooks and a job with secrets.
struct Secrets {
    webhooks: Vec<WebhookId>,
    job: JobId,
}

impl Secrets {
    async fn store(harness: &Harness) -> Self {
        harness.store.verify_secret_key().await.expect("the first key");
        let account = harness.account("a@x.org", 100).await;
        let mut webhooks = Vec::new();
        for _ in 0..20 {
            webhooks.push(harness.webhook(&account, None).await.details.id);
        }
        let mut new = new_job(&account, "a.example");
        new.access =
            SiteAccess { bearer: Some(SecretText::new("s3cret")), ..SiteAccess::default() };
        new.draft.access = new.access.hidden();
        let job = new.draft.id.clone();
        harness.create(&new).await;
        Self { webhooks, job }
    }

    /// Whether a node can decrypt all of them.
    async fn are_readable(&self, harness: &Harness, store: &Store) -> bool {
        let claimed = store.claim_endpoints(&harness.node, &self.webhooks, LEASE).await;
        let claimed = claimed.expect("it answers");
        store.release_endpoints(&harness.node, &self.webhooks).await.expect("it answers");
        claimed.leases.len() == self.webhooks.len()
            && store.job_secrets(&self.job).await.is_ok_and(|secrets| secrets.is_some())
    }
}

/// Drops a future after this number of waits, unless it is ready before.
async fn interrupted<F: Future>(future: F, waits: usize) -> Option<F::Output> {
    let (mut future, mut left) = (pin!(future), waits);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

async fn values_are_readable_whenever_a_rotation_is_interrupted(harness: Harness) {
    let secrets = Secrets::store(&harness).await;
    let both = node(&harness, OLD, Some(NEW)).await;
    for waits in (0..).step_by(3) {
        // Its connections are closed with the transaction that was interrupted.
        let interrupted_node = node(&harness, OLD, Some(NEW)).await;
        let rotation = interrupted(interrupted_node.rotate_secret_key(NOW), waits).await;
        interrupted_node.close().await;
        assert!(secrets.are_readable(&harness, &both).await, "after {waits} waits");
        if let Some(rotation) = rotation {
            assert_eq!(rotation.expect("it answers").unreadable, 0);
            break;
        }
    }
    let again = both.rotate_secret_key(NOW).await.expect("it answers");
    assert_eq!(again, KeyRotation::default(), "nothing is left to do");
    let (new, old) = (node(&harness, NEW, None).await, node(&harness, OLD, None).await);
    new.verify_secret_key().await.expect("the new key alone suffices");
    assert!(secrets.are_readable(&harness, &new).await);
    let refused = old.verify_secret_key().await.expect_err("the old key").to_string();
    assert!(refused.contains("set TRAWL_SECRET_KEY"), "{refused}");
    let missing = old.job_secrets(&secrets.job).await.expect_err("the old key").to_string();
    let id = SecretKey::new(NEW).shown_id();
    assert!(missing.contains(&id) && missing.contains("TRAWL_NEXT_SECRET_KEY"), "{missing}");
    assert_eq!(missing.lines().count(), 1);

    let checks = new.verify_data().await.expect("it answers");
    assert!(checks.iter().all(store::DataCheck::is_clean), "{checks:?}");
    let checks = old.verify_data().await.expect("it answers");
    let secrets = checks.iter().find(|check| check.name == "secrets").expect("a check");
    assert_eq!((secrets.problems.len(), secrets.unlisted), (20, 1));

    let filter =
        AuditFilter { action: Some(AuditAction::SecretKeyRotated), ..AuditFilter::default() };
    let page = PageRequest { number: 1, size: 10 };
    let (entries, _) = new.audit_entries(&filter, page).await.expect("it answers");
    assert_eq!(entries.len(), 1, "one change of the key");
    for store in [both, new, old] {
        store.close().await;
    }
}

async fn nodes_write_with_the_key_of_the_database(harness: Harness) {
    let secrets = Secrets::store(&harness).await;
    let (first, second) =
        (node(&harness, OLD, Some(NEW)).await, node(&harness, OLD, Some(NEW)).await);
    first.rotate_secret_key(NOW).await.expect("it answers");
    // A node that has not restarted yet writes with the new key too.
    let mut new = new_job(&harness.account("b@x.org", 100).await, "b.example");
    new.access = SiteAccess { bearer: Some(SecretText::new("s3cret")), ..SiteAccess::default() };
    new.draft.access = new.access.hidden();
    let job = new.draft.id.clone();
    second.create_job(&new, NOW).await.expect("it answers");
    let finished = node(&harness, NEW, None).await;
    assert!(finished.job_secrets(&job).await.expect("it answers").is_some());
    assert!(secrets.are_readable(&harness, &finished).await);
    for store in [first, second, finished] {
        store.close().await;
    }
}

async fn rotation_without_the_right_keys_changes_nothing(harness: Harness) {
    let secrets = Secrets::store(&harness).await;
    let alone = node(&harness, OLD, None).await;
    alone.rotate_secret_key(NOW).await.expect_err("no next key");
    let wrong = node(&harness, "another key", Some(NEW)).await;
    let refused = wrong.rotate_secret_key(NOW).await.expect_err("another key").to_string();
    assert!(refused.contains("encrypted with another secret key"), "{refused}");
    assert!(secrets.are_readable(&harness, &harness.store).await);
    for store in [alone, wrong] {
        store.close().await;
    }
}
