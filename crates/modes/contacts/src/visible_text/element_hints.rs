//! What element names, roles and classes say: zones of the page, and icons.

use std::sync::LazyLock;

use hashbrown::HashMap;

use super::{Icon, Zone};
use html::dom::{Dom, Element, NodeId};
use text::vocabulary::{self, TermSet};

static ICON_FONT_CLASSES: TermSet = word_set!("visible_text/icon_font_classes.txt");
static FAX_ICONS: TermSet = word_set!("visible_text/fax_icons.txt");
static MOBILE_ICONS: TermSet = word_set!("visible_text/mobile_icons.txt");
static PHONE_ICONS: TermSet = word_set!("visible_text/phone_icons.txt");
static MAIL_ICONS: TermSet = word_set!("visible_text/mail_icons.txt");
static PLACE_ICONS: TermSet = word_set!("visible_text/place_icons.txt");

/// The zone of each known word of a class or id.
static ZONE_CLASSES: LazyLock<HashMap<&str, Zone>> = LazyLock::new(|| {
    let files = [
        (Zone::Footer, term_file!("visible_text/footer_classes.txt")),
        (Zone::Quote, term_file!("visible_text/quote_classes.txt")),
        (Zone::Notice, term_file!("visible_text/notice_classes.txt")),
        (Zone::Aside, term_file!("visible_text/aside_classes.txt")),
        (Zone::Nav, term_file!("visible_text/navigation_classes.txt")),
    ];
    let words = |(zone, text)| vocabulary::words(text).map(move |word| (word, zone));
    files.into_iter().flat_map(words).collect()
});

/// The lower-case words of a class or id.
fn words_of(value: &str) -> impl Iterator<Item = String> + '_ {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(40)
        .map(str::to_ascii_lowercase)
}

/// The icon that an element shows.
pub(super) fn icon_of(dom: &Dom<'_>, at: NodeId, element: Element) -> Option<Icon> {
    let names = ["class", "alt", "src", "data-icon", "aria-label", "title", "name"];
    let is_picture = matches!(element, Element::Image | Element::Svg);
    for name in names {
        let Some(value) = dom.attribute(at, name) else { continue };
        if name != "class" && !is_picture && name != "data-icon" && element != Element::I {
            continue;
        }
        let words: Vec<String> = words_of(&value).collect();
        let has = |known: &TermSet| words.iter().any(|word| known.contains(word.as_str()));
        // Other classes may name a column: an icon needs a class of an icon font.
        let is_pictured = is_picture || element == Element::I || has(&ICON_FONT_CLASSES);
        if !is_pictured {
            continue;
        }
        let icons = [
            (&FAX_ICONS, Icon::Fax),
            (&MOBILE_ICONS, Icon::Mobile),
            (&PHONE_ICONS, Icon::Phone),
            (&MAIL_ICONS, Icon::Mail),
            (&PLACE_ICONS, Icon::Place),
        ];
        if let Some((_, icon)) = icons.into_iter().find(|(known, _)| has(known)) {
            return Some(icon);
        }
    }
    None
}

/// The zone that an element begins.
pub(super) fn zone_of(dom: &Dom<'_>, at: NodeId, element: Element) -> Option<Zone> {
    use Element as E;
    // The footer of an article is part of the content.
    let in_article = || dom.ancestors(at).take(12).any(|above| dom.is(above, E::Article));
    let by_name = match element {
        E::Footer | E::Header if in_article() => None,
        E::Footer => Some(Zone::Footer),
        E::Nav => Some(Zone::Nav),
        E::Header => Some(Zone::Header),
        E::Aside => Some(Zone::Aside),
        E::Main | E::Article => Some(Zone::Main),
        E::Blockquote | E::Q => Some(Zone::Quote),
        E::Form => Some(Zone::Form),
        E::Dialog => Some(Zone::Notice),
        _ => None,
    };
    match dom.raw_attribute(at, "role") {
        Some("contentinfo") => return Some(Zone::Footer),
        Some("navigation") => return Some(Zone::Nav),
        Some("banner") => return Some(Zone::Header),
        Some("dialog" | "alertdialog") => return Some(Zone::Notice),
        Some("main") => return Some(Zone::Main),
        Some("complementary") => return Some(Zone::Aside),
        _ => {}
    }
    if element.is_inline() || matches!(element, E::Body | E::Html) {
        return by_name;
    }
    for name in ["class", "id"] {
        let Some(value) = dom.raw_attribute(at, name) else { continue };
        // A page builder names every part of the content a widget.
        let is_built = value.split_ascii_whitespace().any(|class| class.starts_with("elementor-"));
        for word in words_of(value).filter(|word| !is_built || word != "widget") {
            let zone = match ZONE_CLASSES.get(word.as_str()) {
                Some(Zone::Aside) if by_name.is_some() => continue,
                Some(zone) => *zone,
                None => continue,
            };
            // A widget in a footer belongs to the footer.
            let outer = dom.ancestors(at).take(30).any(|above| {
                dom.is(above, E::Footer) || dom.raw_attribute(above, "role") == Some("contentinfo")
            });
            let is_widget = outer && matches!(zone, Zone::Aside | Zone::Nav);
            return Some(if is_widget { Zone::Footer } else { zone });
        }
    }
    by_name
}
