//! Fifteen countries.

use super::{Land, Town};
use crate::company::phone::Spelling::{
    Bare, Dashed, Dotted, DoubleZero, International, Joined, National, Parentheses, Slash,
    ZeroInside,
};

const fn town(
    (city, postal): (&'static str, &'static str),
    region: &'static str,
    area: &'static str,
    exchange: (&'static str, usize),
    court: &'static str,
) -> Town {
    let region = if region.is_empty() { None } else { Some(region) };
    Town { city, postal, region, area, exchange, court }
}

/// Code, name, calling code and trunk prefix; then towns, streets, mobiles and spellings.
macro_rules! lands {
    ($(
        $code:ident $name:literal $dial:literal $trunk:literal
        towns [$($town:expr),* $(,)?]
        streets [$($street:literal),* $(,)?]
        mobiles [$($mobile:expr),*]
        spellings [$($spelling:ident),*];
    )*) => {
        $(pub(in crate::company) static $code: Land = Land {
            code: stringify!($code),
            name: $name,
            dial: $dial,
            trunk: $trunk,
            towns: &[$($town),*],
            streets: &[$($street),*],
            mobiles: &[$($mobile),*],
            spellings: &[$($spelling),*],
        };)*
    };
}

lands! {
    GB "United Kingdom" "44" "0"
    towns [
        town(("Leeds", "LS1 4QX"), "", "113", ("4960", 3), "England and Wales"),
        town(("London", "SE1 7ZW"), "", "20", ("79460", 3), "England and Wales"),
        town(("Manchester", "M2 5QD"), "", "161", ("4960", 3), "England and Wales"),
    ]
    streets ["14 Fuller’s Yard", "Unit 7, Harrow Lane", "212 Saltergate Road"]
    mobiles [("7700", 6)]
    spellings [National, International, Parentheses, ZeroInside];

    US "USA" "1" ""
    towns [
        town(("Portland", "97209"), "OR", "503", ("55501", 2), ""),
        town(("Columbus", "43215"), "OH", "614", ("55501", 2), ""),
        town(("Duluth", "55802"), "MN", "218", ("55501", 2), ""),
    ]
    streets ["118 NW Larch Street, Suite 400", "2207 Orchard Ave", "95 Old Mill Rd"]
    mobiles []
    spellings [Parentheses, Dashed, Dotted, International];

    IE "Ireland" "353" "0"
    towns [
        town(("Cork", "T12 X8Y2"), "", "21", ("427", 4), "Companies Registration Office"),
        town(("Dublin 2", "D02 XY45"), "", "1", ("437", 4), "Companies Registration Office"),
        town(("Galway", "H91 K2W8"), "", "91", ("56", 4), "Companies Registration Office"),
    ]
    streets ["4 Quay Lane", "Lough House, Harbour Road", "27 Tannery Street"]
    mobiles [("87", 7)]
    spellings [Parentheses, ZeroInside, International, National];

    DE "Deutschland" "49" "0"
    towns [
        town(("Köln", "50667"), "", "221", ("4710", 3), "Amtsgericht Köln"),
        town(("Hamburg", "20354"), "", "40", ("66969", 3), "Amtsgericht Hamburg"),
        town(("München", "80331"), "", "89", ("99998", 3), "Amtsgericht München"),
        town(("Frankfurt am Main", "60311"), "", "69", ("90009", 3), "Amtsgericht Frankfurt am Main"),
        town(("Berlin", "10117"), "", "30", ("23125", 3), "Amtsgericht Charlottenburg"),
    ]
    streets ["Gerberweg 12", "Am Alten Güterbahnhof 3a", "Straße der Zimmerleute 104", "Industriestr. 7-9"]
    mobiles [("17139200", 2), ("176040690", 2)]
    spellings [ZeroInside, Slash, National, International, Parentheses, DoubleZero, Dashed];

    AT "Österreich" "43" "0"
    towns [
        town(("Salzburg", "5020"), "", "662", ("84", 4), "Landesgericht Salzburg"),
        town(("Wien", "1070"), "", "1", ("523", 4), "Handelsgericht Wien"),
        town(("Graz", "8010"), "", "316", ("82", 4), "Landesgericht für ZRS Graz"),
    ]
    streets ["Getreidehof 5/2/14", "Hauptstraße 88", "Mühlgasse 17"]
    mobiles [("664", 7)]
    spellings [ZeroInside, Slash, International];

    CH "Schweiz" "41" "0"
    towns [
        town(("Zürich", "8005"), "", "44", ("27", 5), "Handelsregister des Kantons Zürich"),
        town(("Bern", "3011"), "", "31", ("31", 5), "Handelsregister des Kantons Bern"),
        town(("Basel", "4051"), "", "61", ("26", 5), "Handelsregister des Kantons Basel-Stadt"),
    ]
    streets ["Hardbrückenweg 21", "Postgasse 4", "Rheinsprung 30"]
    mobiles [("79", 7)]
    spellings [International, National, ZeroInside];

    FR "France" "33" "0"
    towns [
        town(("Lyon", "69002"), "", "4", ("6571", 4), "RCS Lyon"),
        town(("Paris", "75011"), "", "1", ("9900", 4), "RCS Paris"),
        town(("Nantes Cedex 1", "44019"), "", "2", ("6191", 4), "RCS Nantes"),
        town(("Strasbourg", "67000"), "", "3", ("5301", 4), "RCS Strasbourg"),
    ]
    streets ["12 bis, rue des Tanneurs", "3, place du Vieux-Marché", "148 avenue des Tilleuls", "ZA Les Genêts, 5 allée du Moulin"]
    mobiles [("63998", 4)]
    spellings [National, Dotted, ZeroInside, International];

    BE "België" "32" "0"
    towns [
        town(("Liège", "4000"), "", "4", ("22", 5), "RPM Liège"),
        town(("Gent", "9000"), "", "9", ("22", 5), "RPR Gent"),
        town(("Namur", "5000"), "", "81", ("23", 4), "RPM Namur"),
    ]
    streets ["Rue du Pont-Neuf 41", "Brugsepoort 12 bus 3", "Quai des Forges 7"]
    mobiles [("470", 6)]
    spellings [ZeroInside, Slash, International];

    ES "España" "34" ""
    towns [
        town(("Madrid", "28013"), "", "91", ("53", 5), "Registro Mercantil de Madrid"),
        town(("Zaragoza", "50001"), "", "976", ("22", 4), "Registro Mercantil de Zaragoza"),
        town(("Sevilla", "41004"), "", "95", ("45", 5), "Registro Mercantil de Sevilla"),
    ]
    streets ["Calle del Olmo, 12, 3.º B", "C/ Tejedores 45, bajo", "Avda. de los Molinos, s/n"]
    mobiles [("6", 8)]
    spellings [National, International, Joined, Dotted];

    MX "México" "52" ""
    towns [
        town(("Guadalajara", "44160"), "Jalisco", "33", ("36", 6), ""),
        town(("Ciudad de México", "06700"), "CDMX", "55", ("55", 6), ""),
        town(("Puebla", "72000"), "Pue.", "222", ("24", 5), ""),
    ]
    streets ["Av. de las Jacarandas 1450", "Calle Orizaba 83, Int. 201", "Blvd. de los Telares 2210"]
    mobiles []
    spellings [Parentheses, International, National];

    IT "Italia" "39" ""
    towns [
        town(("Bergamo", "24122"), "BG", "035", ("24", 4), "Registro Imprese di Bergamo"),
        town(("Milano", "20123"), "MI", "02", ("72", 6), "Registro Imprese di Milano"),
        town(("Torino", "10122"), "TO", "011", ("56", 5), "Registro Imprese di Torino"),
    ]
    streets ["Via dei Conciatori, 14", "Piazza del Molino Vecchio 3", "Strada Provinciale 17, km 4"]
    mobiles [("340", 7)]
    spellings [National, International, Dotted, Joined];

    NL "Nederland" "31" "0"
    towns [
        town(("Rotterdam", "3011 WH"), "", "10", ("24", 5), "KvK"),
        town(("Utrecht", "3512 JE"), "", "30", ("23", 5), "KvK"),
        town(("Zwolle", "8011 PK"), "", "38", ("42", 5), "KvK"),
    ]
    streets ["Looiersgracht 12-A", "Havendijk 205", "Molenwerf 31"]
    mobiles [("62", 7)]
    spellings [Dashed, ZeroInside, International, Parentheses];

    PT "Portugal" "351" ""
    towns [
        town(("Lisboa", "1200-195"), "", "21", ("34", 5), "Conservatória do Registo Comercial de Lisboa"),
        town(("Porto", "4050-253"), "", "22", ("20", 5), "Conservatória do Registo Comercial do Porto"),
        town(("Évora", "7000-508"), "", "266", ("74", 4), "Conservatória do Registo Comercial de Évora"),
    ]
    streets ["Rua dos Tanoeiros, 12, 2.º Esq.", "Largo do Moinho, n.º 3", "Avenida das Amendoeiras, 210"]
    mobiles [("91", 7)]
    spellings [Bare, International, DoubleZero];

    BR "Brasil" "55" ""
    towns [
        town(("Curitiba", "80020-310"), "PR", "41", ("33", 6), ""),
        town(("São Paulo", "01305-000"), "SP", "11", ("32", 6), ""),
        town(("Recife", "50030-150"), "PE", "81", ("34", 6), ""),
    ]
    streets ["Rua dos Ipês Amarelos, 1.204 – Sala 45", "Av. das Laranjeiras, 318", "Travessa do Engenho, 77"]
    mobiles [("41992", 6)]
    spellings [Parentheses, International];

    PL "Polska" "48" ""
    towns [
        town(("Olsztyn", "10-117"), "", "89", ("52", 5), "Sąd Rejonowy w Olsztynie, VIII Wydział Gospodarczy KRS"),
        town(("Warszawa", "00-238"), "", "22", ("63", 5), "Sąd Rejonowy dla m.st. Warszawy, XII Wydział Gospodarczy KRS"),
        town(("Wrocław", "50-069"), "", "71", ("34", 5), "Sąd Rejonowy dla Wrocławia-Fabrycznej, VI Wydział Gospodarczy KRS"),
    ]
    streets ["ul. Garbarska 12/4", "al. Lipowa 105", "Rynek 3", "os. Młynarzy 7 lok. 2"]
    mobiles [("512", 6), ("601", 6)]
    spellings [Parentheses, International, National, ZeroInside];
}
