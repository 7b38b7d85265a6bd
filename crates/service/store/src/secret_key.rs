//! The service's own key, and what is sealed under it.
//!
//! A webhook's secret has to be known again at each delivery, so that a hash will not do:
//! it is kept under ChaCha20-Poly1305. The endpoint's id goes into the seal: a secret that
//! was moved to another row does not open.

use std::fmt;

use contract::{ExportId, WebhookId};
use data_encoding::HEXLOWER;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;

use crate::{Store, StoreError, WebhookSecret};

pub(crate) const PROOF: &str = "SELECT proof FROM secret_key WHERE id = 1";
const SEALED: &str = "SELECT COUNT(*) FROM webhooks";
const WRITE_PROOF: &str = "INSERT INTO secret_key (id, proof) VALUES (1, $1) \
    ON CONFLICT (id) DO UPDATE SET proof = excluded.proof";

/// The key of the service. Every node over one database has the same.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey {
    text: String,
}

impl SecretKey {
    /// The key that the operator has chosen: any text, as long as nobody guesses it.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// A new key from the system's generator.
    #[must_use]
    pub fn mint() -> Self {
        let bytes: [u8; 32] = rand::random();
        Self { text: HEXLOWER.encode(&bytes) }
    }

    /// The key itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// A key for one purpose: what is known of one tells nothing of another.
    fn derive(&self, purpose: &str) -> hmac::Tag {
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, self.text.as_bytes()), purpose.as_bytes())
    }

    fn cipher(&self) -> Result<LessSafeKey, StoreError> {
        UnboundKey::new(&CHACHA20_POLY1305, self.derive("trawl: webhook secrets").as_ref())
            .map(LessSafeKey::new)
            .map_err(|_| StoreError::Setup("the secret key cannot be used".to_owned()))
    }

    fn export_key(&self) -> hmac::Key {
        let key = self.derive("trawl: addresses of exports");
        hmac::Key::new(hmac::HMAC_SHA256, key.as_ref())
    }

    /// The signature of an export's address.
    pub(crate) fn sign_export(&self, id: &ExportId) -> String {
        HEXLOWER.encode(hmac::sign(&self.export_key(), id.as_str().as_bytes()).as_ref())
    }

    /// Whether a signature is that of an export's address.
    pub(crate) fn signed_export(&self, id: &ExportId, signature: &str) -> bool {
        HEXLOWER.decode(signature.as_bytes()).is_ok_and(|signature| {
            hmac::verify(&self.export_key(), id.as_str().as_bytes(), &signature).is_ok()
        })
    }

    /// What tells this key from another without telling it.
    pub(crate) fn proof(&self) -> String {
        HEXLOWER.encode(self.derive("trawl: proof of the key").as_ref())
    }

    pub(crate) fn seal(
        &self,
        id: &WebhookId,
        secret: &WebhookSecret,
    ) -> Result<Vec<u8>, StoreError> {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut sealed = secret.reveal().as_bytes().to_vec();
        self.cipher()?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(id.as_str()),
                &mut sealed,
            )
            .map_err(|_| StoreError::Setup("nothing can be sealed".to_owned()))?;
        Ok([&nonce[..], &sealed].concat())
    }

    pub(crate) fn open(&self, id: &WebhookId, sealed: &[u8]) -> Result<WebhookSecret, StoreError> {
        let damaged = || StoreError::Damaged(format!("the secret of {id} does not open"));
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN).ok_or_else(damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged())?;
        let mut rest = rest.to_vec();
        let opened = self
            .cipher()?
            .open_in_place(nonce, Aad::from(id.as_str()), &mut rest)
            .map_err(|_| damaged())?;
        std::str::from_utf8(opened).map(WebhookSecret::known).map_err(|_| damaged())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

impl Store {
    /// The key that secrets are sealed under.
    pub(crate) fn secret_key(&self) -> Result<&SecretKey, StoreError> {
        self.inner
            .settings
            .secret_key
            .as_ref()
            .ok_or_else(|| StoreError::Setup("no secret key was given".to_owned()))
    }

    /// Finds out whether this node has the key that the database's secrets are sealed
    /// under. A database without any takes the key it is given.
    ///
    /// # Errors
    /// [`StoreError::Setup`] when it has another.
    pub async fn agree_on_secret_key(&self) -> Result<(), StoreError> {
        let proof = self.secret_key()?.proof();
        let mut tx = self.begin().await?;
        let known: Option<String> = sqlx::query_scalar(PROOF).fetch_optional(&mut *tx).await?;
        if known.as_deref() == Some(proof.as_str()) {
            return Ok(());
        }
        let sealed: i64 = sqlx::query_scalar(SEALED).fetch_one(&mut *tx).await?;
        if known.is_some() && sealed > 0 {
            return Err(StoreError::Setup(
                "its webhook secrets are sealed under another secret key; give every node the \
                 key of the first one in TRAWL_SECRET_KEY"
                    .to_owned(),
            ));
        }
        sqlx::query(WRITE_PROOF).bind(proof).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use contract::Millis;

    use super::*;

    #[test]
    fn a_secret_opens_with_its_key_at_its_place_and_not_otherwise() {
        let (key, secret) = (SecretKey::new("open sesame"), WebhookSecret::mint());
        let (id, other) = (WebhookId::new(Millis(1), [1; 10]), WebhookId::new(Millis(1), [2; 10]));
        let sealed = key.seal(&id, &secret).expect("it seals");
        assert!(!sealed.windows(6).any(|part| part == b"whsec_"));
        assert_eq!(key.open(&id, &sealed).expect("it opens"), secret);
        assert!(key.open(&other, &sealed).is_err(), "at another place");
        assert!(SecretKey::mint().open(&id, &sealed).is_err(), "with another key");
        let mut altered = sealed.clone();
        altered[20] ^= 1;
        assert!(key.open(&id, &altered).is_err(), "altered");
        assert!(key.open(&id, &sealed[..5]).is_err(), "cut off");
        assert_ne!(key.seal(&id, &secret).expect("it seals"), sealed, "never twice the same");
    }

    #[test]
    fn it_does_not_show_in_debug_output() {
        let key = SecretKey::mint();
        assert!(!format!("{key:?}").contains(key.reveal()));
    }
}
