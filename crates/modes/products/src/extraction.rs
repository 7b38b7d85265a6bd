//! Extracts the product of a page: reads every source, decides whether the page sells one product,
//! and merges the records.

use contract::{Breadcrumb, ProductSource};
use serde_json::Value;
use urls::CanonicalUrl;

use crate::classifier::{self, PageEvidence, ProductEvidence};
use crate::dom_index::DomIndex;
use crate::merge::{self, MergeInput};
use crate::meta_tags::{self, MetaTags};
use crate::page_context::PageContext;
use crate::page_subject::{PageSubject, SubjectMatch};
use crate::price::{Decimal, PriceHints};
use crate::schema_org::{self, SchemaOrgData, SchemaOrgKinds};
use crate::script_state;
use crate::source_record::SourceRecord;
use crate::template::ExtractionTemplate;
use crate::template_record;
use crate::visible_dom::{self, StatedValues, VisibleProduct};
use crate::{Product, ProductOptions};
use html::dom::Dom;
use html::structured::{self, Syntax};
use page::Page;

/// The product of a page; `None` if it sells none or several.
pub(super) fn extract_product(
    dom: &Dom<'_>,
    page: &Page,
    url: &CanonicalUrl,
    options: ProductOptions,
    template: Option<&ExtractionTemplate>,
) -> Option<Product> {
    let sources = PageSources::read(dom, page, url);
    if !classifier::is_product(&sources.evidence()) {
        return None;
    }
    let PageSources { context, mut records, breadcrumbs, visible, .. } = sources;
    let template = template.map(|template| template_record::record(template, dom, &context));
    if let Some(read) = &template {
        records.extend(template_record::missing_fields(read.clone(), &records, &visible));
    }
    merge::merge(&MergeInput { records, visible, template, breadcrumbs }, &context, options)
}

/// What all sources of a page state, before it is classified.
#[derive(Debug)]
pub(super) struct PageSources<'d, 'a> {
    tags: MetaTags,
    index: DomIndex<'d, 'a>,
    context: PageContext<'d>,
    data: ProductEvidence,
    kinds: SchemaOrgKinds,
    /// Records of structured data, the most trusted source first.
    records: Vec<SourceRecord>,
    /// The breadcrumbs of the schema.org data.
    breadcrumbs: Option<(ProductSource, Vec<Breadcrumb>)>,
    visible: VisibleProduct,
}

impl<'d, 'a> PageSources<'d, 'a> {
    pub fn read(dom: &'d Dom<'a>, page: &'d Page, url: &'d CanonicalUrl) -> Self {
        let tags = MetaTags::of(dom);
        let mut subject = PageSubject::new(url, page.canonical.as_ref());
        for name in [tags.get(&["og:title", "twitter:title"]), page.title.as_deref()] {
            name.into_iter().for_each(|name| subject.add_name(name));
        }
        if let Some(site) = tags.get(&["og:site_name"]) {
            subject.set_site(site);
        }
        let index = DomIndex::of(dom, &subject);
        let mut subject = PageSubject::new(url, page.canonical.as_ref());
        subject.has_heading = index.heading.is_some();
        for name in [
            Some(index.heading_text.as_str()),
            tags.get(&["og:title", "twitter:title"]),
            page.title.as_deref(),
        ] {
            name.into_iter().for_each(|name| subject.add_name(name));
        }
        let base = index.base.and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone());
        let country = url.host().rsplit('.').next().filter(|end| end.len() == 2);
        let hints = PriceHints { currency: None, language: page.language.as_deref(), country };
        let mut context = PageContext { subject, base, hints };
        let (schema_data, kinds) = schema_org_sources(&index, &context);
        // The currency of the data resolves ambiguous currency signs on the page.
        let stated = |(_, data): &(ProductSource, SchemaOrgData)| {
            data.record.as_ref().and_then(|(record, _)| record.offer.currency)
        };
        let meta = meta_tags::read(&tags, &context);
        context.hints.currency = schema_data.iter().find_map(stated).or(meta.offer.currency);
        let state = script_state::read(&index, &context);
        let of_state = state.as_ref().and_then(|record| record.offer.currency);
        // Offers of other things, such as events, are in the currency of the page as well.
        context.hints.currency =
            context.hints.currency.or(of_state).or_else(|| schema_org::stated_currency(&index));
        let records_of_data = || schema_data.iter().filter_map(|(_, data)| data.record.as_ref());
        let data = ProductEvidence {
            matched: records_of_data().map(|(_, matched)| *matched).max(),
            described: records_of_data().next().is_some(),
            offered: records_of_data().any(|(record, _)| {
                record.offer.low.is_some() || record.sku.is_some() || !record.gtin.is_empty()
            }),
            in_state: state
                .as_ref()
                .is_some_and(|record| record.offer.low.is_some() || record.sku.is_some()),
            priced_in_meta: meta.offer.low.is_some(),
        };
        let mut breadcrumbs = None;
        let mut records: Vec<SourceRecord> = Vec::new();
        for (source, data) in schema_data {
            records.extend(data.record.map(|(record, _)| record));
            if breadcrumbs.is_none() && !data.breadcrumbs.is_empty() {
                breadcrumbs = Some((source, data.breadcrumbs));
            }
        }
        records.extend(state);
        if is_about_the_page(&meta, &context) {
            records.push(meta);
        }
        let prices: Vec<Decimal> = records.iter().filter_map(|record| record.offer.low).collect();
        let description = records.iter().find_map(|record| record.description.as_deref());
        let visible =
            visible_dom::read(&index, &context, StatedValues { description, prices: &prices });
        Self { tags, index, context, data, kinds, records, breadcrumbs, visible }
    }

    /// What the classifier decides by.
    pub fn evidence(&self) -> PageEvidence<'_, 'd, 'a> {
        PageEvidence {
            data: &self.data,
            visible: &self.visible,
            index: &self.index,
            tags: &self.tags,
            kinds: self.kinds,
        }
    }
}

/// The schema.org data of a page, by syntax.
fn schema_org_sources(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
) -> (Vec<(ProductSource, SchemaOrgData)>, SchemaOrgKinds) {
    let mut sources = Vec::new();
    let mut kinds = SchemaOrgKinds::default();
    let mut read = |values: Vec<Value>, source: ProductSource| {
        if !values.is_empty() {
            let data = schema_org::read(&values, source, context);
            kinds = kinds.and(data.kinds);
            sources.push((source, data));
        }
    };
    let dom = index.dom;
    read(structured::json_ld(dom, index.scripts.iter().copied()), ProductSource::JsonLd);
    read(structured::items(dom, Syntax::Microdata, &index.scopes), ProductSource::Microdata);
    read(structured::items(dom, Syntax::Rdfa, &index.typed), ProductSource::Rdfa);
    (sources, kinds)
}

/// Whether the meta tags belong to this page: some sites repeat those of another page.
fn is_about_the_page(meta: &SourceRecord, context: &PageContext<'_>) -> bool {
    let matched =
        meta.name.as_deref().map_or(SubjectMatch::Unknown, |name| context.subject.match_name(name));
    matched != SubjectMatch::Different
}
