//! Parses vCard files of versions 2.1, 3.0 and 4.0.
//!
//! Supports folded lines, quoted-printable, charsets, groups and parameters. Cards and lines
//! are limited; other text is ignored.

use super::address::PostalAddress;
use super::structured_data;

/// Maximum cards of a file, and maximum length of a line in bytes.
const MAX_CARDS: usize = 200;
const MAX_LINE: usize = 8_000;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct VCard {
    /// Formatted name (`FN`).
    pub name: Option<String>,
    /// Parts of the structured name (`N`).
    pub surname: Option<String>,
    pub given: Option<String>,
    pub prefix: Option<String>,
    pub organization: Option<String>,
    pub department: Option<String>,
    pub title: Option<String>,
    pub mails: Vec<String>,
    /// Number and type: `fax`, `cell` or empty.
    pub phones: Vec<(String, &'static str)>,
    pub addresses: Vec<PostalAddress>,
    pub urls: Vec<String>,
}

impl VCard {
    /// Whether the card is that of a company.
    pub fn is_organization(&self) -> bool {
        let named = |part: &Option<String>| part.as_deref().is_some_and(|part| !part.is_empty());
        let same = self.name.is_some() && self.name == self.organization;
        same || (self.organization.is_some()
            && !named(&self.surname)
            && !named(&self.given)
            && self.title.is_none())
    }
}

pub(crate) fn parse_vcards(text: &str) -> Vec<VCard> {
    let mut cards: Vec<VCard> = Vec::new();
    let mut card: Option<VCard> = None;
    for line in unfolded(text) {
        let Some(property) = VCardProperty::read(&line) else { continue };
        match (property.name.as_str(), &mut card) {
            ("BEGIN", _) if property.value.eq_ignore_ascii_case("VCARD") => {
                card = Some(VCard::default())
            }
            ("END", _) => {
                cards.extend(card.take().filter(|card| *card != VCard::default()));
                if cards.len() >= MAX_CARDS {
                    break;
                }
            }
            (_, Some(card)) => property.apply(card),
            (_, None) => {}
        }
    }
    cards
}

/// Joins the continuation lines of folded properties.
fn unfolded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()).take(20_000) {
        let soft = lines.last().is_some_and(|last| {
            last.ends_with('=') && last.to_ascii_uppercase().contains("QUOTED-PRINTABLE")
        });
        match lines.last_mut() {
            Some(last) if soft && last.len() + line.len() < MAX_LINE => {
                last.pop();
                last.push_str(line.trim_start());
            }
            Some(last) if line.starts_with([' ', '\t']) && last.len() + line.len() < MAX_LINE => {
                last.push_str(&line[1..]);
            }
            _ => lines.push(
                line.get(..line.floor_char_boundary(MAX_LINE)).unwrap_or_default().to_owned(),
            ),
        }
    }
    lines
}

struct VCardProperty {
    name: String,
    kinds: Vec<String>,
    value: String,
}

impl VCardProperty {
    fn read(line: &str) -> Option<Self> {
        let mut quoted = false;
        let colon = line.char_indices().find(|(_, c)| {
            quoted ^= *c == '"';
            *c == ':' && !quoted
        })?;
        let (head, value) = (line.get(..colon.0)?, line.get(colon.0 + 1..)?);
        let mut parts = head.split(';');
        let name = parts.next()?;
        let name = name.rsplit('.').next()?.trim().to_ascii_uppercase();
        let (mut kinds, mut is_printable, mut charset) = (Vec::new(), false, String::new());
        for part in parts {
            let (key, given) = part.split_once('=').unwrap_or(("TYPE", part));
            match key.to_ascii_uppercase().as_str() {
                "TYPE" => kinds.extend(
                    given.split(',').map(|kind| kind.trim_matches('"').to_ascii_lowercase()),
                ),
                "ENCODING" => is_printable = given.eq_ignore_ascii_case("QUOTED-PRINTABLE"),
                "CHARSET" => given.clone_into(&mut charset),
                _ => {}
            }
        }
        is_printable |= kinds.iter().any(|kind| kind == "quoted-printable");
        let value =
            if is_printable { decode_quoted_printable(value, &charset) } else { value.to_owned() };
        Some(Self { name, kinds, value })
    }

