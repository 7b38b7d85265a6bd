//! Regions as addresses write them: states, counties, provinces.

/// States of the United States and provinces of Canada.
pub(super) const STATES: &str = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT \
    NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR";
pub(super) const PROVINCES: &str = "AB BC MB NB NL NS NT NU ON PE QC SK YT";
const BRAZIL: &str =
    "AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO";

pub(super) fn listed(list: &str, word: &str) -> bool {
    word.len() == 2 && list.split_ascii_whitespace().any(|known| known == word)
}

/// A region that stands before a code: a county, a state of Brazil or of America.
pub(super) fn region(text: &str) -> Option<String> {
    let text = text.trim();
    let is_state = listed(BRAZIL, text) || listed(STATES, text) || listed(PROVINCES, text);
    if is_state { Some(text.to_owned()) } else { county(text) }
}

/// A county of the British Isles.
pub(super) fn county(text: &str) -> Option<String> {
    let text = text.trim();
    let small = text.to_lowercase();
    let counties = [
        "surrey",
        "kent",
        "essex",
        "east sussex",
        "west sussex",
        "sussex",
        "devon",
        "cornwall",
        "dorset",
        "norfolk",
        "suffolk",
        "cumbria",
        "middlesex",
        "merseyside",
        "tyne and wear",
        "tyne & wear",
        "west midlands",
        "greater manchester",
        "somerset",
        "rutland",
        "northumberland",
        "durham",
        "county durham",
        "greater london",
        "fife",
        "gwynedd",
        "powys",
        "dyfed",
        "gwent",
    ];
    let is_county = small.ends_with("shire")
        || counties.contains(&small.as_str())
        || small.starts_with("co. ")
        || small.starts_with("county ");
    is_county.then(|| text.to_owned())
}

/// A region that follows the town.
pub(super) fn region_behind(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.');
    let is_letters =
        (2..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let mexican = [
        "jalisco",
        "cdmx",
        "nuevo león",
        "puebla",
        "querétaro",
        "guanajuato",
        "estado de méxico",
        "veracruz",
        "yucatán",
        "oaxaca",
        "chihuahua",
        "sonora",
        "sinaloa",
        "michoacán",
        "coahuila",
        "durango",
        "tamaulipas",
        "quintana roo",
        "baja california",
        "hidalgo",
        "morelos",
        "tabasco",
        "chiapas",
        "guerrero",
        "colima",
        "nayarit",
        "zacatecas",
        "aguascalientes",
        "tlaxcala",
        "campeche",
        "san luis potosí",
        "edo. de méx",
        "edomex",
    ];
    (is_letters || mexican.contains(&text.to_lowercase().as_str())).then(|| text.to_owned())
}
