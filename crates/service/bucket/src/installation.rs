//! The object that says which installation uses a prefix, so that a second one is refused.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::{Bucket, BucketError};

/// Its name below the prefix.
const MARKER: &str = "trawl-installation.json";

/// Maximum bytes that are read of it.
const MARKER_BYTES: u64 = 4 << 10;

#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    installation: String,
    about: String,
}

/// The outcome of [`Bucket::claim`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The prefix was free and now belongs to the installation.
    New,
    /// It belongs to the installation since an earlier claim.
    Known,
}

impl Bucket {
    /// Claims the prefix for an installation. With `is_known` the installation has objects there, so
    /// that a prefix without a marker is a wrong or unmounted one.
    ///
    /// # Errors
    /// [`BucketError::Setup`] if it belongs to another installation.
    pub async fn claim(&self, installation: &str, is_known: bool) -> Result<Claim, BucketError> {
        let mut found = self.marker().await?;
        let mut outcome = Claim::Known;
        if found.is_none() {
            if is_known {
                return Err(self.unusable(format!(
                    "it has no files of this installation ({MARKER} is missing): mount the folder, \
                     correct TRAWL_STORAGE, or restore the bucket"
                )));
            }
            let marker = Marker {
                installation: installation.to_owned(),
                about: "Trawl keeps files of one installation below this prefix. Do not change or \
                        remove them."
                    .to_owned(),
            };
            let body = serde_json::to_vec_pretty(&marker)
                .map_err(|error| self.unusable(error.to_string()))?;
            if self.create(MARKER, Bytes::from(body)).await? {
                outcome = Claim::New;
            }
            found = self.marker().await?;
        }
        match found {
            Some(marker) if marker.installation == installation => Ok(outcome),
            Some(marker) => Err(self.unusable(format!(
                "it belongs to another installation ({}): choose another prefix. If that installation \
                 no longer exists, remove its objects with {MARKER}",
                marker.installation
            ))),
            None => Err(self.unusable(format!("{MARKER} was removed meanwhile"))),
        }
    }

    /// The installation that has claimed the prefix.
    ///
    /// # Errors
    /// [`BucketError`] if it cannot be read.
    pub async fn owner(&self) -> Result<Option<String>, BucketError> {
        Ok(self.marker().await?.map(|marker| marker.installation))
    }

    /// Gives the prefix up after its last object was moved elsewhere.
    ///
    /// # Errors
    /// [`BucketError`] if it is unknown whether the marker is removed.
    pub async fn release(&self) -> Result<(), BucketError> {
        self.remove(MARKER).await
    }

    async fn marker(&self) -> Result<Option<Marker>, BucketError> {
        let length = match self.length(MARKER).await {
            Ok(length) => length.min(MARKER_BYTES),
            Err(BucketError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let body = self.read(MARKER, 0..length).await?;
        let marker = serde_json::from_slice(&body)
            .map_err(|error| self.unusable(format!("{MARKER} cannot be read: {error}")))?;
        Ok(Some(marker))
    }
}
