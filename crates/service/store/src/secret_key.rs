//! The service's `secret_key`: encrypts webhook secrets and the secrets of jobs, signs export links.
//!
//! Deliveries are signed with the webhook's secret, so that a hash of it does not suffice: it is
//! stored encrypted with ChaCha20-Poly1305. The endpoint's id is additional authenticated data: a
//! secret that was moved to another row cannot be decrypted.
//!
//! A sealed value starts with the id of its key, so that a node with two keys can decrypt all values
//! while `key_rotation.rs` changes from one to the other. Which key encrypts new values is a row of the
//! database, the same for all nodes.

use contract::{ExportId, WebhookId};
use data_encoding::HEXLOWER;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;

use crate::columns::{ExecuteIn, Tx, scalar, sql};
use crate::{Result, Store, StoreError, WebhookSecret};

pub(crate) const PROOF: &str = "SELECT proof FROM secret_key WHERE id = 1";
/// Keeps the current key until the end of the transaction: a rotation waits for values that are about
/// to be written with the key before.
const SHARE_PROOF: &str = "SELECT proof FROM secret_key WHERE id = 1 FOR SHARE";
const ENCRYPTED: &str = "SELECT (SELECT COUNT(*) FROM webhooks) \
    + (SELECT COUNT(*) FROM job_secrets) \
    + (SELECT COUNT(*) FROM schedules WHERE secrets IS NOT NULL)";
pub(crate) const WRITE_PROOF: &str = "INSERT INTO secret_key (id, proof) VALUES (1, $1) \
    ON CONFLICT (id) DO UPDATE SET proof = excluded.proof";

/// The first bytes of a sealed value that names its key. Values of release 0.1 start with their nonce.
const SEALED_MARK: &[u8; 4] = b"TSK2";
/// Bytes of the id of a key.
const KEY_ID_LEN: usize = 8;

