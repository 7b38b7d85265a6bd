//! What element names, roles and classes say: zones of the page, and icons.

use super::{Icon, Zone};
use html::dom::{Dom, Element, NodeId};

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
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        // Other classes may name a column: an icon needs a class of an icon font.
        let is_pictured = is_picture
            || element == Element::I
            || has(&[
                "icon",
                "icons",
                "fa",
                "fas",
                "far",
                "fal",
                "fab",
                "glyphicon",
                "bi",
                "ti",
                "ico",
                "dashicons",
                "material",
                "svg",
                "mdi",
                "ion",
                "la",
                "las",
                "icofont",
                "fi",
                "eicon",
            ]);
        if !is_pictured {
            continue;
        }
        if has(&["fax", "telefax", "print", "printer"]) {
            return Some(Icon::Fax);
        }
        if has(&["mobile", "smartphone", "handy", "cellphone", "cell", "movil", "whatsapp"]) {
            return Some(Icon::Mobile);
        }
        if has(&["phone", "telephone", "tel", "telefon", "earphone", "call", "phone2", "headset"]) {
            return Some(Icon::Phone);
        }
        if has(&["envelope", "mail", "email", "at"]) {
            return Some(Icon::Mail);
        }
        if has(&["map", "marker", "location", "pin", "address", "home", "geo"]) {
            return Some(Icon::Place);
        }
    }
    None
}

/// The zone that an element begins.
pub(super) fn zone_of(dom: &Dom<'_>, at: NodeId, element: Element) -> Option<Zone> {
    use Element as E;
    let by_name = match element {
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
        for word in words_of(value) {
            let zone = match word.as_str() {
                "footer" | "foot" | "colophon" | "fusszeile" | "pie" | "rodape" | "stopka"
                | "piede" | "bottombar" | "copyright" => Zone::Footer,
                "testimonial" | "testimonials" | "review" | "reviews" | "quote" | "quotes"
                | "kundenstimmen" | "kundenstimme" | "testimonios" | "testimonianze"
                | "temoignages" | "temoignage" | "opinie" | "referenzen" | "rezension" => {
                    Zone::Quote
                }
                "cookie" | "cookies" | "consent" | "gdpr" | "cmplz" | "cc" | "modal" | "popup"
                | "lightbox" => Zone::Notice,
                "sidebar" | "widget" if by_name.is_none() => Zone::Aside,
                "menu" | "navbar" | "navigation" | "breadcrumb" | "breadcrumbs" => Zone::Nav,
                _ => continue,
            };
            // A widget in a footer belongs to the footer.
            let outer = dom.ancestors(at).take(30).any(|above| {
                dom.is(above, E::Footer) || dom.raw_attribute(above, "role") == Some("contentinfo")
            });
            return Some(if outer && matches!(zone, Zone::Aside | Zone::Nav) {
                Zone::Footer
            } else {
                zone
            });
        }
    }
    by_name
}
