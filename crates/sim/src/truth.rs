//! What can be had of a web, worked out without the engine: a plain walk over its
//! places that knows neither time nor trouble.

use std::collections::{BTreeSet, HashSet, VecDeque};

use contract::Scope;
use site::CanonicalUrl;

use crate::web::{Shown, Web};

/// A chain of redirects longer than this leads nowhere.
const HOPS: usize = 10;

/// The pages, by their key, that a run over this web delivers as found.
pub(crate) fn truth(web: &Web) -> BTreeSet<String> {
    let mut walk = Walk { site: web.start.clone(), scope: web.scope, ..Walk::at(&web.start) };
    let mut delivered = BTreeSet::new();
    while let Some(Step { url, from_start, hops }) = walk.queue.pop_front() {
        if !web.permits(&url) {
            continue;
        }
        // One page is known by the address that was given.
        let known_as = if walk.scope.one_page { &web.start } else { &url };
        match web.shows(&url) {
            Shown::Page(links) => {
                delivered.insert(known_as.page_key().to_owned());
                let links = if walk.scope.one_page { Vec::new() } else { links };
                for link in &links {
                    let target = url.join(link).map(|target| walk.normal(target));
                    if let Some(target) = target.ok().filter(|target| walk.owns(target)) {
                        walk.enter(target, false, 0);
                    }
                }
            }
            Shown::File if walk.scope.include_files => {
                delivered.insert(known_as.page_key().to_owned());
            }
            Shown::Moved(to) if hops < HOPS => {
                let Ok(target) = url.join(&to).map(|target| walk.normal(target)) else { continue };
                if from_start && !walk.owns(&target) {
                    walk.site = target.clone();
                }
                if walk.owns(&target) {
                    walk.enter(target, from_start, hops + 1);
                }
            }
            Shown::File | Shown::Moved(_) | Shown::Nothing => {}
        }
    }
    delivered
}

#[derive(Debug)]
struct Walk {
    site: CanonicalUrl,
    scope: Scope,
    seen: HashSet<String>,
    queue: VecDeque<Step>,
}

#[derive(Debug)]
struct Step {
    url: CanonicalUrl,
    from_start: bool,
    hops: usize,
}

impl Walk {
    fn at(start: &CanonicalUrl) -> Self {
        let (seen, queue) = (HashSet::new(), VecDeque::new());
        let mut walk = Self { site: start.clone(), scope: Scope::default(), seen, queue };
        walk.enter(start.clone(), true, 0);
        walk
    }

    fn enter(&mut self, url: CanonicalUrl, from_start: bool, hops: usize) {
        if self.seen.insert(url.page_key().to_owned()) {
            self.queue.push_back(Step { url, from_start, hops });
        }
    }

    fn normal(&self, url: CanonicalUrl) -> CanonicalUrl {
        if self.scope.include_query_strings { url } else { url.without_query() }
    }

    fn owns(&self, url: &CanonicalUrl) -> bool {
        let below = format!(".{}", self.site.bare_host());
        url.bare_host() == self.site.bare_host()
            || (self.scope.include_subdomains && url.host().ends_with(&below))
    }
}
