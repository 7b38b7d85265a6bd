//! What a page and its headers say of its relations: its own address, its versions,
//! its neighbours in a series, its feeds.

use super::super::link::LinkKind;
use super::super::relation;
use super::Reader;
use crate::head::link_header::HeaderLink;
use html::entity::{EntityContext, resolve};
use html::tokenizer::Tokenizer;

impl Reader<'_> {
    pub(super) fn link_element(&mut self, tag: &Tokenizer<'_>) {
        let (Some(rel), Some(href)) = (tag.attribute("rel"), tag.attribute("href")) else { return };
        let Some(kind) = relation::kind(rel, tag.attribute("type")) else { return };
        let href = resolve(href, EntityContext::Attribute);
        if href.trim().is_empty() {
            return;
        }
        let Some(url) = self.resolve(&href) else { return };
        if kind == LinkKind::Canonical && self.canonical.is_none() {
            self.canonical = Some(url.clone());
        }
        if let Some(hreflang) = tag.attribute("hreflang")
            && relation::is_version(rel, kind)
        {
            self.alternates.add(hreflang, &url);
        }
        // A place on this very page is no way to another.
        if !href.trim_start().starts_with('#') {
            self.links.add(url, kind, false);
        }
    }

    pub(super) fn header_link(&mut self, link: &HeaderLink<'_>) {
        let Some(rel) = link.parameter("rel") else { return };
        let content_type = link.parameter("type");
        let Some(kind) = relation::kind(&rel, content_type.as_deref()) else { return };
        let address = link.address.trim();
        if address.is_empty() || address.starts_with('#') {
            return;
        }
        // A header may speak of other pages, and of parts of this one.
        if link.parameter("anchor").is_some_and(|context| {
            context.contains('#') || !self.url.join(&context).is_ok_and(|url| url == *self.url)
        }) {
            return;
        }
        // The base that a document names is not that of its headers.
        let Ok(url) = self.url.join(address) else { return };
        if kind == LinkKind::Canonical && self.canonical_of_head.is_none() {
            self.canonical_of_head = Some(url.clone());
        }
        if relation::is_version(&rel, kind) {
            for hreflang in link.parameters("hreflang") {
                self.alternates.add(&hreflang, &url);
            }
        }
        self.links.add(url, kind, false);
    }
}
