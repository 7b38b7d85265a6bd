//! What was learned about the pages of a site, put to use: a template fills in what no other
//! source of a page says, and a page with data teaches where its values stand.

use contract::{Breadcrumb, ProductAttribute, ProductImage, ProductSource, Seller};

use super::Product;
use super::context::Context;
use super::draft::{Draft, MAX_ATTRIBUTES, MAX_CRUMBS, MAX_IMAGES, Offer};
use super::field::Field;
use super::gtin::gtin;
use super::phrases;
use super::sight::Sight;
use super::template::{Template, TemplateLesson};
use html::dom::Dom;

/// Values of places that were right less often than this are not taken.
const LEAST_SCORE: f32 = 0.5;

/// What a template reads of a page and nobody else says: better evidence is never overridden.
pub(super) fn missing(mut read: Draft, drafts: &[Draft], sight: &Sight) -> Option<Draft> {
    let all = || drafts.iter().chain([&sight.draft]);
    let drop = |value: &mut Option<String>, is_said: bool| {
        if is_said {
            *value = None;
        }
    };
    drop(&mut read.name, all().any(|draft| draft.name.is_some()));
    drop(&mut read.brand, all().any(|draft| draft.brand.is_some()));
    drop(&mut read.category, all().any(|draft| draft.category.is_some()));
    drop(&mut read.description, all().any(|draft| draft.description.is_some()));
    drop(&mut read.sku, all().any(|draft| draft.sku.is_some()));
    drop(&mut read.mpn, all().any(|draft| draft.mpn.is_some()));
    let clear = |is_said: bool, clear: &mut dyn FnMut()| {
        if is_said {
            clear();
        }
    };
    clear(all().any(|draft| !draft.gtin.is_empty()), &mut || read.gtin.clear());
    clear(all().any(|draft| !draft.breadcrumbs.is_empty()), &mut || read.breadcrumbs.clear());
    clear(all().any(|draft| !draft.attributes.is_empty()), &mut || read.attributes.clear());
    clear(all().any(|draft| !draft.features.is_empty()), &mut || read.features.clear());
    clear(all().any(|draft| !draft.images.is_empty()), &mut || read.images.clear());
    clear(all().any(|draft| draft.seller.is_some()), &mut || read.seller = None);
    clear(all().any(|draft| draft.condition.is_some()), &mut || read.condition = None);
    // What the page shows is believed unless its place leaves doubts.
    let shown = &sight.draft.offer;
    let is_priced = drafts.iter().any(|draft| draft.offer.low.is_some())
        || (shown.low.is_some() && sight.price_is_sure)
        || sight.on_request.is_some();
    if is_priced {
        let availability = read.offer.availability;
        read.offer = Offer { availability, ..Offer::default() };
    }
    let is_stocked = drafts.iter().any(|draft| draft.offer.availability.is_some())
        || (shown.availability.is_some() && sight.stock_is_sure);
    if is_stocked {
        read.offer.availability = None;
    }
    says_something(&read).then_some(read)
}

/// Whether it read anything at all.
pub(super) fn says_something(draft: &Draft) -> bool {
    let texts =
        [&draft.name, &draft.brand, &draft.category, &draft.description, &draft.sku, &draft.mpn];
    texts.iter().any(|text| text.is_some())
        || draft.offer.low.is_some()
        || draft.offer.availability.is_some()
        || draft.seller.is_some()
        || draft.condition.is_some()
        || !draft.gtin.is_empty()
        || !draft.breadcrumbs.is_empty()
        || !draft.attributes.is_empty()
        || !draft.features.is_empty()
        || !draft.images.is_empty()
}

