//! Shops of many platforms and manners, drawn from a seed, with the truth about every
//! page and every product. Their pages are as uneven as those of real shops.

mod aside;
mod good;
mod linked_data;
mod listing;
mod locale;
mod markup;
mod pages;
mod paths;
mod plan;
mod platform;
mod record;
mod scene;
mod shell;
mod strip;
mod trade;
mod truth;
mod words;

pub use truth::{
    AlternateTruth, Availability, Condition, CrumbTruth, GtinTruth, ImageTruth, PageKind,
    PriceTruth, PriceType, ProductTruth, RatingTruth, SellerTruth, ShopTruth, VariantTruth,
};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Reply, Site, SiteTruth, Withheld};
use good::{Good, make};
use paths::FACETS;
use plan::{Market, PLANS, Plan};
use platform::Platform;

/// Cards on one page of a list.
const PAGE: usize = 12;
/// A transparent image of one pixel.
const PIXEL: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\
\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// One shop. It is cheap to clone.
#[derive(Debug, Clone)]
pub struct Shop {
    plan: &'static Plan,
    goods: Arc<Vec<Good>>,
    leaves: Arc<BTreeMap<String, Leaf>>,
    /// Every second product page has no structured data.
    stripped: bool,
}

/// What stands under a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaf {
    Home(usize),
    /// Market, and what the list shows.
    List(usize, List),
    Product(usize),
    Search(usize, usize),
    Cart(usize),
    BlogIndex(usize),
    Blog(usize, usize),
    Info(usize, Info),
}

/// Which products a list shows, and which part of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct List {
    shelf: Shelf,
    page: usize,
    /// Narrowed down or sorted.
    facet: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shelf {
    Category(usize),
    Below(usize, usize),
    Sale,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Info {
    About,
    Contact,
    Terms,
    Account,
}

impl Shop {
    /// Every shop of the lab.
    #[must_use]
    pub fn all() -> Vec<Self> {
        PLANS.iter().map(Self::new).collect()
    }

    /// The shop of this host name.
    #[must_use]
    pub fn named(host: &str) -> Option<Self> {
        PLANS.iter().find(|plan| plan.host == host).map(Self::new)
    }

    fn new(plan: &'static Plan) -> Self {
        let numbered = |market| (0..plan.count).map(move |number| make(plan, market, number));
        let mut goods: Vec<Good> = (0..plan.markets.len()).flat_map(numbered).collect();
        let mut shop =
            Self { plan, goods: Arc::default(), leaves: Arc::default(), stripped: false };
        if plan.platform == Platform::Shopify {
            for good in &mut goods {
                // The same page once more under the collection that leads to it.
                let alias =
                    format!("{}{}", shop.category_path(good.market, good.shelf.0, None), good.path);
                good.also_at.push(alias);
                good.canonical = true;
            }
        }
        shop.leaves = Arc::new(shop.plant(&goods));
        shop.goods = Arc::new(goods);
        shop
    }

    /// The same shop with every kind of structured data taken off every second product page.
    #[must_use]
    pub fn stripped(&self) -> Self {
        Self { stripped: true, ..self.clone() }
    }

    /// The name under which it is served.
    #[must_use]
    pub fn host(&self) -> &'static str {
        self.plan.host
    }

    /// Every page with its text, by path and query.
    pub fn pages(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.leaves.iter().map(|(path, leaf)| (path.clone(), self.page(path, *leaf)))
    }

    /// The page of this path and query.
    #[must_use]
    pub fn page_at(&self, path_and_query: &str) -> Option<String> {
        self.leaves.get(path_and_query).map(|leaf| self.page(path_and_query, *leaf))
    }

    /// The truth about all its pages and products.
    #[must_use]
    pub fn shop_truth(&self) -> ShopTruth {
        let kind = |leaf: &Leaf| match leaf {
            Leaf::Home(_) => PageKind::Home,
            Leaf::List(..) => PageKind::Category,
            Leaf::Product(_) => PageKind::Product,
            Leaf::Search(..) => PageKind::Search,
            Leaf::Cart(_) => PageKind::Cart,
            Leaf::BlogIndex(_) | Leaf::Blog(..) => PageKind::Blog,
            Leaf::Info(..) => PageKind::Other,
        };
        ShopTruth {
            host: self.plan.host.to_owned(),
            pages: self.leaves.iter().map(|(path, leaf)| (path.clone(), kind(leaf))).collect(),
            products: self.goods.iter().map(|good| record::of(self, good)).collect(),
        }
    }

    fn market(&self, number: usize) -> &'static Market {
        &self.plan.markets[number]
    }

    /// The product page has lost its data.
    fn is_bare(&self, good: &Good) -> bool {
        self.stripped && good.number % 2 == 1
    }

    fn absolute(&self, path: &str) -> String {
        match path {
            _ if path.starts_with("//") => format!("http:{path}"),
            _ if path.starts_with('/') => format!("http://{}{path}", self.plan.host),
            _ => path.to_owned(),
        }
    }

    fn page(&self, path: &str, leaf: Leaf) -> String {
        match leaf {
            Leaf::Home(market) => pages::home(self, market),
            Leaf::List(market, list) => listing::category(self, market, list, path),
            Leaf::Search(market, query) => listing::search(self, market, query),
            Leaf::Cart(market) => pages::cart(self, market),
            Leaf::BlogIndex(market) => pages::blog_index(self, market),
            Leaf::Blog(market, story) => pages::blog(self, market, story, path),
            Leaf::Info(market, info) => pages::info(self, market, info),
            Leaf::Product(number) => {
                let Some(good) = self.goods.get(number) else { return String::new() };
                let html = platform::product(self, good);
                if self.is_bare(good) { strip::stripped(&html) } else { html }
            }
        }
    }

    /// Every path of the shop.
    fn plant(&self, goods: &[Good]) -> BTreeMap<String, Leaf> {
        let mut leaves = BTreeMap::from([("/".to_owned(), Leaf::Home(0))]);
        for (number, market) in self.plan.markets.iter().enumerate() {
            leaves.insert(self.home_path(number), Leaf::Home(number));
            leaves.insert(self.cart_path(number), Leaf::Cart(number));
            leaves.insert(self.blog_path(number, None), Leaf::BlogIndex(number));
            for story in 0..market.locale.words.stories.len() {
                leaves.insert(self.blog_path(number, Some(story)), Leaf::Blog(number, story));
            }
            for query in 0..2 {
                leaves.insert(self.search_path(number, query), Leaf::Search(number, query));
            }
            for info in Info::ALL {
                leaves.insert(self.info_path(number, info), Leaf::Info(number, info));
            }
            for shelf in self.shelves(number) {
                let count = goods.iter().filter(|good| good.is_on(shelf, number)).count();
                for page in 1..=count.div_ceil(PAGE).max(1) {
                    let list = List { shelf, page, facet: None };
                    leaves.insert(self.list_path(number, list), Leaf::List(number, list));
                }
                for facet in 0..FACETS.len() {
                    let list = List { shelf, page: 1, facet: Some(facet) };
                    leaves.insert(self.list_path(number, list), Leaf::List(number, list));
                }
            }
        }
        for (number, good) in goods.iter().enumerate() {
            for path in good.also_at.iter().chain([&good.path]) {
                leaves.insert(path.clone(), Leaf::Product(number));
            }
        }
        leaves
    }

    fn shelves(&self, market: usize) -> Vec<Shelf> {
        let categories = self.market(market).trade.categories.iter().enumerate();
        let mut shelves = vec![Shelf::Sale];
        for (category, (_, below)) in categories {
            shelves.push(Shelf::Category(category));
            shelves.extend((0..below.len()).map(|sub| Shelf::Below(category, sub)));
        }
        shelves
    }
}

