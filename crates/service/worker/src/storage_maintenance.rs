//! Removes and rewrites objects of object storage whose files were deleted, and removes objects that no
//! transaction refers to.

use std::time::Duration;

use contract::Millis;
use store::Store;

/// Time between two looks at changed objects.
const EVERY: Duration = Duration::from_secs(60);

/// Works until it is aborted. All nodes do it; each takes other objects.
pub(crate) async fn maintain_storage(store: Store, clock: impl Fn() -> Millis) {
    loop {
        tokio::time::sleep(EVERY.mul_f64(rand::random_range(0.5..1.5))).await;
        match store.maintain_storage(clock()).await {
            Ok(done) => {
                let removed = |cause: &'static str| metrics::counter!("trawl_bucket_objects_removed_total", "cause" => cause);
                removed("deleted").increment(done.removed);
                removed("rewritten").increment(done.rewritten);
                removed("unreferenced").increment(done.unreferenced);
                if done.unreferenced > 0 {
                    tracing::info!(
                        objects = done.unreferenced,
                        "removed objects of transactions that did not commit"
                    );
                }
            }
            Err(error) => {
                tracing::warn!(%error, "failed to remove deleted files from object storage")
            }
        }
    }
}
