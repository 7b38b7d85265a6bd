//! Mode `products` in a site crawl: each product once, read with the template of the site.

use std::sync::Arc;

use contract::{Alternate, Item, Millis, SkipReason};
use crawl::{
    AnyContent, ContentPresence, ContentRecording, CrawlMode, CrawlPlan, FinishedPage, ModePolicy,
    PageExtractor, PageVerdict, RunState,
};
use journal::{Fact, ItemIdentity, JournalError, Snapshot, Step, UrlId};
use page::Page;
use urls::{
    CanonicalUrl, Fingerprint, LanguageTag, ScopeRule, SiteKey, in_folder_of, without_marked_folder,
};

use crate::extractor::{ProductContent, ProductExtractor};
use crate::product_dedup::ProductDedup;
use crate::{ExtractionTemplate, Product, ProductOptions, TemplateLearner};

/// Maximum number of translations that a page may declare.
const NAMED: usize = 200;

/// Larger templates are not stored, so that a site cannot fill the log.
const TEMPLATE_BYTES: usize = 256 << 10;

/// The place of the other modes in a snapshot, before that of this mode.
const OTHER_MODES: [u8; 2] = [0; 2];

/// The place of the number of product pages in a snapshot, which nothing reads.
const PAGES: u64 = 0;

/// The state of the mode in a snapshot.
type StoredProducts = ([u8; 2], Option<Vec<u8>>, u64, ProductDedup);

/// Mode `products` with its state in the run.
#[derive(Debug)]
pub struct ProductsMode {
    /// The current version of the template, encoded. Durable.
    template: Option<Vec<u8>>,
    dedup: ProductDedup,
    /// The site that a template is stored for.
    site: String,
    options: ProductOptions,
    /// Reads pages with the current version of the template.
    extractor: Arc<ProductExtractor>,
    learner: TemplateLearner,
}

impl Default for ProductsMode {
    fn default() -> Self {
        let options = ProductOptions {
            suppress_contact: true,
            collect_hidden_prices: false,
            template_examples: false,
        };
        Self {
            template: None,
            dedup: ProductDedup::default(),
            site: String::new(),
            options,
            extractor: Arc::new(ProductExtractor::new(options, None)),
            learner: TemplateLearner::after(None),
        }
    }
}

impl ProductsMode {
    /// Whether a template is learned and used.
    fn uses_template(&self) -> bool {
        self.options.template_examples
    }

    /// Sets the extractor to the current version of the template.
    fn update_extractor(&mut self) {
        let template = self.template.as_deref().filter(|_| self.uses_template());
        let template = template.and_then(ExtractionTemplate::decode).map(Arc::new);
        self.extractor = Arc::new(ProductExtractor::new(self.options, template));
    }

    fn template_fact(&self, template: Vec<u8>, learned: bool) -> Fact {
        Fact::Template { site: self.site.clone(), template, learned }
    }
}

impl CrawlMode for ProductsMode {
    fn policy(&self) -> ModePolicy {
        ModePolicy { merges_translations: true, ..ModePolicy::CONTENT }
    }

    fn scope_rule(&self, rule: ScopeRule) -> ScopeRule {
        rule.for_products()
    }

    fn begin(&mut self, plan: &CrawlPlan) {
        self.site = SiteKey::of(&plan.start).to_string();
        self.options = ProductOptions {
            suppress_contact: plan.options.suppress_contact,
            collect_hidden_prices: plan.options.collect_hidden_prices,
            template_examples: plan.options.use_template_extraction,
        };
        self.update_extractor();
        self.learner = TemplateLearner::after(self.extractor.template());
    }

    fn extractor(&self) -> Option<Arc<dyn PageExtractor>> {
        Some(self.extractor.clone())
    }

