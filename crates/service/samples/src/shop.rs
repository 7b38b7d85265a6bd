//! `https://shop.lab.test/`: a small shop. 25 products in five categories, some with variants,
//! one out of stock, one with a price on request, and a company with people to contact.

use std::fmt::Write as _;

use crate::page::{SamplePage, document, robots, sitemap};

const HOST: &str = "https://shop.lab.test";

struct ShopCategory {
    path: &'static str,
    name: &'static str,
    /// Variants of each product; empty for none.
    variants: &'static [&'static str],
    variant_name: &'static str,
    products: &'static [(&'static str, &'static str, u32)],
}

/// Names, article numbers and prices in cents. A price of 0 is on request.
const CATEGORIES: [ShopCategory; 5] = [
    ShopCategory {
        path: "mugs",
        name: "Mugs",
        variants: &["white", "blue", "black"],
        variant_name: "color",
        products: &[
            ("Harbour Mug", "MUG-1", 1250),
            ("Lighthouse Mug", "MUG-2", 1390),
            ("Trawler Mug", "MUG-3", 1490),
            ("Gull Mug", "MUG-4", 1190),
            ("Storm Mug", "MUG-5", 1590),
        ],
    },
    ShopCategory {
        path: "shirts",
        name: "Shirts",
        variants: &["S", "M", "L", "XL"],
        variant_name: "size",
        products: &[
            ("Deckhand Shirt", "SHI-1", 2900),
            ("Captain Shirt", "SHI-2", 3900),
            ("Striped Shirt", "SHI-3", 3400),
            ("Night Watch Shirt", "SHI-4", 3200),
            ("Engine Room Shirt", "SHI-5", 2700),
        ],
    },
    ShopCategory {
        path: "lamps",
        name: "Lamps",
        variants: &[],
        variant_name: "",
        products: &[
            ("Cabin Lamp", "LAM-1", 8900),
            ("Mast Lamp", "LAM-2", 12900),
            ("Chart Lamp", "LAM-3", 6400),
            ("Galley Lamp", "LAM-4", 5900),
            ("Signal Lamp", "LAM-5", 0),
        ],
    },
    ShopCategory {
        path: "ropes",
        name: "Ropes",
        variants: &["10 m", "25 m", "50 m"],
        variant_name: "length",
        products: &[
            ("Mooring Rope", "ROP-1", 3300),
            ("Anchor Rope", "ROP-2", 4200),
            ("Net Rope", "ROP-3", 1800),
            ("Towing Rope", "ROP-4", 5600),
            ("Deck Rope", "ROP-5", 2100),
        ],
    },
    ShopCategory {
        path: "books",
        name: "Books",
        variants: &[],
        variant_name: "",
        products: &[
            ("A Guide to Knots", "BOO-1", 1800),
            ("Tides and Currents", "BOO-2", 2400),
            ("The Long Haul", "BOO-3", 1600),
            ("Harbours of the North", "BOO-4", 2900),
            ("Nets and How to Mend Them", "BOO-5", 2200),
        ],
    },
];

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
    for category in &CATEGORIES {
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
    for category in &CATEGORIES {
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
    for (name, _, cents) in category.products {
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
    for (place, variant) in (0_u32..).zip(category.variants) {
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

const ABOUT: &str = "<h1>About us</h1>\n<p>Harbour Supplies was founded in 1998 by two sisters \
    who mended nets by day and drew lighthouses by night. Today five people pack parcels in a \
    former fish hall, and every order leaves with the morning tide.</p>\n<p>Write to us, or come \
    by: the kettle is always on.</p>";

const CONTACT: &str = "<h1>Contact</h1>\n<section><h2>Imprint</h2>\n<p>Harbour Supplies GmbH<br>\
    Am Fischmarkt 7<br>20457 Hamburg<br>Germany</p>\n<p>Phone: <a href=\"tel:+494012345678\">+49 40 \
    12345678</a><br>E-mail: <a href=\"mailto:hello@shop.lab.test\">hello@shop.lab.test</a></p>\n\
    <p>Managing director: Greta Petersen<br>Commercial register: Amtsgericht Hamburg, HRB 12345\
    </p></section>\n<section><h2>Our team</h2>\n<div class=\"person\"><h3>Greta Petersen</h3><p>\
    Managing Director</p><p><a href=\"mailto:greta.petersen@shop.lab.test\">\
    greta.petersen@shop.lab.test</a></p></div>\n<div class=\"person\"><h3>Jonas Lindqvist</h3><p>\
    Head of Sales</p><p><a href=\"mailto:jonas.lindqvist@shop.lab.test\">\
    jonas.lindqvist@shop.lab.test</a></p></div></section>";

const ORGANIZATION: &str = "<script type=\"application/ld+json\">{\"@context\":\
    \"https://schema.org\",\"@type\":\"Organization\",\"name\":\"Harbour Supplies GmbH\",\"url\":\
    \"https://shop.lab.test/\",\"email\":\"hello@shop.lab.test\",\"telephone\":\"+494012345678\",\
    \"address\":{\"@type\":\"PostalAddress\",\"streetAddress\":\"Am Fischmarkt 7\",\"postalCode\":\
    \"20457\",\"addressLocality\":\"Hamburg\",\"addressCountry\":\"DE\"}}</script>\n";

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
