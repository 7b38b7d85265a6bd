//! Checks of object storage: rights, and whether it belongs to this installation.

use super::Finding;
use crate::settings::Settings;
use store::Store;

const CHECK: &str = "storage";

const REMEDY: &str =
    "correct TRAWL_STORAGE, its credentials or its rights: docs/deployment.md lists them";

/// The configured places. Nothing if files are in the database.
pub async fn check(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    for bucket in settings.storage.current.iter().chain(&settings.storage.also) {
        let location = bucket.location();
        findings.push(match bucket.check_access().await {
            Err(error) => Finding::failed(CHECK, error, REMEDY),
            Ok(()) => match owner_of(settings, bucket).await {
                Ok(()) => Finding::ok(
                    CHECK,
                    format_args!("{location}: objects can be written, read, listed and deleted"),
                ),
                Err(error) => Finding::failed(CHECK, error, REMEDY),
            },
        });
    }
    findings
}

/// Fails if the place belongs to another installation. Claims nothing.
async fn owner_of(settings: &Settings, bucket: &bucket::Bucket) -> anyhow::Result<()> {
    let Some(owner) = bucket.owner().await? else { return Ok(()) };
    let is_missing = settings.is_embedded() && !settings.data.join("trawl.db").exists();
    let ours = match is_missing {
        true => None,
        false => {
            let store = Store::new(settings.store())?;
            let ours = store.known_installation().await;
            store.close().await;
            ours?
        }
    };
    if ours.as_deref() != Some(owner.as_str()) {
        anyhow::bail!(
            "the object storage {} belongs to another installation ({owner}); choose another prefix",
            bucket.location()
        );
    }
    Ok(())
}
