//! The product as the meta tags of a page state it (Open Graph, Twitter cards).

use contract::{ProductImage, ProductSource};

use crate::gtin::gtin;
use crate::page_context::PageContext;
use crate::price::{Currency, Decimal, PriceForm};
use crate::schema_org::{availability, condition};
use crate::source_record::{MAX_IMAGES, MAX_TEXT, SourceRecord};
use html::dom::{Dom, Element, NodeId};
use html::prose;
use html::text::Collapsed;

/// How many meta tags are read.
const MAX_METAS: usize = 512;

/// The meta tags of a page, by name in lower case.
#[derive(Debug, Default)]
pub(super) struct MetaTags {
    list: Vec<(String, String)>,
}

impl MetaTags {
    pub fn of(dom: &Dom<'_>) -> Self {
        let mut tags = Self::default();
        let all = dom.descendants(NodeId::ROOT).filter(|id| dom.is(*id, Element::Meta));
        for id in all.take(MAX_METAS) {
            let name = ["property", "name"].iter().find_map(|key| dom.raw_attribute(id, key));
            let Some(name) = name.filter(|name| name.len() < 64) else { continue };
            let Some(content) = dom.attribute(id, "content") else { continue };
            let content = Collapsed::of(&content, 4 * MAX_TEXT);
            if !content.is_empty() {
                tags.list.push((name.trim().to_ascii_lowercase(), content));
            }
        }
        tags
    }

    /// The content of the first of these names that occurs.
    pub fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.all(name).next())
    }

    fn all<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s str> {
        self.list
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, content)| content.as_str())
    }

    /// Whether `og:type` says that the page is a product.
    pub fn is_product(&self) -> bool {
        self.get(&["og:type"]).is_some_and(|kind| {
            matches!(
                kind.to_ascii_lowercase().as_str(),
                "product" | "og:product" | "product.item" | "book" | "shopify:product"
            )
        })
    }

    /// Whether `og:type` says that the page is an article.
    pub fn is_article(&self) -> bool {
        self.get(&["og:type"]).is_some_and(|kind| kind.eq_ignore_ascii_case("article"))
    }
}

pub(super) fn read(tags: &MetaTags, context: &PageContext<'_>) -> SourceRecord {
    let mut record = SourceRecord::new(ProductSource::Meta);
    let get = |names: &[&str]| tags.get(names).map(str::to_owned);
    record.name = get(&["og:title", "twitter:title"]);
    record.url = get(&["og:url"]);
    record.brand = get(&["product:brand", "og:brand"]).or_else(|| twitter_value(tags, "brand"));
    record.category = get(&["product:category"])
        .map(|text| text.rsplit(['>', '›', '/']).next().unwrap_or_default().trim().to_owned());
    record.category =
        record.category.filter(|text| !text.is_empty() && text.parse::<u64>().is_err());
    record.description = get(&["og:description", "description", "twitter:description"])
        .map(|text| prose::plain(&text, 4 * MAX_TEXT));
    record.sku =
        get(&["product:retailer_item_id", "product:sku", "og:sku", "product:retailer_part_no"]);
    record.mpn = get(&["product:mfr_part_no", "product:mpn"]);
    for name in ["product:ean", "product:gtin", "product:upc", "product:isbn", "og:upc", "og:ean"] {
        for value in tags.all(name).take(4) {
            record.gtin.extend(gtin(value).filter(|number| !record.gtin.contains(number)));
        }
    }
    record.condition =
        get(&["product:condition", "og:condition"]).and_then(|term| condition(&term));
    record.images = ["og:image", "og:image:secure_url", "og:image:url"]
        .iter()
        .map(|name| {
            let mut images: Vec<ProductImage> = Vec::new();
            for image in tags.all(name).take(MAX_IMAGES) {
                let url = context.image(image);
                let url = url.filter(|url| !images.iter().any(|known| known.url == *url));
                images.extend(url.map(|url| ProductImage { url, alt: None }));
            }
            images
        })
        .find(|images| !images.is_empty())
        .unwrap_or_default();
    offer(&mut record, tags, context);
    record
}

fn offer(record: &mut SourceRecord, tags: &MetaTags, context: &PageContext<'_>) {
    let amount = |names: &[&str]| {
        let text = tags.get(names)?;
        let read = Decimal::from_machine(text.trim());
        read.or_else(|| context.price(text).map(|price| price.low))
            .filter(|amount| !amount.is_zero())
    };
    let sale = amount(&["product:sale_price:amount"]);
    let price = amount(&["product:price:amount", "og:price:amount", "product:price", "og:price"]);
    let original = amount(&["product:original_price:amount"]);
    record.offer.low = sale.or(price);
    record.offer.regular = original.or(price.filter(|_| sale.is_some()));
    record.offer.form = record.offer.low.map(|_| PriceForm::Exact);
    record.offer.currency = tags
        .get(&[
            "product:price:currency",
            "og:price:currency",
            "product:sale_price:currency",
            "og:currency",
        ])
        .and_then(|code| Currency::from_code(code.trim()));
    record.offer.availability = tags
        .get(&["product:availability", "og:availability", "og:price:availability"])
        .and_then(availability);
    if record.offer.low.is_none()
        && let Some(text) = twitter_value(tags, "price")
        && let Some(price) = context.price(&text)
    {
        record.offer.low = Some(price.low).filter(|low| !low.is_zero());
        record.offer.currency = record.offer.currency.or(price.currency);
        record.offer.form = Some(price.form);
    }
    if record.offer.availability.is_none() {
        record.offer.availability =
            twitter_value(tags, "availability").and_then(|text| availability(&text));
    }
}

/// The value of a Twitter card under a label.
fn twitter_value(tags: &MetaTags, wanted: &str) -> Option<String> {
    [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")]
        .iter()
        .find(|(label, _)| {
            tags.get(&[label]).is_some_and(|label| label.eq_ignore_ascii_case(wanted))
        })
        .and_then(|(_, data)| tags.get(&[data]).map(str::to_owned))
}
