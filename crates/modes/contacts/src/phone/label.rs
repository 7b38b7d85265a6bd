//! The words that stand before numbers: those that make it a number to call, and those that
//! make it anything else.

use std::sync::LazyLock;

use contract::PhoneType;

use crate::wordlist::{Wordlist, words};

/// What a word makes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Voice,
    Fax,
    Mobile,
    /// Something that nobody calls.
    Other,
}

impl Label {
    pub fn kind(self) -> PhoneType {
        match self {
            Self::Voice => PhoneType::Voice,
            Self::Fax => PhoneType::Fax,
            Self::Mobile => PhoneType::Mobile,
            Self::Other => PhoneType::Unknown,
        }
    }
}

/// How many words before a number are looked at.
const REACH: usize = 5;

static VOICE: Wordlist = LazyLock::new(|| {
    words(
        "tel tels telefon telefonisch telefonnummer telefonzentrale telefonnr fon phone phones
         telephone telephones ph call calls ring téléphone telephoner tél tèl appelez appeler
         appel standard telefono telefoni teléfono teléfonos telefonos tfno tfn tlf tlfn llame
         llámenos llámanos llamenos llamanos centralita chiama chiamaci centralino telefone
         telefones ligue telefoon telefoonnummer telnr bel bellen rufnummer ruf anruf rufen
         durchwahl zentrale hotline festnetz switchboard helpline infoline infolinia landline
         freephone tollfree zadzwoń telefoniczny telefonu tel1 tel2 telefonicznie recepcja
         reception recepción rezeption notruf notdienst servicenummer servicetelefon
         kundentelefon bereitschaft fixe fijo fisso stacjonarny linea línea dial
         sekretariat secretariat sac fono standort-telefon telephonenumber centrala tél1
         callcenter appelle vast",
    )
});
static FAX: Wordlist = LazyLock::new(|| {
    words(
        "fax telefax faks telefaks télécopie telecopie télécopieur telecopieur faxnummer faxnr
         telefaxnummer facsimile fx télécopies telefaxnr",
    )
});
static MOBILE: Wordlist = LazyLock::new(|| {
    words(
        "mobil mobile mob handy mobiltelefon mobilfunk mobilnummer handynummer portable port app móvil
         movil móviles cell cellphone cellulare cellulari cel celular celulares gsm kom komórka
         komórkowy komorkowy telemóvel telemovel telemóveis tlm natel mobiel mobiele whatsapp
         smartphone cellular wapp móv 06-nummer",
    )
});
/// A number behind one of these is not for calling.
static OTHER: Wordlist = LazyLock::new(|| {
    words(
        "vat ust ustid ustidnr uid tva iva btw mwst nip regon krs pesel hrb hra gnr vr pr fn
         siret siren rcs rea kvk kbo bce cif nif nipc cnpj cpf iban bic swift konto kontonummer
         kto account blz sort bank banca banque banco bankleitzahl rachunek rekening conto order
         orders bestellnummer bestellung auftrag auftragsnummer invoice rechnung rechnungsnummer
         rechnungsnr artikel artikelnummer art article articolo artículo articulo artigo artykuł
         sku ean gtin isbn issn ref réf référence referenz referenznummer referencia riferimento
         referência reference kundennummer tracking sendungsnummer paket
         zip plz postcode capital capitale kapital stammkapital kapitał registration registered
         register registernummer handelsregister handelsregisternummer registro company charity
         licence license lizenz licencia licenza licença steuernummer steuer stnr steuernr tax
         ein gps lat lng lon latitude longitude copyright version iso din tomo folio hoja
         inscripción inscripcion livro cedex postfach apartado skrytka caixa commande pedido
         ordine bestelling bestelnummer encomenda zamówienie zamówienia facture factura fattura
         factuur fatura faktura nr-beleg beleg lei duns eori wkn isin bdo swr price preis prix
         precio prezzo prijs preço cena verkehrsnummer vermittlerregister vermittlernummer ik
         bsnr lanr institutionskennzeichen agb orias fca fsma ico ustg rfc cuit rut ruc nit
         serial model modell chassis immatriculée immatriculé matriculada inscrita matricola matrícula alvará alvara crc oab cau crea crm batch
         lot charge katalog kat numéro-client dossier aktenzeichen az ticket case permit dot npi
         contractor cslb rcn partita pi codice fiscale sdi bestell telegramid fonds member
         mitglied mitgliedsnummer numero-rea intracommunautaire identification urssaf ape naf
         nace w3w pin id since seit depuis desde",
    )
});

/// Words that say nothing between a label and its number.
static TRANSPARENT: Wordlist = LazyLock::new(|| {
    words(
        "nr no n num number nummer numer numero número nº n° us uns unter at on au al op ao pod
         der die das the le la el il lo o a und and et y e en i de per for für pour para office
         büro bureau oficina ufficio kantoor biuro free gratis direct direkt kostenlos 24h main
         general new our or oder ou lub",
    )
});

