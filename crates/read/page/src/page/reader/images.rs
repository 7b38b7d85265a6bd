//! Images and media, with the attributes that scripts load them from later: what a
//! reader sees in the end, the markup names already.

use super::super::link::LinkKind;
use super::Reader;
use html::entity::{EntityContext, resolve};
use html::tokenizer::Tokenizer;
use html::srcset;

/// Where the address of an image may stand: the first is the standard's, the others
/// are those of the usual scripts for lazy loading.
const ADDRESSES: &[&str] = &["src", "data-src", "data-lazy-src", "data-original"];

/// Where addresses for several sizes may stand.
const SETS: &[&str] = &["srcset", "data-srcset", "data-lazy-srcset"];

impl Reader<'_> {
    pub(super) fn image(&mut self, tag: &Tokenizer<'_>) {
        if let Some(alt) = tag.attribute("alt").filter(|_| self.open_link.is_some()) {
            // What an image stands for is the text of its link.
            self.anchor.push(&resolve(alt, EntityContext::Attribute));
            self.anchor.gap();
        }
        if !self.limits.images {
            return;
        }
        if tag.is_foreign() {
            self.link_from(tag, "href", LinkKind::Image);
            self.link_from(tag, "xlink:href", LinkKind::Image);
        }
        for name in ADDRESSES {
            self.link_from(tag, name, LinkKind::Image);
        }
        self.image_set(tag);
    }

    /// A choice for `<picture>`, `<video>` or `<audio>`: only the first has sets.
    pub(super) fn source(&mut self, tag: &Tokenizer<'_>) {
        self.media(tag, "src");
        self.media(tag, "data-src");
        if self.limits.images {
            self.image_set(tag);
        }
    }

    pub(super) fn media(&mut self, tag: &Tokenizer<'_>, name: &str) {
        if self.limits.images {
            self.link_from(tag, name, LinkKind::Media);
        }
    }

    /// The image that a film shows before it begins.
    pub(super) fn poster(&mut self, tag: &Tokenizer<'_>) {
        if self.limits.images {
            self.link_from(tag, "poster", LinkKind::Image);
        }
    }

    fn image_set(&mut self, tag: &Tokenizer<'_>) {
        for name in SETS {
            if let Some(set) = tag.attribute(name) {
                for address in srcset::candidates(&resolve(set, EntityContext::Attribute)) {
                    self.link(address, LinkKind::Image, false);
                }
            }
        }
    }
}
