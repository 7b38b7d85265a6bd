//! Builds the item of a finished URL.

use contract::{
    Alternate, ContactItem, IndexReason, Item, LinkItem, LinkType, Millis, Mode, ProductItem,
    RedirectHop, RobotsDirective, SitemapItem,
};
use journal::{Cause, Outcome, UrlId, UrlRole, Via};
use markdown::MarkdownPage;
use page::{FetchContext, LinkKind, Page};
use products::Product;
use urls::{CanonicalUrl, LanguageTag};

use crate::parsed_response::{ResponseContent, ResponseHead};
use crate::redirect;
use crate::{CrawlPlan, RunState};

/// Everything that is known of a URL when it is finished.
pub(crate) struct FinishedPage<'a> {
    pub id: UrlId,
    pub outcome: &'a Outcome,
    pub response: Option<(&'a ResponseHead, &'a ResponseContent)>,
    /// The URL of the last request, if that is not the URL in the frontier.
    pub requested_url: Option<&'a str>,
    /// The redirects that led there.
    pub alias_hops: &'a [RedirectHop],
    /// The text of the page, in mode `markdown`.
    pub text: Option<Box<MarkdownPage>>,
    /// The product of the page, in mode `products`.
    pub product: Option<ProductContext<'a>>,
    /// The language that the page was judged to be in.
    pub language: Option<&'a LanguageTag>,
    /// Whether a browser rendered the page.
    pub rendered: bool,
}

/// A product with what the run knows about it.
pub(crate) struct ProductContext<'a> {
    pub product: &'a Product,
    /// The translations that the page declares.
    pub translations: Vec<Alternate>,
    /// The template that contributed to the product.
    pub template_id: Option<&'a str>,
}

impl<'a> FinishedPage<'a> {
    pub fn page(&self) -> Option<&'a Page> {
        match self.response {
            Some((_, ResponseContent::Page(page))) => Some(page),
            _ => None,
        }
    }

    /// The kind of its content, or the expected kind.
    pub fn kind(&self, state: &RunState) -> LinkType {
        if let Some((_, content)) = self.response {
            return content.kind();
        }
        let frontier = &state.frontier;
        if frontier.role(self.id).is_sitemap() {
            return LinkType::Sitemap;
        }
        let expected =
            frontier.url(self.id).map_or(LinkType::Page, |url| page::expected_kind(url.path()));
        match expected {
            LinkType::Other => LinkType::Page,
            kind => kind,
        }
    }

    /// Whether a search engine would index it, and why not.
    pub fn index(&self, state: &RunState) -> (Option<bool>, Option<IndexReason>) {
        index(self, self.page(), state.frontier.text(self.id))
    }
}

pub(crate) fn item(
    plan: &CrawlPlan,
    state: &RunState,
    mut finished: FinishedPage<'_>,
    content: Option<u64>,
    now: Millis,
) -> Item {
    if let (Some(page), Some(text)) = (finished.page(), finished.text.take()) {
        let fetched = fetch_context(plan, state, &finished, now);
        return Item::Markdown(Box::new(text.into_item(page, fetched)));
    }
    if let (Some(page), Some(sold)) = (finished.page(), &finished.product) {
        let fetched = fetch_context(plan, state, &finished, now);
        let (alternates, template_id) =
            (sold.translations.clone(), sold.template_id.map(str::to_owned));
        let item = sold.product.clone().into_item(page, fetched, alternates, template_id);
        return Item::Product(Box::new(item));
    }
    let link = link_item(plan, state, &finished, content, now);
    match plan.mode {
        Mode::Sitemap => Item::Sitemap(Box::new(sitemap_item(state, &finished, link))),
        Mode::Links | Mode::Markdown | Mode::Products | Mode::Contacts => {
            Item::Link(Box::new(link))
        }
    }
}

