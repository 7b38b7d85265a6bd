//! Maps errors of hyper, rustls and std to [`FetchError`].

use std::error::Error;
use std::io::ErrorKind;

use crate::FetchError;

/// Walks the error and its sources; the first known type decides, otherwise `CutOff`.
pub fn fetch_error(error: &(dyn Error + 'static)) -> FetchError {
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
            // hyper reports invalid chunks with these kinds.
            if matches!(io.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData) {
                return FetchError::Protocol;
            }
        }
        cause = error.source();
    }
    FetchError::CutOff
}
