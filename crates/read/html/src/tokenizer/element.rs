//! The elements of HTML and their properties.

use crate::element_set;

/// Generates the enum and its lookup table from one list of names.
macro_rules! elements {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// An HTML element by its tag name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Element {
            $($(#[$doc])* $variant,)*
            /// A custom element: its name contains a hyphen.
            Custom,
            /// An element with an unknown name.
            Other,
        }

        /// Open-addressing hash table of the elements with names of up to eight bytes. A lookup
        /// takes one probe in most cases; a binary search took a large part of the tokenizer's time.
        static SLOTS: [(u64, Element); SLOT_COUNT] = {
            let mut places = [(0, Element::Other); SLOT_COUNT];
            let known = [$(($name, Element::$variant)),*];
            let mut at = 0;
            while at < known.len() {
                let (name, _) = known[at];
                if name.len() <= 8 {
                    let key = known_key(name);
                    let mut slot = slot(key);
                    while places[slot].0 != 0 {
                        slot = (slot + 1) % SLOT_COUNT;
                    }
                    places[slot] = (key, known[at].1);
                }
                at += 1;
            }
            places
        };

        impl Element {
            /// The element whose name is the first `length` bytes of `text`, in any case.
            #[inline]
            pub fn named(text: &[u8], length: usize) -> Self {
                let unknown = || Self::unknown(text.get(..length).unwrap_or_default());
                let Some(key) = key(text, length) else { return unknown() };
                let mut slot = slot(key);
                // The table is never full: an empty slot ends every search.
                loop {
                    match SLOTS[slot] {
                        (known, element) if known == key => return element,
                        (0, _) => return unknown(),
                        _ => slot = (slot + 1) % SLOTS.len(),
                    }
                }
            }

            /// Its name in lower case; empty for [`Element::Custom`] and [`Element::Other`].
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Custom | Self::Other => "",
                }
            }
        }
    };
}

elements! {
    A = "a",
    Abbr = "abbr",
    Acronym = "acronym",
    Address = "address",
    Applet = "applet",
    Area = "area",
    Article = "article",
    Aside = "aside",
    Audio = "audio",
    B = "b",
    Base = "base",
    Basefont = "basefont",
    Bdi = "bdi",
    Bdo = "bdo",
    Bgsound = "bgsound",
    Big = "big",
    Blink = "blink",
    Blockquote = "blockquote",
    Body = "body",
    Br = "br",
    Button = "button",
    Canvas = "canvas",
    Caption = "caption",
    Center = "center",
    Cite = "cite",
    Code = "code",
    Col = "col",
    Colgroup = "colgroup",
    Data = "data",
    Datalist = "datalist",
    Dd = "dd",
    Del = "del",
    Details = "details",
    Dfn = "dfn",
    Dialog = "dialog",
    Dir = "dir",
    Div = "div",
    Dl = "dl",
    Dt = "dt",
    Em = "em",
    Embed = "embed",
    Fieldset = "fieldset",
    Figcaption = "figcaption",
    Figure = "figure",
    Font = "font",
    Footer = "footer",
    Form = "form",
    Frame = "frame",
    Frameset = "frameset",
    H1 = "h1",
    H2 = "h2",
    H3 = "h3",
    H4 = "h4",
    H5 = "h5",
    H6 = "h6",
    Head = "head",
    Header = "header",
    Hgroup = "hgroup",
    Hr = "hr",
    Html = "html",
    I = "i",
    Iframe = "iframe",
    Image = "img",
    Input = "input",
    Ins = "ins",
    Kbd = "kbd",
    Keygen = "keygen",
    Label = "label",
    Legend = "legend",
    Li = "li",
    Link = "link",
    Main = "main",
    Map = "map",
    Mark = "mark",
    Marquee = "marquee",
    Math = "math",
    Menu = "menu",
    Meta = "meta",
    Meter = "meter",
    Nav = "nav",
    Nobr = "nobr",
    Noembed = "noembed",
    Noframes = "noframes",
    Noscript = "noscript",
    Object = "object",
    Ol = "ol",
    Optgroup = "optgroup",
    Option = "option",
    Output = "output",
    P = "p",
    Param = "param",
    Picture = "picture",
    Plaintext = "plaintext",
    Pre = "pre",
    Progress = "progress",
    Q = "q",
    Rb = "rb",
    Rp = "rp",
    Rt = "rt",
    Rtc = "rtc",
    Ruby = "ruby",
    S = "s",
    Samp = "samp",
    Script = "script",
    Search = "search",
    Section = "section",
    Select = "select",
    Slot = "slot",
    Small = "small",
    Source = "source",
    Span = "span",
    Strike = "strike",
    Strong = "strong",
    Style = "style",
    Sub = "sub",
    Summary = "summary",
    Sup = "sup",
    Svg = "svg",
    Table = "table",
    Tbody = "tbody",
    Td = "td",
    Template = "template",
    Textarea = "textarea",
    Tfoot = "tfoot",
    Th = "th",
    Thead = "thead",
    Time = "time",
    Title = "title",
    Tr = "tr",
    Track = "track",
    Tt = "tt",
    U = "u",
    Ul = "ul",
    Var = "var",
    Video = "video",
    Wbr = "wbr",
    Xmp = "xmp",
}

