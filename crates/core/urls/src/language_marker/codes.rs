//! Codes of languages and countries, and the countries of each language.

use std::sync::LazyLock;

/// Every language with a code of two letters (ISO 639-1).
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce \
    ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv \
    ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr \
    ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn \
    no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so \
    sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh \
    yi yo za zh zu";

/// Languages of websites whose code is unambiguous in a URL. Excluded are:
///
/// - everyday words: `am`, `be`, `id`, `is`, `my`, `no`, `or`, `so`, `to`;
/// - usual folders: `ar` (augmented reality), `cs` (computer science), `cv`, `hr`
///   (human resources), `it` (computers), `ml` (machine learning), `ms`, `os`, `ps`,
///   `sw` (software), `tg` and `ts`;
/// - countries where another language is spoken: `ar`, `br`, `ca`, `ch`, `co`, `cr`,
///   `cy`, `ee`, `ga`, `kr`, `lb`, `pa`, `sa`, `se`, `sg`, `si`, `tn`, `uk`, `ve`,
///   `za`; and `eu`, which is a union;
/// - US states, by which branches are listed: `az`, `ca`, `co`, `ga`, `ky`, `la`,
///   `mi`, `mn`, `mt`, `ne`, `pa`. Not `de`, `hi` and `sk`, which are Delaware, Hawaii
///   and Saskatchewan on few sites and languages on very many;
/// - languages that no site has a version in, such as `ab` and `ii`.
const UNAMBIGUOUS: &str = "af bg bn bs da de el en eo es et fa fi fr fy gl gu he hi hu hy ja ka kk km kn \
    ko ku lo lt lv mk mr nb nl nn pl pt ro ru sk sl sq sr sv ta te th tr ur uz vi xh yi zh zu";

/// Every country (ISO 3166-1).
const COUNTRIES: &str = "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi \
    bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy \
    cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn \
    gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh \
    ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo \
    mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl \
    pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv \
    sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn \
    vu wf ws xk ye yt za zm zw";

/// Countries whose code is a common folder name: `/tv/en/` is not for Tuvalu.
const FOLDER_LIKE_COUNTRIES: &str =
    "ad ai as cc cd dj fm gs im io me ml mp ms nu pm ps sh st to tv vc ws";

/// Countries with websites in a language.
static COUNTRIES_OF_LANGUAGE: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("../../data/countries_of_language.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' ')).collect()
});

/// Whether a text is a language code (ISO 639-1).
pub(super) fn is_language(code: &str) -> bool {
    lists(LANGUAGES, code)
}

/// Whether a language code counts without a country.
pub(super) fn is_unambiguous(code: &str) -> bool {
    lists(UNAMBIGUOUS, code)
}

/// Whether a text is a country code (ISO 3166-1), or `uk`.
pub(super) fn is_country(code: &str) -> bool {
    lists(COUNTRIES, code) || code.eq_ignore_ascii_case("uk")
}

/// Whether websites for a country use a language.
pub(super) fn is_spoken_in(language: &str, country: &str) -> bool {
    if language.eq_ignore_ascii_case("en") {
        return is_country(country) && !lists(FOLDER_LIKE_COUNTRIES, country);
    }
    let country = if country.eq_ignore_ascii_case("uk") { "gb" } else { country };
    COUNTRIES_OF_LANGUAGE
        .iter()
        .any(|(known, homes)| known.eq_ignore_ascii_case(language) && lists(homes, country))
}

/// Whether a list contains a code, ignoring case.
fn lists(list: &str, code: &str) -> bool {
    code.len() == 2
        && list.as_bytes().chunks(3).any(|known| {
            known.get(..2).is_some_and(|known| known.eq_ignore_ascii_case(code.as_bytes()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_valid() {
        let in_order = |list: &str| {
            let codes: Vec<_> = list.split(' ').collect();
            assert!(codes.iter().all(|code| code.len() == 2), "{list}");
            assert!(codes.is_sorted_by(|a, b| a < b), "{list}");
        };
        for list in [LANGUAGES, UNAMBIGUOUS, COUNTRIES, FOLDER_LIKE_COUNTRIES] {
            in_order(list);
        }
        assert!(UNAMBIGUOUS.split(' ').all(is_language));
        assert!(FOLDER_LIKE_COUNTRIES.split(' ').all(is_country));
        assert!(COUNTRIES_OF_LANGUAGE.is_sorted_by(|a, b| a.0 < b.0));
        for (language, homes) in COUNTRIES_OF_LANGUAGE.iter() {
            in_order(homes);
            assert!(is_language(language), "{language}");
            assert!(homes.split(' ').all(is_country), "{language}");
        }
    }

    #[test]
    fn pairs_of_language_and_country_are_unambiguous() {
        for (language, homes) in COUNTRIES_OF_LANGUAGE.iter() {
            for country in homes.split(' ').filter(|country| country != language) {
                assert!(!is_spoken_in(country, language), "{language}-{country}");
            }
        }
    }
}
