//! The product as the schema.org data of a page states it: JSON-LD, microdata or RDFa.
//!
//! Only data about the page itself counts. A product within a list, a review or the relations of
//! another product is a different product.

use std::cell::RefCell;

use contract::{Breadcrumb, ProductSource};
use hashbrown::HashMap;
use serde_json::{Map, Value};

use crate::dom_index::DomIndex;
use crate::page_context::PageContext;
use crate::page_subject::SubjectMatch;
use crate::price::Currency;
use crate::source_record::SourceRecord;
use html::budget::ScriptBudget;
use html::json;
use html::structured::{ThingWalk, is_a};

mod breadcrumbs;
mod images;
mod offer;
mod product;
mod value;
mod variant;

pub(super) use offer::{availability, condition, currency};
pub(super) use product::{checked_rating, description};
pub(super) use value::{decimal, text};
pub(super) use variant::complete_from_variants;

/// How many things of one source are read.
const MAX_THINGS: usize = 5_000;

/// The kinds of things that a page describes; they help to classify the page.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemaOrgKinds {
    /// Products outside of lists.
    pub products: usize,
    /// Products within lists.
    pub listed: usize,
    /// Whether there is an item list, a collection or a page of search results.
    pub is_list: bool,
    /// Whether there is an article, a blog post or a recipe.
    pub is_article: bool,
    /// Whether there is a service, an application or another thing that is not a product.
    pub is_other: bool,
}

impl SchemaOrgKinds {
    pub fn and(self, other: Self) -> Self {
        Self {
            products: self.products + other.products,
            listed: self.listed + other.listed,
            is_list: self.is_list || other.is_list,
            is_article: self.is_article || other.is_article,
            is_other: self.is_other || other.is_other,
        }
    }
}

/// The data of one syntax on a page.
#[derive(Debug, Default)]
pub(super) struct SchemaOrgData {
    /// The product of the page, and how well its name and URL match the page.
    pub record: Option<(SourceRecord, SubjectMatch)>,
    /// The breadcrumbs of the page, also if no product is described.
    pub breadcrumbs: Vec<Breadcrumb>,
    pub kinds: SchemaOrgKinds,
}

/// Things by `@id`, to resolve references.
type ThingIndex<'v> = HashMap<&'v str, &'v Map<String, Value>>;

/// The things of one syntax, before a product is chosen.
struct SchemaThings<'v> {
    index: ThingIndex<'v>,
    /// The remaining budget for reading things again because others refer to them.
    copies: RefCell<ScriptBudget>,
    products: Vec<&'v Map<String, Value>>,
    breadcrumb_lists: Vec<&'v Map<String, Value>>,
    kinds: SchemaOrgKinds,
}

impl<'v> SchemaThings<'v> {
    fn of(values: &'v [Value]) -> Self {
        let mut things = Self {
            index: ThingIndex::default(),
            copies: RefCell::new(ScriptBudget::for_script(values.iter().map(json::length).sum())),
            products: Vec::new(),
            breadcrumb_lists: Vec::new(),
            kinds: SchemaOrgKinds::default(),
        };
        let mut walk = ThingWalk::new(values, (), MAX_THINGS);
        while let Some((thing, ())) = walk.next_thing() {
            things.add(thing, &mut walk);
        }
        things
    }

    fn add(&mut self, thing: &'v Map<String, Value>, walk: &mut ThingWalk<'v, ()>) {
        if let Some(Value::String(id)) = thing.get("@id")
            && thing.len() > 1
        {
            self.index.entry(id).or_insert(thing);
        }
        let is = |names: &[&str]| is_a(thing, names);
        if is(PRODUCT_TYPES) {
            self.kinds.products += 1;
            self.products.push(thing);
        } else if is(&["BreadcrumbList"]) {
            self.breadcrumb_lists.push(thing);
        } else if is(&["Offer", "AggregateOffer"]) {
            walk.follow(thing.get("itemOffered"), ());
        } else if is(&["ItemList", "OfferCatalog"]) {
            self.kinds.is_list = true;
            let listed = thing.get("itemListElement").and_then(Value::as_array);
            self.kinds.listed += listed.map_or(0, Vec::len);
        }
        self.kinds.is_list |= is(&["CollectionPage", "SearchResultsPage", "ProductCollection"]);
        self.kinds.is_article |=
            is(&["Article", "BlogPosting", "NewsArticle", "Blog", "Recipe", "TechArticle"]);
        self.kinds.is_other |= is(OTHER_TYPES);
        for key in ["@graph", "mainEntity", "mainEntityOfPage", "breadcrumb", "about"] {
            walk.follow(thing.get(key), ());
        }
    }

    /// Whether this many bytes may be read again for a reference. Thousands of references may point
    /// to one thing.
    fn may_copy(&self, bytes: usize) -> bool {
        self.copies.borrow_mut().bytes(bytes)
    }

