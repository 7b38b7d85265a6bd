//! Shops of many platforms and manners, drawn from a seed, with the truth about every
//! page and every product. Their pages are as uneven as those of real shops.

mod aside;
mod draw;
mod good;
mod linked_data;
mod listing;
mod locale;
mod markup;
mod pages;
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
use good::{Good, make, slug};
use plan::{Market, PLANS, Paging, Plan};
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

impl Info {
    const ALL: [Self; 4] = [Self::About, Self::Contact, Self::Terms, Self::Account];

    fn path(self) -> &'static str {
        match self {
            Self::About => "/about",
            Self::Contact => "/contact",
            Self::Terms => "/terms",
            Self::Account => "/account/login",
        }
    }
}

/// The facets that a list links to.
const FACETS: [&str; 3] = ["sort=price-asc", "filter=instock", "filter=new&sort=price-desc"];

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

    fn home_path(&self, market: usize) -> String {
        format!("{}/", self.market(market).prefix)
    }

    fn cart_path(&self, market: usize) -> String {
        format!("{}{}", self.market(market).prefix, self.plan.paths.cart)
    }

    fn info_path(&self, market: usize, info: Info) -> String {
        format!("{}{}", self.market(market).prefix, info.path())
    }

    fn query(&self, market: usize, query: usize) -> &'static str {
        self.market(market).trade.series.get(query).copied().unwrap_or_default()
    }

    fn search_path(&self, market: usize, query: usize) -> String {
        let word = slug(self.query(market, query), &format!("q{query}"));
        format!("{}{}", self.market(market).prefix, self.plan.paths.search.replace("{slug}", &word))
    }

    fn blog_path(&self, market: usize, story: Option<usize>) -> String {
        let prefix = self.market(market).prefix;
        let pattern = self.plan.paths.blog;
        let title = |story: usize| self.market(market).locale.words.stories[story];
        match story {
            Some(story) => {
                let slug = slug(title(story), &format!("story-{story}"));
                format!("{prefix}{}", pattern.replace("{slug}", &slug))
            }
            None => {
                let index = pattern.split("{slug}").next().unwrap_or_default();
                format!("{prefix}{}", index.trim_end_matches('/'))
            }
        }
    }

    fn category_path(&self, market: usize, category: usize, below: Option<usize>) -> String {
        let market = self.market(market);
        let (name, subs) = market.trade.categories[category];
        let mut text = slug(name, &format!("c{category}"));
        if let Some(below) = below {
            let joint = if self.plan.paths.category.ends_with('/') { '/' } else { '-' };
            let sub = subs.get(below).copied().unwrap_or_default();
            text = format!("{text}{joint}{}", slug(sub, &format!("s{below}")));
        }
        format!("{}{}", market.prefix, self.plan.paths.category.replace("{slug}", &text))
    }

    fn list_path(&self, market: usize, list: List) -> String {
        let mut path = match list.shelf {
            Shelf::Category(category) => self.category_path(market, category, None),
            Shelf::Below(category, below) => self.category_path(market, category, Some(below)),
            Shelf::Sale => {
                let sale = self.plan.paths.category.replace("{slug}", "sale");
                format!("{}{sale}", self.market(market).prefix)
            }
        };
        if list.page > 1 {
            match self.plan.paging {
                Paging::Query => path = queried(&path, &format!("page={}", list.page)),
                Paging::LoadMore => path = queried(&path, &format!("p={}", list.page)),
                Paging::Folder => {
                    path = format!("{}/page/{}/", path.trim_end_matches('/'), list.page)
                }
            }
        }
        match list.facet {
            Some(facet) => queried(&path, FACETS[facet % FACETS.len()]),
            None => path,
        }
    }

    /// The trail to a product as its page shows it: names with their paths. The first
    /// template ends it with the product itself.
    fn trail(&self, good: &Good) -> Vec<(String, Option<String>)> {
        let market = self.market(good.market);
        let (category, below) = market.trade.categories[good.shelf.0];
        let mut trail = vec![
            (market.locale.words.home.to_owned(), Some(self.home_path(good.market))),
            (category.to_owned(), Some(self.category_path(good.market, good.shelf.0, None))),
        ];
        if let Some(sub) = below.get(good.shelf.1) {
            let path = self.category_path(good.market, good.shelf.0, Some(good.shelf.1));
            trail.push(((*sub).to_owned(), Some(path)));
        }
        if good.layout == 0 {
            trail.push((good.name.clone(), None));
        }
        trail
    }

    /// The nearest category of a product.
    fn category_of(&self, good: &Good) -> &'static str {
        let (category, below) = self.market(good.market).trade.categories[good.shelf.0];
        below.get(good.shelf.1).copied().unwrap_or(category)
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

/// The path with one more pair in its query.
fn queried(path: &str, pair: &str) -> String {
    format!("{path}{}{pair}", if path.contains('?') { '&' } else { '?' })
}

impl Site for Shop {
    fn answer(&self, path_and_query: &str) -> Reply {
        if let Some(html) = self.page_at(path_and_query) {
            return Reply::html(html);
        }
        let path = path_and_query.split('?').next().unwrap_or_default();
        let image = [".jpg", ".png", ".webp"].iter().any(|end| path.ends_with(end));
        match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /checkout\n"),
            "/sitemap.xml" => Reply::typed(200, "application/xml", pages::sitemap(self)),
            _ if image => Reply::typed(200, "image/gif", PIXEL),
            _ => Reply::status(404),
        }
    }

    /// Its pages. Those with a query are variants of those without; images and checkout,
    /// which the pages link to as well, are not listed.
    fn truth(&self) -> SiteTruth {
        let mut truth = SiteTruth::default();
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