    fn examine(
        &self,
        finished: &FinishedPage<'_>,
        page: &Page,
        content: Option<&AnyContent>,
    ) -> PageVerdict {
        let content = content.and_then(ProductContent::of_page);
        let Some(product) = content.and_then(ProductContent::product) else {
            let presence = ContentPresence::Absent(SkipReason::NoProduct);
            return PageVerdict { presence, ..PageVerdict::of_page(page) };
        };
        let identity = identity(product, finished);
        let content = product_content(product, finished.language_key());
        let same_content = || {
            let first = finished.state.first_with(content?)?;
            let is_delivered = finished.state.frontier().is_delivered(first);
            is_delivered.then_some((first, SkipReason::Duplicate))
        };
        let duplicate =
            finished.canonical.or_else(|| self.dedup.duplicate_of(&identity)).or_else(same_content);
        PageVerdict {
            content,
            presence: ContentPresence::Present,
            duplicate,
            // Pages that declare a canonical page may be the only links to it: they are no trap.
            recording: match finished.canonical {
                Some(_) => ContentRecording::Delivered,
                None => ContentRecording::DeliveredOrKnown,
            },
            identity: Some(Box::new(identity)),
        }
    }

    fn item(
        &self,
        finished: &FinishedPage<'_>,
        content: Option<&mut AnyContent>,
        _hash: Option<u64>,
        now: Millis,
    ) -> Option<Item> {
        let (page, content) = (finished.page()?, ProductContent::of_page_mut(content?)?);
        // Moved, not copied: the product becomes the item.
        let (product, template_id) = (content.page.product.take()?, content.template_id.take());
        let translations = named_translations(finished, page);
        let item = product.into_item(page, finished.fetch_context(now), translations, template_id);
        Some(Item::Product(Box::new(item)))
    }

    fn learn(&mut self, content: &mut AnyContent, _delivered: bool) -> Option<Fact> {
        let content = ProductContent::of_page(content)?;
        let example = content.page.template_example.as_deref()?;
        let template = self.learner.learn(example)?.encode();
        let is_new = template.len() <= TEMPLATE_BYTES && self.template.as_ref() != Some(&template);
        is_new.then(|| self.template_fact(template, true))
    }

    fn apply(&mut self, step: &Step) {
        match step {
            Step::Learned(Fact::Template { template, .. }) => {
                self.template = Some(template.clone());
                self.update_extractor();
            }
            Step::Finished(finished) => {
                if let Some(identity) = &finished.identity {
                    let (delivered, kept) = (finished.delivered, finished.duplicate_of);
                    self.dedup.learn(finished.id, identity, delivered, kept);
                }
            }
            Step::Learned(_) | Step::Seeded(_) | Step::Visited(_) | Step::SetAside { .. } => {}
        }
    }

    fn wants_learned_data(&self) -> bool {
        self.uses_template() && self.template.is_none()
    }

    fn start_with_learned_data(&mut self, template: Vec<u8>) -> Option<Fact> {
        if template.len() > TEMPLATE_BYTES {
            return None;
        }
        let known = ExtractionTemplate::decode(&template)?;
        self.learner = TemplateLearner::after(Some(&known));
        Some(self.template_fact(template, false))
    }

    /// Merged pages, and unread pages below the folder of another language.
    fn translations(&self, state: &RunState, id: UrlId) -> Vec<Alternate> {
        let (frontier, marks) = (state.frontier(), state.language_marks());
        let named = |(at, tag): &(UrlId, LanguageTag)| Alternate {
            lang: tag.to_string(),
            url: frontier.text(*at).to_owned(),
        };
        let mut translations: Vec<_> = self.dedup.merged(id).iter().map(named).collect();
        if marks.is_empty() || !self.dedup.is_product(id) {
            return translations;
        }
        let Some(own) = frontier.url(id) else { return translations };
        for tag in marks {
            let unread = in_folder_of(&own, tag).into_iter().find(|url| state.is_unread(url));
            translations.extend(
                unread.map(|url| Alternate { lang: tag.to_string(), url: url.to_string() }),
            );
        }
        translations
    }

