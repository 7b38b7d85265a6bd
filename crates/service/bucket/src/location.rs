//! Where objects are: provider, bucket and prefix.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;
use url::Url;

/// A bucket and the prefix of all objects in it, or a folder. It has no credentials.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Location {
    /// A folder of this machine, or of a file system that all nodes mount at this path.
    Folder(PathBuf),
    S3 {
        bucket: String,
        prefix: String,
    },
    Google {
        bucket: String,
        prefix: String,
    },
    Azure {
        container: String,
        prefix: String,
    },
}

/// Why the text is no location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LocationError {
    #[error(
        "it must be db, file:/path, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"
    )]
    Scheme,
    #[error("the path of a folder must be absolute, as file:/var/lib/trawl-files")]
    Relative,
    #[error("it names no bucket, as s3://bucket/prefix")]
    NoBucket,
    #[error(
        "it must not contain credentials, a port, a query or a fragment: credentials are taken from the \
         environment variables of the provider, and storage_endpoint names another server"
    )]
    Extras,
    #[error(
        "a part of the prefix is empty, `.` or `..`, or has other characters than letters, digits and - _ . ="
    )]
    Prefix,
}

impl Location {
    /// The name of the provider for people.
    #[must_use]
    pub fn provider(&self) -> &'static str {
        match self {
            Self::Folder(_) => "folder",
            Self::S3 { .. } => "S3",
            Self::Google { .. } => "Google Cloud Storage",
            Self::Azure { .. } => "Azure Blob Storage",
        }
    }

    /// The prefix of all objects, without slashes at its ends; empty for a folder.
    pub(crate) fn prefix(&self) -> &str {
        match self {
            Self::Folder(_) => "",
            Self::S3 { prefix, .. } | Self::Google { prefix, .. } | Self::Azure { prefix, .. } => {
                prefix
            }
        }
    }
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Self, LocationError> {
        if let Some(path) = text.strip_prefix("file:") {
            // `file:///path` is a URL of the same folder.
            let path = path.strip_prefix("//").unwrap_or(path);
            return match path.starts_with('/') && !path.contains('\0') {
                true => Ok(Self::Folder(PathBuf::from(path))),
                false => Err(LocationError::Relative),
            };
        }
        let url = Url::parse(text).map_err(|_| LocationError::Scheme)?;
        let has_extras = !url.username().is_empty()
            || url.password().is_some()
            || url.port().is_some()
            || url.query().is_some()
            || url.fragment().is_some();
        if has_extras {
            return Err(LocationError::Extras);
        }
        let bucket = url.host_str().filter(|name| !name.is_empty());
        let bucket = || bucket.map(str::to_owned).ok_or(LocationError::NoBucket);
        let prefix = url.path().trim_matches('/').to_owned();
        let is_plain = |part: &str| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.=".contains(&byte))
        };
        if !prefix.is_empty() && !prefix.split('/').all(is_plain) {
            return Err(LocationError::Prefix);
        }
        match url.scheme() {
            "s3" => Ok(Self::S3 { bucket: bucket()?, prefix }),
            "gs" => Ok(Self::Google { bucket: bucket()?, prefix }),
            "az" => Ok(Self::Azure { container: bucket()?, prefix }),
            _ => Err(LocationError::Scheme),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, bucket, prefix) = match self {
            Self::Folder(path) => return write!(f, "file:{}", path.display()),
            Self::S3 { bucket, prefix } => ("s3", bucket, prefix),
            Self::Google { bucket, prefix } => ("gs", bucket, prefix),
            Self::Azure { container, prefix } => ("az", container, prefix),
        };
        match prefix.is_empty() {
            true => write!(f, "{scheme}://{bucket}"),
            false => write!(f, "{scheme}://{bucket}/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read_and_shown_in_one_form() {
        for (text, shown) in [
            ("file:/srv/files", "file:/srv/files"),
            ("file:///srv/files", "file:/srv/files"),
            ("s3://crawl/a/b/", "s3://crawl/a/b"),
            ("s3://crawl", "s3://crawl"),
            ("gs://crawl/x=1", "gs://crawl/x=1"),
            ("az://files/trawl", "az://files/trawl"),
        ] {
            let location: Location = text.parse().expect("a location");
            assert_eq!(location.to_string(), shown);
            assert_eq!(shown.parse::<Location>(), Ok(location));
        }
    }

    #[test]
    fn wrong_locations_are_refused_with_the_cause() {
        for (text, expected) in [
            ("", LocationError::Scheme),
            ("disk", LocationError::Scheme),
            ("ftp://x/y", LocationError::Scheme),
            ("file:relative", LocationError::Relative),
            ("s3:///prefix", LocationError::NoBucket),
            ("s3://key:secret@bucket/x", LocationError::Extras),
            ("s3://bucket/x?region=eu", LocationError::Extras),
            ("s3://bucket/a//b", LocationError::Prefix),
            ("s3://bucket/a%20b", LocationError::Prefix),
        ] {
            assert_eq!(text.parse::<Location>(), Err(expected), "{text}");
        }
    }
}
