//! Language detection from the text of a page.
//!
//! The last resort for pages that declare no language: examines a bounded sample and returns only
//! reliable results.

use text::term_table;
use text::vocabulary::TermTable;
use urls::LanguageTag;
use whatlang::Lang;

use html::charset;
use html::entity::{EntityContext, resolve};
use html::text::Collapsed;
use html::tokenizer::{Element, HtmlToken, Tokenizer};

/// Bytes of text that are examined.
const SAMPLE_BYTES: usize = 4 * 1_024;

/// Bytes of a page that are searched for that much text.
const MAX_SEARCHED_BYTES: usize = 512 * 1_024;

/// Texts with fewer letters give no result.
const MIN_LETTERS: usize = 40;

/// The language of a text, if the detection is reliable.
#[must_use]
pub fn detect_language(text: &str) -> Option<LanguageTag> {
    let sample = text.get(..text.floor_char_boundary(SAMPLE_BYTES)).unwrap_or(text);
    // A character of a logographic script carries as much information as several letters.
    let weight = |c: char| if u32::from(c) >= 0x2e80 { 3 } else { 1 };
    let letters: usize = sample.chars().filter(|c| c.is_alphabetic()).map(weight).sum();
    if letters < MIN_LETTERS {
        return None;
    }
    let info = whatlang::detect(sample).filter(whatlang::Info::is_reliable)?;
    LanguageTag::parse(tag(info.lang())).ok()
}

/// The language of the visible text of a page, if the detection is reliable.
#[must_use]
pub fn detect_page_language(body: &[u8], content_type: Option<&str>) -> Option<LanguageTag> {
    let html = charset::decode(body.get(..MAX_SEARCHED_BYTES).unwrap_or(body), content_type);
    let mut text = Collapsed::new(SAMPLE_BYTES);
    let mut tokenizer = Tokenizer::new(&html);
    let mut templates = 0_usize;
    while let Some(token) = tokenizer.next_token() {
        match token {
            HtmlToken::Start(Element::Template) => templates += 1,
            HtmlToken::End(Element::Template) => templates = templates.saturating_sub(1),
            HtmlToken::Text(piece) if templates == 0 => {
                text.push(&resolve(piece, EntityContext::Text));
                if text.as_str().len() + 8 > SAMPLE_BYTES {
                    break;
                }
            }
            HtmlToken::Start(element) | HtmlToken::End(element) if !element.is_inline() => {
                text.gap()
            }
            HtmlToken::Start(_) | HtmlToken::End(_) | HtmlToken::Text(_) | HtmlToken::Raw(..) => {}
        }
    }
    detect_language(text.as_str())
}

/// ISO 639-3 codes of the detectable languages with their tags.
static LANGUAGE_CODES: TermTable<2> = term_table!("language_codes.tsv");

/// The tag of a language: two letters where ISO 639-1 has them.
fn tag(lang: Lang) -> &'static str {
    let known = LANGUAGE_CODES.iter().find(|[code, _]| *code == lang.code());
    known.map_or(lang.code(), |[_, tag]| tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Option<String> {
        detect_language(text).map(|tag| tag.to_string())
    }

    #[test]
    fn language_of_clear_text_is_detected() {
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
            assert_eq!(detected(text).as_deref(), Some(language), "{text}");
        }
    }

    #[test]
    fn ambiguous_text_gives_no_language() {
        for text in ["", "OK", "1234 5678 90", "Menu Home Login", "Info Café Hotel"] {
            assert_eq!(detected(text), None, "{text}");
        }
    }

    #[test]
    fn language_detection_reads_visible_text_only() {
        let script = "var text = 'the quick brown fox jumps over the lazy dog again'; ".repeat(50);
        let page = format!(
            "<script>{script}</script><p>Der schnelle braune Fuchs springt &uuml;ber den faulen \
             Hund, w&auml;hrend die Sonne langsam hinter den Bergen untergeht.</p>"
        );
        let tag = detect_page_language(page.as_bytes(), Some("text/html"));
        assert_eq!(tag.map(|tag| tag.to_string()).as_deref(), Some("de"));
    }
}
