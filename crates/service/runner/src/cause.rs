//! Maps errors of a fetch to causes in the log of a run.

use std::io;

use journal::Cause;
use net::{FetchError, RenderFault};

pub(crate) fn cause(error: &FetchError) -> Cause {
    match error {
        FetchError::NameNotFound => Cause::NameNotFound,
        FetchError::NameServer => Cause::NameServer,
        FetchError::AddressRefused(_) | FetchError::PortRefused(_) => Cause::AddressRefused,
        FetchError::Connect(io::ErrorKind::ConnectionRefused) => Cause::ConnectionRefused,
        FetchError::Connect(_) | FetchError::CutOff => Cause::Connect,
        FetchError::Tls(_) => Cause::Tls,
        FetchError::TimedOut(_) => Cause::Timeout,
        FetchError::Busy => Cause::Busy,
        FetchError::TooLarge(_) => Cause::TooLarge,
        FetchError::BadEncoding => Cause::BadEncoding,
        // No request reached the site.
        FetchError::Provider(_) => Cause::ProviderDown,
        FetchError::Egress(_) => Cause::Egress,
        // A missing browser counts as an unavailable provider.
        FetchError::Renderer(RenderFault::Unavailable(_) | RenderFault::BrowserGone) => {
            Cause::ProviderDown
        }
        FetchError::Renderer(_) => Cause::Renderer,
        FetchError::BadUrl | FetchError::HeadersTooLarge | FetchError::Protocol => Cause::Protocol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_body_memory_is_no_fault_of_the_site() {
        assert_eq!(cause(&FetchError::Busy), Cause::Busy);
    }
}
