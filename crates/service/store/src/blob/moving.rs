//! Moves the files of runs to the configured place, beside running servers: from the database to object
//! storage, from one object storage to another, or back to the database.
//!
//! Each step writes the bytes to the new place, then changes their rows in one transaction, then removes
//! the old bytes. So a move can be interrupted at any time and repeated. Files of page calls are not
//! moved: their links work for minutes.

use ::bucket::{Bucket, BucketError};
use contract::{JobId, Millis};
use sqlx::any::AnyRow;

use super::changes::note_dead_parts;
use super::upload::{self, PackBuilder, Upload, UploadedPart};
use super::{BlobKey, INSERT, insert_placed};
use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::{Result, Store, StoreError, job_row};

/// Parts of the database that are moved at a time, each of at most half a megabyte.
const ROWS: u64 = 32;

const NEXT_ROWS: &str = "SELECT owner, name, part, body FROM blobs \
    WHERE (owner, name, part) > ($1, $2, $3) ORDER BY owner, name, part LIMIT $4";
const DELETE_ROW: &str = "DELETE FROM blobs WHERE owner = $1 AND name = $2 AND part = $3";
const NEXT_PACK: &str = "SELECT id, bytes FROM packs WHERE place = $1 AND id > $2 AND swept = 0 \
    ORDER BY id LIMIT 1";
const SET_PLACE: &str = "UPDATE packs SET place = $3 WHERE id = $1 AND place = $2";
const DELETE_PART: &str = "DELETE FROM blob_parts \
    WHERE owner = $1 AND name = $2 AND part = $3 AND pack = $4";
const FORGET_PLACE: &str = "DELETE FROM storage_places WHERE id = $1 \
    AND NOT EXISTS (SELECT 1 FROM packs k WHERE k.place = storage_places.id)";

/// What a move of files has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StorageMove {
    /// Parts of files whose bytes were moved from or to the database.
    pub parts: u64,
    /// Objects that were copied.
    pub objects: u64,
    pub bytes: u64,
    /// Parts of page calls that stay until their links expire.
    pub left: u64,
}

/// Position among the rows of the database.
#[derive(Default)]
struct RowCursor {
    owner: String,
    name: String,
    part: i64,
}

impl Store {
    /// Moves all files of runs to the configured place. Calls `report` after each step.
    ///
    /// # Errors
    /// [`StoreError`] when database or object storage fails. Repeat the move: what was moved stays.
    pub async fn move_storage(
        &self,
        now: impl Fn() -> Millis,
        mut report: impl FnMut(&StorageMove),
    ) -> Result<StorageMove> {
        self.open_storage().await?;
        let mut done = StorageMove::default();
        let current = match self.has_bucket() {
            true => {
                let (place, bucket) = self.current_bucket().await?;
                self.move_rows((place, &bucket), &now, &mut done, &mut report).await?;
                Some((place, bucket))
            }
            false => None,
        };
        for (place, _) in self.places().await? {
            match &current {
                Some((current, _)) if *current == place => continue,
                Some(to) => self.move_objects(place, to, &mut done, &mut report).await?,
                None => self.move_to_rows(place, &now, &mut done, &mut report).await?,
            }
            self.process_pack_changes(now()).await?;
            // One without files may not be configured any more.
            let bucket = self.bucket_of(place).await.ok();
            // Objects that wait for their removal are in it until then.
            if self.execute(sql!(FORGET_PLACE; place)).await? == 1
                && let Some(bucket) = bucket
            {
                bucket.release().await?;
            }
        }
        Ok(done)
    }

    /// Moves the rows of runs to objects.
    async fn move_rows(
        &self,
        (place, bucket): (i64, &Bucket),
        now: &impl Fn() -> Millis,
        done: &mut StorageMove,
        report: &mut impl FnMut(&StorageMove),
    ) -> Result<()> {
        let mut after = RowCursor::default();
        loop {
            let query = sql!(NEXT_ROWS; after.owner, after.name, after.part, ROWS);
            let rows = query.fetch_all(self.reader()?).await?;
            let Some(first) = rows.first() else { return Ok(()) };
            let owner: String = first.read("owner")?;
            let job = owner.parse::<JobId>().ok();
            let mut builder = PackBuilder::new(now());
            let mut parts = Vec::with_capacity(rows.len());
            for row in &rows {
                let body: Vec<u8> = row.read("body")?;
                // Files of two accounts are never in one object.
                if row.read::<String>("owner")? != owner || !builder.fits(body.len()) {
                    break;
                }
                let (name, part): (String, i64) = (row.read("name")?, row.read("part")?);
                after = RowCursor { owner: owner.clone(), name: name.clone(), part };
                done.bytes += body.len() as u64;
                parts.push((name, part.unsigned_abs(), builder.add(&body)));
            }
            match job {
                Some(job) => {
                    self.move_parts_to((place, bucket), &job, builder, &parts).await?;
                    done.parts += parts.len() as u64;
                }
                None => done.left += parts.len() as u64,
            }
            report(done);
        }
    }

