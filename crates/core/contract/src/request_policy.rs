//! Checks of a job request that depend on the settings of a service.

use crate::{Mode, WebhookFormat};

/// Maximum entries of `urls`.
const MAX_URLS: usize = 10_000;

/// Checks of a request that depend on the settings of the service. Errors are messages for the
/// client.
pub trait RequestPolicy {
    /// A start URL that may be crawled.
    type Url;
    /// A domain that may be crawled.
    type Domain;

    /// Maximum entries of `domains`.
    fn max_domains(&self) -> usize;

    /// Maximum entries of `urls`.
    fn max_urls(&self) -> usize {
        MAX_URLS
    }

    /// Whether events may be sent to this URL in this format, as far as this is known without network
    /// access.
    ///
    /// # Errors
    /// The message for the client.
    fn check_webhook(&self, _url: &str, _format: WebhookFormat) -> Result<(), String> {
        Ok(())
    }

    /// Checks the valid entries of `urls` together.
    ///
    /// # Errors
    /// The message for the client.
    fn check_urls(&self, _urls: &[Self::Url]) -> Result<(), String> {
        Ok(())
    }

    /// Whether the URLs have one origin, to which secrets can be bound.
    ///
    /// # Errors
    /// The message for the client.
    fn check_one_origin(&self, _urls: &[Self::Url]) -> Result<(), String> {
        Ok(())
    }

    /// Whether a run that starts at `start` may log in at `login`.
    ///
    /// # Errors
    /// The message for the client.
    fn check_login(&self, _start: &Self::Url, _login: &Self::Url) -> Result<(), String> {
        Ok(())
    }

    /// Whether the service offers the mode.
    ///
    /// # Errors
    /// The message for the client.
    fn check_mode(&self, mode: Mode) -> Result<(), String>;

    /// Whether the service has a browser.
    ///
    /// # Errors
    /// The message for the client.
    fn check_rendering(&self) -> Result<(), String> {
        Ok(())
    }

    /// The URL, if it may be crawled, as far as this is known without network access.
    ///
    /// # Errors
    /// The message for the client.
    fn parse_url(&self, text: &str) -> Result<Self::Url, String>;

    /// The domain, if it may be crawled, as far as this is known without network access.
    ///
    /// # Errors
    /// The message for the client.
    fn parse_domain(&self, text: &str) -> Result<Self::Domain, String>;

    /// Checks the valid entries of `domains` together.
    ///
    /// # Errors
    /// The message for the client.
    fn check_domains(&self, domains: &[Self::Domain]) -> Result<(), String>;
}

/// `url`, `domains` and `urls` of a valid request, as the policy has parsed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedTarget<U, D> {
    pub url: Option<U>,
    /// The entries of `domains` in their order; empty without `domains`.
    pub domains: Vec<D>,
    /// The entries of `urls` in their order; empty without `urls`.
    pub urls: Vec<U>,
}

/// The target of a request as a policy parses it.
pub type TargetOf<P> = ParsedTarget<<P as RequestPolicy>::Url, <P as RequestPolicy>::Domain>;
