//! Object storage: Amazon S3 and compatible servers, Google Cloud Storage, Azure Blob Storage, or a
//! folder. The only crate that knows their interfaces.
//!
//! [`Bucket`] is the handle of one [`Location`], a bucket with a prefix. It reads ranges of objects and
//! writes whole immutable objects, each with retries, a time limit and a bound on the bytes in flight.
//! [`Bucket::check_access`] names the rights that are missing, [`Bucket::claim`] keeps two
//! installations from using one prefix. The caller knows what the objects mean.
//!
//! To add a provider, add a case to [`Location`] and to `connect.rs`. Tests replace the provider by
//! [`Bucket::over`].

mod access;
mod connect;
mod error;
mod http_client;
mod installation;
mod location;
mod operations;

pub use connect::BucketOptions;
pub use error::BucketError;
pub use installation::Claim;
pub use location::{Location, LocationError};
pub use object_store;
pub use operations::{Bucket, RetryRules, StoredObject};