    fn is(&self, kind: &str) -> bool {
        self.kinds.iter().any(|known| known == kind)
    }

    fn apply(self, card: &mut VCard) {
        let parts = unescaped(&self.value, Some(';'), ", ");
        let part = |at: usize| {
            parts.get(at).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty())
        };
        let whole = || {
            let text = unescaped(&self.value, None, " ").concat();
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        match self.name.as_str() {
            "FN" => card.name = card.name.take().or_else(whole),
            "N" => {
                card.surname = part(0);
                card.given = part(1);
                card.prefix = part(3);
            }
            "ORG" => {
                card.organization = part(0);
                card.department = part(1);
            }
            "TITLE" | "ROLE" => card.title = card.title.take().or_else(whole),
            "EMAIL" if card.mails.len() < 20 => card.mails.extend(whole()),
            "TEL" if card.phones.len() < 20 => {
                let kind = if self.is("fax") {
                    "fax"
                } else if self.is("cell") {
                    "cell"
                } else {
                    ""
                };
                card.phones.extend(
                    whole().map(|number| (number.trim_start_matches("tel:").to_owned(), kind)),
                );
            }
            "ADR" if card.addresses.len() < 20 => {
                let street = [part(0), part(1), part(2)]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", ");
                let street = Some(street).filter(|street| !street.is_empty());
                card.addresses.extend(structured_data::address_from_parts(
                    street,
                    part(3),
                    part(4),
                    part(5),
                    part(6).as_deref(),
                ));
            }
            "URL" | "X-SOCIALPROFILE" if card.urls.len() < 20 => card.urls.extend(whole()),
            _ => {}
        }
    }
}

/// Resolves the escapes of a value and splits it at each unescaped `separator`.
fn unescaped(value: &str, separator: Option<char>, line_break: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        let Some(last) = parts.last_mut() else { break };
        match c {
            c if Some(c) == separator => parts.push(String::new()),
            '\\' => match chars.next() {
                Some('n' | 'N') => last.push_str(line_break),
                Some(c) => last.push(c),
                None => {}
            },
            c => last.push(c),
        }
    }
    parts
}

/// Decodes quoted-printable text in the given charset.
fn decode_quoted_printable(value: &str, charset: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'=').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    match encoding_rs::Encoding::for_label(charset.as_bytes()) {
        Some(encoding) => encoding.decode(&bytes).0.into_owned(),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vcards_of_all_versions_are_parsed() {
        let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Berg;Anna;;Dr.;\r\nFN:Dr. Anna Berg\r\nORG:Muster GmbH;Vertrieb\r\n\
                    TITLE:Leiterin\r\nTEL;TYPE=WORK,VOICE:+49 30 1234\r\nTEL;TYPE=FAX:+49 30\r\n  1235\r\n\
                    EMAIL:a.berg@firma.test\r\nADR;TYPE=WORK:;;Weg 1;Berlin;;10115;Germany\r\nEND:VCARD\r\n\
                    BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller=\n GmbH\nORG:x\nEND:VCARD";
        let cards = parse_vcards(text);
        assert_eq!(cards.len(), 2);
        let anna = &cards[0];
        assert_eq!((anna.surname.as_deref(), anna.given.as_deref()), (Some("Berg"), Some("Anna")));
        assert_eq!(
            anna.phones,
            [("+49 30 1234".to_owned(), ""), ("+49 30 1235".to_owned(), "fax")]
        );
        assert_eq!(anna.addresses[0].country.as_deref(), Some("DE"));
        assert!(!anna.is_organization());
        assert_eq!(cards[1].name.as_deref(), Some("MüllerGmbH"));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(text in "(BEGIN:VCARD\r\n|END:VCARD\n|ADR|TEL;TYPE=|:|;|=|\\PC| |\r\n){0,60}") {
            let _ = parse_vcards(&text);
        }
    }
}
