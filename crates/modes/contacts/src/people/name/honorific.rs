//! What stands before and behind a name and is no part of it: degrees, offices, forms of
//! address.

use std::sync::LazyLock;

use hashbrown::HashSet;

use super::{fold, words};

/// Before a name, folded, without full stops.
static BEFORE: LazyLock<HashSet<&str>> = LazyLock::new(|| words(BEFORE_WORDS));
const BEFORE_WORDS: &str = "dr drs dra dr.in prof profin profa profdr doutor doutora doktor doctor doctora \
    dr-ing dring dipl dipl-ing dipling dipl-kfm dipl-kffr dipl-bw dipl-inf dipl-betriebsw dipl-oec \
    dipl-psych dipl-phys dipl-math dipl-chem dipl-biol dipl-des dipl-soz dipl-volksw dipl-jur \
    dipl-wirt-ing dipl-wirtsch-ing dipl-wi-ing dipl-hdl dipl-pad dipl-geogr dipl-geol dipl-designer \
    mag maga magin mmag ddr ing inginz ra rain stb wp med dent vet rer nat pol oec phil jur iur hc h.c habil \
    theol pharm techn univ univ-prof priv-doz pd em ao herr frau hr fr herrn fraulein \
    mr mrs ms miss mx sir dame lord lady rev revd hon capt col rt m mm mme mmes mlle monsieur madame \
    mademoiselle me maitre pr pre docteur sr sra srs sras srta d dna don dona senor senora lic licda \
    abg ab dott dottssa dottor dottoressa avv avvto ing geom arch rag cav comm sig sigra sigg signor signora \
    profssa dhr mevr mw mevrouw meneer ir mr mrdrs bc ds eng enga engo arq arqa engenheiro engenheira \
    exmo exma prof doc mgr inz hab lek adw rp mec ks pan pani dypl hr h c meister msc mba mag.a dott.ssa \
    prof.ssa sig.ra dott.sa kr komm-rat kommr bmstr bm baumeister stba rb ergo notar dipl-kffr dipl-kaufm \
    dipl-kauffrau dipl-kaufmann dipl-ingenieur diplom-ingenieur diplom-kaufmann diplom-betriebswirt \
    dr-med dr-phil ph arztin";

/// Behind a name, folded, without full stops.
static BEHIND: LazyLock<HashSet<&str>> = LazyLock::new(|| words(BEHIND_WORDS));
const BEHIND_WORDS: &str = "mba phd llm ll.m md dds dmd jd esq cpa cfa cisa cissp pmp pe msc bsc ba ma meng beng bcom \
    msc. bsc. mphil dphil frcs frics mrics riba arb obe mbe cbe kbe qc kc fca aca acca cima cipd fcma dsc scd \
    rn rgn dvm od do pharmd edd psyd llb llb. med mag fh tu th uni dipl-ing dba emba mscn mmsc mres mch mbbs \
    frcgp mrcgp bds bvsc mrcvs rvn rgn rph csc mct bvba rdh hons ret stb wp cpa. bed mse bse bs ms mfa bfa ra steuerberater \
    oam ao am ac pc mp frsa fcca mcmi assoc lmft lcsw lpc facs facc crna np pa-c pa re afor afol dipl \
    dipl-psych ing phdr ir mr bc msce msrc ea cfp chfc clu gri abr crs mai fre cma ctp sphr shrm-cp shrm-scp";

/// Behind a name and part of it.
static GENERATION: LazyLock<HashSet<&str>> = LazyLock::new(|| words(GENERATION_WORDS));
const GENERATION_WORDS: &str = "jr sr jun sen junior senior filho neto sobrinho ii iii iv";

/// A word as the lists have it.
fn bare(word: &str) -> String {
    let trimmed = word.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ';' | '"'));
    let plain: String =
        trimmed.chars().filter(|c| !matches!(c, '.' | 'º' | 'ª' | '°' | '/')).collect();
    // "Dipl.-Ing." has its full stop inside.
    fold(plain.trim_matches('-'))
}

/// Whether a word may stand before a name.
pub(super) fn is_before(word: &str) -> bool {
    let plain = bare(word);
    if !BEFORE.contains(plain.as_str()) {
        return word.starts_with("Dipl.-")
            || word.starts_with("Dr.-")
            || word.starts_with("Univ.-");
    }
    // A single letter, and what is a word of its own, is an honorific only with its mark.
    match plain.as_str() {
        "m" | "d" | "h" | "c" | "ab" | "em" | "ao" => word.ends_with('.'),
        "me" | "pr" | "pre" => word.starts_with(['M', 'P']),
        "don" | "bm" | "ph" | "rb" | "wp" | "kr" | "ds" | "col" | "ra" | "pd" => {
            word.ends_with('.') || word.starts_with(char::is_uppercase)
        }
        _ => true,
    }
}

/// Whether a word may follow in a row of honorifics, as "med." behind "Dr.".
pub(super) fn continues(word: &str) -> bool {
    is_before(word) || (word.starts_with('(') && word.ends_with(')') && word.len() < 12)
}

/// Whether a word may stand behind a name.
pub(super) fn is_behind(word: &str) -> bool {
    let plain = bare(word);
    let short = plain.len() <= 2;
    // Short ones are surnames as well, unless they are all capitals or have full stops.
    let marked =
        word.contains('.') || word.starts_with('(') || !word.chars().any(char::is_lowercase);
    BEHIND.contains(plain.as_str())
        && (marked || (!short && word.chars().filter(|c| c.is_uppercase()).count() > 1))
}

/// Whether a word behind a name tells father from son.
pub(super) fn is_generation(word: &str) -> bool {
    let plain = bare(word);
    GENERATION.contains(plain.as_str())
        && (plain.len() > 3
            || word.ends_with('.')
            || word.chars().all(char::is_uppercase)
            || word == "Jr"
            || word == "Sr")
}

/// Whether all of a text is honorifics.
pub(super) fn is_only(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some()
        && words.all(|word| {
            is_before(word) || is_behind(word) || (word.starts_with('(') && word.ends_with(')'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honorifics_are_told_from_names() {
        for word in [
            "Dr.",
            "Prof.",
            "Dr.-Ing.",
            "Dipl.-Ing.",
            "Dipl.-Kfm.",
            "Mag.",
            "Herr",
            "Frau",
            "Mme",
            "M.",
            "Sr.",
            "Sra.",
            "D.",
            "Dña.",
            "Dott.ssa",
            "Avv.",
            "dhr.",
            "mevr.",
            "drs.",
            "Eng.º",
            "Dr.ª",
            "mgr",
            "inż.",
            "hab.",
            "med.",
            "h.c.",
            "Univ.-Prof.",
            "Sir",
            "Dame",
            "RA",
            "Me",
            "Pr",
        ] {
            assert!(is_before(word), "{word}");
        }
        for word in ["MBA", "PhD", "Ph.D.", "LL.M.", "CPA", "Esq.", "M.Sc.", "B.A.", "(FH)"] {
            assert!(is_behind(word), "{word}");
        }
        for word in ["Jr.", "III", "Junior", "Filho"] {
            assert!(is_generation(word), "{word}");
        }
        for word in ["Anna", "Berg", "Martin", "D", "m", "Ma", "Le", "Do", "Kim"] {
            assert!(!is_before(word) && !is_behind(word), "{word}");
        }
    }
}