/// Approximate memory of an item, in bytes.
pub(crate) fn weight(item: &Item) -> usize {
    let (link, lists) = match item {
        Item::Link(link) => (&**link, 0),
        Item::Sitemap(item) => {
            let images = item.images.iter().map(|url| url.len() + 24);
            let alternates = item.alternates.iter();
            let alternates = alternates.map(|other| other.lang.len() + other.url.len() + 48);
            (&item.link, images.chain(alternates).sum::<usize>())
        }
        Item::Markdown(page) => {
            let links = page.links.iter().map(|link| link.url.len() + link.text.len() + 24);
            let images = page.images.iter().map(|image| image.url.len() + 32);
            let headings = page.headings.iter().map(|heading| heading.text.len() + 48);
            let lists = links.chain(images).chain(headings).sum::<usize>();
            return 700 + page.markdown.len() + lists;
        }
        Item::Product(product) => return weight_of_product(product),
        Item::Contact(company) => return weight_of_company(company),
    };
    let texts = [&link.title, &link.description, &link.h1, &link.found_on, &link.anchor];
    700 + lists + link.url.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
}

fn weight_of_company(company: &ContactItem) -> usize {
    // All kinds of values take about the same memory with their sources.
    let values = company.emails.len()
        + company.phones.len()
        + company.addresses.len()
        + company.socials.len()
        + 3 * company.people.len();
    700 + 200 * values + company.company.sources.len() * 80
}

fn weight_of_product(product: &ProductItem) -> usize {
    let attributes = product.attributes.iter().map(|row| row.name.len() + row.value.len() + 24);
    let features = product.features.iter().map(|feature| feature.len() + 4);
    let images = product.images.iter().map(|image| image.url.len() + 32);
    let lists = attributes.chain(features).chain(images).sum::<usize>();
    let description = product.description.as_ref().map_or(0, String::len);
    2_000 + description + lists + 400 * product.variants.len()
}

/// How a page was fetched.
fn fetch_context(
    plan: &CrawlPlan,
    state: &RunState,
    finished: &FinishedPage<'_>,
    now: Millis,
) -> FetchContext {
    let (known_by, url, final_url) = known_as(plan, state, finished, None);
    FetchContext {
        url: url.to_owned(),
        final_url: final_url.map(str::to_owned),
        depth: state.frontier.depth(known_by),
        status_code: finished.response.map_or(200, |(head, _)| head.status),
        language: finished.language.map(ToString::to_string),
        rendered: finished.rendered,
        fetched_at: now,
    }
}

/// The URL that an item is known by, its text, and the final URL if that differs.
fn known_as<'a>(
    plan: &CrawlPlan,
    state: &'a RunState,
    finished: &FinishedPage<'a>,
    cause: Option<Cause>,
) -> (UrlId, &'a str, Option<&'a str>) {
    let (frontier, id) = (&state.frontier, finished.id);
    let found = frontier.text(id);
    // In a single-page run, and in a redirect loop, the item is known by the URL that was requested
    // or linked.
    let known_by = match cause {
        _ if plan.scope.one_page && state.is_start(id) => UrlId::START,
        Some(Cause::RedirectLoop) => redirect::chain_start(state, id),
        _ => id,
    };
    if known_by == id {
        (known_by, found, finished.requested_url)
    } else {
        (known_by, frontier.text(known_by), Some(finished.requested_url.unwrap_or(found)))
    }
}

fn link_item(
    plan: &CrawlPlan,
    state: &RunState,
    finished: &FinishedPage<'_>,
    content: Option<u64>,
    now: Millis,
) -> LinkItem {
    let frontier = &state.frontier;
    let id = finished.id;
    let page = finished.page();
    let head = finished.response.map(|(head, _)| head);
    let (status_code, cause) = match finished.outcome {
        Outcome::Answered(status) | Outcome::Redirected { status, .. } => (Some(*status), None),
        Outcome::Failed(cause) => (head.map(|head| head.status), Some(*cause)),
        Outcome::NotRequested | Outcome::Skipped(_) => (None, None),
    };
    let mut redirects = redirect::hops_to(state, id);
    redirects.extend_from_slice(finished.alias_hops);
    let (known_by, url, final_url) = known_as(plan, state, finished, cause);
    let canonical = page.and_then(|page| page.canonical.as_ref());
    let (indexable, index_reason) = finished.index(state);
    let first = content.and_then(|content| state.contents.get(&content));
    let revision = state.revision(id);
    LinkItem {
        url: url.to_owned(),
        title: page.and_then(|page| page.title.clone()),
        kind: finished.kind(state),
        status_code,
        final_url: final_url.map(str::to_owned),
        redirects,
        content_type: head.and_then(|head| head.content_type.clone()),
        size_bytes: head.map(|head| head.size_bytes),
        response_ms: head.map(|head| u64::try_from(head.elapsed.as_millis()).unwrap_or(u64::MAX)),
        error: cause.map(Cause::fault),
        depth: frontier.depth(known_by),
        inlinks: revision.inlinks.into(),
        found_on: frontier.parent(known_by).map(|parent| frontier.text(parent).to_owned()),
        anchor: frontier.anchor(id).map(str::to_owned),
        discovered_by: revision.ways.discovered_by(),
        external: frontier.role(id) == UrlRole::External,
        broken: is_broken(finished.outcome),
        orphan: revision.orphan,
        in_sitemap: state.has_read_sitemap().then_some(revision.in_sitemap),
        indexable,
        index_reason,
        canonical_url: canonical.map(ToString::to_string),
        duplicate_of: first
            .filter(|first| **first != id)
            .map(|first| frontier.text(*first).to_owned()),
        language: page.and_then(|page| page.language.clone()),
        description: page.and_then(|page| page.description.clone()),
        h1: page.and_then(|page| page.h1.clone()),
        word_count: page.map(|page| page.word_count),
        content_hash: page.map(|page| page.content_hash.clone()),
        fetched_at: head.map(|_| now),
        nofollow: frontier.nofollow(id),
        robots: page.map(robots_directives).unwrap_or_default(),
    }
}

