//! Secrets of keys, sessions, applications and webhooks, and password hashes. Secrets are generated
//! here, returned once, and stored as hashes (webhook secrets encrypted).

use std::fmt;

use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Argon2, PasswordHash};
use contract::KeyPrefix;
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use rand::RngExt;
use sha2::{Digest, Sha256};
use thiserror::Error;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS: usize = 32;
const CHECKSUM_CHARACTERS: usize = 6;

/// Why a password is rejected.
#[derive(Debug, Error)]
pub enum PasswordError {
    #[error("a password has 8 to 1,024 characters")]
    Length,
    #[error("the password could not be hashed")]
    Hash,
}

/// The secret of an API key.
#[derive(Clone)]
pub struct KeySecret {
    text: String,
    prefix: KeyPrefix,
}

impl KeySecret {
    /// Generates a secret with the system's random generator.
    #[must_use]
    pub fn mint(prefix: KeyPrefix) -> Self {
        let mut rng = rand::rng();
        let mut text = format!("{prefix}_");
        for _ in 0..RANDOM_CHARACTERS {
            text.push(char::from(BASE62[rng.random_range(0..BASE62.len())]));
        }
        let checksum = checksum(&text);
        text.push_str(&checksum);
        Self { text, prefix }
    }

    /// The text of the secret, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn prefix(&self) -> KeyPrefix {
        self.prefix
    }

    /// The last four characters, by which owners recognise a key.
    #[must_use]
    pub fn last4(&self) -> &str {
        &self.text[self.text.len() - 4..]
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeySecret({}_…)", self.prefix)
    }
}

/// Whether prefix, length and checksum are those of a key. Saves database queries for typing errors
/// and guesses.
#[must_use]
pub fn is_key_shaped(text: &str) -> bool {
    let Some(rest) = KeyPrefix::ALL
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix.as_str())?.strip_prefix('_'))
    else {
        return false;
    };
    rest.len() == RANDOM_CHARACTERS + CHECKSUM_CHARACTERS
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && checksum(&text[..text.len() - CHECKSUM_CHARACTERS])
            == text[text.len() - CHECKSUM_CHARACTERS..]
}

/// The CRC32 of the text before the checksum, in six base62 characters.
fn checksum(text: &str) -> String {
    let mut rest = u64::from(crc32fast::hash(text.as_bytes()));
    let mut digits = [b'0'; CHECKSUM_CHARACTERS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[usize::try_from(rest % 62).unwrap_or(0)];
        rest /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

/// Secrets of 32 random bytes with a prefix for their kind.
macro_rules! minted {
    ($($(#[doc = $about:literal])+ $name:ident = $prefix:literal;)+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name {
            text: String,
        }

        impl $name {
            /// The first characters of every secret of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// Generates a secret with the system's random generator.
            #[must_use]
            pub fn mint() -> Self {
                let bytes: [u8; 32] = rand::random();
                Self { text: format!("{}{}", Self::PREFIX, BASE64URL_NOPAD.encode(&bytes)) }
            }

            /// The text of the secret. Never log it.
            #[must_use]
            pub fn reveal(&self) -> &str {
                &self.text
            }
        }

        runtime::partial_debug!($name);
    )+};
}

minted! {
    /// Authenticates an account session.
    SessionToken = "sess_";
    /// Opens one session without a password.
    SignInLink = "once_";
    /// Sets a new password once.
    PasswordResetToken = "reset_";
    /// Identifies a client that signed in to the account before.
    DeviceToken = "dev_";
    /// The client secret of an application.
    ApplicationSecret = "aps_";
    /// The authorization code that an application exchanges for tokens.
    AuthorizationCode = "oac_";
    /// Authenticates the calls of an application.
    AccessToken = "oat_";
    /// Exchanged by an application for new tokens.
    RefreshToken = "ort_";
    /// Signs the deliveries of a webhook endpoint: the HMAC key is the whole text.
    WebhookSecret = "whsec_";
}

impl WebhookSecret {
    /// A secret that the client chose; validated by the caller.
    #[must_use]
    pub fn chosen(text: &str) -> Self {
        Self::known(text)
    }

    /// A secret that was decrypted from the database.
    pub(crate) fn known(text: &str) -> Self {
        Self { text: text.to_owned() }
    }
}

/// The SHA-256 that is stored instead of a key or token.
pub(crate) fn fingerprint(secret: &str) -> String {
    HEXLOWER.encode(Sha256::digest(secret.as_bytes()).as_slice())
}

/// The Argon2 hash that is stored instead of a password. Slow: never call it on an async thread.
pub(crate) fn hash_password(password: &str) -> Result<String, PasswordError> {
    if !(8..=1_024).contains(&password.chars().count()) {
        return Err(PasswordError::Length);
    }
    let hash =
        Argon2::default().hash_password(password.as_bytes()).map_err(|_| PasswordError::Hash)?;
    Ok(hash.to_string())
}

/// Whether the password has this hash. As slow as [`hash_password`].
pub(crate) fn verify_password(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn altered_keys_fail_the_checksum() {
        for prefix in KeyPrefix::ALL {
            let secret = KeySecret::mint(*prefix);
            assert!(secret.reveal().starts_with(&format!("{prefix}_")));
            assert!(is_key_shaped(secret.reveal()));
            let mut altered = secret.reveal().to_owned().into_bytes();
            altered[12] = if altered[12] == b'A' { b'B' } else { b'A' };
            assert!(!is_key_shaped(std::str::from_utf8(&altered).expect("ASCII")));
        }
        for other in ["", "key_live_", "sess_x", "key_live_ü", "key_prod_0000"] {
            assert!(!is_key_shaped(other));
        }
    }

    #[test]
    fn debug_output_hides_secrets() {
        let key = KeySecret::mint(KeyPrefix::Live);
        assert!(!format!("{key:?}").contains(&key.reveal()[9..]));
        let token = SessionToken::mint();
        assert!(!format!("{token:?}").contains(&token.reveal()[5..]));
        let secret = WebhookSecret::mint();
        assert!(secret.reveal().starts_with("whsec_") && secret.reveal().len() == 49);
        assert!(!format!("{secret:?}").contains(&secret.reveal()[6..]));
    }

    #[test]
    fn password_is_verified_against_its_hash() {
        let hash = hash_password("correct horse").expect("a hash");
        assert!(hash.starts_with("$argon2id$"));
        assert!(verify_password("correct horse", &hash));
        assert!(!verify_password("correct horsf", &hash));
        assert!(!verify_password("correct horse", "not a hash"));
        assert!(matches!(hash_password("short"), Err(PasswordError::Length)));
    }
}
