//! What the meta elements of the head say of the product, for those who share the page.

use contract::{ProductImage, ProductSource};

use super::context::Context;
use super::draft::{Draft, MAX_IMAGES, MAX_TEXT};
use super::gtin::gtin;
use super::linked::{availability, condition};
use super::price::{Currency, Decimal, PriceForm};
use html::dom::{Dom, Element, NodeId};
use html::prose;
use html::text::Collapsed;

/// How many of them are looked at.
const MAX_METAS: usize = 512;

/// The meta elements that may speak of a product: their names in small letters.
#[derive(Debug, Default)]
pub(super) struct Metas {
    list: Vec<(String, String)>,
}

impl Metas {
    pub fn of(dom: &Dom<'_>) -> Self {
        let mut metas = Self::default();
        let all = dom.descendants(NodeId::ROOT).filter(|id| dom.is(*id, Element::Meta));
        for id in all.take(MAX_METAS) {
            let name = ["property", "name"].iter().find_map(|key| dom.raw_attribute(id, key));
            let Some(name) = name.filter(|name| name.len() < 64) else { continue };
            let Some(content) = dom.attribute(id, "content") else { continue };
            let content = Collapsed::of(&content, 4 * MAX_TEXT);
            if !content.is_empty() {
                metas.list.push((name.trim().to_ascii_lowercase(), content));
            }
        }
        metas
    }

    /// What the first of these names says.
    pub fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.all(name).next())
    }

    fn all<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s str> {
        self.list
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, content)| content.as_str())
    }

    /// Whether the page says that it is a product.
    pub fn is_product(&self) -> bool {
        self.get(&["og:type"]).is_some_and(|kind| {
            matches!(
                kind.to_ascii_lowercase().as_str(),
                "product" | "og:product" | "product.item" | "book" | "shopify:product"
            )
        })
    }

    /// Whether the page says that it is a text.
    pub fn is_article(&self) -> bool {
        self.get(&["og:type"]).is_some_and(|kind| kind.eq_ignore_ascii_case("article"))
    }
}

/// What they say of the product. `named` is whether they name a price or that it is one.
pub(super) fn read(metas: &Metas, context: &Context<'_>) -> Draft {
    let mut draft = Draft::new(ProductSource::Meta);
    let get = |names: &[&str]| metas.get(names).map(str::to_owned);
    draft.name = get(&["og:title", "twitter:title"]);
    draft.url = get(&["og:url"]);
    draft.brand = get(&["product:brand", "og:brand"]).or_else(|| labelled(metas, "brand"));
    draft.category = get(&["product:category"])
        .map(|text| text.rsplit(['>', '›', '/']).next().unwrap_or_default().trim().to_owned());
    draft.category = draft.category.filter(|text| !text.is_empty() && text.parse::<u64>().is_err());
    draft.description = get(&["og:description", "description", "twitter:description"])
        .map(|text| prose::plain(&text, 4 * MAX_TEXT));
    draft.sku =
        get(&["product:retailer_item_id", "product:sku", "og:sku", "product:retailer_part_no"]);
    draft.mpn = get(&["product:mfr_part_no", "product:mpn"]);
    for name in ["product:ean", "product:gtin", "product:upc", "product:isbn", "og:upc", "og:ean"] {
        for value in metas.all(name).take(4) {
            draft.gtin.extend(gtin(value).filter(|number| !draft.gtin.contains(number)));
        }
    }
    draft.condition = get(&["product:condition", "og:condition"]).and_then(|term| condition(&term));
    draft.images = ["og:image", "og:image:secure_url", "og:image:url"]
        .iter()
        .map(|name| {
            let mut images: Vec<ProductImage> = Vec::new();
            for address in metas.all(name).take(MAX_IMAGES) {
                let url = context.image(address);
                let url = url.filter(|url| !images.iter().any(|known| known.url == *url));
                images.extend(url.map(|url| ProductImage { url, alt: None }));
            }
            images
        })
        .find(|images| !images.is_empty())
        .unwrap_or_default();
    offer(&mut draft, metas, context);
    draft
}

fn offer(draft: &mut Draft, metas: &Metas, context: &Context<'_>) {
    let amount = |names: &[&str]| {
        let text = metas.get(names)?;
        let read = Decimal::from_machine(text.trim());
        read.or_else(|| context.price(text).map(|price| price.low))
            .filter(|amount| !amount.is_zero())
    };
    let sale = amount(&["product:sale_price:amount"]);
    let price = amount(&["product:price:amount", "og:price:amount", "product:price", "og:price"]);
    let original = amount(&["product:original_price:amount"]);
    draft.offer.low = sale.or(price);
    draft.offer.regular = original.or(price.filter(|_| sale.is_some()));
    draft.offer.form = draft.offer.low.map(|_| PriceForm::Exact);
    draft.offer.currency = metas
        .get(&[
            "product:price:currency",
            "og:price:currency",
            "product:sale_price:currency",
            "og:currency",
        ])
        .and_then(|code| Currency::from_code(code.trim()));
    draft.offer.availability = metas
        .get(&["product:availability", "og:availability", "og:price:availability"])
        .and_then(availability);
    if draft.offer.low.is_none()
        && let Some(text) = labelled(metas, "price")
        && let Some(price) = context.price(&text)
    {
        draft.offer.low = Some(price.low).filter(|low| !low.is_zero());
        draft.offer.currency = draft.offer.currency.or(price.currency);
        draft.offer.form = Some(price.form);
    }
    if draft.offer.availability.is_none() {
        draft.offer.availability =
            labelled(metas, "availability").and_then(|text| availability(&text));
    }
}

/// What a card for another site says under a label.
fn labelled(metas: &Metas, wanted: &str) -> Option<String> {
    [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")]
        .iter()
        .find(|(label, _)| {
            metas.get(&[label]).is_some_and(|label| label.eq_ignore_ascii_case(wanted))
        })
        .and_then(|(_, data)| metas.get(&[data]).map(str::to_owned))
}