/// Number of slots, several for each name to keep collisions rare.
const SLOT_COUNT: usize = 512;

/// Elements whose names are longer than the keys of the table.
const LONG_NAMES: [Element; 3] = [Element::Blockquote, Element::Figcaption, Element::Plaintext];

/// The first slot of a key.
#[inline]
const fn slot(key: u64) -> usize {
    // Fibonacci hashing: the multiplication spreads the bits over the upper ones.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize
}

/// A name of up to eight bytes as a number in lower case.
#[inline]
fn key(text: &[u8], length: usize) -> Option<u64> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // Loads eight bytes at once and masks those after the name: a loop over the bytes took longer
    // than the rest of the lookup.
    let word = match text.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0; 8];
            word.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(word)
        }
    };
    // The highest bit of each byte is set by an addition if the byte is at least `A`, or above `Z`.
    let ascii = word & (0x7f * EACH);
    let (from_a, above_z) = (ascii + (0x80 - 0x41) * EACH, ascii + (0x80 - 0x5b) * EACH);
    let capitals = (from_a ^ above_z) & !word & (0x80 * EACH);
    let lower_case = word | capitals >> 2;
    let unused = u32::try_from(8 * 8_usize.checked_sub(length)?).ok()?;
    Some(lower_case & u64::MAX.checked_shr(unused).unwrap_or(0))
}

const fn known_key(name: &str) -> u64 {
    let mut key = 0;
    let mut at = name.len();
    while at > 0 {
        at -= 1;
        key = (key << 8) | name.as_bytes()[at] as u64;
    }
    key
}

impl Element {
    /// The element of a name that is not in the table.
    fn unknown(name: &[u8]) -> Self {
        let is_named = |element: &&Self| element.name().as_bytes().eq_ignore_ascii_case(name);
        if let Some(element) = LONG_NAMES.iter().find(is_named) {
            return *element;
        }
        match name {
            [b'i' | b'I', b'm' | b'M', b'a' | b'A', b'g' | b'G', b'e' | b'E'] => Self::Image,
            _ if name.contains(&b'-') => Self::Custom,
            _ => Self::Other,
        }
    }

    /// Whether text continues through the element without a break.
    #[inline]
    pub fn is_inline(self) -> bool {
        element_set!(
            A Abbr Acronym B Bdi Bdo Big Cite Code Data Del Dfn Em Font I Ins Kbd Label Mark Nobr
            Q Ruby S Samp Small Span Strike Strong Sub Sup Time Tt U Var Wbr
        )
        .contains(self)
    }

    /// Whether its content is one run of text, in which unknown elements are part of the line:
    /// paragraphs, headings, code.
    #[inline]
    pub fn is_text_line(self) -> bool {
        element_set!(P H1 H2 H3 H4 H5 H6 Pre Code Figcaption Dt Summary).contains(self)
    }

    /// Whether it is a void element, without content and end tag.
    #[inline]
    pub fn is_void(self) -> bool {
        element_set!(
            Area Base Basefont Bgsound Br Col Embed Frame Hr Image Input Keygen Link Meta Param
            Source Track Wbr
        )
        .contains(self)
    }

    /// The level of a heading, 1 to 6.
    #[inline]
    pub fn heading_level(self) -> Option<u8> {
        match self {
            Self::H1 => Some(1),
            Self::H2 => Some(2),
            Self::H3 => Some(3),
            Self::H4 => Some(4),
            Self::H5 => Some(5),
            Self::H6 => Some(6),
            _ => None,
        }
    }

    /// Whether the content after its start tag is read by other rules.
    #[inline]
    pub(super) fn changes_rules(self) -> bool {
        element_set!(
            Iframe Math Noembed Noframes Noscript Plaintext Script Style Svg Textarea Title Xmp
        )
        .contains(self)
    }

    #[inline]
    pub(super) fn is_foreign_root(self) -> bool {
        matches!(self, Self::Svg | Self::Math)
    }

    /// Whether its content is raw text.
    #[inline]
    pub(super) fn is_raw(self) -> bool {
        self == Self::Plaintext || self.raw_name().is_some()
    }

    /// The tag name that ends its raw text. `noscript` is not among them: this crate runs no
    /// scripts, so that its content is markup.
    pub(super) fn raw_name(self) -> Option<&'static [u8]> {
        match self {
            Self::Iframe
            | Self::Noembed
            | Self::Noframes
            | Self::Script
            | Self::Style
            | Self::Textarea
            | Self::Title
            | Self::Xmp => Some(self.name().as_bytes()),
            _ => None,
        }
    }
}
