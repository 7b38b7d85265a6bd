//! The service's `secret_key`: encrypts webhook secrets and the secrets of jobs, signs export links.
//!
//! Deliveries are signed with the webhook's secret, so that a hash of it does not suffice: it is
//! stored encrypted with ChaCha20-Poly1305. The endpoint's id is additional authenticated data: a
//! secret that was moved to another row cannot be decrypted.

use contract::{ExportId, WebhookId};
use data_encoding::HEXLOWER;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;

use crate::columns::{ExecuteIn, scalar, sql};
use crate::{Result, Store, StoreError, WebhookSecret};

pub(crate) const PROOF: &str = "SELECT proof FROM secret_key WHERE id = 1";
const ENCRYPTED: &str = "SELECT (SELECT COUNT(*) FROM webhooks) \
    + (SELECT COUNT(*) FROM job_secrets) \
    + (SELECT COUNT(*) FROM schedules WHERE secrets IS NOT NULL)";
const WRITE_PROOF: &str = "INSERT INTO secret_key (id, proof) VALUES (1, $1) \
    ON CONFLICT (id) DO UPDATE SET proof = excluded.proof";

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

    /// The nonce, followed by the encrypted bytes and their tag.
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
        Ok([&nonce[..], &encrypted].concat())
    }

    pub(crate) fn open(&self, owner: SealedFor<'_>, encrypted: &[u8]) -> Result<Vec<u8>> {
        let (purpose, id) = owner.parts();
        let damaged = || StoreError::Damaged(format!("cannot decrypt the secrets of {id}"));
        let (nonce, rest) = encrypted.split_at_checked(NONCE_LEN).ok_or_else(damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged())?;
        let mut rest = rest.to_vec();
        let decrypted = self
            .cipher(purpose)?
            .open_in_place(nonce, Aad::from(id), &mut rest)
            .map_err(|_| damaged())?;
        Ok(decrypted.to_vec())
    }

    pub(crate) fn encrypt(&self, id: &WebhookId, secret: &WebhookSecret) -> Result<Vec<u8>> {
        self.seal(SealedFor::Webhook(id.as_str()), secret.reveal().as_bytes())
    }

    pub(crate) fn decrypt(&self, id: &WebhookId, encrypted: &[u8]) -> Result<WebhookSecret> {
        let damaged = |_| StoreError::Damaged(format!("cannot decrypt the secret of webhook {id}"));
        let decrypted = self.open(SealedFor::Webhook(id.as_str()), encrypted)?;
        std::str::from_utf8(&decrypted).map(WebhookSecret::known).map_err(damaged)
    }
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

    /// Checks that this node has the key with which the secrets of the database are encrypted. A
    /// database without secrets adopts the key of this node.
    ///
    /// # Errors
    /// [`StoreError::Setup`] when the keys differ.
    pub async fn verify_secret_key(&self) -> Result<()> {
        let proof = self.secret_key()?.proof();
        let mut tx = self.begin().await?;
        let known: Option<String> = scalar!(PROOF).fetch_optional(&mut *tx).await?;
        if known.as_deref() == Some(proof.as_str()) {
            return Ok(());
        }
        let encrypted: i64 = scalar!(ENCRYPTED).fetch_one(&mut *tx).await?;
        if known.is_some() && encrypted > 0 {
            return Err(StoreError::Setup(
                "its secrets are encrypted with another secret key; set TRAWL_SECRET_KEY \
                 to the key of the first node on every node"
                    .to_owned(),
            ));
        }
        sql!(WRITE_PROOF; proof).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }
}

#[cfg(test)]
mod tests {
    use contract::Millis;

    use super::*;

    #[test]
    fn webhook_secret_is_decrypted_only_with_its_key_and_webhook_id() {
        let (key, secret) = (SecretKey::new("open sesame"), WebhookSecret::mint());
        let (id, other) = (WebhookId::new(Millis(1), [1; 10]), WebhookId::new(Millis(1), [2; 10]));
        let encrypted = key.encrypt(&id, &secret).expect("encrypts");
        assert!(!encrypted.windows(6).any(|part| part == b"whsec_"));
        assert_eq!(key.decrypt(&id, &encrypted).expect("decrypts"), secret);
        assert!(key.decrypt(&other, &encrypted).is_err(), "another webhook id");
        assert!(SecretKey::mint().decrypt(&id, &encrypted).is_err(), "another key");
        let mut altered = encrypted.clone();
        altered[20] ^= 1;
        assert!(key.decrypt(&id, &altered).is_err(), "altered");
        assert!(key.decrypt(&id, &encrypted[..5]).is_err(), "truncated");
        assert_ne!(key.encrypt(&id, &secret).expect("encrypts"), encrypted, "a new nonce");
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
