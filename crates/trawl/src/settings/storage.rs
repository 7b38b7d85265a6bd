//! Settings of object storage for files of pages.

use std::path::PathBuf;

use bucket::{Bucket, BucketOptions, Location};
use store::StorageSettings;

use super::{Layers, SettingError};

/// The value of `storage` for the database.
const DATABASE: &str = "db";

/// Reads where files are stored. Opens no connection.
pub fn places(layers: &Layers) -> Result<StorageSettings, SettingError> {
    let endpoint = layers.checked("storage_endpoint", endpoint)?;
    let extra_authorities: Option<PathBuf> = layers.readable_file("extra_ca")?;
    let open = |location: Location| {
        let options = BucketOptions {
            endpoint: endpoint.clone(),
            extra_authorities: extra_authorities.clone(),
        };
        Bucket::new(location, options)
    };
    let current = match layers.text("storage") {
        "" | DATABASE => None,
        _ => Some(open(layers.checked("storage", str::parse)?)),
    };
    let also = layers
        .list("storage_also")
        .map(|one| one.parse().map(open).map_err(|problem| layers.invalid("storage_also", problem)))
        .collect::<Result<_, _>>()?;
    Ok(StorageSettings { current, also })
}

fn endpoint(text: &str) -> Result<Option<String>, &'static str> {
    let text = text.trim_end_matches('/');
    if text.is_empty() {
        return Ok(None);
    }
    let is_url = url::Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
    });
    is_url.then(|| Some(text.to_owned())).ok_or(
        "it must be a URL as http://garage:3900 or https://s3.example.com, without credentials",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(values: &[(&str, &str)]) -> Result<StorageSettings, String> {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let layers = Layers::gather(None, values, &[]).expect("no file");
        places(&layers).map_err(|error| error.to_string())
    }

    #[test]
    fn files_are_in_the_database_unless_a_place_is_set() {
        assert!(storage(&[]).expect("valid").current.is_none());
        let set = storage(&[
            ("TRAWL_STORAGE", "s3://crawl/trawl"),
            ("TRAWL_STORAGE_ENDPOINT", "http://127.0.0.1:9000/"),
            ("TRAWL_STORAGE_ALSO", "file:/srv/a, gs://b"),
        ])
        .expect("valid");
        let current = set.current.expect("a bucket");
        assert_eq!(current.location().to_string(), "s3://crawl/trawl");
        let also: Vec<_> = set.also.iter().map(|one| one.location().to_string()).collect();
        assert_eq!(also, ["file:/srv/a", "gs://b"]);
    }

    #[test]
    fn wrong_places_and_endpoints_are_refused_with_the_setting() {
        let error = storage(&[("TRAWL_STORAGE", "disk")]).expect_err("wrong");
        assert!(
            error.contains("storage (from TRAWL_STORAGE)") && error.contains("s3://"),
            "{error}"
        );
        let error = storage(&[("TRAWL_STORAGE_ALSO", "file:here")]).expect_err("wrong");
        assert!(error.contains("storage_also") && error.contains("absolute"), "{error}");
        for wrong in ["minio:9000", "https://key:secret@host", "ftp://host"] {
            let error = storage(&[("TRAWL_STORAGE_ENDPOINT", wrong)]).expect_err("wrong");
            assert!(error.contains("storage_endpoint"), "{error}");
        }
    }
}
