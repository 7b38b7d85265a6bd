//! The product as the extraction template of the site reads it, and the training example that a
//! page with structured data gives for the template.

use contract::{Breadcrumb, ProductAttribute, ProductImage, ProductSource, Seller};

use crate::Product;
use crate::field::ProductField;
use crate::gtin::gtin;
use crate::page_context::PageContext;
use crate::phrases;
use crate::source_record::{MAX_ATTRIBUTES, MAX_CRUMBS, MAX_IMAGES, Offer, SourceRecord};
use crate::template::{ExtractionTemplate, TemplateExample};
use crate::visible_dom::VisibleProduct;
use html::dom::Dom;

/// Values of selectors with a lower score are ignored.
const MIN_SCORE: f32 = 0.5;

/// What the template reads and no other source states. A template never overrides another source.
pub(super) fn missing_fields(
    mut read: SourceRecord,
    records: &[SourceRecord],
    visible: &VisibleProduct,
) -> Option<SourceRecord> {
    let all = || records.iter().chain([&visible.record]);
    clear_if(&mut read.name, all().any(|record| record.name.is_some()));
    clear_if(&mut read.brand, all().any(|record| record.brand.is_some()));
    clear_if(&mut read.category, all().any(|record| record.category.is_some()));
    clear_if(&mut read.description, all().any(|record| record.description.is_some()));
    clear_if(&mut read.sku, all().any(|record| record.sku.is_some()));
    clear_if(&mut read.mpn, all().any(|record| record.mpn.is_some()));
    clear_if(&mut read.gtin, all().any(|record| !record.gtin.is_empty()));
    clear_if(&mut read.breadcrumbs, all().any(|record| !record.breadcrumbs.is_empty()));
    clear_if(&mut read.attributes, all().any(|record| !record.attributes.is_empty()));
    clear_if(&mut read.features, all().any(|record| !record.features.is_empty()));
    clear_if(&mut read.images, all().any(|record| !record.images.is_empty()));
    clear_if(&mut read.seller, all().any(|record| record.seller.is_some()));
    clear_if(&mut read.condition, all().any(|record| record.condition.is_some()));
    // A visible value wins only if its position is certain.
    let shown = &visible.record.offer;
    let is_priced = records.iter().any(|record| record.offer.low.is_some())
        || (shown.low.is_some() && visible.price_is_sure)
        || visible.on_request.is_some();
    if is_priced {
        let availability = read.offer.availability;
        read.offer = Offer { availability, ..Offer::default() };
    }
    let is_stocked = records.iter().any(|record| record.offer.availability.is_some())
        || (shown.availability.is_some() && visible.stock_is_sure);
    clear_if(&mut read.offer.availability, is_stocked);
    read.has_values().then_some(read)
}

fn clear_if<T: Default>(value: &mut T, is_stated: bool) {
    if is_stated {
        *value = T::default();
    }
}

/// All that a template reads on a page.
pub(super) fn record(
    template: &ExtractionTemplate,
    dom: &Dom<'_>,
    context: &PageContext<'_>,
) -> SourceRecord {
    let mut record = SourceRecord::new(ProductSource::Template);
    for found in template.read(dom) {
        if found.score < MIN_SCORE || found.value.is_empty() {
            continue;
        }
        let value = found.value;
        match found.field {
            ProductField::Name => set(&mut record.name, value),
            ProductField::Brand => set(&mut record.brand, value),
            ProductField::Category => set(&mut record.category, value),
            ProductField::Description => set(&mut record.description, value),
            ProductField::Sku => set(&mut record.sku, value),
            ProductField::Mpn => set(&mut record.mpn, value),
            ProductField::Gtin => {
                record.gtin.extend(gtin(&value).filter(|number| !record.gtin.contains(number)))
            }
            ProductField::Price => price(&mut record.offer, &value, context),
            ProductField::RegularPrice => {
                let price = context.price(&value);
                record.offer.regular = record.offer.regular.or(price.map(|price| price.low));
            }
            ProductField::Availability => {
                let read = phrases::availability(&value);
                record.offer.availability = record.offer.availability.or(read);
            }
            ProductField::Condition => {
                record.condition = record.condition.or(phrases::condition(&value))
            }
            ProductField::Seller => {
                record.seller = record.seller.take().or(Some(Seller { name: value, url: None }));
            }
            ProductField::Breadcrumb if record.breadcrumbs.len() < MAX_CRUMBS => {
                record.breadcrumbs.push(Breadcrumb { name: value, url: None });
            }
            ProductField::Feature if record.features.len() < MAX_ATTRIBUTES => {
                record.features.push(value)
            }
            ProductField::Attribute if record.attributes.len() < MAX_ATTRIBUTES => {
                if let Some((name, value)) = value.split_once('\t') {
                    let (name, value) = (name.to_owned(), value.to_owned());
                    record.attributes.push(ProductAttribute { name, value });
                }
            }
            ProductField::Image if record.images.len() < MAX_IMAGES => {
                let url = context.image(&value);
                record.images.extend(url.map(|url| ProductImage { url, alt: None }));
            }
            ProductField::Breadcrumb
            | ProductField::Feature
            | ProductField::Attribute
            | ProductField::Image => {}
            // A rating without a count and a currency without a price are incomplete.
            ProductField::Rating | ProductField::Currency | ProductField::Variant => {}
        }
    }
    record
}

fn set(field: &mut Option<String>, value: String) {
    if field.is_none() {
        *field = Some(value);
    }
}

fn price(offer: &mut Offer, text: &str, context: &PageContext<'_>) {
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

/// The training example of a product page: the values of its structured data and where the page
/// shows them.
pub(super) fn example(dom: &Dom<'_>, product: &Product) -> TemplateExample {
    let is_structured = |field: ProductField| {
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
        (ProductField::Name, Some(&product.name)),
        (ProductField::Brand, product.brand.as_ref()),
        (ProductField::Description, product.description.as_ref()),
        (ProductField::Sku, product.sku.as_ref()),
        (ProductField::Mpn, product.mpn.as_ref()),
        (ProductField::Price, product.price.as_ref()),
        (ProductField::RegularPrice, product.regular_price.as_ref()),
        (ProductField::Availability, product.availability_raw.as_ref()),
        (ProductField::Rating, rating.as_ref()),
        (ProductField::Seller, seller),
    ];
    let single = single.into_iter().filter_map(|(field, value)| Some((field, value?)));
    let many = (product.gtin.iter().map(|gtin| (ProductField::Gtin, &gtin.value)))
        .chain(product.breadcrumbs.iter().map(|step| (ProductField::Breadcrumb, &step.name)))
        .chain(product.features.iter().map(|feature| (ProductField::Feature, feature)))
        .chain(product.images.iter().map(|image| (ProductField::Image, &image.url)))
        .chain(rows.iter().map(|row| (ProductField::Attribute, row)));
    let known = single.chain(many).filter(|(field, _)| is_structured(*field));
    let known: Vec<(ProductField, &str)> =
        known.map(|(field, value)| (field, value.as_str())).collect();
    TemplateExample::of(dom, &known)
}
