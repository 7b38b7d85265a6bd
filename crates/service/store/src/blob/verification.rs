//! Checks that each object of a row exists and has the parts that rows refer to.

use ::bucket::BucketError;
use contract::Millis;
use futures_util::StreamExt as _;

use super::upload::{self, FOLDER, MAGIC};
use super::{PlacedPart, sweep};
use crate::columns::{ReadColumn, sql};
use crate::{DataCheck, Result, Store};

const PACKS: &str = "SELECT id, place, bytes FROM packs WHERE id > $1 AND swept = 0 \
    ORDER BY id LIMIT 500";
const EXISTS: &str = "SELECT place FROM packs WHERE id = $1 AND place = $2 AND swept = 0";

/// Objects whose rows are read by one statement.
const BATCH: usize = 200;

impl Store {
    /// Reads all objects, and compares them with the rows that refer to them.
    ///
    /// # Errors
    /// [`crate::StoreError`] when database or object storage cannot be read. Missing and damaged
    /// objects are no error but problems of the check.
    pub async fn verify_storage(&self) -> Result<DataCheck> {
        let mut check = DataCheck::new("storage");
        let places = self.places().await?;
        if places.is_empty() {
            "files are in the database".clone_into(&mut check.checked);
            return Ok(check);
        }
        let (mut packs, mut parts, mut after) = (0_u64, 0_u64, String::new());
        loop {
            let rows = sql!(PACKS; after).fetch_all(self.reader()?).await?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                let (id, place): (String, i64) = (row.read("id")?, row.read("place")?);
                packs += 1;
                match self.verify_pack(&id, place, row.read("bytes")?).await? {
                    Ok(number) => parts += number,
                    Err(problem) => {
                        // Removed or moved meanwhile.
                        let exists = sql!(EXISTS; id, place).fetch_optional(self.reader()?).await?;
                        if exists.is_some() {
                            check.report(format!("pack {id}: {problem}"));
                        }
                    }
                }
                after = id;
            }
        }
        let before = self.database_clock().await?.minus(sweep::UNREFERENCED_AGE);
        let unreferenced = self.count_unreferenced(before).await?;
        let urls: Vec<String> = places.into_iter().map(|(_, url)| url).collect();
        check.checked = format!(
            "{parts} parts of files in {packs} objects of {}; {unreferenced} objects older \
             than an hour without a row, which the servers remove",
            urls.join(" and ")
        );
        Ok(check)
    }

    /// The number of its parts, or what is wrong with a pack.
    async fn verify_pack(
        &self,
        id: &str,
        place: i64,
        bytes: u64,
    ) -> Result<std::result::Result<u64, String>> {
        let (bucket, name) = (self.bucket_of(place).await?, upload::object_name(id)?);
        let length = match bucket.length(&name).await {
            Ok(length) => length,
            Err(error @ BucketError::Missing { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        if length != bytes {
            return Ok(Err(format!("the object has {length} bytes instead of {bytes}")));
        }
        let body = match bucket.read(&name, 0..bytes).await {
            Ok(body) => body,
            Err(error @ BucketError::Missing { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        if !body.starts_with(MAGIC) {
            return Ok(Err("the object has an unknown format".to_owned()));
        }
        let parts = self.parts_of_pack(id).await?;
        for part in &parts {
            let PlacedPart { start, length, .. } = part.placed;
            let range = usize::try_from(start).ok().zip(usize::try_from(start + length).ok());
            let is_intact = range
                .and_then(|(from, to)| body.get(from..to))
                .is_some_and(|bytes| part.placed.is_intact(bytes));
            if !is_intact {
                let (owner, file) = (&part.key.owner, &part.key.name);
                return Ok(Err(format!("file {file} of {owner} has a wrong checksum")));
            }
        }
        Ok(Ok(parts.len() as u64))
    }

    /// Objects of the configured places from before this time that no row refers to.
    async fn count_unreferenced(&self, before: Millis) -> Result<u64> {
        let mut unreferenced = 0;
        for (place, _) in self.places().await? {
            let Ok(bucket) = self.bucket_of(place).await else { continue };
            let mut listing = bucket.list(FOLDER)?;
            let mut ids = Vec::with_capacity(BATCH);
            loop {
                let object = listing.next().await.transpose()?;
                let is_end = object.is_none();
                ids.extend(object.and_then(|object| sweep::id_of(&object, before)));
                if ids.len() == BATCH || (is_end && !ids.is_empty()) {
                    let rows = self.rows_of(std::mem::take(&mut ids)).await?;
                    let is_unreferenced = |row: &Option<(i64, bool)>| match row {
                        None => true,
                        Some((at, swept)) => *swept || *at != place,
                    };
                    unreferenced +=
                        rows.iter().filter(|(_, row)| is_unreferenced(row)).count() as u64;
                }
                if is_end {
                    break;
                }
            }
        }
        Ok(unreferenced)
    }
}
