//! The body that creates a job, read and judged.

use contract::{Credits, External, FieldError, Mode, OnProtected, Options, ProblemCode, Scope};
use serde_json::Value;
use urls::{CanonicalUrl, Domain, SiteKey, Target, is_sample_host};

use super::language;
use crate::ApiSettings;
use crate::api_error::ApiError;
use crate::body::{BodyFields, one_of};

/// What a client's own words about a run may take.
const EXTERNAL_BYTES: usize = 4 * 1024;

/// Bytes of one entry of `domains`, which is stored as it was written; the same as for `url`.
const INPUT_BYTES: usize = 2_048;

/// A job that was asked for in proper form.
#[derive(Debug)]
pub(super) struct Order {
    pub mode: Mode,
    pub url: Option<CanonicalUrl>,
    pub domains: Vec<String>,
    /// What was given for each of `domains`, or for the URL, in mode `contacts`.
    pub inputs: Vec<String>,
    pub scope: Scope,
    pub options: Options,
    pub on_protected: Option<OnProtected>,
    pub ceiling: Option<Credits>,
    pub external: Option<External>,
}

impl Order {
    /// Whether all that it asks for are built-in sample sites: it costs nothing.
    pub fn is_free(&self) -> bool {
        match &self.url {
            Some(url) => is_sample_host(url.bare_host()),
            None => self.domains.iter().all(|domain| is_sample_host(domain)),
        }
    }

    /// Reads the body. `key` is what is wrong with the request's `Idempotency-Key`.
    pub fn read(
        body: &Value,
        key: Option<FieldError>,
        settings: &ApiSettings,
    ) -> Result<Self, ApiError> {
        let mut fields = BodyFields::of(body)?;
        let mode = fields.word("mode", Mode::ALL);
        fields.missing("mode");
        let contacts = mode == Some(Mode::Contacts);
        let given_url = fields.value("url").and_then(Value::as_str);
        let url = url(&mut fields, settings);
        let (domains, mut inputs) = domains(&mut fields, settings).unwrap_or_default();
        if let (true, Some(given)) = (contacts, given_url) {
            inputs = vec![given.to_owned()];
        }
        match (mode, fields.given("url"), fields.given("domains")) {
            (Some(Mode::Contacts), true, true) => {
                fields.wrong("domains", "must not be given together with url");
            }
            (Some(Mode::Contacts), false, false) => {
                fields.wrong("url", "is required unless domains is given");
            }
            (Some(Mode::Contacts) | None, ..) => {}
            (Some(_), given, domains) => {
                if !given {
                    fields.missing("url");
                }
                if domains {
                    fields.wrong("domains", "belongs to mode contacts alone");
                }
            }
        }
        let scope = fields.object("scope", scope).unwrap_or_default();
        let options = fields.object("options", options).unwrap_or_default();
        let on_protected = fields.word("on_protected", OnProtected::ALL);
        let ceiling = fields.integer("max_credit_per_unit", 1).map(Credits);
        let legal_basis = fields.flag("legal_basis_accepted");
        let unlawful =
            contacts && (legal_basis == Some(false) || !fields.given("legal_basis_accepted"));
        if unlawful {
            let message = "must be true in mode contacts: confirm a lawful basis for processing";
            fields.wrong("legal_basis_accepted", message);
        } else if let Some(mode) = mode.filter(|mode| !settings.modes.contains(mode)) {
            let built = one_of(&settings.modes);
            fields.wrong("mode", format!("{mode} is not built yet; take one of {built}"));
        }
        let external = external(&mut fields);
        let mut errors = fields.finish();
        errors.extend(key);
        match mode {
            Some(mode) if errors.is_empty() => Ok(Self {
                mode,
                url,
                domains,
                inputs,
                scope,
                options,
                on_protected,
                ceiling,
                external,
            }),
            Some(_) | None if unlawful => Err(ApiError::new(
                ProblemCode::LegalBasisRequired,
                "mode contacts needs legal_basis_accepted: true",
            )
            .errors(errors)),
            Some(_) | None => Err(ApiError::invalid(errors)),
        }
    }

    /// What makes it the only job of its account at a site.
    pub fn site_key(&self) -> Option<String> {
        // One page is no burden on a site, and many of them are the usual way to use it. A sample
        // site bears any number of runs, as those of CI jobs that share a key.
        let url = self.url.as_ref().filter(|_| !self.scope.one_page && !self.is_free());
        url.map(|url| SiteKey::of(url).to_string())
    }

    /// The host that the run begins to speak to.
    pub fn host(&self) -> String {
        let host = self.url.as_ref().map(|url| url.bare_host().to_owned());
        host.or_else(|| self.domains.first().cloned()).unwrap_or_default()
    }
}

