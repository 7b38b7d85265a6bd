//! Address layouts of many countries.

use super::*;

type Split = (&'static str, &'static str, &'static str, Option<&'static str>, Option<&'static str>);

#[track_caller]
fn reads(text: &str, (street, city, postal, region, country): Split) {
    let found = find_in_text(text);
    let parts: Vec<_> = found
        .iter()
        .map(|one| {
            (
                one.street.as_deref().unwrap_or_default(),
                one.city.as_deref().unwrap_or_default(),
                one.postal_code.as_deref().unwrap_or_default(),
                one.region.as_deref(),
                one.country.as_deref(),
            )
        })
        .collect();
    assert_eq!(parts, [(street, city, postal, region, country)], "{text}");
}

#[test]
fn addresses_are_split_in_all_country_layouts() {
    let n = None;
    reads(
        "Muster GmbH\nLindenallee 12a\n10115 Berlin",
        ("Lindenallee 12a", "Berlin", "10115", n, n),
    );
    reads("Am Markt 3, D-99423 Weimar", ("Am Markt 3", "Weimar", "99423", n, Some("DE")));
    reads(
        "Straße des 17. Juni 135 · 10623 Berlin",
        ("Straße des 17. Juni 135", "Berlin", "10623", n, n),
    );
    reads(
        "Hauptstr. 7 | 60311 Frankfurt am Main | Germany",
        ("Hauptstr. 7", "Frankfurt am Main", "60311", n, Some("DE")),
    );
    reads(
        "Mariahilfer Straße 88a/1/5\n1070 Wien\nÖsterreich",
        ("Mariahilfer Straße 88a/1/5", "Wien", "1070", n, Some("AT")),
    );
    reads(
        "Bahnhofstrasse 21\nCH-8001 Zürich",
        ("Bahnhofstrasse 21", "Zürich", "8001", n, Some("CH")),
    );
    reads(
        "Siège social : 14 bis, rue des Tanneurs – 59000 Lille",
        ("14 bis, rue des Tanneurs", "Lille", "59000", n, n),
    );
    reads(
        "Registered office: Unit 4, The Old Dairy, Station Road, Frome, Somerset BA11 1AA",
        ("Unit 4, The Old Dairy, Station Road", "Frome", "BA11 1AA", Some("Somerset"), n),
    );
    reads(
        "12 rue de la Paix\n75002 Paris\nFrance",
        ("12 rue de la Paix", "Paris", "75002", n, Some("FR")),
    );
    reads("3, place Bellecour, 69002 Lyon", ("3, place Bellecour", "Lyon", "69002", n, n));
    reads(
        "45 avenue Foch - 92400 Courbevoie Cedex",
        ("45 avenue Foch", "Courbevoie", "92400", n, n),
    );
    reads(
        "Calle de Alcalá, 45, 2º B\n28014 Madrid",
        ("Calle de Alcalá, 45, 2º B", "Madrid", "28014", n, n),
    );
    reads(
        "C/ Mayor 5, 08001 Barcelona (España)",
        ("C/ Mayor 5", "Barcelona", "08001", n, Some("ES")),
    );
    reads("Via Roma, 12 - 20121 Milano (MI)", ("Via Roma, 12", "Milano", "20121", Some("MI"), n));
    reads(
        "Corso Italia 7, 10122 Torino TO, Italia",
        ("Corso Italia 7", "Torino", "10122", Some("TO"), Some("IT")),
    );
    reads(
        "Keizersgracht 123\n1015 CJ Amsterdam",
        ("Keizersgracht 123", "Amsterdam", "1015 CJ", n, n),
    );
    reads(
        "Rue de la Loi 16, 1000 Bruxelles, Belgique",
        ("Rue de la Loi 16", "Bruxelles", "1000", n, Some("BE")),
    );
    reads(
        "Rua Augusta, 110, 2.º Dto.\n1100-053 Lisboa",
        ("Rua Augusta, 110, 2.º Dto.", "Lisboa", "1100-053", n, n),
    );
    reads(
        "ul. Marszałkowska 10/16\n00-590 Warszawa",
        ("ul. Marszałkowska 10/16", "Warszawa", "00-590", n, n),
    );
    reads(
        "Av. Paulista, 1000 - Bela Vista, São Paulo - SP, 01310-100",
        ("Av. Paulista, 1000", "São Paulo", "01310-100", Some("SP"), n),
    );
    reads("10 Downing Street, London SW1A 2AA", ("10 Downing Street", "London", "SW1A 2AA", n, n));
    reads(
        "Unit 4, Mill Lane\nSheffield\nSouth Yorkshire\nS1 2AB\nUnited Kingdom",
        ("Unit 4, Mill Lane", "Sheffield", "S1 2AB", Some("South Yorkshire"), Some("GB")),
    );
    reads(
        "25 St Stephen's Green, Dublin 2, D02 X285, Ireland",
        ("25 St Stephen's Green", "Dublin 2", "D02 X285", n, Some("IE")),
    );
    reads(
        "1600 Pine Street, Suite 200, Portland, OR 97209",
        ("1600 Pine Street, Suite 200", "Portland", "97209", Some("OR"), n),
    );
    reads(
        "95 Old Mill Rd, Boise, ID 83702-1234, USA",
        ("95 Old Mill Rd", "Boise", "83702-1234", Some("ID"), Some("US")),
    );
    reads(
        "Av. Reforma 222, Col. Juárez, C.P. 06600 Ciudad de México, CDMX, México",
        ("Av. Reforma 222", "Ciudad de México", "06600", Some("CDMX"), Some("MX")),
    );
    reads("Postfach 10 01 64\n50441 Köln", ("Postfach 10 01 64", "Köln", "50441", n, n));
}

#[test]
fn numbers_beside_names_are_not_addresses() {
    for text in [
        "Amtsgericht Köln, HRB 12345",
        "Mehr als 10000 Kunden",
        "seit 1998 Berlin",
        "Tel. 030 12345, 10115 Berlin",
        "Preis 5 EUR, 20000 Stück",
        "12.03.2024, 10115 Berlin",
        "Art. 13, 10115 Artikel",
        "10115 Berlin",
    ] {
        assert_eq!(find_in_text(text), [], "{text}");
    }
}

#[test]
fn american_addresses_need_no_comma_before_the_town() {
    let n = None;
    reads(
        "114-2035 Harbour St Milltown, BC V1X 4K7",
        ("114-2035 Harbour St", "Milltown", "V1X 4K7", Some("BC"), n),
    );
    reads(
        "418 N. Harbor St., Pavilion C, Floor 2 Riverton, CO 80911",
        ("418 N. Harbor St., Pavilion C, Floor 2", "Riverton", "80911", Some("CO"), n),
    );
    reads(
        "3141 Harbor Pkwy #210\nRiverton TX, 77904",
        ("3141 Harbor Pkwy #210", "Riverton", "77904", Some("TX"), n),
    );
    reads(
        "55 Harbor Ave,\nRiverton,\nNY 12901, USA",
        ("55 Harbor Ave", "Riverton", "12901", Some("NY"), Some("US")),
    );
    reads(
        "Routes 7 & 41, Store #12, Milltown, Mill County, PA 17311",
        ("Routes 7 & 41, Store #12", "Milltown", "17311", Some("PA"), n),
    );
    reads(
        "9 Court Blvd., Suite 310, Milltown, Ontario, Canada L3X 5T2",
        ("9 Court Blvd., Suite 310", "Milltown", "L3X 5T2", Some("Ontario"), Some("CA")),
    );
}

#[test]
fn indian_addresses_keep_unit_building_and_locality() {
    let n = None;
    reads(
        "204, 2nd Floor, Lotus Tower, Temple Circle,\nMilltown, Gujarat 380999",
        ("204, 2nd Floor, Lotus Tower, Temple Circle", "Milltown", "380999", Some("Gujarat"), n),
    );
    reads(
        "#14 Lotus Tower, opp. City Pillar 9, Rose Colony, Jaipur, Rajasthan 302999",
        (
            "#14 Lotus Tower, opp. City Pillar 9, Rose Colony",
            "Jaipur",
            "302999",
            Some("Rajasthan"),
            n,
        ),
    );
    reads(
        "D-14, Sector 9, Noida -\n201999, India",
        ("D-14, Sector 9", "Noida", "201999", n, Some("IN")),
    );
}

#[test]
fn addresses_without_postal_code_are_read_with_a_certain_street() {
    let n = None;
    reads(
        "17 Harbour Mill Roadway,\nMilltown, NSW\nAustralia",
        ("17 Harbour Mill Roadway", "Milltown", "", Some("NSW"), Some("AU")),
    );
    reads(
        "12th Floor\n31 Temple Street, Central\nHong Kong",
        ("12th Floor, 31 Temple Street, Central", "Hong Kong", "", n, n),
    );
    reads(
        "Suite 3.2, 7th Floor, 118 Temple Street, Lotus Ward, Ho Chi Minh City, Vietnam",
        (
            "Suite 3.2, 7th Floor, 118 Temple Street, Lotus Ward",
            "Ho Chi Minh City",
            "",
            n,
            Some("VN"),
        ),
    );
}

#[test]
fn code_before_or_after_the_town_is_read_with_its_country() {
    let n = None;
    reads(
        "ul. Lipowa 23/7, Katowice, Poland 40-999",
        ("ul. Lipowa 23/7", "Katowice", "40-999", n, Some("PL")),
    );
    reads(
        "Kuuse mnt 5-118, Tallinn 10999, Estonia",
        ("Kuuse mnt 5-118", "Tallinn", "10999", n, Some("EE")),
    );
    reads(
        "Fjordgata 2\n101 Reykjavík, Iceland",
        ("Fjordgata 2", "Reykjavík", "101", n, Some("IS")),
    );
    reads(
        "3rd Floor, 12-16 Mill Street EC9A 9ZZ\nLondon, UK",
        ("3rd Floor, 12-16 Mill Street", "London", "EC9A 9ZZ", n, Some("GB")),
    );
    reads(
        "4 Mill Lane, London, England, WC9A 9ZZ",
        ("4 Mill Lane", "London", "WC9A 9ZZ", n, Some("GB")),
    );
}

#[test]
fn dates_and_headlines_are_not_addresses() {
    for text in [
        "December 15, 2025 No Comments",
        "30 Prizes in 2023 & 2024 Read The Story",
        "Published on Oct 21, 2025 Updated on Mar 3",
        "Spring Update 2026, 2027 Entry Discussions",
        "321 Sample Avenue, Sample Town, 99999",
        "Our offices in Dubai, Hong Kong",
    ] {
        assert_eq!(find_in_text(text), [], "{text}");
    }
}
