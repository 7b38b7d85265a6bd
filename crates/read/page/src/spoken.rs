//! The language that a text is written in, told by the text alone.
//!
//! The last resort, for pages on which nothing else says it: a bounded sample is looked at,
//! and only a clear answer is one.

use urls::LanguageTag;
use whatlang::Lang;

use html::charset;
use html::entity::{EntityContext, resolve};
use html::tokenizer::{Element, Tokenizer, HtmlToken};
use html::text::Collapsed;

/// How much of a text is looked at.
const SAMPLE_BYTES: usize = 4 * 1_024;

/// How much of a page is gone through for that much text.
const SEARCHED_BYTES: usize = 512 * 1_024;

/// Fewer letters than these tell nothing.
const LETTERS: usize = 40;

/// The language of a text, when it is clear.
#[must_use]
pub fn spoken_language(text: &str) -> Option<LanguageTag> {
    let sample = text.get(..text.floor_char_boundary(SAMPLE_BYTES)).unwrap_or(text);
    // In scripts of many signs each of them says as much as several letters.
    let weight = |c: char| if u32::from(c) >= 0x2e80 { 3 } else { 1 };
    let letters: usize = sample.chars().filter(|c| c.is_alphabetic()).map(weight).sum();
    if letters < LETTERS {
        return None;
    }
    let info = whatlang::detect(sample).filter(whatlang::Info::is_reliable)?;
    LanguageTag::parse(tag(info.lang())).ok()
}

/// The language of the visible text of a page, when it is clear.
#[must_use]
pub fn spoken_language_of_page(body: &[u8], content_type: Option<&str>) -> Option<LanguageTag> {
    let html = charset::decode(body.get(..SEARCHED_BYTES).unwrap_or(body), content_type);
    let mut text = Collapsed::new(SAMPLE_BYTES);
    let mut tokenizer = Tokenizer::new(&html);
    let mut templates = 0_usize;
    while let Some(token) = tokenizer.next() {
        match token {
            HtmlToken::Start(Element::Template) => templates += 1,
            HtmlToken::End(Element::Template) => templates = templates.saturating_sub(1),
            HtmlToken::Text(piece) if templates == 0 => {
                text.push(&resolve(piece, EntityContext::Text));
                if text.as_str().len() + 8 > SAMPLE_BYTES {
                    break;
                }
            }
            HtmlToken::Start(element) | HtmlToken::End(element) if !element.is_inline() => text.gap(),
            HtmlToken::Start(_) | HtmlToken::End(_) | HtmlToken::Text(_) | HtmlToken::Raw(..) => {}
        }
    }
    spoken_language(text.as_str())
}

/// The tag that pages use for a language: two letters where there are such.
fn tag(lang: Lang) -> &'static str {
    match lang {
        Lang::Afr => "af",
        Lang::Aka => "ak",
        Lang::Amh => "am",
        Lang::Ara => "ar",
        Lang::Aze => "az",
        Lang::Bel => "be",
        Lang::Ben => "bn",
        Lang::Bul => "bg",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Epo => "eo",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Guj => "gu",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hrv => "hr",
        Lang::Hun => "hu",
        Lang::Hye => "hy",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jav => "jv",
        Lang::Jpn => "ja",
        Lang::Kan => "kn",
        Lang::Kat => "ka",
        Lang::Khm => "km",
        Lang::Kor => "ko",
        Lang::Lat => "la",
        Lang::Lav => "lv",
        Lang::Lit => "lt",
        Lang::Mal => "ml",
        Lang::Mar => "mr",
        Lang::Mkd => "mk",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Nld => "nl",
        Lang::Nob => "nb",
        Lang::Ori => "or",
        Lang::Pan => "pa",
        Lang::Pes => "fa",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Sin => "si",
        Lang::Slk => "sk",
        Lang::Slv => "sl",
        Lang::Sna => "sn",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tam => "ta",
        Lang::Tel => "te",
        Lang::Tgl => "tl",
        Lang::Tha => "th",
        Lang::Tuk => "tk",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Urd => "ur",
        Lang::Uzb => "uz",
        Lang::Vie => "vi",
        Lang::Yid => "yi",
        Lang::Zul => "zu",
        other => other.code(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(text: &str) -> Option<String> {
        spoken_language(text).map(|tag| tag.to_string())
    }

    #[test]
    fn a_clear_text_tells_its_language() {
        for (text, language) in [
            (
                "Der schnelle braune Fuchs springt über den faulen Hund, während die Sonne \
                 langsam hinter den Bergen untergeht und der Abend beginnt.",
                "de",
            ),
            (
                "The harbour was quiet that morning, and nobody had noticed that the boats \
                 were already gone when the bells began to ring.",
                "en",
            ),
            (
                "Le port était calme ce matin-là, et personne n'avait remarqué que les bateaux \
                 étaient déjà partis quand les cloches se mirent à sonner.",
                "fr",
            ),
            ("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。", "ja"),
        ] {
            assert_eq!(spoken(text).as_deref(), Some(language), "{text}");
        }
    }

    #[test]
    fn what_is_not_clear_is_no_answer() {
        for text in ["", "OK", "1234 5678 90", "Menu Home Login", "Info Café Hotel"] {
            assert_eq!(spoken(text), None, "{text}");
        }
    }

    #[test]
    fn only_what_is_visible_on_a_page_counts() {
        let script = "var text = 'the quick brown fox jumps over the lazy dog again'; ".repeat(50);
        let page = format!(
            "<script>{script}</script><p>Der schnelle braune Fuchs springt &uuml;ber den faulen \
             Hund, w&auml;hrend die Sonne langsam hinter den Bergen untergeht.</p>"
        );
        let tag = spoken_language_of_page(page.as_bytes(), Some("text/html"));
        assert_eq!(tag.map(|tag| tag.to_string()).as_deref(), Some("de"));
    }
}
