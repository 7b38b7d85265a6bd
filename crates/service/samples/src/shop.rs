//! `https://shop.lab.test/`: a small shop. 25 products in five categories, some with variants,
//! one out of stock, one with a price on request, and a company with people to contact.

use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::page::{SamplePage, document, robots, sitemap};

const HOST: &str = "https://shop.lab.test";

struct ShopCategory {
    path: &'static str,
    name: &'static str,
    /// Variants of each product; empty for none.
    variants: Vec<&'static str>,
    variant_name: &'static str,
    products: Vec<(&'static str, &'static str, u32)>,
}

/// Names, article numbers and prices in cents. A price of 0 is on request.
static CATEGORIES: LazyLock<Vec<ShopCategory>> = LazyLock::new(|| {
    let mut categories: Vec<ShopCategory> = Vec::new();
    for line in include_str!("../data/shop.tsv").lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&'static str> = line.split('\t').collect();
        match cells[..] {
            [path, variant_name, variants, name] => {
                let variants = variants.split_terminator(',').collect();
                let products = Vec::new();
                categories.push(ShopCategory { path, name, variants, variant_name, products });
            }
            [name, sku, cents] => {
                if let Some(category) = categories.last_mut() {
                    category.products.push((name, sku, cents.parse().unwrap_or(0)));
                }
            }
            _ => {}
        }
    }
    categories
});

/// The only product that is not in stock.
const OUT_OF_STOCK: &str = "BOO-3";

pub(crate) fn page(path: &str) -> SamplePage {
    match path {
        "/" => home(),
        "/robots.txt" => robots(HOST, "Disallow: /cart\n"),
        "/sitemap.xml" => sitemap(paths().map(|path| (format!("{HOST}{path}"), ""))),
        "/about" => framed("About us", ABOUT, ""),
        "/contact" => framed("Contact", CONTACT, ORGANIZATION),
        "/cart" => framed("Your cart", "<h1>Your cart</h1><p>It is empty.</p>", ""),
        _ => in_category(path).unwrap_or_else(SamplePage::not_found),
    }
}

/// The path of every page in the sitemap.
fn paths() -> impl Iterator<Item = String> {
    let fixed = ["/", "/about", "/contact"].map(str::to_owned);
    let of_categories = CATEGORIES.iter().flat_map(|category| {
        let products = category.products.iter();
        let products = products.map(|(name, ..)| format!("/{}/{}", category.path, slug(name)));
        std::iter::once(format!("/{}", category.path)).chain(products)
    });
    fixed.into_iter().chain(of_categories)
}

fn slug(name: &str) -> String {
    name.to_ascii_lowercase().replace(' ', "-")
}

