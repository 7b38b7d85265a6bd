//! One record of what all sources say.
//!
//! Each field is taken from the source that is trusted most for it; what the buyer sees wins
//! over data that says something else about money and stock. How far the sources agree is
//! the confidence.

use std::collections::BTreeMap;

use contract::{Availability, ProductSource};
use xxhash_rust::xxh3::xxh3_64;

use super::context::Context;
use super::draft::Draft;
use super::field::Field;
use super::sight::Sight;
use super::{Product, ProductWishes, learned, privacy};

mod agreement;
mod forms;
mod money;
mod pictures;
mod text;
mod trail;

/// What all sources said, those of machines in the order of trust.
#[derive(Debug)]
pub(super) struct Said {
    pub drafts: Vec<Draft>,
    pub sight: Sight,
    /// All that the template reads, to hold the others against.
    pub check: Option<Draft>,
    /// The trail of the page's data.
    pub trail: Option<(ProductSource, Vec<contract::Breadcrumb>)>,
}

/// Where each field came from.
type Provenance = BTreeMap<String, ProductSource>;

/// The record of a page that sells a product; none without a name.
pub(super) fn merge(said: &Said, context: &Context<'_>, wishes: ProductWishes) -> Option<Product> {
    let confidence = agreement::confidence(said);
    let mut provenance = Provenance::new();
    let mut note = |field: Field, source: ProductSource| {
        provenance.insert(field.as_str().to_owned(), source);
    };
    let name = name(said, &mut note)?;
    let mut first = |field: Field, get: &dyn Fn(&Draft) -> Option<String>| {
        let all = said.drafts.iter().chain([&said.sight.draft]);
        let (value, source) = all.filter_map(|draft| Some((get(draft)?, draft.source))).next()?;
        note(field, source);
        Some(value)
    };
    let brand = first(Field::Brand, &|draft| draft.brand.clone());
    let of_form = |sku: &String| {
        let mut forms = said.drafts.iter().flat_map(|draft| &draft.variants);
        forms.any(|form| form.sku.as_ref() == Some(sku))
    };
    let has_forms = said.drafts.iter().any(|draft| draft.variants.len() > 1);
    // The number of one form is not that of the product.
    let sku = match has_forms {
        true => first(Field::Sku, &|draft| draft.sku.clone().filter(|sku| !of_form(sku))),
        false => first(Field::Sku, &|draft| draft.sku.clone()),
    };
    let mpn = first(Field::Mpn, &|draft| draft.mpn.clone());
    let stated_category = first(Field::Category, &|draft| draft.category.clone());
    let all = || said.drafts.iter().chain([&said.sight.draft]);
    let gtin = all().find(|draft| !draft.gtin.is_empty());
    let gtin = gtin.map_or_else(Vec::new, |draft| {
        note(Field::Gtin, draft.source);
        draft.gtin.clone()
    });
    let condition = all().find_map(|draft| Some((draft.condition?, draft.source)));
    let seller = all().find_map(|draft| Some((draft.seller.clone()?, draft.source)));
    let rating = all().find_map(|draft| Some((draft.rating.clone()?, draft.source)));
    for (field, source) in [
        (Field::Condition, condition.as_ref().map(|(_, source)| *source)),
        (Field::Seller, seller.as_ref().map(|(_, source)| *source)),
        (Field::Rating, rating.as_ref().map(|(_, source)| *source)),
    ] {
        if let Some(source) = source {
            note(field, source);
        }
    }
    let description =
        text::description(said, &mut note).map(|text| match wishes.suppress_contact {
            true => privacy::without_contacts(&text),
            false => text,
        });
    let attributes = text::attributes(said, &mut note);
    let features = text::features(said, &mut note);
    let breadcrumbs = trail::trail(said, &mut note);
    let category = trail::category(&breadcrumbs, &name, context).or(stated_category);
    let images = pictures::images(said, &mut note);
    let money = money::money(said, wishes, &mut note);
    let (availability, availability_raw) = availability(said, &mut note);
    let variants = forms::forms(said, &money, &mut note);
    let by_template = said.check.as_ref().is_some_and(learned::says_something);
    let mut product = Product {
        product_id: sku.clone().or_else(|| gtin.first().map(|number| number.value.clone())),
        name,
        brand,
        category,
        description: description.filter(|text| !text.is_empty()),
        breadcrumbs,
        features,
        attributes,
        sku,
        mpn,
        gtin,
        price: money.price,
        regular_price: money.regular_price,
        currency: money.currency,
        price_raw: money.price_raw,
        price_type: money.price_type,
        tax_included: money.tax_included,
        availability,
        availability_raw,
        condition: condition.map(|(condition, _)| condition),
        seller: seller.map(|(seller, _)| seller),
        images,
        rating: rating.map(|(rating, _)| rating),
        variants,
        provenance,
        by_template,
        confidence,
        content_hash: String::new(),
    };
    product.content_hash = hash(&product);
    Some(product)
}

/// The name as the page shows it; data only where it shows none.
fn name(said: &Said, note: &mut impl FnMut(Field, ProductSource)) -> Option<String> {
    let shown = said.sight.draft.name.as_ref();
    let told = said.drafts.iter().find_map(|draft| Some((draft.name.as_ref()?, draft.source)));
    let (name, source) = match (shown, told) {
        (Some(shown), _) => {
            // A machine that says the same is named as the source: it is the surer one.
            let same = said.drafts.iter().find(|draft| draft.name.as_ref() == Some(shown));
            (shown, same.map_or(ProductSource::Dom, |draft| draft.source))
        }
        (None, Some((told, source))) => (told, source),
        (None, None) => return None,
    };
    note(Field::Name, source);
    Some(name.clone())
}

/// What the buyer reads wins, when it is surely about the product.
fn availability(
    said: &Said,
    note: &mut impl FnMut(Field, ProductSource),
) -> (Availability, Option<String>) {
    let shown = &said.sight.draft.offer;
    let told = said.drafts.iter().find_map(|draft| Some((draft.offer.availability?, draft.source)));
    let found = match (shown.availability, told) {
        (Some(shown), Some((told, source))) if shown == told => Some((shown, source)),
        (Some(shown), _) if said.sight.stock_is_sure => Some((shown, ProductSource::Dom)),
        (_, Some(told)) => Some(told),
        (shown, None) => shown.map(|shown| (shown, ProductSource::Dom)),
    };
    let raw = shown.availability_raw.clone();
    match found {
        Some((availability, source)) => {
            note(Field::Availability, source);
            (availability, raw)
        }
        None => (Availability::Unknown, raw),
    }
}

/// The values of a record in 16 hexadecimal digits: where they came from does not count.
fn hash(product: &Product) -> String {
    let values = Product {
        provenance: BTreeMap::new(),
        confidence: 0.0,
        by_template: false,
        content_hash: String::new(),
        ..product.clone()
    };
    format!("{:016x}", xxh3_64(format!("{values:?}").as_bytes()))
}
