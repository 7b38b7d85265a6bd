//! The item of a page in mode `sitemap`.

use contract::{Alternate, LinkItem, SitemapItem};
use crawl::FinishedPage;
use journal::Via;
use page::LinkKind;

/// The item of a page. What no sitemap says is taken from the page.
pub(crate) fn sitemap_item(finished: &FinishedPage<'_>, link: LinkItem) -> SitemapItem {
    let (state, page) = (finished.state, finished.page());
    let (file, metadata) = state.sitemap_metadata(finished.id).unzip();
    let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
    let mut images = metadata.map(|metadata| metadata.images.clone()).unwrap_or_default();
    if let (true, Some(page)) = (images.is_empty(), page) {
        let links = page.links.iter().filter(|link| link.kind == LinkKind::Image);
        images = links.map(|link| link.url.to_string()).collect();
    }
    let mut alternates = metadata.map(|metadata| metadata.alternates.clone()).unwrap_or_default();
    if let (true, Some(page)) = (alternates.is_empty(), page) {
        let own = page.alternates.iter();
        alternates = own.map(|(tag, url)| (tag.clone(), url.to_string())).collect();
    }
    SitemapItem {
        link,
        lastmod: metadata
            .and_then(|metadata| text(&metadata.lastmod))
            .or_else(|| Some(finished.head()?.last_modified?.to_string())),
        changefreq: metadata.and_then(|metadata| text(&metadata.changefreq)),
        priority: metadata.and_then(|metadata| text(&metadata.priority)),
        images,
        alternates: alternates.into_iter().map(|(lang, url)| Alternate { lang, url }).collect(),
        sitemap_url: file.map(|file| state.frontier().text(file).to_owned()).or_else(|| {
            // A child sitemap is listed by its index.
            let frontier = state.frontier();
            let parent = frontier.parent(finished.id)?;
            let listed = frontier.via(finished.id) == Via::Sitemap;
            listed.then(|| frontier.text(parent).to_owned())
        }),
    }
}