/// Whether the link is broken. A URL that was not requested may exist.
fn is_broken(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Answered(status) => *status >= 400,
        Outcome::Failed(cause) => !matches!(cause, Cause::Robots),
        Outcome::Redirected { .. } | Outcome::NotRequested | Outcome::Skipped(_) => false,
    }
}

fn robots_directives(page: &Page) -> Vec<RobotsDirective> {
    let said =
        [(page.noindex, RobotsDirective::Noindex), (page.nofollow, RobotsDirective::Nofollow)];
    said.into_iter().filter(|(said, _)| *said).map(|(_, wish)| wish).collect()
}

fn sitemap_item(state: &RunState, finished: &FinishedPage<'_>, link: LinkItem) -> SitemapItem {
    let (file, metadata) = match state.sitemap_metadata.get(&finished.id) {
        Some((file, metadata)) => (Some(*file), Some(metadata)),
        None => (None, None),
    };
    let page = finished.page();
    let head = finished.response.map(|(head, _)| head);
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
            .or_else(|| Some(head?.last_modified?.to_string())),
        changefreq: metadata.and_then(|metadata| text(&metadata.changefreq)),
        priority: metadata.and_then(|metadata| text(&metadata.priority)),
        images,
        alternates: alternates.into_iter().map(|(lang, url)| Alternate { lang, url }).collect(),
        sitemap_url: file.map(|file| state.frontier.text(file).to_owned()).or_else(|| {
            // A child sitemap is listed by its index.
            let parent = state.frontier.parent(finished.id)?;
            let listed = state.frontier.via(finished.id) == Via::Sitemap;
            listed.then(|| state.frontier.text(parent).to_owned())
        }),
    }
}

fn index(
    finished: &FinishedPage<'_>,
    page: Option<&Page>,
    found: &str,
) -> (Option<bool>, Option<IndexReason>) {
    // http and https, and the host with and without `www.`, are one page: another spelling of its
    // own URL is not another canonical URL.
    let is_own = |canonical: &CanonicalUrl| {
        let own = [Some(found), finished.requested_url];
        own.into_iter().flatten().any(|own| urls::same_page(own, canonical.as_str()))
    };
    let noindex = |head: &ResponseHead| page::noindex(&head.robots);
    match (finished.outcome, page) {
        (Outcome::Failed(Cause::Robots), _) => (Some(false), Some(IndexReason::Robots)),
        (Outcome::Failed(_) | Outcome::NotRequested | Outcome::Skipped(_), _) => (None, None),
        (Outcome::Answered(200), Some(page)) => match &page.canonical {
            _ if page.noindex => (Some(false), Some(IndexReason::Noindex)),
            Some(canonical) if !is_own(canonical) => (Some(false), Some(IndexReason::Canonical)),
            Some(_) | None => (Some(true), None),
        },
        (Outcome::Answered(200), None) => match finished.response {
            Some((head, _)) if noindex(head) => (Some(false), Some(IndexReason::Noindex)),
            _ => (None, None),
        },
        (Outcome::Answered(_) | Outcome::Redirected { .. }, _) => {
            (Some(false), Some(IndexReason::Status))
        }
    }
}
