//! The buckets and folders that have files of this installation.

use std::collections::HashMap;

use ::bucket::{Bucket, BucketError};
use contract::Millis;
use parking_lot::RwLock;

use crate::columns::{ExecuteIn, ReadColumn, scalar, sql};
use crate::{Result, Store, StoreError, random};

const INSTALLATION: &str = "SELECT name FROM installation WHERE id = 1";
const INSERT_INSTALLATION: &str = "INSERT INTO installation (id, name, swept_at) \
    VALUES (1, $1, 0) ON CONFLICT (id) DO NOTHING";
const PLACE_OF: &str = "SELECT id FROM storage_places WHERE url = $1";
const URL_OF: &str = "SELECT url FROM storage_places WHERE id = $1";
const INSERT_PLACE: &str = "INSERT INTO storage_places (id, url, opened_at) \
    SELECT COALESCE(MAX(id), 0) + 1, $1, $2 FROM storage_places WHERE 1 = 1 \
    ON CONFLICT (url) DO NOTHING";
const HAS_PACKS: &str = "SELECT id FROM packs WHERE place = $1 LIMIT 1";
const PLACES: &str = "SELECT id, url FROM storage_places ORDER BY id";

/// Where files are stored besides the database.
#[derive(Debug, Clone, Default)]
pub struct StorageSettings {
    /// Where new files are written; `None` for the database.
    pub current: Option<Bucket>,
    /// Further places that may have files, while they are moved.
    pub also: Vec<Bucket>,
}

impl StorageSettings {
    fn with_url(&self, url: &str) -> Option<&Bucket> {
        let all = self.current.iter().chain(&self.also);
        all.into_iter().find(|bucket| bucket.location().to_string() == url)
    }
}

/// The places that this process has used, by the number of their row.
#[derive(Debug, Default)]
pub(crate) struct StoragePlaces {
    known: RwLock<HashMap<i64, Bucket>>,
    current: RwLock<Option<i64>>,
}

impl Store {
    /// Whether new files are written to object storage.
    pub(crate) fn has_bucket(&self) -> bool {
        self.inner.settings.storage.current.is_some()
    }

    /// The place of new files. The first use checks and claims it.
    pub(super) async fn current_bucket(&self) -> Result<(i64, Bucket)> {
        let Some(bucket) = self.inner.settings.storage.current.clone() else {
            return Err(StoreError::Setup("TRAWL_STORAGE names no object storage".to_owned()));
        };
        let known = *self.inner.places.current.read();
        let place = match known {
            Some(place) => place,
            None => self.open_current(&bucket).await?,
        };
        Ok((place, bucket))
    }

    /// The bucket or folder of a place.
    pub(super) async fn bucket_of(&self, place: i64) -> Result<Bucket> {
        if let Some(bucket) = self.inner.places.known.read().get(&place) {
            return Ok(bucket.clone());
        }
        let url: Option<String> = scalar!(URL_OF; place).fetch_optional(self.reader()?).await?;
        let url = url
            .ok_or_else(|| StoreError::Damaged(format!("the place {place} of files is unknown")))?;
        let Some(bucket) = self.inner.settings.storage.with_url(&url).cloned() else {
            return Err(not_configured(url));
        };
        self.inner.places.known.write().insert(place, bucket.clone());
        Ok(bucket)
    }

    /// Checks the rights on the configured places, claims them for this installation, and checks that
    /// all places with files are configured. Without object storage it does the latter only.
    ///
    /// # Errors
    /// [`StoreError::Bucket`] names the missing right; [`StoreError::Setup`] the missing setting.
    pub async fn open_storage(&self) -> Result<()> {
        if let Some(bucket) = self.inner.settings.storage.current.clone() {
            self.open_current(&bucket).await?;
        }
        for (place, _) in self.places().await? {
            // Nothing refers to a place without packs.
            if self.has_packs(place).await? {
                let bucket = self.bucket_of(place).await?;
                bucket.claim(&self.installation().await?, true).await?;
            }
        }
        Ok(())
    }

    /// The places of files with their URLs.
    pub(super) async fn places(&self) -> Result<Vec<(i64, String)>> {
        self.fetch_all(sql!(PLACES), |row| Ok((row.read("id")?, row.read("url")?))).await
    }

    pub(super) async fn has_packs(&self, place: i64) -> Result<bool> {
        let pack: Option<String> = scalar!(HAS_PACKS; place).fetch_optional(self.reader()?).await?;
        Ok(pack.is_some())
    }

    /// The id of this installation, which is created at its first use.
    pub(super) async fn installation(&self) -> Result<String> {
        let mut tx = self.begin().await?;
        let random = random().iter().fold(String::new(), |text, one| text + &format!("{one:02x}"));
        sql!(INSERT_INSTALLATION; format!("inst_{random}")).run(&mut tx).await?;
        let name: String = scalar!(INSTALLATION).fetch_one(&mut *tx).await?;
        tx.commit().await?;
        Ok(name)
    }

    /// The id of this installation, if it has one; changes nothing, and needs no [`Store::prepare`].
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database does not answer.
    pub async fn known_installation(&self) -> Result<Option<String>> {
        let found = scalar!(INSTALLATION).fetch_optional(&self.inner.reader).await;
        match found.map_err(StoreError::from) {
            // The table does not exist before the first start of this release.
            Err(StoreError::Sql(_)) => Ok(None),
            found => found,
        }
    }

    async fn open_current(&self, bucket: &Bucket) -> Result<i64> {
        let url = bucket.location().to_string();
        let place: Option<i64> = scalar!(PLACE_OF; url).fetch_optional(self.reader()?).await?;
        let is_known = match place {
            Some(place) => self.has_packs(place).await?,
            None => false,
        };
        bucket.check_access().await?;
        bucket.claim(&self.installation().await?, is_known).await?;
        let place = match place {
            Some(place) => place,
            None => {
                let opened_at: Millis = self.database_clock().await?;
                let mut tx = self.begin().await?;
                sql!(INSERT_PLACE; url, opened_at).run(&mut tx).await?;
                let place: i64 = scalar!(PLACE_OF; url).fetch_one(&mut *tx).await?;
                tx.commit().await?;
                place
            }
        };
        self.inner.places.known.write().insert(place, bucket.clone());
        *self.inner.places.current.write() = Some(place);
        Ok(place)
    }
}

fn not_configured(place: String) -> StoreError {
    let problem =
        "it has files of this installation and is not configured: set TRAWL_STORAGE to it, \
                   or TRAWL_STORAGE_ALSO until `trawl storage move` has moved them"
            .to_owned();
    StoreError::Bucket(BucketError::Setup { place, problem })
}
