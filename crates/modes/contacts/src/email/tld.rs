//! Endings of domains that are known without asking anybody.

use std::sync::LazyLock;

use crate::wordlist::{Wordlist, words};

/// Countries whose letters end domains, and the common endings of other kinds.
static KNOWN: Wordlist = LazyLock::new(|| {
    words(
        "ac ad ae ag agency ai al am app ar archi art asia at au auto az ba barcelona bar bayern
    bd be berlin best bg bike bio biz blog bo br brussels build builders business bw by bz
    bzh ca cafe camp care casa cat cc center cf ch church city cl clinic cloud club cn co
    coach codes coffee cologne com community company construction consulting coop corsica cr
    cu cx cy cz de deals dental design dev digital direct dk do doctor dz earth ec edu
    education ee eg energy engineering es estate eu eus events example expert family farm fi
    film finance fit fm fo fr frl fun fund gal gallery garden ge gg gl global gmbh gov gr
    group gt guide guru hamburg haus health help hk hn holdings holiday host hosting hotel
    house hr hu id ie il im immo in inc industries info ink institute insure int
    international invalid io ir is it je jobs jp ke kg koeln kr kw kz land lat law lb legal
    li life link live lk llc localhost london love lt ltd lu lv ly ma madrid management
    market marketing mc md me media mg mil mk ml mobi moda moe mt mu museum mx my na name
    net network news ng ngo ni nl no nrw nu nz om one online ong onl org pa paris partners
    parts party pe pet pf ph photo photography photos pizza pk pl plus pr press pro
    properties property pt pub py qa quebec re reisen rent repair restaurant rio ro rocks rs
    ru ruhr run sa saarland sale sc school schule science scot se services sexy sg sh shoes
    shop si site sk sm sn so social software solar solutions space sport st store studio
    style support surf sv swiss systems tax taxi team tech technology tel test tf th tips
    tirol tn to today tools top tours trade training travel tt tv tw tz ua ug uk university
    us uy uz va ve vet ventures versicherung video vin vip vision vlaanderen vn voyage wales
    wang watch website wedding wien wiki wine work works world ws wtf xxx xyz yoga za zm
    zone zuerich zw",
    )
});

/// Whether a label in small letters ends domains.
pub(super) fn is_known(label: &str) -> bool {
    KNOWN.contains(label) || label.starts_with("xn--")
}

/// Endings of files that look like domains behind an `@`: `logo@2x.png`.
pub(super) fn is_file(label: &str) -> bool {
    matches!(
        label,
        "png"
            | "jpg"
            | "jpeg"
            | "gif"
            | "svg"
            | "webp"
            | "avif"
            | "js"
            | "css"
            | "ico"
            | "woff"
            | "woff2"
            | "ttf"
            | "mjs"
            | "ts"
            | "tsx"
            | "vue"
            | "json"
            | "map"
            | "html"
            | "htm"
            | "php"
            | "pdf"
    )
}