    async fn move_parts_to(
        &self,
        (place, bucket): (i64, &Bucket),
        job: &JobId,
        builder: PackBuilder,
        parts: &[(String, u64, UploadedPart)],
    ) -> Result<()> {
        let pack = builder.id().to_owned();
        let mut upload = Upload::default();
        upload.write(builder, place, bucket.clone()).await?;
        let mut tx = self.begin().await?;
        sql!(job_row::HOLD; job).run(&mut tx).await?;
        upload.insert(&mut tx).await?;
        let mut is_complete = true;
        for (name, number, part) in parts {
            let key = BlobKey { owner: job.to_string(), name: name.clone() };
            let deleted = sql!(DELETE_ROW; key.owner, key.name, *number).run(&mut tx).await?;
            if deleted == 1 {
                insert_placed(&mut tx, &key, *number, part).await?;
            } else {
                is_complete = false;
            }
        }
        if !is_complete {
            // Deleted meanwhile: the object has their bytes.
            note_dead_parts(&mut tx, &pack).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Copies the objects of a place to the current one.
    async fn move_objects(
        &self,
        from: i64,
        (to, target): &(i64, Bucket),
        done: &mut StorageMove,
        report: &mut impl FnMut(&StorageMove),
    ) -> Result<()> {
        let mut after = String::new();
        while let Some((id, bytes)) = self.next_pack(from, &after).await? {
            let (source, name) = (self.bucket_of(from).await?, upload::object_name(&id)?);
            match source.read(&name, 0..bytes).await {
                Ok(body) => {
                    target.put(&name, body).await?;
                    self.execute(sql!(SET_PLACE; id, from, *to)).await?;
                    source.remove(&name).await?;
                    done.objects += 1;
                    done.bytes += bytes;
                }
                Err(error @ BucketError::Missing { .. }) => {
                    // Rewritten or deleted meanwhile, or lost.
                    if self.next_pack(from, &after).await?.is_some_and(|(next, _)| next == id) {
                        return Err(error.into());
                    }
                }
                Err(error) => return Err(error.into()),
            }
            after = id;
            report(done);
        }
        Ok(())
    }

    async fn next_pack(&self, place: i64, after: &str) -> Result<Option<(String, u64)>> {
        let read = |row: &AnyRow| Ok((row.read("id")?, row.read("bytes")?));
        self.fetch_optional(sql!(NEXT_PACK; place, after), read).await
    }

    /// Moves the parts of runs in a place to the database.
    async fn move_to_rows(
        &self,
        place: i64,
        now: &impl Fn() -> Millis,
        done: &mut StorageMove,
        report: &mut impl FnMut(&StorageMove),
    ) -> Result<()> {
        let mut after = String::new();
        while let Some((id, _)) = self.next_pack(place, &after).await? {
            let mut parts = self.parts_of_pack(&id).await?;
            let all = parts.len();
            parts.retain(|part| part.key.owner.parse::<JobId>().is_ok());
            done.left += (all - parts.len()) as u64;
            let placed: Vec<_> = parts.iter().map(|part| part.placed.clone()).collect();
            let bodies = self
                .read_placed(&placed)
                .await?
                .ok_or_else(|| StoreError::Damaged(format!("the pack {id} cannot be read")))?;
            let mut tx = self.begin().await?;
            for (part, body) in parts.iter().zip(&bodies) {
                self.move_to_row(&mut tx, &part.key, part.number, &id, body).await?;
            }
            note_dead_parts(&mut tx, &id).await?;
            tx.commit().await?;
            done.parts += parts.len() as u64;
            done.bytes += bodies.iter().map(|body| body.len() as u64).sum::<u64>();
            after = id;
            report(done);
            self.process_pack_changes(now()).await?;
        }
        Ok(())
    }

    async fn move_to_row(
        &self,
        tx: &mut Tx,
        key: &BlobKey,
        number: u64,
        pack: &str,
        body: &[u8],
    ) -> Result<()> {
        // A deletion of the file holds the row of the job as well.
        sql!(job_row::HOLD; key.owner).run(tx).await?;
        let deleted = sql!(DELETE_PART; key.owner, key.name, number, pack).run(tx).await?;
        if deleted == 1 {
            sql!(INSERT; key.owner, key.name, number, body).run(tx).await?;
        }
        Ok(())
    }
}