fn price(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn framed(title: &str, body: &str, head: &str) -> SamplePage {
    let mut links = String::new();
    for category in CATEGORIES.iter() {
        let _ = write!(links, "<a href=\"/{}\">{}</a> ", category.path, category.name);
    }
    let body = format!(
        "<header><a href=\"/\">Harbour Supplies</a> <nav>{links}<a href=\"/about\">About us</a> \
         <a href=\"/contact\">Contact</a> <a href=\"/cart\" rel=\"nofollow\">Cart</a></nav>\
         </header>\n<main>\n{body}\n</main>\n<footer><p>Harbour Supplies, a sample shop for \
         testing integrations. Nothing here is for sale.</p></footer>"
    );
    let title = format!("{title} | Harbour Supplies");
    SamplePage::html(document("en", &title, &body, head))
}

fn home() -> SamplePage {
    let mut body = "<h1>Harbour Supplies</h1>\n<p>Mugs, shirts, lamps, ropes and books for people \
        who would rather be at sea. This shop is built into the crawler, so that you can try \
        your integration on it.</p>\n<ul>\n"
        .to_owned();
    for category in CATEGORIES.iter() {
        let _ = writeln!(body, "<li><a href=\"/{}\">{}</a></li>", category.path, category.name);
    }
    body.push_str("</ul>");
    framed("Home", &body, "")
}

fn in_category(path: &str) -> Option<SamplePage> {
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let first = parts.next()?;
    let category = CATEGORIES.iter().find(|category| category.path == first)?;
    match parts.next() {
        None => Some(listing(category)),
        Some(wanted) => {
            let found = category.products.iter().find(|(name, ..)| slug(name) == wanted)?;
            Some(product(category, found))
        }
    }
}

fn listing(category: &ShopCategory) -> SamplePage {
    let mut body = format!("<h1>{}</h1>\n<ul>\n", category.name);
    for (name, _, cents) in &category.products {
        let shown =
            if *cents == 0 { "price on request".to_owned() } else { price(*cents) + " €" };
        let _ = writeln!(
            body,
            "<li><a href=\"/{}/{}\">{name}</a> {shown}</li>",
            category.path,
            slug(name)
        );
    }
    body.push_str("</ul>");
    framed(category.name, &body, "")
}

fn product(category: &ShopCategory, (name, sku, cents): &(&str, &str, u32)) -> SamplePage {
    let url = format!("{HOST}/{}/{}", category.path, slug(name));
    let stock = if *sku == OUT_OF_STOCK { "OutOfStock" } else { "InStock" };
    let about = format!(
        "The {name} is made for rough weather and long watches. It comes from our {} shelf, is \
         checked by hand before it leaves the harbour, and can be returned within thirty days.",
        category.name.to_lowercase()
    );
    let offer = |cents: u32| {
        format!(
            "{{\"@type\":\"Offer\",\"price\":\"{}\",\"priceCurrency\":\"EUR\",\
             \"availability\":\"https://schema.org/{stock}\",\"url\":\"{url}\"}}",
            price(cents)
        )
    };
    let mut variants = String::new();
    let mut options = String::new();
    for (place, variant) in (0_u32..).zip(&category.variants) {
        let gap = if place == 0 { "" } else { "," };
        let _ = write!(
            variants,
            "{gap}{{\"@type\":\"Product\",\"name\":\"{name} {variant}\",\"sku\":\"{sku}-{}\",\
             \"{}\":\"{variant}\",\"offers\":{}}}",
            place + 1,
            category.variant_name,
            offer(cents + place * 100)
        );
        let _ = write!(options, "<option>{variant}</option>");
    }
    let kind = if variants.is_empty() { "Product" } else { "ProductGroup" };
    let mut data = format!(
        "\"@context\":\"https://schema.org\",\"@type\":\"{kind}\",\"name\":\"{name}\",\
         \"description\":\"{about}\",\"image\":\"{HOST}/images/{sku}.jpg\",\
         \"brand\":{{\"@type\":\"Brand\",\"name\":\"Harbour\"}}"
    );
    match (variants.is_empty(), *cents) {
        (true, 0) => {
            let _ = write!(data, ",\"sku\":\"{sku}\"");
        }
        (true, cents) => {
            let _ = write!(data, ",\"sku\":\"{sku}\",\"offers\":{}", offer(cents));
        }
        (false, _) => {
            let _ = write!(
                data,
                ",\"productGroupID\":\"{sku}\",\"variesBy\":\"https://schema.org/{}\",\
                 \"hasVariant\":[{variants}]",
                category.variant_name
            );
        }
    }
    let head = format!("<script type=\"application/ld+json\">{{{data}}}</script>\n");
    let select = if options.is_empty() {
        String::new()
    } else {
        let label = category.variant_name;
        format!("<label>{label} <select name=\"{label}\">{options}</select></label>\n")
    };
    let shown = match *cents {
        0 => "<p class=\"price\">Price on request</p>".to_owned(),
        cents => format!("<p class=\"price\">{} €</p>", price(cents)),
    };
    let body = format!(
        "<nav><a href=\"/\">Home</a> › <a href=\"/{path}\">{category_name}</a></nav>\n\
         <h1>{name}</h1>\n<img src=\"/images/{sku}.jpg\" alt=\"{name}\">\n{shown}\n\
         <p>Article number {sku}</p>\n{select}<p>{about}</p>\n\
         <button type=\"submit\">Add to cart</button>",
        path = category.path,
        category_name = category.name,
    );
    framed(name, &body, &head)
}

const ABOUT: &str = include_str!("../data/about.html").trim_ascii_end();

const CONTACT: &str = include_str!("../data/contact.html").trim_ascii_end();

const ORGANIZATION: &str = include_str!("../data/organization.html");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shop_has_25_products_and_serves_every_listed_page() {
        let listed: Vec<_> = paths().collect();
        assert_eq!(listed.iter().filter(|path| path.matches('/').count() == 2).count(), 25);
        for path in &listed {
            assert_eq!(page(path).status, 200, "{path}");
        }
        assert_eq!(page("/mugs/anchor").status, 404);
        assert_eq!(page("/cellar").status, 404);
    }
}
