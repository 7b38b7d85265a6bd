//! Recorded shops of many platforms and languages, with the truth of every page and product.

mod strip;
mod truth;

pub use truth::{
    AlternateTruth, CrumbTruth, GtinTruth, ImageTruth, PageKind, PriceTruth, ProductTruth,
    RatingTruth, SellerTruth, ShopTruth, VariantTruth,
};

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;

use crate::recording::{self, LazyRecording};
use crate::{ExpectedSkip, Reply, Site, SiteTruth};

/// The folder of the recordings.
const KIND: &str = "shops";

/// A transparent image of one pixel.
const PIXEL: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\
\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A shop. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Shop {
    host: Arc<str>,
    recording: Arc<LazyRecording<ShopRecording>>,
    /// Paths of product pages that are served without structured data.
    stripped: Arc<HashSet<String>>,
}

#[derive(Debug, Deserialize)]
struct ShopRecording {
    sitemap: String,
    pages: BTreeMap<String, String>,
    truth: ShopTruth,
    /// The truth of the products if every second product page has no structured data.
    stripped_products: Vec<ProductTruth>,
}

impl Shop {
    /// All shops. The recording of a shop is read at its first use.
    #[must_use]
    pub fn all() -> Vec<Self> {
        recording::hosts(KIND).iter().map(|host| Self::of_host(host)).collect()
    }

    /// The shop of this host name.
    #[must_use]
    pub fn named(host: &str) -> Option<Self> {
        recording::hosts(KIND).iter().any(|known| known == host).then(|| Self::of_host(host))
    }

    fn of_host(host: &str) -> Self {
        let recording = Arc::new(recording::lazy(KIND, host));
        Self { host: host.into(), recording, stripped: Arc::default() }
    }

    /// The same shop without structured data on every second product page.
    #[must_use]
    pub fn stripped(&self) -> Self {
        let products = self.recording.stripped_products.iter().filter(|product| product.stripped);
        let paths = products.flat_map(|product| product.also_at.iter().chain([&product.path]));
        Self { stripped: Arc::new(paths.cloned().collect()), ..self.clone() }
    }

    /// The host name of the shop.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Every page with its HTML, by path and query.
    pub fn pages(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.recording.pages.iter().map(|(path, html)| (path.clone(), self.served(path, html)))
    }

    /// The page of this path and query.
    #[must_use]
    pub fn page_at(&self, path_and_query: &str) -> Option<String> {
        let html = self.recording.pages.get(path_and_query)?;
        Some(self.served(path_and_query, html))
    }

    fn served(&self, path: &str, html: &str) -> String {
        if self.stripped.contains(path) { strip::stripped(html) } else { html.to_owned() }
    }

    /// The truth of all pages and products.
    #[must_use]
    pub fn shop_truth(&self) -> ShopTruth {
        let mut truth = self.recording.truth.clone();
        if !self.stripped.is_empty() {
            truth.products.clone_from(&self.recording.stripped_products);
        }
        truth
    }

    /// The page of a list without a sort order: the list in the first recorded order.
    fn sorted_list(&self, path_and_query: &str) -> Option<&str> {
        let sorted = format!("{path_and_query}&sort=");
        let (path, html) = self.recording.pages.range(sorted.clone()..).next()?;
        path.starts_with(&sorted).then_some(html)
    }
}

impl Site for Shop {
    fn answer(&self, path_and_query: &str) -> Reply {
        let page = self.page_at(path_and_query);
        if let Some(html) = page.or_else(|| self.sorted_list(path_and_query).map(str::to_owned)) {
            return Reply::html(html);
        }
        let path = path_and_query.split('?').next().unwrap_or_default();
        let image = [".jpg", ".png", ".webp"].iter().any(|end| path.ends_with(end));
        match path {
            "/robots.txt" => Reply::text(format!(
                "User-agent: *\nDisallow: /checkout\nSitemap: http://{}/sitemap.xml\n",
                self.host()
            )),
            "/sitemap.xml" => Reply::typed(200, "application/xml", self.recording.sitemap.clone()),
            _ if image => Reply::typed(200, "image/gif", PIXEL),
            _ => Reply::status(404),
        }
    }

    /// The pages of the shop. Pages with a query are variants of pages without; images that pages link
    /// to are not listed.
    fn truth(&self) -> SiteTruth {
        let mut truth = SiteTruth::default();
        truth.skipped.insert("/checkout".to_owned(), ExpectedSkip::Robots);
        for path in self.recording.pages.keys() {
            match path.split_once('?') {
                None => {
                    truth.delivered.insert(path.clone(), 200);
                }
                Some((plain, _)) => {
                    truth.skipped.insert(path.clone(), ExpectedSkip::Variant(plain.to_owned()));
                    if !self.recording.pages.contains_key(plain) {
                        truth.skipped.insert(plain.to_owned(), ExpectedSkip::Status(404));
                    }
                }
            }
        }
        truth
    }
}
