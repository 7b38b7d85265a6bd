//! What a page tells machines in the words of schema.org, whichever way it writes them:
//! JSON-LD, microdata, RDFa.
//!
//! Only what the page says of itself counts: a product within a list, a review or another
//! product's relations is somebody else.

use std::cell::RefCell;

use contract::{Breadcrumb, ProductSource};
use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::context::Context;
use super::draft::Draft;
use super::subject::Likeness;
use html::budget::ScriptBudget;
use html::json;

mod offer;
mod product;
mod trail;
mod value;
mod variant;

pub(super) use offer::{availability, condition, currency};
pub(super) use product::{checked_rating, description};
pub(super) use value::{decimal, text};
pub(super) use variant::complete;

/// How many things of one source are looked at.
const MAX_THINGS: usize = 5_000;

/// What kinds of things a page describes, as far as they tell what it is for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds {
    /// Products that stand for themselves.
    pub products: usize,
    /// Products within lists.
    pub listed: usize,
    /// A list of things, a collection, a page of search results.
    pub is_list: bool,
    /// An article of a blog or a newspaper.
    pub is_article: bool,
}

impl Kinds {
    pub fn and(self, other: Self) -> Self {
        Self {
            products: self.products + other.products,
            listed: self.listed + other.listed,
            is_list: self.is_list || other.is_list,
            is_article: self.is_article || other.is_article,
        }
    }
}

/// What one source describes.
#[derive(Debug, Default)]
pub(super) struct Linked {
    /// The product of the page; the likeliest when several are described.
    pub draft: Option<(Draft, Likeness)>,
    /// The trail that leads to the page, even where no product is described.
    pub trail: Vec<Breadcrumb>,
    pub kinds: Kinds,
}

/// Things by their identifier, for those that are only referred to.
type Index<'v> = HashMap<&'v str, &'v Map<String, Value>>;

/// The things of one source.
struct Things<'v> {
    index: Index<'v>,
    /// What may still be read again because something else refers to it.
    copies: RefCell<ScriptBudget>,
    products: Vec<&'v Map<String, Value>>,
    trails: Vec<&'v Map<String, Value>>,
    kinds: Kinds,
}

