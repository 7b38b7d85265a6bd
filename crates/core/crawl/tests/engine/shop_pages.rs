//! Pages of a small shop: products with structured data, and lists of them.

use contract::{Mode, Options};
use crawl::CrawlPlan;
use journal::Commit;

use crate::harness::{Run, Site, crawl_in, plan, resume_in};

pub const HOME: &str = "https://site.test/";

pub fn at(path: &str) -> String {
    format!("https://site.test{path}")
}

/// Crawls a site in mode `products`.
pub fn crawl(site: &Site, plan: CrawlPlan) -> Run {
    crawl_in(Mode::Products, site, plan)
}

/// Continues a run in mode `products`.
pub fn resume(site: &Site, plan: CrawlPlan, log: &[Commit]) -> Run {
    resume_in(Mode::Products, site, plan, log)
}

pub fn plan_with(options: Options) -> CrawlPlan {
    CrawlPlan { options, ..plan() }
}

#[derive(Debug, Clone, Copy)]
pub struct ShopProduct<'a> {
    pub name: &'a str,
    pub sku: &'a str,
    pub language: &'a str,
    /// More HTML for its head, such as links to its translations.
    pub head: &'a str,
    /// More HTML for its body.
    pub body: &'a str,
}

impl ShopProduct<'_> {
    pub const LAMP: Self =
        Self { name: "Storm lamp", sku: "LMP-1", language: "en", head: "", body: "" };

    pub fn html(&self) -> String {
        let Self { name, sku, language, head, body } = self;
        format!(
            "<!doctype html><html lang=\"{language}\"><head><title>{name} | Shop</title>{head}\
             <script type=\"application/ld+json\">{{\"@context\": \"https://schema.org\", \
             \"@type\": \"Product\", \"name\": \"{name}\", \"sku\": \"{sku}\", \
             \"image\": \"https://site.test/{sku}.jpg\", \"offers\": {{\"@type\": \"Offer\", \
             \"price\": \"19.90\", \"priceCurrency\": \"EUR\", \
             \"availability\": \"https://schema.org/InStock\"}}}}</script></head>\
             <body><main><h1>{name}</h1><p class=\"price\">19,90 €</p>\
             <form action=\"/cart\" method=\"post\"><button>Add to cart</button></form>\
             <p class=\"sku\">SKU: {sku}</p>{body}</main></body></html>"
        )
    }
}

/// A page that links to these paths and has no product.
pub fn list(language: &str, paths: &[&str]) -> String {
    let links: String =
        paths.iter().map(|path| format!("<li><a href=\"{path}\">to {path}</a></li>")).collect();
    format!(
        "<!doctype html><html lang=\"{language}\"><title>Things</title><body><h1>All our \
         things</h1><ul>{links}</ul></body></html>"
    )
}

/// Links to the translations of a page, by language and path.
pub fn versions(versions: &[(&str, &str)]) -> String {
    let link = |(tag, path): &(&str, &str)| {
        format!("<link rel=\"alternate\" hreflang=\"{tag}\" href=\"{path}\">")
    };
    versions.iter().map(link).collect()
}
