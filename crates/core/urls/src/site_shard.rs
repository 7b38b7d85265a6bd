//! Divides a list of URLs into shards by site, so that one node at a time requests a site.

use std::collections::HashMap;

use crate::{CanonicalUrl, Fingerprint};

/// Maximum number of URLs of a shard.
const SHARD_URLS: usize = 2_000;

/// The URLs of a list that one run requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteShard<'u> {
    /// The host of all URLs, without a leading `www.`; none if the shard has several sites.
    pub host: Option<&'u str>,
    /// The URLs in the order of the list.
    pub urls: Vec<&'u CanonicalUrl>,
}

/// Divides a list into shards of at most 2,000 URLs. All URLs of a site are in one shard, or, if
/// they are too many, in shards of that site alone. Sites are ordered by a hash, so that a shard has
/// a mixture of them, and URLs within a shard as in the list.
#[must_use]
pub fn split_by_site(urls: &[CanonicalUrl]) -> Vec<SiteShard<'_>> {
    let mut by_site: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, url) in urls.iter().enumerate() {
        by_site.entry(url.site_key()).or_default().push(at);
    }
    let mut sites: Vec<_> = by_site.into_iter().collect();
    sites.sort_by_cached_key(|(site, _)| (Fingerprint::of_page_key(site).0, *site));
    let parts = pack_sites(sites.iter().map(|(_, places)| places.as_slice()));
    let shard = |mut places: Vec<usize>| {
        places.sort_unstable();
        let urls: Vec<_> = places.into_iter().filter_map(|at| urls.get(at)).collect();
        let site = urls.first().map(|url| url.site_key());
        let is_one = urls.iter().all(|url| Some(url.site_key()) == site);
        let host = urls.first().filter(|_| is_one).map(|url| url.bare_host());
        SiteShard { host, urls }
    };
    parts.into_iter().map(shard).collect()
}

/// The place of the site of a URL in the order of [`split_by_site`].
#[must_use]
pub fn site_order(url: &CanonicalUrl) -> u64 {
    Fingerprint::of_page_key(url.site_key()).0
}

/// Divides the places of URLs in a list into shards as [`split_by_site`]; `sites` has those of each
/// site.
#[must_use]
pub fn pack_sites<'p, P: Copy + 'p>(sites: impl Iterator<Item = &'p [P]>) -> Vec<Vec<P>> {
    let (mut parts, mut open): (Vec<Vec<P>>, Vec<P>) = (Vec::new(), Vec::new());
    for places in sites {
        if places.len() > SHARD_URLS {
            parts.extend(places.chunks(SHARD_URLS).map(<[P]>::to_vec));
            continue;
        }
        if open.len() + places.len() > SHARD_URLS {
            parts.push(std::mem::take(&mut open));
        }
        open.extend(places);
    }
    parts.extend((!open.is_empty()).then_some(open));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(sites: usize, pages: usize) -> Vec<CanonicalUrl> {
        let page = |at: usize| format!("https://s{}.example/{at}", at % sites);
        (0..sites * pages).map(|at| CanonicalUrl::parse(&page(at)).expect("a URL")).collect()
    }

    #[test]
    fn site_is_in_one_shard() {
        let list = urls(70, 90);
        let shards = split_by_site(&list);
        assert!(shards.len() >= 4 && shards.iter().all(|shard| shard.urls.len() <= SHARD_URLS));
        let mut home: HashMap<&str, usize> = HashMap::new();
        for (at, shard) in shards.iter().enumerate() {
            assert_eq!(shard.host, None);
            for url in &shard.urls {
                assert_eq!(*home.entry(url.host()).or_insert(at), at, "{url}");
            }
        }
        assert_eq!(shards.iter().map(|shard| shard.urls.len()).sum::<usize>(), list.len());
    }

    #[test]
    fn large_site_is_split_into_several_shards() {
        let mut list = urls(1, 4_100);
        list.push(CanonicalUrl::parse("https://other.example/").expect("a URL"));
        let shards = split_by_site(&list);
        let mut sizes: Vec<_> = shards.iter().map(|shard| (shard.urls.len(), shard.host)).collect();
        sizes.sort_unstable();
        let own = Some("s0.example");
        let expected = [(1, Some("other.example")), (100, own), (2_000, own), (2_000, own)];
        assert_eq!(sizes, expected);
        let first = shards.iter().find(|shard| shard.host == own).expect("the site");
        assert!(first.urls.is_sorted_by_key(|url| list.iter().position(|other| other == *url)));
    }
}