/// The purpose of encrypted bytes with the id of their row: they can be decrypted for these alone.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SealedFor<'a> {
    /// The secret of a webhook.
    Webhook(&'a str),
    /// The headers of a webhook's deliveries.
    WebhookHeaders(&'a str),
    /// What a job sends to its site.
    Credentials(&'a str),
    /// The cookies of a job after its login.
    Session(&'a str),
    /// What the runs of a schedule send to their site.
    Schedule(&'a str),
    /// A forwarded page call.
    PageCall(&'a str),
    /// The answer to a forwarded page call.
    PageAnswer(&'a str),
}

impl<'a> SealedFor<'a> {
    /// The name from which the key is derived, and the id.
    fn parts(self) -> (&'static str, &'a str) {
        match self {
            Self::Webhook(id) => ("trawl: webhook secrets", id),
            Self::WebhookHeaders(id) => ("trawl: headers of webhooks", id),
            Self::Credentials(id) => ("trawl: credentials of jobs", id),
            Self::Session(id) => ("trawl: sessions of jobs", id),
            Self::Schedule(id) => ("trawl: credentials of schedules", id),
            Self::PageCall(id) => ("trawl: forwarded page calls", id),
            Self::PageAnswer(id) => ("trawl: answers to forwarded page calls", id),
        }
    }
}

/// The key of the service, the same on every node of a database.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey {
    text: String,
}

impl SecretKey {
    /// The key from the operator's settings, an arbitrary text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// A random key of 32 bytes, as hexadecimal text.
    #[must_use]
    pub fn mint() -> Self {
        let bytes: [u8; 32] = rand::random();
        Self { text: HEXLOWER.encode(&bytes) }
    }

    /// The text of the key. Never log it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Derives the key for one purpose, so that keys of different purposes are independent.
    fn derive(&self, purpose: &str) -> hmac::Tag {
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, self.text.as_bytes()), purpose.as_bytes())
    }

    fn cipher(&self, purpose: &str) -> Result<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, self.derive(purpose).as_ref())
            .map(LessSafeKey::new)
            .map_err(|_| StoreError::Setup("the cipher rejects the secret key".to_owned()))
    }

    fn export_key(&self) -> hmac::Key {
        let key = self.derive("trawl: addresses of exports");
        hmac::Key::new(hmac::HMAC_SHA256, key.as_ref())
    }

    /// The signature of an export link.
    pub(crate) fn sign_export(&self, id: &ExportId) -> String {
        HEXLOWER.encode(hmac::sign(&self.export_key(), id.as_str().as_bytes()).as_ref())
    }

    /// Whether the signature of an export link is valid.
    pub(crate) fn verify_export(&self, id: &ExportId, signature: &str) -> bool {
        HEXLOWER.decode(signature.as_bytes()).is_ok_and(|signature| {
            hmac::verify(&self.export_key(), id.as_str().as_bytes(), &signature).is_ok()
        })
    }

    fn page_file_key(&self) -> hmac::Key {
        let key = self.derive("trawl: links to files of pages");
        hmac::Key::new(hmac::HMAC_SHA256, key.as_ref())
    }

    /// The signature of the link to a file of a page, which has this name.
    pub(crate) fn sign_page_file(&self, name: &str) -> String {
        HEXLOWER.encode(hmac::sign(&self.page_file_key(), name.as_bytes()).as_ref())
    }

    /// Whether the signature of the link to a file of a page is valid.
    pub(crate) fn verify_page_file(&self, name: &str, signature: &str) -> bool {
        HEXLOWER.decode(signature.as_bytes()).is_ok_and(|signature| {
            hmac::verify(&self.page_file_key(), name.as_bytes(), &signature).is_ok()
        })
    }

    /// A hash that identifies the key, stored to detect nodes with another key.
    pub(crate) fn proof(&self) -> String {
        HEXLOWER.encode(self.derive("trawl: proof of the key").as_ref())
    }

    /// A hash of the body of a request with secrets. It cannot be computed without the key.
    pub(crate) fn hash_body(&self, plain_hash: &str) -> String {
        let key = self.derive("trawl: hashes of requests with secrets");
        let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_ref());
        HEXLOWER.encode(hmac::sign(&key, plain_hash.as_bytes()).as_ref())
    }

    /// The id of the key in sealed values. It says nothing about the key.
    fn id(&self) -> [u8; KEY_ID_LEN] {
        let tag = self.derive("trawl: id of the key");
        let bytes: &[u8] = tag.as_ref();
        bytes.first_chunk().copied().unwrap_or_default()
    }

    /// The id of the key as text, for operators.
    #[must_use]
    pub fn shown_id(&self) -> String {
        HEXLOWER.encode(&self.id())
    }

    /// Mark and id of the key, the nonce, and the encrypted bytes with their tag.
    pub(crate) fn seal(&self, owner: SealedFor<'_>, bytes: &[u8]) -> Result<Vec<u8>> {
        let (purpose, id) = owner.parts();
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut encrypted = bytes.to_vec();
        self.cipher(purpose)?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(id),
                &mut encrypted,
            )
            .map_err(|_| StoreError::Setup("cannot encrypt a secret".to_owned()))?;
        Ok([&SEALED_MARK[..], &self.id(), &nonce, &encrypted].concat())
    }

    /// Whether a value is sealed with this key, and names it.
    pub(crate) fn has_sealed(&self, sealed: &[u8]) -> bool {
        key_id_of(sealed).is_some_and(|(id, _)| *id == self.id())
    }

    pub(crate) fn open(&self, owner: SealedFor<'_>, sealed: &[u8]) -> Result<Vec<u8>> {
        match key_id_of(sealed) {
            Some((id, encrypted)) if *id == self.id() => self.decrypt(owner, encrypted),
            _ => self.decrypt(owner, sealed),
        }
    }

    /// Decrypts a nonce with the encrypted bytes after it.
    fn decrypt(&self, owner: SealedFor<'_>, encrypted: &[u8]) -> Result<Vec<u8>> {
        let (purpose, id) = owner.parts();
        let damaged = || {
            StoreError::Damaged(format!(
                "cannot decrypt the secrets of {id}: TRAWL_SECRET_KEY is not the key that they were \
                 encrypted with, or they were altered"
            ))
        };
        let (nonce, rest) = encrypted.split_at_checked(NONCE_LEN).ok_or_else(damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged())?;
        let mut rest = rest.to_vec();
        let decrypted = self
            .cipher(purpose)?
            .open_in_place(nonce, Aad::from(id), &mut rest)
            .map_err(|_| damaged())?;
        Ok(decrypted.to_vec())
    }
}

