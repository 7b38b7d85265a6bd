//! From the tree of a page to its product: every source is asked, then what they say is
//! merged.

use contract::ProductSource;
use serde_json::Value;
use urls::CanonicalUrl;

use super::context::Context;
use super::draft::Draft;
use super::head::{self, Metas};
use super::learned;
use super::linked::{self, Kinds, Linked};
use super::merge::{self, Said};
use super::price::{Decimal, PriceHints};
use super::sight::{self, Told};
use super::state;
use super::subject::{Likeness, Subject};
use super::survey::Survey;
use super::template::Template;
use super::verdict::{self, Evidence};
use super::{Product, ProductWishes};
use html::dom::Dom;
use html::json::{self, is_json_ld};
use html::structured::{self, Syntax};
use page::Page;

/// How many scripts of linked data are read.
const MAX_SCRIPTS: usize = 64;

/// The product of a page; none when it sells none, or more than one.
pub(super) fn product(
    dom: &Dom<'_>,
    page: &Page,
    url: &CanonicalUrl,
    wishes: ProductWishes,
    template: Option<&Template>,
) -> Option<Product> {
    let metas = Metas::of(dom);
    let mut subject = Subject::new(url, page.canonical.as_ref());
    for name in [metas.get(&["og:title", "twitter:title"]), page.title.as_deref()] {
        name.into_iter().for_each(|name| subject.add_name(name));
    }
    if let Some(site) = metas.get(&["og:site_name"]) {
        subject.set_site(site);
    }
    let survey = Survey::of(dom, &subject);
    let mut subject = Subject::new(url, page.canonical.as_ref());
    subject.has_heading = survey.heading.is_some();
    for name in [
        Some(survey.heading_text.as_str()),
        metas.get(&["og:title", "twitter:title"]),
        page.title.as_deref(),
    ] {
        name.into_iter().for_each(|name| subject.add_name(name));
    }
    let base = survey.base.and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone());
    let country = url.host().rsplit('.').next().filter(|end| end.len() == 2);
    let hints = PriceHints { currency: None, language: page.language.as_deref(), country };
    let mut context = Context { subject, base, hints };
    let (linked, kinds) = linked_sources(&survey, &context);
    // A currency that data names is what signs on the page mean.
    let named = |linked: &(ProductSource, Linked)| {
        linked.1.draft.as_ref().and_then(|(draft, _)| draft.offer.currency)
    };
    let head = head::read(&metas, &context);
    context.hints.currency = linked.iter().find_map(named).or(head.offer.currency);
    let state = state::read(&survey, &context).draft;
    let of_state = state.as_ref().and_then(|draft| draft.offer.currency);
    context.hints.currency = context.hints.currency.or(of_state);
    let evidence = Evidence {
        described: linked.iter().any(|(_, linked)| linked.draft.is_some()),
        offered: linked.iter().filter_map(|(_, linked)| linked.draft.as_ref()).any(|(draft, _)| {
            draft.offer.low.is_some() || draft.sku.is_some() || !draft.gtin.is_empty()
        }),
        in_state: state
            .as_ref()
            .is_some_and(|draft| draft.offer.low.is_some() || draft.sku.is_some()),
        priced_in_head: head.offer.low.is_some(),
    };
    let mut trail = None;
    let mut drafts: Vec<Draft> = Vec::new();
    for (source, linked) in linked {
        drafts.extend(linked.draft.map(|(draft, _)| draft));
        if trail.is_none() && !linked.trail.is_empty() {
            trail = Some((source, linked.trail));
        }
    }
    drafts.extend(state);
    if is_about_the_page(&head, &context) {
        drafts.push(head);
    }
    let prices: Vec<Decimal> = drafts.iter().filter_map(|draft| draft.offer.low).collect();
    let description = drafts.iter().find_map(|draft| draft.description.as_deref());
    let sight = sight::read(&survey, &context, Told { description, prices: &prices });
    if !verdict::is_product(&evidence, &sight, &survey, &metas, kinds) {
        return None;
    }
    let check = template.map(|template| learned::draft(template, dom, &context));
    if let Some(check) = &check {
        drafts.extend(learned::missing(check.clone(), &drafts, &sight));
    }
    merge::merge(&Said { drafts, sight, check, trail }, &context, wishes)
}

/// What the page tells in the words of schema.org, by source.
fn linked_sources(
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
) -> (Vec<(ProductSource, Linked)>, Kinds) {
    let mut sources = Vec::new();
    let mut kinds = Kinds::default();
    let mut read = |values: Vec<Value>, source: ProductSource| {
        if !values.is_empty() {
            let linked = linked::read(&values, source, context);
            kinds = kinds.and(linked.kinds);
            sources.push((source, linked));
        }
    };
    let dom = survey.dom;
    let scripts = survey.scripts.iter().copied();
    let scripts = scripts.filter(|id| dom.raw_attribute(*id, "type").is_some_and(is_json_ld));
    let texts = scripts.take(MAX_SCRIPTS).filter_map(|id| dom.children(id).next());
    let values = json::values_of_all(texts.map(|text| dom.raw_text(text)));
    read(values, ProductSource::JsonLd);
    read(structured::items(dom, Syntax::Microdata, &survey.scopes), ProductSource::Microdata);
    read(structured::items(dom, Syntax::Rdfa, &survey.typed), ProductSource::Rdfa);
    (sources, kinds)
}

/// Whether the head speaks of this page: a template may repeat that of another.
fn is_about_the_page(head: &Draft, context: &Context<'_>) -> bool {
    let named = head.name.as_deref().map_or(Likeness::Open, |name| context.subject.names_it(name));
    named != Likeness::Other
}
