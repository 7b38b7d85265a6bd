//! Secrets: made here, shown once, kept as hashes.

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

/// Why a password cannot be used.
#[derive(Debug, Error)]
pub enum PasswordError {
    /// Too short to protect anything, or too long to be one.
    #[error("a password has 8 to 1,024 characters")]
    Length,
    /// The hash could not be computed.
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
    /// A new secret from the system's generator.
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

    /// The secret itself. To be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What it begins with.
    #[must_use]
    pub fn prefix(&self) -> KeyPrefix {
        self.prefix
    }

    /// Its last four characters.
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

/// Whether this could be the secret of a key: prefix, length and checksum fit. It
/// spares the database look-ups of what a typing error or a guess gives away.
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

/// The CRC32 of everything before it, in six base62 characters.
fn checksum(text: &str) -> String {
    let mut rest = u64::from(crc32fast::hash(text.as_bytes()));
    let mut digits = [b'0'; CHECKSUM_CHARACTERS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[usize::try_from(rest % 62).unwrap_or(0)];
        rest /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

/// Secrets of 32 bytes from the system's generator, behind a prefix that tells their kind.
macro_rules! minted {
    ($($(#[doc = $about:literal])+ $name:ident = $prefix:literal;)+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name {
            text: String,
        }

        impl $name {
            /// What every one of them begins with.
            pub const PREFIX: &'static str = $prefix;

            /// A new one from the system's generator.
            #[must_use]
            pub fn mint() -> Self {
                let bytes: [u8; 32] = rand::random();
                Self { text: format!("{}{}", Self::PREFIX, BASE64URL_NOPAD.encode(&bytes)) }
            }

            /// The secret itself.
            #[must_use]
            pub fn reveal(&self) -> &str {
                &self.text
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    )+};
}

minted! {
    /// The token of an account session. To be shown once.
    SessionToken = "sess_";
    /// What a client that signed in before is known by. To be shown once.
    DeviceToken = "dev_";
    /// What an application proves itself by. To be shown once.
    ApplicationSecret = "aps_";
    /// What an application gets for a person's approval, and shows to have tokens.
    AuthorizationCode = "oac_";
    /// What an application calls with. To be shown once.
    AccessToken = "oat_";
    /// What an application shows to have the next tokens. To be shown once.
    RefreshToken = "ort_";
    /// What the deliveries to an endpoint are signed with: the key of the signature is the whole
    /// text. To be shown once.
    WebhookSecret = "whsec_";
}

impl WebhookSecret {
    /// One that was minted before.
    pub(crate) fn known(text: &str) -> Self {
        Self { text: text.to_owned() }
    }
}

/// What is stored instead of a key or a token.
pub(crate) fn fingerprint(secret: &str) -> String {
    HEXLOWER.encode(Sha256::digest(secret.as_bytes()).as_slice())
}

/// What is stored instead of a password. Takes its time: not for an async thread.
pub(crate) fn hash_password(password: &str) -> Result<String, PasswordError> {
    if !(8..=1_024).contains(&password.chars().count()) {
        return Err(PasswordError::Length);
    }
    let hash =
        Argon2::default().hash_password(password.as_bytes()).map_err(|_| PasswordError::Hash)?;
    Ok(hash.to_string())
}

/// Whether the password is the one behind the hash. Takes its time likewise.
pub(crate) fn verify_password(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minted_key_is_told_from_a_look_alike() {
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
    fn secrets_do_not_show_in_debug_output() {
        let key = KeySecret::mint(KeyPrefix::Live);
        assert!(!format!("{key:?}").contains(&key.reveal()[9..]));
        let token = SessionToken::mint();
        assert!(!format!("{token:?}").contains(&token.reveal()[5..]));
        let secret = WebhookSecret::mint();
        assert!(secret.reveal().starts_with("whsec_") && secret.reveal().len() == 49);
        assert!(!format!("{secret:?}").contains(&secret.reveal()[6..]));
    }

    #[test]
    fn a_password_is_known_by_its_hash_alone() {
        let hash = hash_password("correct horse").expect("it hashes");
        assert!(hash.starts_with("$argon2id$"));
        assert!(verify_password("correct horse", &hash));
        assert!(!verify_password("correct horsf", &hash));
        assert!(!verify_password("correct horse", "not a hash"));
        assert!(matches!(hash_password("short"), Err(PasswordError::Length)));
    }
}