/// The id of the key of a sealed value, and what follows it; `None` for values of release 0.1.
fn key_id_of(sealed: &[u8]) -> Option<(&[u8; KEY_ID_LEN], &[u8])> {
    sealed.strip_prefix(SEALED_MARK)?.split_first_chunk()
}

runtime::partial_debug!(SecretKey);

impl Store {
    pub(crate) fn secret_key(&self) -> Result<&SecretKey> {
        self.inner
            .settings
            .secret_key
            .as_ref()
            .ok_or_else(|| StoreError::Setup("no secret_key is configured".to_owned()))
    }

    /// The hash of the body of a request with secrets, for an idempotency key: a plain hash would let
    /// its reader try secrets.
    ///
    /// # Errors
    /// [`StoreError::Setup`] when no `secret_key` is configured.
    pub fn hash_of_secrets(&self, plain_hash: &str) -> Result<String> {
        Ok(self.secret_key()?.hash_body(plain_hash))
    }

    /// The keys of this node: the secret key, and during a rotation the next one.
    pub(crate) fn secret_keys(&self) -> Result<impl Iterator<Item = &SecretKey>> {
        Ok(std::iter::once(self.secret_key()?).chain(&self.inner.settings.next_secret_key))
    }

    /// The key of this node that a stored proof belongs to.
    pub(crate) fn key_of_proof(&self, proof: &str) -> Result<&SecretKey> {
        let known = self.secret_keys()?.find(|key| key.proof() == proof);
        known.ok_or_else(|| {
            StoreError::Setup(
                "its secrets are encrypted with another secret key; set TRAWL_SECRET_KEY \
                 to that key on every node, or restore the file secret.key from a backup"
                    .to_owned(),
            )
        })
    }

    /// Encrypts bytes with the current key of the database, in the transaction that stores them.
    pub(crate) async fn seal(
        &self,
        tx: &mut Tx,
        owner: SealedFor<'_>,
        bytes: &[u8],
    ) -> Result<Vec<u8>> {
        let statement = self.dialect().select(PROOF, SHARE_PROOF);
        let proof: Option<String> = scalar!(statement).fetch_optional(&mut **tx).await?;
        let key = match &proof {
            Some(proof) => self.key_of_proof(proof)?,
            None => self.secret_key()?,
        };
        key.seal(owner, bytes)
    }

    /// Decrypts bytes with the key that they name.
    pub(crate) fn open(&self, owner: SealedFor<'_>, sealed: &[u8]) -> Result<Vec<u8>> {
        let mut failure = None;
        for key in self.secret_keys()? {
            match key.open(owner, sealed) {
                Ok(opened) => return Ok(opened),
                Err(error) => failure = Some(error),
            }
        }
        if let Some((id, _)) = key_id_of(sealed)
            && !self.secret_keys()?.any(|key| key.id() == *id)
        {
            return Err(StoreError::SecretKeyMissing {
                value: owner.parts().1.to_owned(),
                key: HEXLOWER.encode(id),
            });
        }
        Err(failure.unwrap_or_else(|| StoreError::Damaged("no secret key".to_owned())))
    }

