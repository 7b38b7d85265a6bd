//! The item that is made of a finished URL.

use contract::{
    Alternate, ContactItem, IndexReason, Item, LinkItem, LinkType, Millis, Mode, ProductItem,
    RedirectHop, RobotsDirective, SitemapItem,
};
use journal::{Cause, Outcome, Role, Via};
use markdown::MarkdownPage;
use page::{FetchContext, LinkKind, Page};
use products::Product;
use urls::{CanonicalUrl, LanguageTag};

use crate::reading::{AnswerHead, Content};
use crate::redirect;
use crate::{Plan, RunState};

/// What is known of a URL at the moment in which it is finished.
pub(crate) struct Sight<'a> {
    pub ordinal: u32,
    pub outcome: &'a Outcome,
    pub answer: Option<(&'a AnswerHead, &'a Content)>,
    /// Where it was asked in the end, when that is not the address it was found by.
    pub asked_at: Option<&'a str>,
    /// The respellings that led there.
    pub respellings: &'a [RedirectHop],
    /// The text of the page, where that is delivered.
    pub text: Option<Box<MarkdownPage>>,
    /// What the page sells, where that is delivered.
    pub product: Option<Sale<'a>>,
    /// The language that the page was judged to be in.
    pub language: Option<&'a LanguageTag>,
    /// Whether it was read as a browser shows it.
    pub rendered: bool,
}

/// A product, and what the run knows of it.
pub(crate) struct Sale<'a> {
    pub product: &'a Product,
    /// Its translations, as the page names them.
    pub translations: Vec<Alternate>,
    /// The template that had a say.
    pub template_id: Option<&'a str>,
}

impl<'a> Sight<'a> {
    /// The page, where it is one.
    pub fn page(&self) -> Option<&'a Page> {
        match self.answer {
            Some((_, Content::Page(page))) => Some(page),
            _ => None,
        }
    }

    /// What it turned out to be, or is expected to be.
    pub fn kind(&self, state: &RunState) -> LinkType {
        if let Some((_, content)) = self.answer {
            return content.kind();
        }
        let frontier = &state.frontier;
        if frontier.role(self.ordinal).is_sitemap() {
            return LinkType::Sitemap;
        }
        let expected = frontier
            .url(self.ordinal)
            .map_or(LinkType::Page, |url| page::expected_kind(url.path()));
        match expected {
            LinkType::Other => LinkType::Page,
            kind => kind,
        }
    }

    /// Whether a search engine would index it, and why not.
    pub fn index(&self, state: &RunState) -> (Option<bool>, Option<IndexReason>) {
        index(self, self.page(), state.frontier.text(self.ordinal))
    }
}

/// The item.
pub(crate) fn item(
    plan: &Plan,
    state: &RunState,
    mut sight: Sight<'_>,
    content: Option<u64>,
    now: Millis,
) -> Item {
    if let (Some(page), Some(text)) = (sight.page(), sight.text.take()) {
        let fetched = fetch_context(plan, state, &sight, now);
        return Item::Markdown(Box::new(text.into_item(page, fetched)));
    }
    if let (Some(page), Some(sale)) = (sight.page(), &sight.product) {
        let fetched = fetch_context(plan, state, &sight, now);
        let (alternates, template_id) =
            (sale.translations.clone(), sale.template_id.map(str::to_owned));
        let item = sale.product.clone().into_item(page, fetched, alternates, template_id);
        return Item::Product(Box::new(item));
    }
    let link = link_item(plan, state, &sight, content, now);
    match plan.mode {
        Mode::Sitemap => Item::Sitemap(Box::new(sitemap_item(state, &sight, link))),
        Mode::Links | Mode::Markdown | Mode::Products | Mode::Contacts => {
            Item::Link(Box::new(link))
        }
    }
}

/// About how many bytes an item takes.
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
    // A value with its sources takes about as much, whatever it is.
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
fn fetch_context(plan: &Plan, state: &RunState, sight: &Sight<'_>, now: Millis) -> FetchContext {
    let (known_by, url, final_url) = known_as(plan, state, sight, None);
    FetchContext {
        url: url.to_owned(),
        final_url: final_url.map(str::to_owned),
        depth: state.frontier.depth(known_by),
        status_code: sight.answer.map_or(200, |(head, _)| head.status),
        language: sight.language.map(ToString::to_string),
        rendered: sight.rendered,
        fetched_at: now,
    }
}

/// The URL that an item is known by, its text, and where it led when that differs.
fn known_as<'a>(
    plan: &Plan,
    state: &'a RunState,
    sight: &Sight<'a>,
    cause: Option<Cause>,
) -> (u32, &'a str, Option<&'a str>) {
    let (frontier, ordinal) = (&state.frontier, sight.ordinal);
    let found = frontier.text(ordinal);
    // One page was asked for, or a chain leads nowhere: it is known by the address that was
    // given, or that somebody links to.
    let known_by = match cause {
        _ if plan.scope.one_page && state.is_start(ordinal) => 0,
        Some(Cause::RedirectLoop) => redirect::head(state, ordinal),
        _ => ordinal,
    };
    if known_by == ordinal {
        (known_by, found, sight.asked_at)
    } else {
        (known_by, frontier.text(known_by), Some(sight.asked_at.unwrap_or(found)))
    }
}

