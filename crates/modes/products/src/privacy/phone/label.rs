//! The word before a number that says what it is.

use super::super::line::Line;

/// What the words before a number say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// It is a telephone number.
    Phone,
    /// It may be one: somebody is asked to call.
    Call,
    /// It is the code of something.
    Code,
    None,
}

/// How far back the words are looked at.
const MAX_CHARS: usize = 48;
const MAX_WORDS: usize = 5;

const PHONE: &[&str] = &[
    "tel",
    "tél",
    "telef",
    "telf",
    "tlf",
    "tfno",
    "tlfn",
    "fon",
    "phone",
    "telephone",
    "ph",
    "mobil",
    "mobile",
    "mob",
    "handy",
    "handynummer",
    "cell",
    "cellphone",
    "celular",
    "móvil",
    "movil",
    "cellulare",
    "mobiel",
    "gsm",
    "fax",
    "telefax",
    "hotline",
    "whatsapp",
    "viber",
    "wechat",
    "telegram",
    "signal",
    "sms",
    "telefon",
    "telefonnummer",
    "telefonisch",
    "telefono",
    "teléfono",
    "téléphone",
    "telefone",
    "telefoon",
    "telefoonnummer",
    "telefonicznie",
    "telefonu",
    "puhelin",
    "puh",
    "matkapuhelin",
    "telefonszám",
    "infolinia",
    "komórka",
    "kom",
    "тел",
    "телефон",
    "моб",
    "τηλ",
    "τηλέφωνο",
    "wa",
    "whats",
    "whatsappnummer",
    "dial",
    "callcenter",
];

const CALL: &[&str] = &[
    "call",
    "calling",
    "ring",
    "rufen",
    "ruf",
    "anruf",
    "anrufen",
    "rückruf",
    "appelez",
    "appeler",
    "joindre",
    "llame",
    "llamar",
    "llámenos",
    "llámanos",
    "llamanos",
    "llama",
    "chiama",
    "chiamaci",
    "chiamate",
    "chiamare",
    "bel",
    "bellen",
    "ligue",
    "ligar",
    "zadzwoń",
    "dzwoń",
    "contact",
    "kontakt",
    "contacto",
    "contato",
    "contatto",
    "erreichbar",
    "ringen",
    "soita",
    "zavolejte",
    "volejte",
    "звоните",
    "позвоните",
    "arayın",
    "hívjon",
    "sunați",
    "reach",
    "text",
    "apelar",
    "messenger",
    "skype",
    "line",
];

/// Whole words that name a code.
const CODE: &[&str] = &[
    "art", "sku", "mpn", "ean", "gtin", "upc", "isbn", "asin", "ref", "réf", "typ", "type", "kod",
    "del", "lot", "cas", "din", "iso", "en", "rev", "oem", "oe", "vin", "ral", "id", "pn", "iban",
    "hrb", "item", "part", "parts", "teil", "code", "best", "fits", "passt", "passar", "no", "hsn",
    "os", "size", "größe", "gr", "color", "farbe", "patent", "norm", "batch", "charge", "cod",
];

/// Beginnings of words that name one.
const CODE_STEMS: &[&str] = &[
    "bestell",
    "order",
    "artikel",
    "articl",
    "artíc",
    "artic",
    "artigo",
    "model",
    "modèl",
    "modél",
    "ersatzteil",
    "référ",
    "refer",
    "serien",
    "serial",
    "série",
    "serie",
    "seria",
    "katalog",
    "catalog",
    "código",
    "codigo",
    "codice",
    "codi",
    "command",
    "pièce",
    "piece",
    "pedido",
    "pezzo",
    "zamów",
    "częś",
    "beställ",
    "bestil",
    "version",
    "vergleich",
    "herstell",
    "produ",
    "passend",
    "pasuj",
    "kompatib",
    "compat",
    "ersetz",
    "replac",
    "remplac",
    "zastęp",
    "ersätt",
    "standard",
    "pantone",
    "numéro de",
    "onderdeel",
    "bestelnum",
    "артик",
    "модел",
    "заказ",
    "каталож",
    "part",
    "ersatz",
    "identif",
    "barcode",
    "strichcode",
    "inventar",
    "sachnummer",
    "zeichnung",
    "drawing",
    "certificat",
    "zertifi",
    "certif",
    "licen",
    "patent",
    "commess",
];

/// Says that a number follows, and not what for.
const NUMBER: &[&str] =
    &["nr", "nummer", "number", "num", "numéro", "numero", "número", "numer", "n", "nb", "номер"];

const PHONE_SIGNS: &[char] = &['☎', '☏', '✆', '📞', '📱', '🕿', '🖷', '📠', '📲'];
/// In East Asia words are not parted.
const PHONE_GLUED: &[&str] =
    &["電話", "电话", "携帯", "手机", "传真", "微信", "전화", "연락처", "tel", "fax"];
const CODE_GLUED: &[&str] =
    &["番号", "型番", "品番", "機種", "编号", "货号", "型号", "모델", "品名", "寸法"];

impl Label {
    /// What the nearest telling word before a place says.
    pub fn before(line: &Line, at: usize) -> Self {
        let from = at.saturating_sub(MAX_CHARS);
        let signs = line.chars.get(from..at).unwrap_or_default();
        // A sentence that ended has nothing to say about the number.
        let ends =
            signs.iter().rposition(|c| matches!(c, '!' | '?' | '。' | ';')).map_or(0, |at| at + 1);
        let from = from + ends;
        let signs = line.chars.get(from..at).unwrap_or_default();
        if signs.iter().rev().take(6).any(|c| PHONE_SIGNS.contains(c)) {
            return Self::Phone;
        }
        let tail: String =
            line.small.get(from.max(at.saturating_sub(8))..at).unwrap_or_default().iter().collect();
        if PHONE_GLUED.iter().any(|word| !word.is_ascii() && tail.contains(word)) {
            return Self::Phone;
        }
        if CODE_GLUED.iter().any(|word| tail.contains(word))
            || signs.iter().rev().take(3).any(|c| matches!(c, '#' | '№'))
        {
            return Self::Code;
        }
        let mut names_number = false;
        for (distance, word) in line.words(from..at).iter().rev().take(MAX_WORDS).enumerate() {
            let word = word.as_str();
            if NUMBER.contains(&word) {
                names_number = true;
            } else if PHONE.contains(&word) {
                // "Phone holder 12345" is none.
                let is_near = distance <= usize::from(names_number);
                return if is_near { Self::Phone } else { Self::Call };
            } else if CALL.contains(&word) {
                return Self::Call;
            } else if is_code(word) {
                return Self::Code;
            }
        }
        if names_number { Self::Code } else { Self::None }
    }
}

/// Whether a word names a telephone.
pub(super) fn is_phone(word: &str) -> bool {
    PHONE.contains(&word)
}

/// Whether a word names a code.
pub(super) fn is_code(word: &str) -> bool {
    CODE.contains(&word) || CODE_STEMS.iter().any(|stem| word.starts_with(stem))
}

/// Whether a word leads to a detail.
pub(super) fn leads(word: &str) -> bool {
    const SMALL: &[&str] = &[
        "us", "at", "on", "uns", "unter", "an", "au", "nous", "ons", "nas", "oss", "mail", "email",
        "e", "to", "via", "per", "id", "write", "pod",
    ];
    PHONE.contains(&word) || CALL.contains(&word) || NUMBER.contains(&word) || SMALL.contains(&word)
}
