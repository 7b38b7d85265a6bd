//! `<link>` elements and `Link` headers: canonical, alternates, pagination, feeds.

use document::LinkKind;

use super::super::relation;
use super::PageTokenReader;
use crate::link_header::HeaderLink;
use html::entity::{EntityContext, resolve};
use html::tokenizer::Tokenizer;

impl PageTokenReader<'_> {
    pub(super) fn link_element(&mut self, tag: &Tokenizer<'_>) {
        let [rel, href, content_type] = tag.attribute_values(["rel", "href", "type"]);
        let (Some(rel), Some(href)) = (rel, href) else { return };
        let Some(kind) = relation::kind(rel, content_type) else { return };
        let href = resolve(href, EntityContext::Attribute);
        if href.trim().is_empty() {
            return;
        }
        let Some(url) = self.resolve(&href) else { return };
        if kind == LinkKind::Canonical && self.canonical.is_none() {
            self.canonical = Some(url.clone());
        }
        if let Some(hreflang) = tag.attribute("hreflang")
            && relation::takes_hreflang(rel, kind)
        {
            self.alternates.add(hreflang, &url);
        }
        // A fragment of the same page is no link.
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
        // An `anchor` parameter refers to another page or to a part of this one.
        if link.parameter("anchor").is_some_and(|context| {
            context.contains('#') || !self.url.join(&context).is_ok_and(|url| url == *self.url)
        }) {
            return;
        }
        // The `<base>` of the document does not apply to its headers.
        let Ok(url) = self.url.join(address) else { return };
        if kind == LinkKind::Canonical && self.header_canonical.is_none() {
            self.header_canonical = Some(url.clone());
        }
        if relation::takes_hreflang(&rel, kind) {
            for hreflang in link.parameters("hreflang") {
                self.alternates.add(&hreflang, &url);
            }
        }
        self.links.add(url, kind, false);
    }
}
