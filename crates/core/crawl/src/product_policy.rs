//! The policy of mode `products`: fingerprints, de-duplication, translations and the extraction
//! template.

use contract::{Alternate, SkipReason};
use journal::{Fact, ProductFingerprint, Step, UrlId};
use page::Page;
use products::{ExtractionTemplate, Product, ProductOptions, TemplateExample, TemplateLearner};
use urls::{CanonicalUrl, Fingerprint, LanguageTag, SiteKey, without_marked_folder};

use crate::fetch_task::ProductRequest;
use crate::site_crawl::SiteCrawl;

/// Maximum number of translations that a page may declare.
const NAMED: usize = 200;

/// Larger templates are not stored, so that a site cannot fill the log.
const TEMPLATE_BYTES: usize = 256 << 10;

impl SiteCrawl {
    /// Starts with a template that an earlier run learned, as the first fact of the log. Does
    /// nothing if the run has begun or uses no template.
    pub fn begin_with_template(&mut self, template: Vec<u8>) {
        let has_begun = self.state.template.is_some()
            || self.state.frontier.pending_count() < self.state.frontier.len();
        if has_begun || !self.plan.has_template() || template.len() > TEMPLATE_BYTES {
            return;
        }
        let Some(known) = ExtractionTemplate::decode(&template) else { return };
        self.template.learner = TemplateLearner::after(Some(&known));
        let site = SiteKey::of(&self.plan.start).to_string();
        self.apply(Step::Learned(Fact::Template { site, template, learned: false }));
    }

    /// Whether the run can start with a stored template.
    #[must_use]
    pub fn wants_template(&self) -> bool {
        self.plan.has_template()
            && self.state.template.is_none()
            && self.state.frontier.pending_count() == self.state.frontier.len()
    }

    /// What is extracted from a product page.
    pub(crate) fn product_request(&self) -> Option<ProductRequest> {
        let options = &self.plan.options;
        self.plan.extracts_products().then(|| ProductRequest {
            options: ProductOptions {
                suppress_contact: options.suppress_contact,
                collect_hidden_prices: options.collect_hidden_prices,
                template_examples: self.plan.has_template(),
            },
            template: self.template.current.clone(),
        })
    }

    /// Learns from a page where the site shows each field.
    pub(crate) fn learn_template(&mut self, template_example: Option<&TemplateExample>) {
        let Some(template_example) = template_example else { return };
        let Some(version) = self.template.learner.learn(template_example) else { return };
        let template = version.encode();
        if template.len() <= TEMPLATE_BYTES && self.state.template.as_ref() != Some(&template) {
            let site = SiteKey::of(&self.plan.start).to_string();
            self.apply(Step::Learned(Fact::Template { site, template, learned: true }));
        }
    }

    /// The hashes that identify the product of a page.
    pub(crate) fn product_fingerprint(
        &self,
        id: UrlId,
        product: &Product,
        language: Option<&LanguageTag>,
    ) -> ProductFingerprint {
        let language_key = self.languages.language_key(language);
        let name = plain(&product.name);
        let hash = |words: &[&str]| Fingerprint::of_words(words).0;
        let number = product.product_id.as_deref().map(str::trim).filter(|id| !id.is_empty());
        let numbered = number.map(|number| hash(&["number", language_key, number, &name]));
        let url = self.state.frontier.url(id);
        let placed =
            url.map(|url| hash(&["place", language_key, without_marked_folder(&url), &name]));
        ProductFingerprint {
            number: number.map(|number| hash(&[language_key, number])),
            same: numbered.into_iter().chain(placed).collect(),
            language: language.cloned(),
        }
    }

    /// The content hash of a product page. If languages are delivered separately, the language is
    /// part of it.
    pub(crate) fn product_content(
        &self,
        product: &Product,
        language: Option<&LanguageTag>,
    ) -> Option<u64> {
        let hash = u64::from_str_radix(&product.content_hash, 16).ok()?;
        match self.languages.language_key(language) {
            "" => Some(hash),
            language_key => Some(Fingerprint::of_words(&[&product.content_hash, language_key]).0),
        }
    }

    /// The delivered product that this page duplicates, with the skip reason.
    pub(crate) fn duplicate_product(
        &self,
        id: UrlId,
        page: &Page,
        content: Option<u64>,
        fingerprint: &ProductFingerprint,
    ) -> Option<(UrlId, SkipReason)> {
        let same_content = || {
            let first = self.state.contents.get(&content?)?;
            self.state.frontier.is_delivered(*first).then_some((*first, SkipReason::Duplicate))
        };
        let canonical_target = self.delivered_canonical(id, page);
        canonical_target
            .or_else(|| self.state.product_dedup.duplicate_of(fingerprint))
            .or_else(same_content)
    }

    /// The translations that a product page declares and the run does not deliver. Links of every
    /// page to the home pages of other languages do not count.
    pub(crate) fn named_translations(&self, id: UrlId, page: &Page) -> Vec<Alternate> {
        let Some(own) = self.state.frontier.url(id) else { return Vec::new() };
        let is_home = |url: &CanonicalUrl| matches!(without_marked_folder(url), "/" | "");
        let mut named: Vec<Alternate> = Vec::new();
        for (tag, url) in page.alternates.iter().take(NAMED) {
            let Ok(tag) = LanguageTag::parse(tag) else { continue };
            let url = self.rule.normalised(url);
            let is_known = urls::same_page(url.as_str(), own.as_str())
                || named.iter().any(|known| urls::same_page(&known.url, url.as_str()));
            if !is_known
                && !self.languages.delivers_separately(&tag)
                && (!is_home(&url) || is_home(&own))
            {
                named.push(Alternate { lang: tag.to_string(), url: url.to_string() });
            }
        }
        named
    }
}

/// The letters and digits of a name, for comparison.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).take(300).collect()
}
