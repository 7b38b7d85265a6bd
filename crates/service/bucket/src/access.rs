//! Checks that all operations work that Trawl needs, and says which right is missing.

use std::future::Future;

use bytes::Bytes;
use futures_util::StreamExt as _;
use object_store::{Error, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use tokio::time::timeout;

use crate::connect::credentials_of;
use crate::error::{cause_of, may_pass};
use crate::operations::no_answer;
use crate::{Bucket, BucketError, Location};

/// Folder of the objects that a check writes and removes.
pub(crate) const CHECK_FOLDER: &str = "trawl-access-check";

/// Content of such an object.
const CONTENT: &[u8] = b"Written and removed by the access check of Trawl.\n";

/// An operation that is checked.
#[derive(Debug, Clone, Copy)]
enum Right {
    Write,
    Read,
    WriteOnce,
    List,
    Delete,
}

impl Right {
    fn operation(self) -> &'static str {
        match self {
            Self::Write => "write (put)",
            Self::Read => "read (get)",
            Self::WriteOnce => "write only if absent (conditional put)",
            Self::List => "list",
            Self::Delete => "delete",
        }
    }

    /// What the operator does if the provider rejects it.
    fn remedy(self, location: &Location) -> String {
        match (location, self) {
            (Location::Folder(path), _) => {
                format!("make the user of the server the owner of {} (chown)", path.display())
            }
            (Location::S3 { bucket, .. }, Self::List) => {
                format!("allow s3:ListBucket on arn:aws:s3:::{bucket}")
            }
            (Location::S3 { bucket, .. }, right) => {
                let action = match right {
                    Self::Read => "s3:GetObject",
                    Self::Delete => "s3:DeleteObject",
                    Self::Write | Self::WriteOnce | Self::List => "s3:PutObject",
                };
                format!("allow {action} on arn:aws:s3:::{bucket}/*")
            }
            (Location::Google { bucket, .. }, _) => {
                format!("grant the role Storage Object User on the bucket {bucket}")
            }
            (Location::Azure { container, .. }, _) => {
                format!("assign Storage Blob Data Contributor on the container {container}")
            }
        }
    }
}

impl Bucket {
    /// Writes, reads, lists and removes an object.
    ///
    /// # Errors
    /// [`BucketError::Setup`] names the operations that are not possible, the cause and the remedy;
    /// [`BucketError::Unavailable`] if it cannot be reached.
    pub async fn check_access(&self) -> Result<(), BucketError> {
        let store = self.store()?;
        let name = format!("{CHECK_FOLDER}/{:032x}", rand::random::<u128>());
        let path = self.path(&name);
        let content = || PutPayload::from_bytes(Bytes::from_static(CONTENT));
        let written = self.once(store.put(&path, content())).await;
        // Without an object nothing else can be checked.
        written.map_err(|error| self.refusal(&[(Right::Write, error)]))?;
        let mut refused = Vec::new();
        match self.once(async { store.get(&path).await?.bytes().await }).await {
            Ok(bytes) if bytes == CONTENT => {}
            Ok(_) => refused.push((Right::Read, other("it returns other bytes than were written"))),
            Err(error) => refused.push((Right::Read, error)),
        }
        let create = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.once(store.put_opts(&path, content(), create)).await {
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => {}
            Ok(_) => refused.push((
                Right::WriteOnce,
                other(
                    "the server ignores the condition and replaces the object; use a server or \
                       release with conditional writes (If-None-Match)",
                ),
            )),
            Err(error) => refused.push((Right::WriteOnce, error)),
        }
        let mut listing = store.list(Some(&self.path(CHECK_FOLDER)));
        match self.once(async { listing.next().await.transpose() }).await {
            Ok(_) => {}
            Err(error) => refused.push((Right::List, error)),
        }
        match self.once(store.delete(&path)).await {
            Ok(()) => {}
            Err(error) => refused.push((Right::Delete, error)),
        }
        if refused.is_empty() { Ok(()) } else { Err(self.refusal(&refused)) }
    }

    async fn once<T>(&self, attempt: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let limit = self.rules().read;
        timeout(limit, attempt).await.unwrap_or_else(|_| Err(no_answer(limit)))
    }

    fn refusal(&self, refused: &[(Right, Error)]) -> BucketError {
        let place = self.location().to_string();
        if let Some((right, error)) = refused.iter().find(|(_, error)| may_pass(error)) {
            let cause = cause_of(error);
            return BucketError::Unavailable { place, operation: right.operation(), cause };
        }
        let problems: Vec<String> = refused
            .iter()
            .map(|(right, error)| {
                let (operation, cause) = (right.operation(), cause_of(error));
                let remedy = match error {
                    Error::PermissionDenied { .. } => right.remedy(self.location()),
                    Error::Unauthenticated { .. } => {
                        format!("set {}", credentials_of(self.location()))
                    }
                    Error::NotFound { .. } => "create the bucket, or correct its name".to_owned(),
                    _ => format!(
                        "check bucket, region and endpoint, and {}",
                        right.remedy(self.location())
                    ),
                };
                format!("it cannot {operation} objects ({cause}): {remedy}")
            })
            .collect();
        BucketError::Setup { place, problem: problems.join("; ") }
    }
}

fn other(text: &'static str) -> Error {
    Error::Generic { store: "check", source: text.into() }
}
