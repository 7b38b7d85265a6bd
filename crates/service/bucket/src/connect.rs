//! Opens the provider of a location, with credentials of the usual environment variables.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::{ObjectStore, RetryConfig};

use crate::Location;
use crate::error::cause_of;
use crate::http_client::HyperConnector;

/// How a location is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BucketOptions {
    /// URL of a compatible server instead of that of the provider.
    pub endpoint: Option<String>,
    /// PEM file of additional certificate authorities.
    pub extra_authorities: Option<PathBuf>,
}

/// Opens no connection. The error is a text for the operator.
pub(crate) fn connect(
    location: &Location,
    options: &BucketOptions,
) -> Result<Arc<dyn ObjectStore>, String> {
    let http = HyperConnector { extra_authorities: options.extra_authorities.clone() };
    // `Bucket` repeats requests: it also knows how long its callers wait.
    let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let endpoint = options.endpoint.as_deref();
    let allows_http = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
    let opened: object_store::Result<Arc<dyn ObjectStore>> = match location {
        Location::Folder(path) => return open_folder(path),
        Location::S3 { bucket, .. } => {
            let mut builder = AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retry)
                // One object per request: not all compatible servers have the other.
                .with_disable_bulk_delete(true)
                .with_http_connector(http);
            if let Some(endpoint) = endpoint {
                builder = builder.with_endpoint(endpoint).with_allow_http(allows_http);
            }
            builder.build().map(|store| Arc::new(store) as _)
        }
        Location::Google { bucket, .. } => {
            let mut builder = GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retry)
                .with_http_connector(http);
            if let Some(endpoint) = endpoint {
                builder = builder.with_base_url(endpoint);
            }
            builder.build().map(|store| Arc::new(store) as _)
        }
        Location::Azure { container, .. } => {
            let mut builder = MicrosoftAzureBuilder::from_env()
                .with_container_name(container)
                .with_retry(retry)
                .with_http_connector(http);
            if let Some(endpoint) = endpoint {
                builder = builder.with_endpoint(endpoint.to_owned()).with_allow_http(allows_http);
            }
            builder.build().map(|store| Arc::new(store) as _)
        }
    };
    opened.map_err(|error| format!("{}; set {}", cause_of(&error), credentials_of(location)))
}

/// The environment variables with the credentials of a provider.
pub(crate) fn credentials_of(location: &Location) -> &'static str {
    match location {
        Location::Folder(_) => "no credentials",
        Location::S3 { .. } => {
            "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or run with an instance or web \
             identity role"
        }
        Location::Google { .. } => {
            "GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT to the file of a service \
             account, or run with a service account of the machine"
        }
        Location::Azure { .. } => {
            "AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY, or with AZURE_CLIENT_ID, \
             AZURE_TENANT_ID and AZURE_CLIENT_SECRET, or run with a managed identity"
        }
    }
}

fn open_folder(path: &Path) -> Result<Arc<dyn ObjectStore>, String> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| format!("cannot create the folder {}: {error}", path.display()))?;
    let store = LocalFileSystem::new_with_prefix(path).map_err(|error| cause_of(&error))?;
    // The rows that refer to an object are synced to disk as well.
    Ok(Arc::new(store.with_fsync(true).with_automatic_cleanup(true)))
}