    pub(crate) fn open_webhook_secret(
        &self,
        id: &WebhookId,
        sealed: &[u8],
    ) -> Result<WebhookSecret> {
        let opened = self.open(SealedFor::Webhook(id.as_str()), sealed)?;
        let damaged = |_| StoreError::Damaged(format!("the secret of webhook {id} is no text"));
        std::str::from_utf8(&opened).map(WebhookSecret::known).map_err(damaged)
    }

    /// Checks that this node has the key with which the secrets of the database are encrypted. A
    /// database without secrets adopts the key of this node.
    ///
    /// # Errors
    /// [`StoreError::Setup`] when the keys differ.
    pub async fn verify_secret_key(&self) -> Result<()> {
        let mut tx = self.begin().await?;
        let known: Option<String> = scalar!(PROOF).fetch_optional(&mut *tx).await?;
        let Some(known) = known else {
            sql!(WRITE_PROOF; self.secret_key()?.proof()).run(&mut tx).await?;
            return Ok(tx.commit().await?);
        };
        if let Err(error) = self.key_of_proof(&known) {
            let encrypted: i64 = scalar!(ENCRYPTED).fetch_one(&mut *tx).await?;
            if encrypted > 0 {
                return Err(error);
            }
            sql!(WRITE_PROOF; self.secret_key()?.proof()).run(&mut tx).await?;
        }
        Ok(tx.commit().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_value_is_opened_only_with_its_key_and_its_row() {
        let key = SecretKey::new("open sesame");
        let owner = SealedFor::Webhook("wh_1");
        let sealed = key.seal(owner, b"whsec_text").expect("encrypts");
        assert!(!sealed.windows(6).any(|part| part == b"whsec_"));
        assert_eq!(key.open(owner, &sealed).expect("decrypts"), b"whsec_text");
        assert!(key.open(SealedFor::Webhook("wh_2"), &sealed).is_err(), "another row");
        assert!(SecretKey::mint().open(owner, &sealed).is_err(), "another key");
        for at in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert!(key.open(owner, &altered).is_err(), "byte {at} is altered");
            assert!(key.open(owner, &sealed[..at]).is_err(), "truncated to {at} bytes");
        }
        assert_ne!(key.seal(owner, b"whsec_text").expect("encrypts"), sealed, "a new nonce");
    }

    #[test]
    fn sealed_value_names_its_key_and_values_of_the_first_release_name_none() {
        let (key, other) = (SecretKey::new("open sesame"), SecretKey::new("another"));
        let sealed = key.seal(SealedFor::Session("job1"), b"cookie").expect("encrypts");
        assert!(key.has_sealed(&sealed) && !other.has_sealed(&sealed));
        assert_ne!(key.shown_id(), other.shown_id());
        // Without mark and id: as release 0.1 wrote it.
        let first = &sealed[SEALED_MARK.len() + KEY_ID_LEN..];
        assert!(!key.has_sealed(first));
        assert_eq!(key.open(SealedFor::Session("job1"), first).expect("decrypts"), b"cookie");
    }

    #[test]
    fn secrets_of_a_job_are_decrypted_only_for_its_purpose() {
        let key = SecretKey::new("open sesame");
        let sealed = key.seal(SealedFor::Credentials("job1"), b"s3cret").expect("encrypts");
        assert_eq!(key.open(SealedFor::Credentials("job1"), &sealed).expect("decrypts"), b"s3cret");
        for owner in [SealedFor::Credentials("job2"), SealedFor::Session("job1")] {
            assert!(key.open(owner, &sealed).is_err(), "{owner:?}");
        }
        assert_ne!(key.hash_body("a"), SecretKey::mint().hash_body("a"));
        assert_eq!(key.hash_body("a"), key.hash_body("a"));
    }

    #[test]
    fn debug_output_hides_the_secret_key() {
        let key = SecretKey::mint();
        assert!(!format!("{key:?}").contains(key.reveal()));
    }
}
