//! The checks of a job request that depend on the settings: offered modes, networks, denylist. The
//! target is parsed here once.

use contract::{Mode, RequestPolicy, WebhookFormat, comma_list};
use urls::{CanonicalUrl, Domain, SiteKey, Target, is_sample_host};

use crate::ApiSettings;
use crate::receiver_url::job_receiver_url;

/// The message about a list of sample sites and other sites.
pub(crate) const MIXED_SITES: &str =
    "sample sites are free, other sites are not: put them into two jobs";

impl RequestPolicy for ApiSettings {
    type Url = CanonicalUrl;
    /// The normalised name of the domain.
    type Domain = String;

    fn max_domains(&self) -> usize {
        usize::try_from(self.limits.domains_per_job).unwrap_or(usize::MAX)
    }

    fn check_urls(&self, urls: &[CanonicalUrl]) -> Result<(), String> {
        let samples = urls.iter().filter(|url| is_sample_host(url.bare_host())).count();
        if samples == 0 || samples == urls.len() { Ok(()) } else { Err(MIXED_SITES.to_owned()) }
    }

    fn check_webhook(&self, url: &str, format: WebhookFormat) -> Result<(), String> {
        job_receiver_url(url, format, self).map(drop)
    }

    fn check_one_origin(&self, urls: &[CanonicalUrl]) -> Result<(), String> {
        let mut origins = urls.iter().map(CanonicalUrl::origin);
        let Some(first) = origins.next() else { return Ok(()) };
        match origins.find(|origin| *origin != first) {
            None => Ok(()),
            Some(other) => Err(format!(
                "is sent to one origin only, and urls has {first} and {other}: put the URLs of \
                 each origin into another job"
            )),
        }
    }

    fn check_login(&self, start: &CanonicalUrl, login: &CanonicalUrl) -> Result<(), String> {
        if SiteKey::of(start) == SiteKey::of(login) {
            return Ok(());
        }
        let (host, site) = (login.host(), start.host());
        Err(format!("must be on the site of the run: {host} is not {site}"))
    }

    fn check_mode(&self, mode: Mode) -> Result<(), String> {
        if self.modes.contains(&mode) {
            return Ok(());
        }
        let offered = comma_list(&self.modes);
        Err(format!("{mode} is not offered by this service; use one of {offered}"))
    }

    fn check_rendering(&self) -> Result<(), String> {
        if self.browser {
            return Ok(());
        }
        Err("needs a browser, which this service does not have; ask its operator to install \
             Chromium, or omit it"
            .to_owned())
    }

    fn parse_url(&self, text: &str) -> Result<CanonicalUrl, String> {
        let known = |name: &str| self.known_names.knows(name);
        let url = Target::parse(text, &self.allowed_networks, known);
        let url = url.map_err(|refusal| refusal.to_string())?;
        check_denylist(url.host(), self)?;
        Ok(url)
    }

    fn parse_domain(&self, text: &str) -> Result<String, String> {
        let known = |name: &str| self.known_names.knows(name);
        let domain = Domain::parse_knowing(text, known).map(String::from);
        let domain = domain.map_err(|refusal| refusal.to_string())?;
        check_denylist(&domain, self)?;
        Ok(domain)
    }

    fn check_domains(&self, domains: &[String]) -> Result<(), String> {
        let samples = domains.iter().filter(|name| is_sample_host(name)).count();
        if samples == 0 || samples == domains.len() {
            Ok(())
        } else {
            Err("sample sites are free, other domains are not: put them into two jobs".to_owned())
        }
    }
}

fn check_denylist(host: &str, settings: &ApiSettings) -> Result<(), String> {
    match settings.blocked_domains.entry_for(host) {
        Some(blocked) => Err(format!("{blocked} is not crawled by this service")),
        None => Ok(()),
    }
}