    fn snapshot(&self, state: &RunState) -> Result<Snapshot, JournalError> {
        state.snapshot(&(OTHER_MODES, &self.template, PAGES, &self.dedup))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<RunState, JournalError> {
        let (state, stored) = RunState::restore(snapshot)?;
        let (others, template, _pages, dedup): StoredProducts = stored;
        if others != OTHER_MODES {
            return Err(JournalError::Damaged("state of another mode".to_owned()));
        }
        (self.template, self.dedup) = (template, dedup);
        self.update_extractor();
        Ok(state)
    }
}

/// The hashes that identify the product of a page.
fn identity(product: &Product, finished: &FinishedPage<'_>) -> ItemIdentity {
    let language_key = finished.language_key();
    let name = plain(&product.name);
    let hash = |words: &[&str]| Fingerprint::of_words(words).0;
    let number = product.product_id.as_deref().map(str::trim).filter(|id| !id.is_empty());
    let numbered = number.map(|number| hash(&["number", language_key, number, &name]));
    let url = finished.state.frontier().url(finished.id);
    let placed = url.map(|url| hash(&["place", language_key, without_marked_folder(&url), &name]));
    ItemIdentity {
        number: number.map(|number| hash(&[language_key, number])),
        same: numbered.into_iter().chain(placed).collect(),
        language: finished.language.cloned(),
    }
}

/// The content hash of a product page. If languages are delivered separately, the language is part
/// of it.
fn product_content(product: &Product, language_key: &str) -> Option<u64> {
    let hash = u64::from_str_radix(&product.content_hash, 16).ok()?;
    match language_key {
        "" => Some(hash),
        language_key => Some(Fingerprint::of_words(&[&product.content_hash, language_key]).0),
    }
}

/// The translations that a product page declares and the run does not deliver. Links of every page
/// to the home pages of other languages do not count.
fn named_translations(finished: &FinishedPage<'_>, page: &Page) -> Vec<Alternate> {
    let Some(own) = finished.state.frontier().url(finished.id) else { return Vec::new() };
    let is_home = |url: &CanonicalUrl| matches!(without_marked_folder(url), "/" | "");
    let mut named: Vec<Alternate> = Vec::new();
    for (tag, url) in page.alternates.iter().take(NAMED) {
        let Ok(tag) = LanguageTag::parse(tag) else { continue };
        let url = finished.normalised(url);
        let is_known = urls::same_page(url.as_str(), own.as_str())
            || named.iter().any(|known| urls::same_page(&known.url, url.as_str()));
        if !is_known && !finished.delivers_separately(&tag) && (!is_home(&url) || is_home(&own)) {
            named.push(Alternate { lang: tag.to_string(), url: url.to_string() });
        }
    }
    named
}

/// The letters and digits of a name, for comparison.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).take(300).collect()
}

#[cfg(test)]
mod tests {
    use golden::GoldenFolder;
    use journal::PayloadType;
    use urls::TrapRule;

    use super::*;

    #[test]
    fn golden_snapshots_restore_template_and_known_products() {
        let mut mode = ProductsMode::default();
        let template = vec![1, 2, 3];
        mode.apply(&Step::Learned(mode.template_fact(template.clone(), true)));
        let identity = |number, language| {
            let language = LanguageTag::parse(language).ok();
            ItemIdentity { number: Some(number), same: vec![8], language }
        };
        mode.dedup.learn(UrlId(1), &identity(7, "de"), true, None);
        mode.dedup.learn(UrlId(2), &identity(7, "en"), false, Some(UrlId(1)));
        mode.dedup.learn(UrlId(3), &identity(9, "en"), false, None);
        let snapshot = mode.snapshot(&RunState::new(TrapRule::default())).expect("it encodes");
        let snapshot = snapshot.parts().collect::<Vec<_>>().concat();
        let folder = GoldenFolder::of(env!("CARGO_MANIFEST_DIR"));
        for version in 2..=PayloadType::SiteSnapshot.version() {
            let stored = folder.read_or_write(&format!("snapshot.v{version}.bin"), &snapshot);
            for stored in [stored, snapshot.clone()] {
                let mut restored = ProductsMode::default();
                restored.restore(&Snapshot::join(vec![stored])).expect("it decodes");
                assert_eq!(
                    (restored.template.as_ref(), restored.dedup),
                    (Some(&template), mode.dedup.clone())
                );
            }
        }
    }
}
