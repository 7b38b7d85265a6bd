//! Prints the product of a page as JSON, as the API returns it.
//!
//!     cargo run --example products -- examples/page.html

use anyhow::{Context, bail};
use contract::Clock;
use page::{FetchContext, PageHead, PageLimits};
use products::{ProductOptions, ProductPage};
use runtime::SystemClock;
use urls::CanonicalUrl;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().context("usage: products FILE [URL]")?;
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let url = CanonicalUrl::parse(&url).with_context(|| format!("invalid URL {url}"))?;
    let body = std::fs::read(&file).with_context(|| format!("cannot read {file}"))?;

    let options = ProductOptions {
        // Remove e-mail addresses and phone numbers of the seller from descriptions.
        suppress_contact: true,
        collect_hidden_prices: false,
        // A crawl uses examples to learn where the pages of a site show their fields.
        template_examples: false,
    };
    // Reads structured data, script state, meta tags and the visible page, and merges them.
    let (page, read) = ProductPage::read(
        &body,
        &PageHead::default(),
        &url,
        &PageLimits::default(),
        options,
        // The template that earlier pages of the site taught; there are none.
        None,
    );
    let Some(product) = read.product else {
        bail!("{file} is not the page of one product");
    };
    // An item also has what only the fetch knows.
    let fetched = FetchContext {
        url: url.to_string(),
        final_url: None,
        depth: None,
        status_code: 200,
        language: page.language.clone(),
        rendered: false,
        fetched_at: SystemClock.now(),
    };
    let item = product.into_item(&page, fetched, Vec::new(), None);
    println!("{}", serde_json::to_string_pretty(&item)?);
    Ok(())
}
