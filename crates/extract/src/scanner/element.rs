//! The elements that matter, by name.

/// An element, as far as the reader tells it from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    A,
    Area,
    Audio,
    Base,
    Button,
    Embed,
    Form,
    Frame,
    H1,
    Html,
    Iframe,
    Image,
    Input,
    Link,
    Math,
    Meta,
    Noembed,
    Noframes,
    Object,
    Plaintext,
    Script,
    Source,
    Style,
    Svg,
    Template,
    Textarea,
    Title,
    Track,
    Video,
    Xmp,
    /// Another that stands within a line of text.
    Inline,
    /// Any other: text before and after it is apart.
    Other,
}

impl Element {
    /// The element of a name in any case.
    #[inline]
    pub(super) fn named(name: &[u8]) -> Self {
        let mut lower = [0; 10];
        let Some(lower) = lower.get_mut(..name.len()) else { return Self::Other };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        match &*lower {
            b"a" => Self::A,
            b"area" => Self::Area,
            b"audio" => Self::Audio,
            b"base" => Self::Base,
            b"button" => Self::Button,
            b"embed" => Self::Embed,
            b"form" => Self::Form,
            b"frame" => Self::Frame,
            b"h1" => Self::H1,
            b"html" => Self::Html,
            b"iframe" => Self::Iframe,
            b"img" | b"image" => Self::Image,
            b"input" => Self::Input,
            b"link" => Self::Link,
            b"math" => Self::Math,
            b"meta" => Self::Meta,
            b"noembed" => Self::Noembed,
            b"noframes" => Self::Noframes,
            b"object" => Self::Object,
            b"plaintext" => Self::Plaintext,
            b"script" => Self::Script,
            b"source" => Self::Source,
            b"style" => Self::Style,
            b"svg" => Self::Svg,
            b"template" => Self::Template,
            b"textarea" => Self::Textarea,
            b"title" => Self::Title,
            b"track" => Self::Track,
            b"video" => Self::Video,
            b"xmp" => Self::Xmp,
            b"abbr" | b"acronym" | b"b" | b"bdi" | b"bdo" | b"big" | b"cite" | b"code"
            | b"data" | b"del" | b"dfn" | b"em" | b"font" | b"i" | b"ins" | b"kbd" | b"label"
            | b"mark" | b"nobr" | b"q" | b"ruby" | b"s" | b"samp" | b"small" | b"span"
            | b"strike" | b"strong" | b"sub" | b"sup" | b"time" | b"tt" | b"u" | b"var"
            | b"wbr" => Self::Inline,
            _ => Self::Other,
        }
    }

    /// Whether text goes on through it as if it were not there.
    #[inline]
    pub(crate) fn is_inline(self) -> bool {
        matches!(self, Self::A | Self::Inline)
    }

    #[inline]
    pub(super) fn is_foreign_root(self) -> bool {
        matches!(self, Self::Svg | Self::Math)
    }

    /// Whether its content is text, whatever it looks like.
    #[inline]
    pub(super) fn is_raw(self) -> bool {
        self == Self::Plaintext || self.raw_name().is_some()
    }

    /// The name that ends its raw content. `noscript` is not among them: to a
    /// reader without scripts it is markup.
    pub(super) fn raw_name(self) -> Option<&'static [u8]> {
        match self {
            Self::Iframe => Some(b"iframe"),
            Self::Noembed => Some(b"noembed"),
            Self::Noframes => Some(b"noframes"),
            Self::Script => Some(b"script"),
            Self::Style => Some(b"style"),
            Self::Textarea => Some(b"textarea"),
            Self::Title => Some(b"title"),
            Self::Xmp => Some(b"xmp"),
            _ => None,
        }
    }
}