fn link_item(
    plan: &Plan,
    state: &RunState,
    sight: &Sight<'_>,
    content: Option<u64>,
    now: Millis,
) -> LinkItem {
    let frontier = &state.frontier;
    let ordinal = sight.ordinal;
    let page = sight.page();
    let head = sight.answer.map(|(head, _)| head);
    let (status_code, cause) = match sight.outcome {
        Outcome::Answered(status) | Outcome::Redirected { status, .. } => (Some(*status), None),
        Outcome::Failed(cause) => (head.map(|head| head.status), Some(*cause)),
        Outcome::Unasked | Outcome::Skipped(_) => (None, None),
    };
    let mut redirects = redirect::steps_to(state, ordinal);
    redirects.extend_from_slice(sight.respellings);
    let (known_by, url, final_url) = known_as(plan, state, sight, cause);
    let canonical = page.and_then(|page| page.canonical.as_ref());
    let (indexable, index_reason) = sight.index(state);
    let first = content.and_then(|content| state.contents.get(&content));
    let revision = state.revision(ordinal);
    LinkItem {
        url: url.to_owned(),
        title: page.and_then(|page| page.title.clone()),
        kind: sight.kind(state),
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
        anchor: frontier.anchor(ordinal).map(str::to_owned),
        discovered_by: revision.ways.discovered_by(),
        external: frontier.role(ordinal) == Role::External,
        broken: is_broken(sight.outcome),
        orphan: revision.orphan,
        in_sitemap: state.has_read_sitemap().then_some(revision.in_sitemap),
        indexable,
        index_reason,
        canonical_url: canonical.map(ToString::to_string),
        duplicate_of: first
            .filter(|first| **first != ordinal)
            .map(|first| frontier.text(*first).to_owned()),
        language: page.and_then(|page| page.language.clone()),
        description: page.and_then(|page| page.description.clone()),
        h1: page.and_then(|page| page.h1.clone()),
        word_count: page.map(|page| page.word_count),
        content_hash: page.map(|page| page.content_hash.clone()),
        fetched_at: head.map(|_| now),
        nofollow: frontier.nofollow(ordinal),
        robots: page.map(wishes).unwrap_or_default(),
    }
}

/// Whether somebody who follows a link to it finds nothing. What was not asked for may well
/// be there.
fn is_broken(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Answered(status) => *status >= 400,
        Outcome::Failed(cause) => !matches!(cause, Cause::Robots),
        Outcome::Redirected { .. } | Outcome::Unasked | Outcome::Skipped(_) => false,
    }
}

fn wishes(page: &Page) -> Vec<RobotsDirective> {
    let said = [(page.noindex, RobotsDirective::Noindex), (page.nofollow, RobotsDirective::Nofollow)];
    said.into_iter().filter(|(said, _)| *said).map(|(_, wish)| wish).collect()
}

fn sitemap_item(state: &RunState, sight: &Sight<'_>, link: LinkItem) -> SitemapItem {
    let (file, listing) = match state.listings.get(&sight.ordinal) {
        Some((file, listing)) => (Some(*file), Some(listing)),
        None => (None, None),
    };
    let page = sight.page();
    let head = sight.answer.map(|(head, _)| head);
    let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
    let mut images = listing.map(|listing| listing.images.clone()).unwrap_or_default();
    if let (true, Some(page)) = (images.is_empty(), page) {
        let links = page.links.iter().filter(|link| link.kind == LinkKind::Image);
        images = links.map(|link| link.url.to_string()).collect();
    }
    let mut alternates = listing.map(|listing| listing.alternates.clone()).unwrap_or_default();
    if let (true, Some(page)) = (alternates.is_empty(), page) {
        let own = page.alternates.iter();
        alternates = own.map(|(tag, url)| (tag.clone(), url.to_string())).collect();
    }
    SitemapItem {
        link,
        lastmod: listing
            .and_then(|listing| text(&listing.lastmod))
            .or_else(|| Some(head?.last_modified?.to_string())),
        changefreq: listing.and_then(|listing| text(&listing.changefreq)),
        priority: listing.and_then(|listing| text(&listing.priority)),
        images,
        alternates: alternates.into_iter().map(|(lang, url)| Alternate { lang, url }).collect(),
        sitemap_url: file.map(|file| state.frontier.text(file).to_owned()).or_else(|| {
            // A file of an index is named by that index.
            let parent = state.frontier.parent(sight.ordinal)?;
            let listed = state.frontier.via(sight.ordinal) == Via::Sitemap;
            listed.then(|| state.frontier.text(parent).to_owned())
        }),
    }
}

fn index(
    sight: &Sight<'_>,
    page: Option<&Page>,
    found: &str,
) -> (Option<bool>, Option<IndexReason>) {
    // http and https, `www.` and the bare host are one page: its own address in another
    // spelling is no other address.
    let is_own = |canonical: &CanonicalUrl| {
        let own = [Some(found), sight.asked_at];
        own.into_iter().flatten().any(|own| urls::same_page(own, canonical.as_str()))
    };
    let noindex = |head: &AnswerHead| page::noindex(&head.robots);
    match (sight.outcome, page) {
        (Outcome::Failed(Cause::Robots), _) => (Some(false), Some(IndexReason::Robots)),
        (Outcome::Failed(_) | Outcome::Unasked | Outcome::Skipped(_), _) => (None, None),
        (Outcome::Answered(200), Some(page)) => match &page.canonical {
            _ if page.noindex => (Some(false), Some(IndexReason::Noindex)),
            Some(canonical) if !is_own(canonical) => (Some(false), Some(IndexReason::Canonical)),
            Some(_) | None => (Some(true), None),
        },
        (Outcome::Answered(200), None) => match sight.answer {
            Some((head, _)) if noindex(head) => (Some(false), Some(IndexReason::Noindex)),
            _ => (None, None),
        },
        (Outcome::Answered(_) | Outcome::Redirected { .. }, _) => {
            (Some(false), Some(IndexReason::Status))
        }
    }
}
