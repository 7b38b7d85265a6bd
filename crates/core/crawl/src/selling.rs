//! A page that sells a product: what it is known by, who stands for it, what its record says
//! of its translations, and what its site's template learns from it.

use std::sync::Arc;

use contract::{Alternate, Mode, SkipReason};
use journal::{Fact, ProductMark, Step};
use page::Page;
use products::{ExtractionTemplate, Product, ProductOptions, TemplateExample, TemplateLearner};
use urls::{CanonicalUrl, Fingerprint, LanguageTag, SiteKey, without_marked_folder};

use crate::engine::Crawl;
use crate::task::ProductStudy;
use crate::{Plan, RunState};

/// Translations that a page may name.
const NAMED: usize = 200;

/// A template that takes more is not kept: no site decides how much a log holds.
const TEMPLATE_BYTES: usize = 256 << 10;

impl Plan {
    /// Whether the items are products.
    pub(crate) fn seeks_products(&self) -> bool {
        self.mode == Mode::Products
    }

    /// Whether the template of the site is learned and used.
    pub(crate) fn has_template(&self) -> bool {
        self.seeks_products() && self.options.use_template_extraction
    }
}

/// The template of a site: the version in force, and what is learned for the next one.
#[derive(Debug, Default)]
pub(crate) struct TemplateWatch {
    pub in_force: Option<Arc<ExtractionTemplate>>,
    learner: TemplateLearner,
}

impl TemplateWatch {
    /// Goes on with the version that the log tells.
    pub fn after(plan: &Plan, state: &RunState) -> Self {
        let kept = state.template.as_deref().filter(|_| plan.has_template());
        let in_force = kept.and_then(ExtractionTemplate::decode).map(Arc::new);
        Self { learner: TemplateLearner::after(in_force.as_deref()), in_force }
    }

    /// A version is in force from here on. What was learned so far goes on being learned.
    pub fn put_in_force(&mut self, kept: &[u8]) {
        self.in_force = ExtractionTemplate::decode(kept).map(Arc::new);
    }
}

impl Crawl {
    /// Begins with a template that an earlier run learned, as the first thing that the log
    /// tells. Nothing happens in a run that has begun, or that uses none.
    pub fn begin_with_template(&mut self, template: Vec<u8>) {
        let has_begun = self.state.template.is_some()
            || self.state.frontier.pending_count() < self.state.frontier.len();
        if has_begun || !self.plan.has_template() || template.len() > TEMPLATE_BYTES {
            return;
        }
        let Some(known) = ExtractionTemplate::decode(&template) else { return };
        self.template.learner = TemplateLearner::after(Some(&known));
        let site = SiteKey::of(&self.plan.start).to_string();
        self.take(Step::Learned(Fact::Template { site, template, learned: false }));
    }

    /// Whether a template that was learned before would be of use.
    #[must_use]
    pub fn wants_template(&self) -> bool {
        self.plan.has_template()
            && self.state.template.is_none()
            && self.state.frontier.pending_count() == self.state.frontier.len()
    }

    /// What a page of a shop is asked for.
    pub(crate) fn product_study(&self) -> Option<ProductStudy> {
        let options = &self.plan.options;
        self.plan.seeks_products().then(|| ProductStudy {
            options: ProductOptions {
                suppress_contact: options.suppress_contact,
                collect_hidden_prices: options.collect_hidden_prices,
                template_examples: self.plan.has_template(),
            },
            template: self.template.in_force.clone(),
        })
    }

    /// Learns from a page where its site shows what.
    pub(crate) fn learn_template(&mut self, example: Option<&TemplateExample>) {
        let Some(example) = example else { return };
        let Some(version) = self.template.learner.learn(example) else { return };
        let template = version.encode();
        if template.len() <= TEMPLATE_BYTES && self.state.template.as_ref() != Some(&template) {
            let site = SiteKey::of(&self.plan.start).to_string();
            self.take(Step::Learned(Fact::Template { site, template, learned: true }));
        }
    }

    /// What the product of a page is known by.
    pub(crate) fn product_mark(
        &self,
        ordinal: u32,
        product: &Product,
        language: Option<&LanguageTag>,
    ) -> ProductMark {
        let apart = self.languages.apart(language);
        let name = plain(&product.name);
        let hash = |words: &[&str]| Fingerprint::of_words(words).0;
        let number = product.product_id.as_deref().map(str::trim).filter(|id| !id.is_empty());
        let numbered = number.map(|number| hash(&["number", apart, number, &name]));
        let url = self.state.frontier.url(ordinal);
        let placed = url.map(|url| hash(&["place", apart, without_marked_folder(&url), &name]));
        ProductMark {
            number: number.map(|number| hash(&[apart, number])),
            same: numbered.into_iter().chain(placed).collect(),
            language: language.cloned(),
        }
    }

    /// What a product page is known by as a whole. Where languages are kept apart, two that
    /// read alike are two.
    pub(crate) fn product_content(
        &self,
        product: &Product,
        language: Option<&LanguageTag>,
    ) -> Option<u64> {
        let hash = u64::from_str_radix(&product.content_hash, 16).ok()?;
        match self.languages.apart(language) {
            "" => Some(hash),
            apart => Some(Fingerprint::of_words(&[&product.content_hash, apart]).0),
        }
    }

    /// The product that was delivered already and stands for this one, and why.
    pub(crate) fn twin(
        &self,
        ordinal: u32,
        page: &Page,
        content: Option<u64>,
        mark: &ProductMark,
    ) -> Option<(u32, SkipReason)> {
        let same_content = || {
            let first = self.state.contents.get(&content?)?;
            self.state.frontier.is_delivered(*first).then_some((*first, SkipReason::Duplicate))
        };
        let original = self.delivered_original(ordinal, page);
        original.or_else(|| self.state.twins.standing_for(mark)).or_else(same_content)
    }

    /// The translations of a product that its page names and the run does not deliver. A
    /// template that names the home pages everywhere names no translation.
    pub(crate) fn named_translations(&self, ordinal: u32, page: &Page) -> Vec<Alternate> {
        let Some(own) = self.state.frontier.url(ordinal) else { return Vec::new() };
        let is_home = |url: &CanonicalUrl| matches!(without_marked_folder(url), "/" | "");
        let mut named: Vec<Alternate> = Vec::new();
        for (tag, url) in page.alternates.iter().take(NAMED) {
            let Ok(tag) = LanguageTag::parse(tag) else { continue };
            let url = self.rule.normalised(url);
            let is_known = urls::same_page(url.as_str(), own.as_str())
                || named.iter().any(|known| urls::same_page(&known.url, url.as_str()));
            if !is_known
                && !self.languages.delivers_apart(&tag)
                && (!is_home(&url) || is_home(&own))
            {
                named.push(Alternate { lang: tag.to_string(), url: url.to_string() });
            }
        }
        named
    }
}

/// A name as it is compared: its letters and digits.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).take(300).collect()
}
