//! Images and media, including the attributes of lazy loading scripts.

use document::LinkKind;

use super::PageTokenReader;
use html::entity::{EntityContext, resolve};
use html::srcset;
use html::tokenizer::Tokenizer;

/// Attributes of an image URL: the standard one, then those of common lazy loading scripts.
const ADDRESSES: &[&str] = &["src", "data-src", "data-lazy-src", "data-original"];

/// Attributes with image URLs for several sizes.
const SETS: &[&str] = &["srcset", "data-srcset", "data-lazy-srcset"];

impl PageTokenReader<'_> {
    pub(super) fn image(&mut self, tag: &Tokenizer<'_>) {
        if let Some(alt) = tag.attribute("alt").filter(|_| self.open_link.is_some()) {
            // The `alt` of an image is part of the anchor text.
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

    /// A `source` of `picture`, `video` or `audio`: only `picture` has a `srcset`.
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

    /// The poster image of a video.
    pub(super) fn poster(&mut self, tag: &Tokenizer<'_>) {
        if self.limits.images {
            self.link_from(tag, "poster", LinkKind::Image);
        }
    }

    fn image_set(&mut self, tag: &Tokenizer<'_>) {
        for name in SETS {
            if let Some(set) = tag.attribute(name) {
                for image in srcset::candidates(&resolve(set, EntityContext::Attribute)) {
                    self.link(image.url, LinkKind::Image, false);
                }
            }
        }
    }
}