    /// The thing that a value is or refers to. A reference is resolved only within the budget for
    /// reading the thing as a whole.
    fn resolve_whole(&self, value: &'v Value) -> Option<&'v Map<String, Value>> {
        let thing = self.resolve(value)?;
        let is_own = value.as_object().is_some_and(|own| std::ptr::eq(own, thing));
        // The length is computed only while budget remains: it takes as long as copying.
        let may_copy =
            || !self.copies.borrow().is_spent() && self.may_copy(json::object_length(thing));
        (is_own || may_copy()).then_some(thing)
    }

    /// The thing that a value is or refers to.
    fn resolve(&self, value: &'v Value) -> Option<&'v Map<String, Value>> {
        let thing = value.as_object()?;
        match thing.get("@id") {
            Some(Value::String(id)) if thing.len() == 1 => self.index.get(id.as_str()).copied(),
            _ => Some(thing),
        }
    }
}

const PRODUCT_TYPES: &[&str] = &[
    "Product",
    "ProductGroup",
    "ProductModel",
    "IndividualProduct",
    "SomeProducts",
    "Vehicle",
    "Car",
    "Motorcycle",
    "Book",
];

/// The types of pages and things that are not products.
const OTHER_TYPES: &[&str] = &[
    "AboutPage",
    "ContactPage",
    "Course",
    "DiscussionForumPosting",
    "Hotel",
    "JobPosting",
    "MobileApplication",
    "ProfilePage",
    "QAPage",
    "Restaurant",
    "Service",
    "SoftwareApplication",
    "TouristAttraction",
    "WebApplication",
];

/// Reads the values of one syntax.
pub(super) fn read(
    values: &[Value],
    source: ProductSource,
    context: &PageContext<'_>,
) -> SchemaOrgData {
    let things = SchemaThings::of(values);
    let mut best: Option<(SourceRecord, SubjectMatch)> = None;
    for thing in things.products.iter().take(64) {
        let record = product::record(thing, &things, source, context);
        let mut matched = subject_match(&record, context);
        let elsewhere = record.url.as_deref().map(|url| context.subject.match_url(url));
        if things.products.len() > 1 && elsewhere == Some(SubjectMatch::Different) {
            // One of several products, with the URL of another page.
            matched = SubjectMatch::Different;
        }
        match &mut best {
            Some((known, best_match))
                if matched == *best_match && matched == SubjectMatch::Same =>
            {
                // A page may describe its product more than once.
                if known.agrees_with(&record) {
                    known.fill_from(record);
                }
            }
            Some((_, best_match)) if *best_match >= matched => {}
            _ => best = Some((record, matched)),
        }
    }
    // Of several products only one that surely matches the page is its product.
    let several = things.products.len() > 1;
    let record = best.filter(|(_, matched)| match matched {
        SubjectMatch::Same => true,
        SubjectMatch::Partial | SubjectMatch::Unknown => !several,
        SubjectMatch::Different => false,
    });
    let breadcrumbs = breadcrumbs::longest(&things, context);
    SchemaOrgData { record, breadcrumbs, kinds: things.kinds }
}

/// The currency that the JSON-LD of a page states first, whatever it is the price of.
pub(super) fn stated_currency(index: &DomIndex<'_, '_>) -> Option<Currency> {
    const MEMBER: &str = "\"priceCurrency\"";
    let dom = index.dom;
    let scripts = index
        .scripts
        .iter()
        .filter(|id| dom.raw_attribute(**id, "type").is_some_and(json::is_json_ld));
    scripts.flat_map(|id| dom.children(*id)).find_map(|child| {
        let text = dom.raw_text(child);
        let at = memchr::memmem::find(text.as_bytes(), MEMBER.as_bytes())?;
        let value = text.get(at + MEMBER.len()..)?.trim_start_matches([' ', ':', '"', '\n', '\t']);
        Currency::from_code(value.get(..3)?)
    })
}

/// How well a record matches the subject of the page.
fn subject_match(record: &SourceRecord, context: &PageContext<'_>) -> SubjectMatch {
    let subject = &context.subject;
    let by_name =
        record.name.as_deref().map_or(SubjectMatch::Unknown, |name| subject.match_name(name));
    let by_url = record.url.as_deref().map_or(SubjectMatch::Unknown, |url| subject.match_url(url));
    match (by_name, by_url) {
        (SubjectMatch::Different, _) if subject.has_heading => SubjectMatch::Different,
        (SubjectMatch::Different, SubjectMatch::Same) => SubjectMatch::Partial,
        (SubjectMatch::Different, _) => SubjectMatch::Different,
        (_, SubjectMatch::Same) => SubjectMatch::Same,
        // Names of a product family agree in part; the URL decides.
        (SubjectMatch::Partial | SubjectMatch::Unknown, SubjectMatch::Different) => {
            SubjectMatch::Different
        }
        (by_name, _) => by_name,
    }
}
