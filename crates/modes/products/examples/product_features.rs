//! Writes the features of saved pages for training.
//!
//! `product_features` reads lines `{"url", "file"}` and writes the names of the features as the
//! first line, then for each page a line with its values and whether the stored model takes it for
//! a product page. With the argument `lab`, it writes the pages of the lab shops instead, each line
//! with host, path and kind in front.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, Read, Write};

use lab::{PageKind, Shop};
use products::training::{feature_names, page_features};
use serde_json::{Value, json};
use urls::CanonicalUrl;

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", json!(feature_names()))?;
    match std::env::args().nth(1).as_deref() {
        Some("lab") => lab_pages(&mut out)?,
        _ => saved_pages(&mut out)?,
    }
    out.flush()
}

fn saved_pages(out: &mut impl Write) -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| line[key].as_str().unwrap_or_default();
        let url = CanonicalUrl::parse(text("url")).map_err(io::Error::other)?;
        let mut body = Vec::new();
        flate2::read::MultiGzDecoder::new(File::open(text("file"))?).read_to_end(&mut body)?;
        let (features, is_product) = page_features(&body, &url);
        writeln!(out, "{}", json!({ "features": features, "is_product": is_product }))?;
    }
    Ok(())
}

fn lab_pages(out: &mut impl Write) -> io::Result<()> {
    for shop in Shop::all() {
        let truth = shop.shop_truth();
        for (path, html) in shop.pages() {
            let url = format!("https://{}{path}", shop.host());
            let url = CanonicalUrl::parse(&url).map_err(io::Error::other)?;
            let (features, is_product) = page_features(html.as_bytes(), &url);
            let line = json!({
                "host": shop.host(),
                "label": truth.pages[&path] == PageKind::Product,
                "features": features,
                "is_product": is_product,
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
