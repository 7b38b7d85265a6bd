//! The checks of a job request that depend on the settings: offered modes, networks, denylist.

use contract::{Mode, RequestPolicy, comma_list};
use urls::{CanonicalUrl, Domain, Target, is_sample_host};

use crate::ApiSettings;

impl RequestPolicy for ApiSettings {
    fn max_domains(&self) -> usize {
        usize::try_from(self.limits.domains_per_job).unwrap_or(usize::MAX)
    }

    fn check_mode(&self, mode: Mode) -> Result<(), String> {
        if self.modes.contains(&mode) {
            return Ok(());
        }
        let offered = comma_list(&self.modes);
        Err(format!("{mode} is not offered by this service; use one of {offered}"))
    }

    fn check_url(&self, url: &str) -> Result<(), String> {
        start_url(url, self).map(drop)
    }

    fn check_domain(&self, domain: &str) -> Result<(), String> {
        domain_name(domain, self).map(drop)
    }

    fn check_domains(&self, domains: &[String]) -> Result<(), String> {
        let names = domains.iter().filter_map(|domain| domain_name(domain, self).ok());
        let (samples, others): (Vec<_>, Vec<_>) = names.partition(|name| is_sample_host(name));
        if samples.is_empty() || others.is_empty() {
            Ok(())
        } else {
            Err("sample sites are free, other domains are not: put them into two jobs".to_owned())
        }
    }
}

/// The normalised start URL, or why it must not be crawled.
pub(crate) fn start_url(text: &str, settings: &ApiSettings) -> Result<CanonicalUrl, String> {
    let known = |name: &str| settings.known_names.knows(name);
    let url = Target::parse(text, &settings.allowed_networks, known);
    let url = url.map_err(|refusal| refusal.to_string())?;
    check_denylist(url.host(), settings)?;
    Ok(url)
}

/// The normalised domain, or why it must not be crawled.
pub(crate) fn domain_name(text: &str, settings: &ApiSettings) -> Result<String, String> {
    let known = |name: &str| settings.known_names.knows(name);
    let domain = Domain::parse_knowing(text, known).map(String::from);
    let domain = domain.map_err(|refusal| refusal.to_string())?;
    check_denylist(&domain, settings)?;
    Ok(domain)
}

fn check_denylist(host: &str, settings: &ApiSettings) -> Result<(), String> {
    match settings.blocked_domains.entry_for(host) {
        Some(blocked) => Err(format!("{blocked} is not crawled by this service")),
        None => Ok(()),
    }
}