/// All that a template reads of a page.
pub(super) fn draft(template: &Template, dom: &Dom<'_>, context: &Context<'_>) -> Draft {
    let mut draft = Draft::new(ProductSource::Template);
    for found in template.read(dom) {
        if found.score < LEAST_SCORE || found.value.is_empty() {
            continue;
        }
        let value = found.value;
        match found.field {
            Field::Name => set(&mut draft.name, value),
            Field::Brand => set(&mut draft.brand, value),
            Field::Category => set(&mut draft.category, value),
            Field::Description => set(&mut draft.description, value),
            Field::Sku => set(&mut draft.sku, value),
            Field::Mpn => set(&mut draft.mpn, value),
            Field::Gtin => {
                draft.gtin.extend(gtin(&value).filter(|number| !draft.gtin.contains(number)))
            }
            Field::Price => price(&mut draft.offer, &value, context),
            Field::RegularPrice => {
                let price = context.price(&value);
                draft.offer.regular = draft.offer.regular.or(price.map(|price| price.low));
            }
            Field::Availability => {
                let read = phrases::availability(&value);
                draft.offer.availability = draft.offer.availability.or(read);
            }
            Field::Condition => draft.condition = draft.condition.or(phrases::condition(&value)),
            Field::Seller => {
                draft.seller = draft.seller.take().or(Some(Seller { name: value, url: None }));
            }
            Field::Breadcrumb if draft.breadcrumbs.len() < MAX_CRUMBS => {
                draft.breadcrumbs.push(Breadcrumb { name: value, url: None });
            }
            Field::Feature if draft.features.len() < MAX_ATTRIBUTES => draft.features.push(value),
            Field::Attribute if draft.attributes.len() < MAX_ATTRIBUTES => {
                if let Some((name, value)) = value.split_once('\t') {
                    let (name, value) = (name.to_owned(), value.to_owned());
                    draft.attributes.push(ProductAttribute { name, value });
                }
            }
            Field::Image if draft.images.len() < MAX_IMAGES => {
                let url = context.image(&value);
                draft.images.extend(url.map(|url| ProductImage { url, alt: None }));
            }
            Field::Breadcrumb | Field::Feature | Field::Attribute | Field::Image => {}
            // A rating without its count and a currency without its price say too little.
            Field::Rating | Field::Currency | Field::Variant => {}
        }
    }
    draft
}

fn set(field: &mut Option<String>, value: String) {
    if field.is_none() {
        *field = Some(value);
    }
}

fn price(offer: &mut Offer, text: &str, context: &Context<'_>) {
    if let Some(price) =
        context.price(text).filter(|price| !price.is_unit_price && !price.low.is_zero())
    {
        offer.low = Some(price.low);
        offer.high = price.high;
        offer.currency = price.currency;
        offer.form = Some(price.form);
        offer.raw = Some(text.to_owned());
    }
}

/// What a product page teaches: where the values stand that its data names.
pub(super) fn lesson(dom: &Dom<'_>, product: &Product) -> TemplateLesson {
    let by_data = |field: Field| {
        product.provenance.get(field.as_str()).is_some_and(|source| match source {
            ProductSource::JsonLd
            | ProductSource::Microdata
            | ProductSource::Rdfa
            | ProductSource::State
            | ProductSource::Meta => true,
            ProductSource::Dom | ProductSource::Template => false,
        })
    };
    let row = |row: &ProductAttribute| format!("{}\t{}", row.name, row.value);
    let rows: Vec<String> = product.attributes.iter().map(row).collect();
    let rating = product.rating.as_ref().map(|rating| rating.value.to_string());
    let seller = product.seller.as_ref().map(|seller| &seller.name);
    let single = [
        (Field::Name, Some(&product.name)),
        (Field::Brand, product.brand.as_ref()),
        (Field::Description, product.description.as_ref()),
        (Field::Sku, product.sku.as_ref()),
        (Field::Mpn, product.mpn.as_ref()),
        (Field::Price, product.price.as_ref()),
        (Field::RegularPrice, product.regular_price.as_ref()),
        (Field::Availability, product.availability_raw.as_ref()),
        (Field::Rating, rating.as_ref()),
        (Field::Seller, seller),
    ];
    let single = single.into_iter().filter_map(|(field, value)| Some((field, value?)));
    let many = (product.gtin.iter().map(|gtin| (Field::Gtin, &gtin.value)))
        .chain(product.breadcrumbs.iter().map(|step| (Field::Breadcrumb, &step.name)))
        .chain(product.features.iter().map(|feature| (Field::Feature, feature)))
        .chain(product.images.iter().map(|image| (Field::Image, &image.url)))
        .chain(rows.iter().map(|row| (Field::Attribute, row)));
    let known = single.chain(many).filter(|(field, _)| by_data(*field));
    let known: Vec<(Field, &str)> = known.map(|(field, value)| (field, value.as_str())).collect();
    TemplateLesson::of(dom, &known, true)
}
