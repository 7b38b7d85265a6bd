//! Recognises texts that say that the price is available on request. The wording is in
//! `data/price_on_request.tsv`.

use text::vocabulary::{TermList, TermSet};

/// A longer text is about other things as well.
const MAX_BYTES: usize = 300;
/// The distance in bytes within which a word for "price" belongs to a request.
const REACH: usize = 40;

/// Phrases that are sufficient anywhere in a text.
static PHRASES: TermList = term_group!("price_on_request.tsv", "phrase");
/// Words that name a price.
static PRICES: TermSet = term_group!("price_on_request.tsv", "price");
/// Ways to say "on request", which need a price beside them or are the whole text.
static REQUESTS: TermList = term_group!("price_on_request.tsv", "request");
/// Further texts that are sufficient as the whole text.
static WHOLE: TermSet = term_group!("price_on_request.tsv", "whole");

pub(crate) fn is_on_request(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let text = text.to_lowercase().replace('’', "'");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if WHOLE.contains(bare)
        || REQUESTS.contains(&bare)
        || PHRASES.iter().any(|phrase| text.contains(phrase))
    {
        return true;
    }
    let found = |request: &str| text.match_indices(request).any(|(at, _)| is_of_price(&text, at));
    REQUESTS.iter().any(|request| found(request))
}

/// Whether the same sentence names a price near this position.
fn is_of_price(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(REACH))..];
    let after = &after[..after.floor_char_boundary(REACH)];
    let before = before.rsplit(['.', '!', ';']).next().unwrap_or_default();
    let after = after.split(['.', '!', ';']).next().unwrap_or_default();
    let names_price =
        |part: &str| part.split(|c: char| !c.is_alphanumeric()).any(|word| PRICES.contains(word));
    names_price(before) || names_price(after)
}

#[cfg(test)]
mod tests {
    use super::is_on_request;

    #[test]
    fn texts_for_prices_on_request_are_recognized() {
        for text in [
            "Preis auf Anfrage",
            "Preis nur auf Anfrage",
            "Bitte Preis anfragen",
            "Auf Anfrage",
            "Price on request",
            "PRICE UPON REQUEST",
            "Price on application",
            "POA",
            "P.O.A.",
            "Call for price",
            "Call for pricing!",
            "Contact us for a price",
            "Ask for price",
            "Prix sur demande",
            "Sur devis",
            "Tarif : nous consulter",
            "Precio a consultar",
            "Precio bajo consulta",
            "Consultar precio",
            "Prezzo su richiesta",
            "Prijs op aanvraag",
            "Preço sob consulta",
            "Cena na zapytanie",
            "Zapytaj o cenę",
            "Pris på förfrågan",
            "Pris på forespørsel",
            "Hinta pyynnöstä",
            "Cena na dotaz",
            "Ár: kérésre",
            "Цена по запросу",
            "Preț la cerere",
            "価格はお問い合わせください",
            "面议",
            "가격문의",
            "Log in to see prices",
            "Preise nach Anmeldung sichtbar",
        ] {
            assert!(is_on_request(text), "{text}");
        }
    }

    #[test]
    fn requests_for_other_things_are_no_price_on_request() {
        for text in [
            "",
            "12,90 €",
            "Mengenrabatt auf Anfrage an uns. Lieferung sofort",
            "Samples on request",
            "Request a quote",
            "Angebot anfordern",
            "Demander un devis",
            "Sonderfarben auf Anfrage",
            "Please call us",
            "Contact",
            "Unser Preis: 12 €",
        ] {
            assert!(!is_on_request(text), "{text}");
        }
    }
}
