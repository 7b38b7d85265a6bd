//! Where everything stands in a shop: its addresses, and the trail to a product.

use super::good::{Good, slug};
use super::plan::Paging;
use super::{Info, List, Shelf, Shop};

/// The facets that a list links to.
pub(super) const FACETS: [&str; 3] =
    ["sort=price-asc", "filter=instock", "filter=new&sort=price-desc"];

impl Info {
    pub(super) const ALL: [Self; 4] = [Self::About, Self::Contact, Self::Terms, Self::Account];

    pub(super) fn path(self) -> &'static str {
        match self {
            Self::About => "/about",
            Self::Contact => "/contact",
            Self::Terms => "/terms",
            Self::Account => "/account/login",
        }
    }
}

impl Shop {
    pub(super) fn home_path(&self, market: usize) -> String {
        format!("{}/", self.market(market).prefix)
    }

    pub(super) fn cart_path(&self, market: usize) -> String {
        format!("{}{}", self.market(market).prefix, self.plan.paths.cart)
    }

    pub(super) fn info_path(&self, market: usize, info: Info) -> String {
        format!("{}{}", self.market(market).prefix, info.path())
    }

    pub(super) fn query(&self, market: usize, query: usize) -> &'static str {
        self.market(market).trade.series.get(query).copied().unwrap_or_default()
    }

    pub(super) fn search_path(&self, market: usize, query: usize) -> String {
        let word = slug(self.query(market, query), &format!("q{query}"));
        format!("{}{}", self.market(market).prefix, self.plan.paths.search.replace("{slug}", &word))
    }

    pub(super) fn blog_path(&self, market: usize, story: Option<usize>) -> String {
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

    pub(super) fn category_path(
        &self,
        market: usize,
        category: usize,
        below: Option<usize>,
    ) -> String {
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

    pub(super) fn list_path(&self, market: usize, list: List) -> String {
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
    pub(super) fn trail(&self, good: &Good) -> Vec<(String, Option<String>)> {
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

    /// The same product in every market, this one included.
    pub(super) fn twins(&self, good: &Good) -> impl Iterator<Item = &Good> {
        self.goods.iter().filter(move |twin| twin.number == good.number)
    }

    /// The page names its twins. Where it does not, path and number must tell.
    pub(super) fn names_twins(&self, good: &Good) -> bool {
        match self.plan.markets.len() {
            0 | 1 => false,
            2 => !good.number.is_multiple_of(3),
            _ => true,
        }
    }

    /// The nearest category of a product.
    pub(super) fn category_of(&self, good: &Good) -> &'static str {
        let (category, below) = self.market(good.market).trade.categories[good.shelf.0];
        below.get(good.shelf.1).copied().unwrap_or(category)
    }
}

/// The path with one more pair in its query.
fn queried(path: &str, pair: &str) -> String {
    format!("{path}{}{pair}", if path.contains('?') { '&' } else { '?' })
}
