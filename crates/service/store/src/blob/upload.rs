//! Writes compressed parts to objects before the transaction that refers to them.
//!
//! An object (*pack*) starts with four bytes for its format; the parts of one commit or page call follow.
//! It never changes and has a new random name, so that a repeated write has the same content. Files of
//! two accounts are never in one pack.

use bytes::{Bytes, BytesMut};
use contract::Millis;

use super::{PackedBlob, PackedContent};
use crate::columns::{ExecuteIn, Tx, sql};
use crate::{Result, Store, StoreError, random};
use ::bucket::Bucket;

/// First bytes of a pack: its format.
pub(super) const MAGIC: &[u8] = b"TPK1";

/// A pack is closed before it has more bytes.
const MOST_BYTES: usize = 8 << 20;

/// Folder of the objects of packs.
pub(super) const FOLDER: &str = "packs";

/// No row if a search for objects without a row has found the pack first.
const INSERT: &str = "INSERT INTO packs (id, place, bytes, created_at) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (id) DO NOTHING";

/// A part in object storage that no row refers to yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UploadedPart {
    pub pack: String,
    pub start: u64,
    pub length: u64,
    pub crc: u32,
}

/// Objects that were written for a transaction.
#[derive(Debug, Default)]
pub(crate) struct Upload {
    packs: Vec<UploadedPack>,
}

#[derive(Debug)]
struct UploadedPack {
    id: String,
    place: i64,
    bytes: u64,
    created_at: Millis,
    bucket: Bucket,
}

impl Upload {
    pub fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }

    /// Writes an object with the parts of a pack.
    pub(super) async fn write(
        &mut self,
        pack: PackBuilder,
        place: i64,
        bucket: Bucket,
    ) -> Result<()> {
        let PackBuilder { id, created_at, body } = pack;
        let body: Bytes = body.freeze();
        let bytes = body.len() as u64;
        bucket.put(&object_name(&id)?, body).await?;
        self.packs.push(UploadedPack { id, place, bytes, created_at, bucket });
        Ok(())
    }

    /// Inserts the rows of the objects, before those that refer to them.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if one was removed, because the transaction came too late.
    pub async fn insert(&self, tx: &mut Tx) -> Result<()> {
        for pack in &self.packs {
            let UploadedPack { id, place, bytes, created_at, .. } = pack;
            if sql!(INSERT; id, *place, *bytes, created_at).run(tx).await? == 0 {
                return Err(StoreError::Locked(format!(
                    "the pack {id} was removed, because its transaction took too long"
                )));
            }
        }
        Ok(())
    }

    /// Removes the objects of a transaction that was rolled back. What cannot be removed now is
    /// found by the search for objects without a row.
    pub async fn discard(self) {
        for pack in &self.packs {
            if let Ok(name) = object_name(&pack.id) {
                let _ = pack.bucket.remove(&name).await;
            }
        }
    }
}

/// The parts of a pack that is being filled.
pub(super) struct PackBuilder {
    id: String,
    created_at: Millis,
    body: BytesMut,
}

impl PackBuilder {
    pub fn new(now: Millis) -> Self {
        let body = BytesMut::from(MAGIC);
        Self { id: new_id(now), created_at: now, body }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether a part of this length still fits. The first always does.
    pub fn fits(&self, bytes: usize) -> bool {
        self.is_empty() || self.body.len() + bytes <= MOST_BYTES
    }

    pub fn is_empty(&self) -> bool {
        self.body.len() == MAGIC.len()
    }

    pub fn add(&mut self, packed: &[u8]) -> UploadedPart {
        let start = self.body.len() as u64;
        self.body.extend_from_slice(packed);
        let (length, crc) = (packed.len() as u64, crc32fast::hash(packed));
        UploadedPart { pack: self.id.clone(), start, length, crc }
    }
}

impl Store {
    /// Writes the parts of blobs to object storage, if the settings have one. Without it does nothing.
    ///
    /// # Errors
    /// [`StoreError::Bucket`] if it fails; nothing refers to what was written until then.
    pub(crate) async fn upload<'a>(
        &self,
        blobs: impl Iterator<Item = &'a mut PackedBlob>,
        now: Millis,
    ) -> Result<Upload> {
        let mut upload = Upload::default();
        if !self.has_bucket() {
            return Ok(upload);
        }
        let (place, bucket) = self.current_bucket().await?;
        let mut builder: Option<PackBuilder> = None;
        for blob in blobs {
            let PackedContent::Here(parts) = &blob.content else { continue };
            let mut placed = Vec::with_capacity(parts.len());
            for part in parts {
                if builder.as_ref().is_some_and(|builder| !builder.fits(part.len()))
                    && let Some(full) = builder.take()
                {
                    upload.write(full, place, bucket.clone()).await?;
                }
                placed.push(builder.get_or_insert_with(|| PackBuilder::new(now)).add(part));
            }
            blob.content = PackedContent::Placed(placed);
        }
        if let Some(last) = builder {
            upload.write(last, place, bucket).await?;
        }
        Ok(upload)
    }
}

/// An id that starts with the time of its creation, so that the name of the object has its hour.
fn new_id(now: Millis) -> String {
    let millis = u64::try_from(now.0).unwrap_or(0) & 0xffff_ffff_ffff;
    let random = random().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    format!("{millis:012x}{random}")
}

/// When a pack was created; `None` if it is no id of a pack.
pub(super) fn created_at(id: &str) -> Option<Millis> {
    let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let millis = is_id.then(|| i64::from_str_radix(&id[..12], 16).ok())??;
    Some(Millis(millis))
}

/// The folder of the packs of an hour, as `packs/2026-05-01T08`.
pub(super) fn folder_of(hour: Millis) -> String {
    let time = hour.to_string();
    format!("{FOLDER}/{}", &time[..time.len().min(13)])
}

/// The name of the object of a pack.
pub(super) fn object_name(id: &str) -> Result<String> {
    let created_at = created_at(id)
        .ok_or_else(|| StoreError::Damaged(format!("the id of a pack is invalid: {id:?}")))?;
    Ok(format!("{}/{id}", folder_of(created_at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_an_object_has_the_hour_of_its_id() {
        let id = new_id(Millis(1_777_000_000_000));
        assert_eq!(created_at(&id), Some(Millis(1_777_000_000_000)));
        assert_eq!(object_name(&id).expect("a name"), format!("packs/2026-04-24T03/{id}"));
        for wrong in ["", "../../etc/passwd", "00000000000g00000000000000000000", "ab"] {
            assert!(object_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_follow_each_other_and_a_full_pack_is_closed() {
        let mut pack = PackBuilder::new(Millis(1));
        assert!(pack.is_empty() && pack.fits(100 << 20));
        let first = pack.add(b"abc");
        let second = pack.add(b"defg");
        assert_eq!((first.start, first.length), (4, 3));
        assert_eq!((second.start, second.length, second.crc), (7, 4, crc32fast::hash(b"defg")));
        assert!(pack.fits(1 << 20) && !pack.fits(8 << 20));
    }
}
