//! Removes all structured data from a page and keeps its visible content.

/// Attributes with structured data.
const MACHINE: &str = "\
    itemscope itemtype itemprop itemref itemid vocab typeof property resource prefix content \
    datatype data-product data-product_variations data-product-json data-mage-init \
    data-price-amount data-price-type data-product-id data-product-sku data-name \
    data-product-brand data-product-price data-product-category data-entity-id data-variants \
    data-product-information data-price data-sku about rel-data";

/// The page without JSON-LD, microdata, RDFa, product meta and embedded state.
pub(super) fn stripped(html: &str) -> String {
    let mut kept = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (text, tagged) = rest.split_at(at);
        kept.push_str(text);
        let (tag, after) = tagged.split_at(end_of_tag(tagged));
        rest = after;
        let name = tag.trim_start_matches('<').split([' ', '>', '\n', '/']).next().unwrap_or("");
        match name {
            // An external script contains no data.
            "script" if !tag.contains(" src=") => {
                rest = rest.split_once("</script>").map_or("", |(_, after)| after);
            }
            "meta"
                if [" property=", " itemprop=", " name=\"twitter:"]
                    .iter()
                    .any(|mark| tag.contains(mark)) => {}
            "link" if tag.contains(" itemprop=") || tag.contains(" property=") => {}
            "meta" => kept.push_str(tag),
            _ if tag.starts_with("<!") || tag.starts_with("</") => kept.push_str(tag),
            _ => kept.push_str(&plain(tag)),
        }
    }
    kept + rest
}

/// The end of the tag at the start of `text`; a `>` within quotes does not end it.
fn end_of_tag(text: &str) -> usize {
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |at| at + 3);
    }
    position_outside_quotes(text, b">").map_or(text.len(), |at| at + 1)
}

/// The first of these bytes outside of quotes.
fn position_outside_quotes(text: &str, wanted: &[u8]) -> Option<usize> {
    let mut quote = None;
    text.bytes().position(|byte| {
        match (quote, byte) {
            (None, _) if wanted.contains(&byte) => return true,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        false
    })
}

/// The tag without its attributes of structured data.
fn plain(tag: &str) -> String {
    let mut kept = String::with_capacity(tag.len());
    let mut rest = tag;
    while let Some(at) = rest.find([' ', '\n']) {
        kept.push_str(&rest[..at]);
        let attribute = &rest[at + 1..];
        let end = position_outside_quotes(attribute, b" \n>").unwrap_or(attribute.len());
        let (whole, after) = attribute.split_at(end);
        let name = whole.split('=').next().unwrap_or_default();
        if MACHINE.split(' ').all(|known| known != name) {
            kept.push_str(&rest[at..=at]);
            kept.push_str(whole);
        }
        rest = after;
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::stripped;

    #[test]
    fn structured_data_is_removed_and_visible_content_kept() {
        let html = "<head><meta name=\"description\" content=\"Hi\">\
                    <meta property=\"og:title\" content=\"a > b\">\
                    <script type=\"application/ld+json\">{\"a\":\"<b>\"}</script>\
                    <script src=\"/a.js\"></script></head><div class=\"p\" itemscope \
                    data-product='{\"a\":1}'>5 <b itemprop=\"price\" content=\"5\">€</b></div>";
        let expected = "<head><meta name=\"description\" content=\"Hi\"><script src=\"/a.js\">\
                        </script></head><div class=\"p\">5 <b>€</b></div>";
        assert_eq!(stripped(html), expected);
    }
}