impl<'v> Things<'v> {
    fn of(values: &'v [Value]) -> Self {
        let mut things = Self {
            index: Index::default(),
            copies: RefCell::new(ScriptBudget::for_script(values.iter().map(json::length).sum())),
            products: Vec::new(),
            trails: Vec::new(),
            kinds: Kinds::default(),
        };
        let mut left: Vec<&Value> = values.iter().rev().collect();
        let mut seen = 0;
        while let Some(value) = left.pop() {
            seen += 1;
            if seen > MAX_THINGS {
                break;
            }
            match value {
                Value::Array(values) => left.extend(values.iter().rev()),
                Value::Object(thing) => things.take(thing, &mut left),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        things
    }

    fn take(&mut self, thing: &'v Map<String, Value>, left: &mut Vec<&'v Value>) {
        if let Some(Value::String(id)) = thing.get("@id")
            && thing.len() > 1
        {
            self.index.entry(id).or_insert(thing);
        }
        let is = |names: &[&str]| is_a(thing, names);
        if is(PRODUCTS) {
            self.kinds.products += 1;
            self.products.push(thing);
        } else if is(&["BreadcrumbList"]) {
            self.trails.push(thing);
        } else if is(&["Offer", "AggregateOffer"]) {
            left.extend(thing.get("itemOffered"));
        } else if is(&["ItemList", "OfferCatalog"]) {
            self.kinds.is_list = true;
            let listed = thing.get("itemListElement").and_then(Value::as_array);
            self.kinds.listed += listed.map_or(0, Vec::len);
        }
        self.kinds.is_list |= is(&["CollectionPage", "SearchResultsPage", "ProductCollection"]);
        self.kinds.is_article |=
            is(&["Article", "BlogPosting", "NewsArticle", "Blog", "Recipe", "TechArticle"]);
        for key in ["@graph", "mainEntity", "mainEntityOfPage", "breadcrumb", "about"] {
            left.extend(thing.get(key).filter(|inner| inner.is_object() || inner.is_array()));
        }
    }

    /// Whether so many bytes may be read again for something that refers to them. One thing may be
    /// referred to by thousands.
    fn may_copy(&self, bytes: usize) -> bool {
        self.copies.borrow_mut().bytes(bytes)
    }

    /// The thing that a value is, or refers to if it may be read as a whole for that.
    fn resolve_whole(&self, value: &'v Value) -> Option<&'v Map<String, Value>> {
        let thing = self.resolve(value)?;
        let is_own = value.as_object().is_some_and(|own| std::ptr::eq(own, thing));
        // Measured only while something may be copied: that takes as long as to copy it.
        let may_copy =
            || !self.copies.borrow().is_spent() && self.may_copy(json::object_length(thing));
        (is_own || may_copy()).then_some(thing)
    }

    /// The thing that a value is, or refers to.
    fn resolve(&self, value: &'v Value) -> Option<&'v Map<String, Value>> {
        let thing = value.as_object()?;
        match thing.get("@id") {
            Some(Value::String(id)) if thing.len() == 1 => self.index.get(id.as_str()).copied(),
            _ => Some(thing),
        }
    }
}

/// What is sold under one name. Media count when they are offered: books, games.
const PRODUCTS: &[&str] = &[
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

/// Whether a thing is one of these.
fn is_a(thing: &Map<String, Value>, names: &[&str]) -> bool {
    let is = |value: &Value| {
        let Some(name) = value.as_str() else { return false };
        let from = name.rfind(['/', '#', ':']).map_or(0, |at| at + 1);
        names.contains(&&name[from..])
    };
    match thing.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => false,
    }
}

/// Reads what one source describes.
pub(super) fn read(values: &[Value], source: ProductSource, context: &Context<'_>) -> Linked {
    let things = Things::of(values);
    let mut best: Option<(Draft, Likeness)> = None;
    for thing in things.products.iter().take(64) {
        let draft = product::draft(thing, &things, source, context);
        let mut likeness = likeness(&draft, context);
        let elsewhere = draft.url.as_deref().map(|url| context.subject.is_at(url));
        if things.products.len() > 1 && elsewhere == Some(Likeness::Other) {
            // One of several that says where it is, and that is not here.
            likeness = Likeness::Other;
        }
        match &mut best {
            Some((known, surest)) if likeness == *surest && likeness == Likeness::Same => {
                // One product may be described in several places.
                if agree(known, &draft) {
                    known.fill_from(draft);
                }
            }
            Some((_, surest)) if *surest >= likeness => {}
            _ => best = Some((draft, likeness)),
        }
    }
    // A page with several products of which none is surely its own describes none of them.
    let several = things.products.len() > 1;
    let draft = best.filter(|(_, likeness)| match likeness {
        Likeness::Same => true,
        Likeness::Akin | Likeness::Open => !several,
        Likeness::Other => false,
    });
    let trail = trail::longest(&things, context);
    Linked { draft, trail, kinds: things.kinds }
}

/// Whether two descriptions can be of one product.
fn agree(one: &Draft, other: &Draft) -> bool {
    let differ = |one: &Option<String>, other: &Option<String>| {
        one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one != other)
    };
    !differ(&one.sku, &other.sku) && !differ(&one.name, &other.name)
}

/// How surely a description is of the page's product.
fn likeness(draft: &Draft, context: &Context<'_>) -> Likeness {
    let subject = &context.subject;
    let named = draft.name.as_deref().map_or(Likeness::Open, |name| subject.names_it(name));
    let placed = draft.url.as_deref().map_or(Likeness::Open, |url| subject.is_at(url));
    match (named, placed) {
        (Likeness::Other, _) if subject.has_heading => Likeness::Other,
        (Likeness::Other, Likeness::Same) => Likeness::Akin,
        (Likeness::Other, _) => Likeness::Other,
        (_, Likeness::Same) => Likeness::Same,
        // Names of a family agree in part; the address says which it is.
        (Likeness::Akin | Likeness::Open, Likeness::Other) => Likeness::Other,
        (named, _) => named,
    }
}