fn of_word(word: &str) -> Option<Label> {
    let known = |list: &Wordlist| list.contains(word);
    if known(&FAX) {
        return Some(Label::Fax);
    }
    if known(&MOBILE) {
        return Some(Label::Mobile);
    }
    if known(&VOICE) {
        return Some(Label::Voice);
    }
    if known(&OTHER) {
        return Some(Label::Other);
    }
    // Compounds of German and Dutch: "Bürotelefon", "Umsatzsteuer-Identifikationsnummer".
    let ends =
        |list: &[&str]| list.iter().any(|end| word.ends_with(end) && word.len() > end.len() + 2);
    if ends(&["telefax", "faxnummer"]) {
        Some(Label::Fax)
    } else if ends(&["telefon", "hotline", "telefoonnummer", "telefonnummer", "rufnummer", "phone"])
    {
        Some(Label::Voice)
    } else if ends(&["nummer", "nummern", "number", "kennzeichen", "konto", "steuer"]) {
        Some(Label::Other)
    } else {
        None
    }
}

/// A lone letter that is a label: "T +49…", "F: 030…".
fn of_letter(word: &str, behind: &str) -> Option<Label> {
    let marks = behind.trim();
    let is_marked =
        marks.is_empty() || marks.chars().all(|c| matches!(c, ':' | '.' | '|' | '/' | ')' | '+'));
    if !is_marked {
        return None;
    }
    match word {
        "T" => Some(Label::Voice),
        "P" if marks.contains(':') => Some(Label::Voice),
        "t" if marks.contains([':', '.']) => Some(Label::Voice),
        "F" => Some(Label::Fax),
        "f" if marks.contains([':', '.']) => Some(Label::Fax),
        "M" | "H" => Some(Label::Mobile),
        "m" if marks.contains([':', '.']) => Some(Label::Mobile),
        _ => None,
    }
}

fn words_before(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '°' || c == 'º';
    let mut end = text.len();
    std::iter::from_fn(move || {
        let head = text.get(..end)?;
        let stop = head.trim_end_matches(|c: char| !is_word(c)).len();
        if stop == 0 {
            return None;
        }
        let word_start = head[..stop]
            .rfind(|c: char| !is_word(c))
            .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
        end = word_start;
        Some((&text[word_start..stop], stop))
    })
}

/// What the words before a number say of it: the nearest that says something. A digit ends
/// the search, for it belongs to another value.
pub(super) fn before(text: &str) -> Option<Label> {
    let from = text.len().saturating_sub(160);
    let text = text.get(text.ceil_char_boundary(from)..).unwrap_or_default();
    // Signs of money and of paragraphs.
    if text.trim_end().ends_with(['€', '$', '£', '§', '#', '№']) {
        return Some(Label::Other);
    }
    let mut found: Option<Label> = None;
    for (at, (word, stop)) in words_before(text).take(REACH).enumerate() {
        let head = text.get(..stop - word.len()).and_then(|head| head.chars().next_back());
        if at == 0
            && head.is_none_or(|c| c.is_whitespace() || matches!(c, '|' | '·' | '•' | '(' | ','))
            && let Some(label) = of_letter(word, text.get(stop..).unwrap_or_default())
        {
            return Some(label);
        }
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            return found;
        }
        // A sentence that ended says nothing; an abbreviation did not end one.
        let small = word.to_lowercase();
        let label = of_word(&small);
        match (found, label) {
            // "Tel. / Fax": one number for both is for calling too. "Mobile phone" is mobile.
            (Some(Label::Fax), Some(Label::Voice)) => return Some(Label::Voice),
            (Some(Label::Voice), Some(Label::Mobile)) => return Some(Label::Mobile),
            // "Order hotline", "customer phone": it is still for calling.
            (Some(_), None) if TRANSPARENT.contains(small.as_str()) => {}
            (Some(label), _) => return Some(label),
            (None, Some(label)) => {
                let is_last = at + 1 >= REACH;
                if is_last || !matches!(label, Label::Voice | Label::Fax) {
                    return Some(label);
                }
                found = Some(label);
            }
            (None, None) => {}
        }
    }
    found
}

/// What stands right behind a number in brackets: "(Fax)", "(mobile)".
pub(super) fn behind(text: &str) -> Option<Label> {
    let rest = text.trim_start();
    let inside = rest.strip_prefix('(').or_else(|| rest.strip_prefix('['))?;
    let inside = inside.split([')', ']']).next()?;
    let word = inside.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    of_word(&word.to_lowercase()).filter(|label| *label != Label::Other)
}

/// What a short text, as a label for those who do not see, says.
pub(super) fn in_text(text: &str) -> Option<Label> {
    text.split(|c: char| !c.is_alphanumeric())
        .take(12)
        .find_map(|word| of_word(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_tells_what_a_number_is() {
        let cases = [
            ("Tel.: ", Some(Label::Voice)),
            ("Telefon ", Some(Label::Voice)),
            ("T ", Some(Label::Voice)),
            ("F: ", Some(Label::Fax)),
            ("Tel./Fax: ", Some(Label::Voice)),
            ("Telefon und Telefax: ", Some(Label::Voice)),
            ("Mobile phone: ", Some(Label::Mobile)),
            ("Portable : ", Some(Label::Mobile)),
            ("tel. kom. ", Some(Label::Mobile)),
            ("Tel.-Nr. ", Some(Label::Voice)),
            ("USt-IdNr.: DE ", Some(Label::Other)),
            ("Amtsgericht Köln, HRB ", Some(Label::Other)),
            ("HRB 12345, Tel. ", Some(Label::Voice)),
            ("Order number ", Some(Label::Other)),
            ("Tel. 030 1234, ", None),
            ("since ", Some(Label::Other)),
            ("we have ", None),
            ("Umsatzsteuer-Identifikationsnummer ", Some(Label::Other)),
        ];
        for (text, expected) in cases {
            assert_eq!(before(text), expected, "{text}");
        }
    }
}