impl Good {
    fn is_on(&self, shelf: Shelf, market: usize) -> bool {
        let here = match shelf {
            Shelf::Category(category) => self.shelf.0 == category,
            Shelf::Below(category, below) => self.shelf == (category, below),
            Shelf::Sale => self.money.regular.is_some(),
        };
        here && self.market == market
    }
}

impl Site for Shop {
    fn answer(&self, path_and_query: &str) -> Reply {
        // A list that is asked for without an order comes in one of the shop's own.
        let ordered = || {
            let order = FACETS.iter().filter_map(|facet| facet.split_once("&sort="));
            order
                .filter(|(narrowed, _)| path_and_query.ends_with(*narrowed))
                .find_map(|(_, sort)| self.page_at(&format!("{path_and_query}&sort={sort}")))
        };
        if let Some(html) = self.page_at(path_and_query).or_else(ordered) {
            return Reply::html(html);
        }
        let path = path_and_query.split('?').next().unwrap_or_default();
        let image = [".jpg", ".png", ".webp"].iter().any(|end| path.ends_with(end));
        match path {
            "/robots.txt" => Reply::text(format!(
                "User-agent: *\nDisallow: /checkout\nSitemap: http://{}/sitemap.xml\n",
                self.plan.host
            )),
            "/sitemap.xml" => Reply::typed(200, "application/xml", pages::sitemap(self)),
            _ if image => Reply::typed(200, "image/gif", PIXEL),
            _ => Reply::status(404),
        }
    }

    /// Its pages. Those with a query are variants of those without; images,
    /// which the pages link to as well, are not listed.
    fn truth(&self) -> SiteTruth {
        let mut truth = SiteTruth::default();
        truth.withheld.insert("/checkout".to_owned(), Withheld::Robots);
        for path in self.leaves.keys() {
            match path.split_once('?') {
                None => {
                    truth.delivered.insert(path.clone(), 200);
                }
                Some((plain, _)) => {
                    truth.withheld.insert(path.clone(), Withheld::Variant(plain.to_owned()));
                    if !self.leaves.contains_key(plain) {
                        truth.withheld.insert(plain.to_owned(), Withheld::Status(404));
                    }
                }
            }
        }
        truth
    }
}
