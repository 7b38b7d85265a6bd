//! Exports the lab shops for programs in other languages: pages and truth as files, and the records
//! that this crate reads from such pages.
//!
//!     lab_products write FOLDER    # FOLDER/pages, FOLDER/truth: a line {"url", …} a page
//!     lab_products read            # lines {"url", "file"} in, a record or null a line out

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;

use lab::{PageKind, ProductTruth, Shop};
use page::{PageHead, PageLimits};
use products::{Product, ProductOptions, ProductPage};
use serde_json::{Value, json};
use urls::CanonicalUrl;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["write", folder] => write(Path::new(folder)),
        ["read"] => read(),
        _ => Err("lab_products write FOLDER | lab_products read".into()),
    }
}

fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut pages = BufWriter::new(fs::File::create(folder.join("pages"))?);
    let mut truths = BufWriter::new(fs::File::create(folder.join("truth"))?);
    for shop in Shop::all() {
        let truth = shop.shop_truth();
        let directory = folder.join(shop.host());
        fs::create_dir_all(&directory)?;
        for (number, (path, html)) in shop.pages().enumerate() {
            let file = directory.join(format!("{number}.html"));
            fs::write(&file, html)?;
            let url = format!("http://{}{path}", shop.host());
            writeln!(pages, "{}", json!({"url": url, "file": file}))?;
            let is_product = truth.pages.get(&path) == Some(&PageKind::Product);
            let product = truth.products.iter().find(|product| {
                is_product && (product.path == path || product.also_at.contains(&path))
            });
            let line = json!({"url": url, "shop": shop.host(), "product": product.map(expected)});
            writeln!(truths, "{line}")?;
        }
    }
    Ok(())
}

/// The truth about a product with the field names of the record.
fn expected(truth: &ProductTruth) -> Value {
    let gtin = truth.gtin.iter().map(|gtin| json!({"type": gtin.kind, "value": gtin.value}));
    let rows = truth.attributes.iter().map(|(name, value)| json!({"name": name, "value": value}));
    let variants = truth.variants.iter().map(|variant| {
        let options: serde_json::Map<String, Value> =
            variant.options.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({"options": options, "sku": variant.sku, "price": variant.price})
    });
    let rating = truth.rating.as_ref();
    json!({
        "name": truth.name,
        "brand": truth.brand,
        "category": truth.category,
        "description": truth.description,
        "breadcrumbs": truth.breadcrumbs.iter().map(|step| json!({"name": step.name})).collect::<Vec<_>>(),
        "features": truth.features,
        "attributes": rows.collect::<Vec<_>>(),
        "sku": truth.sku,
        "mpn": truth.mpn,
        "gtin": gtin.collect::<Vec<_>>(),
        "price": truth.price.price,
        "regular_price": truth.price.regular_price,
        "currency": truth.price.currency,
        "availability": truth.availability.as_str(),
        "condition": truth.condition.map(contract::Condition::as_str),
        "seller": truth.seller.as_ref().map(|seller| json!({"name": seller.name})),
        "images": truth.images.iter().map(|image| json!({"url": image.url})).collect::<Vec<_>>(),
        "rating": rating.map(|rating| json!({"value": rating.value, "count": rating.count})),
        "variants": variants.collect::<Vec<_>>(),
        "contacts": truth.contacts,
        "codes": truth.codes,
    })
}

fn read() -> Result<(), Box<dyn Error>> {
    let head = PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() };
    let options = ProductOptions {
        suppress_contact: true,
        collect_hidden_prices: false,
        template_examples: false,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| {
            page.get(name).and_then(Value::as_str).ok_or("a line has no `url` or `file`")
        };
        let body = fs::read(text("file")?)?;
        let url = CanonicalUrl::parse(text("url")?)?;
        let limits = PageLimits::default();
        let (_, read) = ProductPage::read(&body, &head, &url, &limits, options, None);
        writeln!(out, "{}", read.product.map_or(Value::Null, |product| record(&product)))?;
    }
    Ok(())
}

fn record(product: &Product) -> Value {
    json!({
        "name": product.name,
        "brand": product.brand,
        "category": product.category,
        "description": product.description,
        "breadcrumbs": product.breadcrumbs,
        "features": product.features,
        "attributes": product.attributes,
        "sku": product.sku,
        "mpn": product.mpn,
        "gtin": product.gtin,
        "price": product.price,
        "regular_price": product.regular_price,
        "currency": product.currency,
        "availability": product.availability,
        "condition": product.condition,
        "seller": product.seller,
        "images": product.images,
        "rating": product.rating,
        "variants": product.variants,
        "price_raw": product.price_raw,
        "price_type": product.price_type,
        "tax_included": product.tax_included,
        "availability_raw": product.availability_raw,
        "provenance": product.provenance,
        "confidence": product.confidence,
        "content_hash": product.content_hash,
    })
}
