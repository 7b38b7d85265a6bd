//! Whether a text says that the price is told when one asks for it.

/// Says it by itself, wherever it stands.
const PHRASES: &[&str] = &[
    "call for price",
    "call for pricing",
    "call for a price",
    "call for quote",
    "call for a quote",
    "call us for price",
    "call for best price",
    "email for price",
    "e-mail for price",
    "contact us for price",
    "contact us for a price",
    "contact us for pricing",
    "contact for price",
    "contact for pricing",
    "contact us for a quote",
    "ask for price",
    "ask for a price",
    "ask for the price",
    "ask us for a price",
    "enquire for price",
    "inquire for price",
    "please call for",
    "login for price",
    "log in for price",
    "login to see price",
    "log in to see price",
    "sign in for price",
    "sign in to see price",
    "price available on",
    "sur devis",
    "nous consulter",
    "nous contacter pour",
    "demandez le prix",
    "demander le prix",
    "contactez-nous pour connaître",
    "preis anfragen",
    "preis erfragen",
    "preis bitte anfragen",
    "preis auf nachfrage",
    "preise nach anmeldung",
    "preis nach anmeldung",
    "preise nur für",
    "preis nach vereinbarung",
    "anfrage für preis",
    "consultar precio",
    "consulte precio",
    "consulte el precio",
    "pregunte por el precio",
    "solicitar precio",
    "richiedi prezzo",
    "richiedi il prezzo",
    "contattaci per il prezzo",
    "contattare per",
    "vraag prijs aan",
    "vraag de prijs",
    "vraag naar de prijs",
    "prijs aanvragen",
    "consulte o preço",
    "consulte-nos",
    "consultar preço",
    "solicite o preço",
    "zapytaj o cenę",
    "cena do uzgodnienia",
    "cena do ustalenia",
    "begär pris",
    "begär offert på pris",
    "be om pris",
    "kysy hintaa",
    "kysy tarjous",
    "pyydä tarjous",
    "zeptejte se na cenu",
    "cena dohodou",
    "fiyat sorunuz",
    "fiyat sorun",
    "fiyat için",
    "цену уточняйте",
    "уточняйте цену",
    "узнать цену",
    "запросить цену",
    "ціну уточнюйте",
    "αίτηση τιμής",
    "rugați preț",
    "cere preț",
    "要問合せ",
    "要お問い合わせ",
    "価格はお問い合わせ",
    "お問い合わせください",
    "価格お問合せ",
    "面议",
    "面議",
    "询价",
    "詢價",
    "电议",
    "가격문의",
    "가격 문의",
    "별도문의",
    "hubungi kami untuk harga",
    "liên hệ",
    "giá liên hệ",
    "سعر عند الطلب",
    "السعر عند الطلب",
];

/// Names of the price.
const PRICES: &[&str] = &[
    "price",
    "prices",
    "pricing",
    "preis",
    "preise",
    "verkaufspreis",
    "prix",
    "tarif",
    "tarifs",
    "precio",
    "precios",
    "prezzo",
    "prezzi",
    "prijs",
    "prijzen",
    "preço",
    "preços",
    "preco",
    "cena",
    "ceny",
    "pris",
    "priser",
    "hinta",
    "ár",
    "fiyat",
    "цена",
    "ціна",
    "τιμή",
    "preț",
    "pret",
    "cijena",
    "hind",
    "kaina",
    "harga",
    "offerte",
    "offert",
];

/// Ways to say "on request", which say little without a price beside them.
const REQUESTS: &[&str] = &[
    "on request",
    "upon request",
    "by request",
    "on application",
    "upon application",
    "on enquiry",
    "on inquiry",
    "upon enquiry",
    "auf anfrage",
    "nur auf anfrage",
    "anfragen",
    "auf wunsch",
    "sur demande",
    "sur simple demande",
    "sur consultation",
    "bajo consulta",
    "bajo pedido",
    "a consultar",
    "consultar",
    "bajo petición",
    "a petición",
    "su richiesta",
    "a richiesta",
    "da richiedere",
    "op aanvraag",
    "sob consulta",
    "a consultar",
    "mediante consulta",
    "na zapytanie",
    "na życzenie",
    "på förfrågan",
    "på begäran",
    "på forespørsel",
    "efter forespørgsel",
    "på forespørgsel",
    "ved henvendelse",
    "pyynnöstä",
    "pyydettäessä",
    "na dotaz",
    "na vyžádání",
    "na vyžiadanie",
    "na upit",
    "na zahtjev",
    "na povpraševanje",
    "kérésre",
    "érdeklődjön",
    "talep üzerine",
    "sorunuz",
    "по запросу",
    "за запитом",
    "договорная",
    "договірна",
    "κατόπιν αιτήματος",
    "κατόπιν ζήτησης",
    "la cerere",
    "atas permintaan",
    "päringul",
    "pagal užklausą",
];

/// The whole text, when it is nothing else.
const WHOLE: &[&str] = &[
    "poa",
    "p.o.a",
    "p.o.a.",
    "tba",
    "ask",
    "call",
    "ask for price",
    "por",
    "anfrage",
    "ask price",
    "request price",
    "request pricing",
    "get price",
    "enquire",
    "inquire",
    "auf nachfrage",
    "consultar",
    "consulte",
    "договорная",
];

/// A text that is longer speaks of other things as well.
const MAX_BYTES: usize = 300;
/// How far apart the price and the request stand.
const REACH: usize = 40;

/// Whether the text says so.
pub(crate) fn is_on_request(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let text = text.to_lowercase().replace('’', "'");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if WHOLE.contains(&bare) || REQUESTS.contains(&bare) || PHRASES.iter().any(|p| text.contains(p))
    {
        return true;
    }
    let found = |request: &str| text.match_indices(request).any(|(at, _)| is_of_price(&text, at));
    REQUESTS.iter().any(|request| found(request))
}

/// Whether a price is named near this place, and nothing ends between.
fn is_of_price(text: &str, at: usize) -> bool {
    let (before, behind) = text.split_at(at);
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(REACH))..];
    let behind = &behind[..behind.floor_char_boundary(REACH)];
    let before = before.rsplit(['.', '!', ';']).next().unwrap_or_default();
    let behind = behind.split(['.', '!', ';']).next().unwrap_or_default();
    let names =
        |part: &str| part.split(|c: char| !c.is_alphanumeric()).any(|word| PRICES.contains(&word));
    names(before) || names(behind)
}

#[cfg(test)]
mod tests {
    use super::is_on_request;

    #[test]
    fn prices_that_are_told_on_request() {
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
    fn other_texts_are_not_about_the_price() {
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
