//! Passwords that the console generates for accounts.

use data_encoding::BASE32_NOPAD;
use ring::rand::{SecureRandom, SystemRandom};

use crate::{PageError, PageResult};

/// Random bytes of a password: 24 characters.
const BYTES: usize = 15;

/// A random password of letters and digits.
pub(super) fn generated() -> PageResult<String> {
    let mut bytes = [0; BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| PageError::internal("the system has no random numbers"))?;
    Ok(BASE32_NOPAD.encode(&bytes).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_long_and_different() {
        let (one, other) = (generated().expect("a password"), generated().expect("a password"));
        assert!(one.len() == 24 && one != other);
    }
}
