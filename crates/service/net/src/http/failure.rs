//! What an error of the HTTP client means in our words.

use std::error::Error;
use std::io::ErrorKind;

use crate::FetchError;

/// Reads the chain of causes from the outside in; the first that says enough decides.
pub fn of(error: &(dyn Error + 'static)) -> FetchError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(ours) = error.downcast_ref::<FetchError>() {
            return ours.clone();
        }
        if let Some(hyper) = error.downcast_ref::<hyper::Error>() {
            if hyper.is_parse_too_large() {
                return FetchError::HeadersTooLarge;
            }
            if hyper.is_parse() || hyper.is_user() {
                return FetchError::Protocol;
            }
        }
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            if let Some(tls) = io.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>())
            {
                return FetchError::Tls(tls.to_string());
            }
            // So hyper speaks of chunks that are none.
            if matches!(io.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData) {
                return FetchError::Protocol;
            }
        }
        cause = error.source();
    }
    FetchError::CutOff
}