fn url(fields: &mut BodyFields<'_>, settings: &ApiSettings) -> Option<CanonicalUrl> {
    let text = fields.text("url")?;
    let known = |name: &str| settings.known_names.knows(name);
    match Target::parse(text, &settings.allowed_networks, known) {
        Ok(url) => {
            if let Some(blocked) = settings.blocked_domains.entry_for(url.host()) {
                fields.wrong("url", format!("{blocked} is not crawled by this service"));
            }
            Some(url)
        }
        Err(refusal) => {
            fields.wrong("url", refusal.to_string());
            None
        }
    }
}

/// The domains, each once, and what was given for each.
fn domains(
    fields: &mut BodyFields<'_>,
    settings: &ApiSettings,
) -> Option<(Vec<String>, Vec<String>)> {
    let most = usize::try_from(settings.limits.domains_per_job).unwrap_or(usize::MAX);
    let texts = fields.texts("domains", most)?;
    let known = |name: &str| settings.known_names.knows(name);
    let mut seen = std::collections::HashSet::with_capacity(texts.len());
    let mut domains = Vec::with_capacity(texts.len());
    let mut inputs = Vec::with_capacity(texts.len());
    for (place, text) in texts {
        let at = format!("domains[{place}]");
        if text.len() > INPUT_BYTES {
            fields.wrong(&at, format!("must not be longer than {INPUT_BYTES} bytes"));
            continue;
        }
        match Domain::parse_knowing(text, known).map(String::from) {
            Ok(domain) => {
                if let Some(blocked) = settings.blocked_domains.entry_for(&domain) {
                    fields.wrong(&at, format!("{blocked} is not crawled by this service"));
                } else if seen.insert(domain.clone()) {
                    domains.push(domain);
                    inputs.push(text.to_owned());
                }
            }
            Err(refusal) => fields.wrong(&at, refusal.to_string()),
        }
    }
    let samples = domains.iter().filter(|domain| is_sample_host(domain)).count();
    if (1..domains.len()).contains(&samples) {
        let message = "sample sites are free, other domains are not: put them into two jobs";
        fields.wrong("domains", message);
    }
    Some((domains, inputs))
}

fn scope(fields: &mut BodyFields<'_>) -> Scope {
    let mut switch = |name| fields.flag(name).unwrap_or(false);
    Scope {
        one_page: switch("one_page"),
        specific_route: switch("specific_route"),
        include_subdomains: switch("include_subdomains"),
        include_external: switch("include_external"),
        include_broken: switch("include_broken"),
        include_orphan: switch("include_orphan"),
        include_images: switch("include_images"),
        include_files: switch("include_files"),
        include_sitemap: switch("include_sitemap"),
        include_query_strings: switch("include_query_strings"),
    }
}

fn options(fields: &mut BodyFields<'_>) -> Options {
    let preferred_language = fields.text("preferred_language");
    if let Some(problem) = preferred_language.and_then(language::problem) {
        fields.wrong("preferred_language", problem);
    }
    let sample_size = fields.integer("sample_size", 1).and_then(|size| u64::try_from(size).ok());
    let standard = Options::default();
    let mut switch = |name, standard| fields.flag(name).unwrap_or(standard);
    Options {
        preferred_language: preferred_language.map(str::to_owned),
        all_languages: switch("all_languages", standard.all_languages),
        region_aware: switch("region_aware", standard.region_aware),
        strict_default_language: switch(
            "strict_default_language",
            standard.strict_default_language,
        ),
        sitemap_first: switch("sitemap_first", standard.sitemap_first),
        discovery: switch("discovery", standard.discovery),
        use_template_extraction: switch(
            "use_template_extraction",
            standard.use_template_extraction,
        ),
        suppress_contact: switch("suppress_contact", standard.suppress_contact),
        collect_hidden_prices: switch("collect_hidden_prices", standard.collect_hidden_prices),
        sample_size,
    }
}

fn external(fields: &mut BodyFields<'_>) -> Option<External> {
    let external = fields.free_object("external", |inside, members| {
        let external = External {
            user_id: inside.text("user_id").map(str::to_owned),
            run_id: inside.text("run_id").map(str::to_owned),
            other: members
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "user_id" | "run_id"))
                .map(|(name, member)| (name.clone(), member.clone()))
                .collect(),
        };
        let size = serde_json::to_string(members).map_or(usize::MAX, |text| text.len());
        (external, size)
    });
    let (external, size) = external?;
    if size > EXTERNAL_BYTES {
        fields.wrong("external", format!("must not take more than {EXTERNAL_BYTES} bytes as JSON"));
    }
    Some(external)
}
