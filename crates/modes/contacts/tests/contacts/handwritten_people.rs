//! Hand-written pages and the people on them. Each page was written before the reader was run
//! on it.

use contacts::{ContactAggregator, ContactPage};
use contract::ContactPerson;
use page::{PageHead, PageLimits};
use urls::CanonicalUrl;

/// The people of a company with one page.
fn people_at(path: &str, html: &str) -> Vec<ContactPerson> {
    let url = CanonicalUrl::parse(&format!("https://muster.test{path}")).expect("an address");
    let head = PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() };
    let (_, page) = ContactPage::read(html.as_bytes(), &head, &url, &PageLimits::default());
    let mut aggregator = ContactAggregator::new("muster.test");
    aggregator.add(url, page);
    aggregator.finish().people
}

/// The expected values of a person.
pub(crate) struct ExpectedPerson {
    pub name: &'static str,
    /// Empty if there is none, as in the other fields.
    pub title: &'static str,
    pub department: &'static str,
    pub legal: bool,
    pub mails: &'static [&'static str],
    pub phones: usize,
}

impl ExpectedPerson {
    pub const EMPTY: Self =
        Self { name: "", title: "", department: "", legal: false, mails: &[], phones: 0 };
}

/// Asserts that exactly these people are found, in any order, with exactly these values.
#[track_caller]
pub(crate) fn assert_people(path: &str, html: &str, expected: &[ExpectedPerson]) {
    let found = people_at(path, html);
    let shown = |one: &ContactPerson| {
        let parts = (
            one.name.clone(),
            one.title.clone().unwrap_or_default(),
            one.department.clone().unwrap_or_default(),
        );
        (parts, one.legal_representative, one.emails.clone(), one.phones.len())
    };
    let mut found: Vec<_> = found.iter().map(shown).collect();
    let wanted = |one: &ExpectedPerson| {
        let parts = (one.name.to_owned(), one.title.to_owned(), one.department.to_owned());
        let mails: Vec<String> = one.mails.iter().map(|mail| (*mail).to_owned()).collect();
        (parts, one.legal, mails, one.phones)
    };
    let mut wanted: Vec<_> = expected.iter().map(wanted).collect();
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
}

/// `figure` and `figcaption`, the title before the name, the mailbox behind an icon.
#[test]
fn dutch_figure_gallery_with_title_above_name_is_read() {
    let html = "<main><h1>Maak kennis met onze mensen</h1><p>Al veertig jaar staan wij voor u klaar.</p><section>\
        <figure><img src=1.jpg><figcaption><small>Belastingadviseur</small><strong>drs. Femke van der Laan</strong><a href='mailto:f.vanderlaan@muster.test'><i class='fa fa-envelope'></i></a><a href='https://nl.linkedin.com/in/femkevdlaan/'><i class='fa fa-linkedin'></i></a></figcaption></figure>\
        <figure><img src=2.jpg><figcaption><small>Assistent-accountant</small><strong>Mohamed el Idrissi</strong><a href='mailto:m.elidrissi@muster.test'><i class='fa fa-envelope'></i></a></figcaption></figure>\
        <figure><img src=3.jpg><figcaption><small>Secretaresse</small><strong>Truus Bakker</strong></figcaption></figure></section>\
        <h2>Wat klanten zeggen</h2><figure><blockquote>Altijd bereikbaar en duidelijk.</blockquote><figcaption><strong>Henk de Groot</strong><small>Directeur Groot Bouw B.V.</small></figcaption></figure></main>";
    assert_people(
        "/over-ons/medewerkers",
        html,
        &[
            ExpectedPerson {
                name: "Femke van der Laan",
                title: "Belastingadviseur",
                mails: &["f.vanderlaan@muster.test"],
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Mohamed el Idrissi",
                title: "Assistent-accountant",
                mails: &["m.elidrissi@muster.test"],
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson { name: "Truus Bakker", title: "Secretaresse", ..ExpectedPerson::EMPTY },
        ],
    );
}

/// The legal notice of a limited partnership: one paragraph with line breaks.
#[test]
fn german_imprint_skips_partner_that_is_a_company() {
    let html = "<h1>Impressum</h1><p>Holzbau Muster GmbH &amp; Co. KG<br>Am Sankt-Georgs-Platz 4<br>86150 Augsburg</p>\
        <p>Telefon: 0821 / 50 12 34-0<br>Fax: 0821 / 50 12 34-9<br>E-Mail: info@muster.test</p>\
        <p>Persönlich haftende Gesellschafterin: Muster Verwaltungs GmbH, diese vertreten durch die Geschäftsführer Ludwig Hörmannseder und Dipl.-Ing. (FH) Petra Vogl-Hartwig</p>\
        <p>Registergericht: Amtsgericht Augsburg, HRA 12345</p><p>Verantwortlich für den Inhalt nach § 18 Abs. 2 MStV: Tobias Kern (Anschrift wie oben)</p>\
        <p>Datenschutzbeauftragter: Dr. Martin Externer, DSB Beratung GmbH</p><p>Bildnachweis: Sabine Blitz, Photocase</p><p>Webdesign: Jens Pixel</p>";
    assert_people(
        "/impressum",
        html,
        &[
            ExpectedPerson {
                name: "Ludwig Hörmannseder",
                title: "Geschäftsführer",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Petra Vogl-Hartwig",
                title: "Geschäftsführer",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson { name: "Tobias Kern", ..ExpectedPerson::EMPTY },
        ],
    );
}

/// Links around cards, degrees after names, the quotation of a client.
#[test]
fn american_law_firm_cards_are_read_without_the_quoted_client() {
    let html = "<div class=attorneys><h1>Attorneys &amp; Staff</h1>\
        <a class=tile href=/attorneys/1><img alt='Margaret' src=a.png><span class=nm>Margaret T. Holloway, Esq.</span><span class=ps>Managing Partner</span></a>\
        <a class=tile href=/attorneys/2><img alt='' src=b.png><span class=nm>DeShawn Whitfield, J.D., LL.M.</span><span class=ps>Of Counsel</span></a>\
        <a class=tile href=/attorneys/3><img alt='' src=c.png><span class=nm>Priya Raghunathan</span><span class=ps>Senior Paralegal</span></a></div>\
        <div class=slider><p>“They fought for me when nobody else would, and they won the case.”</p><p>– Brian Kowalczyk, Cleveland</p></div>\
        <footer>© Holloway Law. Site by <a href='https://inkwell.example'>Inkwell Studio</a></footer>";
    assert_people(
        "/attorneys",
        html,
        &[
            ExpectedPerson {
                name: "Margaret T. Holloway",
                title: "Managing Partner",
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "DeShawn Whitfield",
                title: "Of Counsel",
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Priya Raghunathan",
                title: "Senior Paralegal",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// Legal notice as prose, with host and mediator.
#[test]
fn french_legal_notice_in_prose_is_read_without_host_and_mediator() {
    let html = "<h1>Mentions légales</h1><p>Le site muster.test est édité par la SARL Les Jardins du Vallon, au capital de 8 000 €, dont le siège est 12 rue Sainte-Catherine, 33000 Bordeaux, représentée par son gérant, Monsieur Thibault LACROIX-FOUCHER.</p>\
        <p>Directrice de la publication : Mme Maëlys Perrot</p><p>Hébergeur : OVH SAS, 2 rue Kellermann, 59100 Roubaix</p>\
        <p>Médiateur de la consommation : Me Jacques Durand, 3 place Victor Hugo, Paris</p><p>Crédits photos : Anne-Laure Petit</p>";
    assert_people(
        "/mentions-legales",
        html,
        &[
            ExpectedPerson {
                name: "Thibault Lacroix-Foucher",
                title: "gérant",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Maëlys Perrot",
                title: "Directrice de la publication",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// A table with unusual order of columns.
#[test]
fn spanish_table_is_read_by_its_column_headings() {
    let html = "<h2>Directorio</h2><table><tr><th>Departamento</th><th>Correo</th><th>Nombre y apellidos</th><th>Cargo</th><th>Ext.</th></tr>\
        <tr><td>Ventas</td><td><a href='mailto:mjgarrido@muster.test'>mjgarrido@muster.test</a></td><td>María Jesús Garrido Peña</td><td>Jefa de ventas</td><td>214</td></tr>\
        <tr><td>Calidad</td><td><a href='mailto:calidad@muster.test'>calidad@muster.test</a></td><td>Eneko Zubizarreta</td><td>Verificador de lotes</td><td>220</td></tr>\
        <tr><td>Administración</td><td></td><td>Rosa de los Ríos Cano</td><td>Contable</td><td>201</td></tr></table>";
    assert_people(
        "/empresa/directorio",
        html,
        &[
            ExpectedPerson {
                name: "María Jesús Garrido Peña",
                title: "Jefa de ventas",
                department: "Ventas",
                mails: &["mjgarrido@muster.test"],
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Eneko Zubizarreta",
                title: "Verificador de lotes",
                department: "Calidad",
                mails: &["calidad@muster.test"],
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Rosa de los Ríos Cano",
                title: "Contable",
                department: "Administración",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// A definition list, and a blog author who does not work there.
#[test]
fn italian_guest_author_is_not_staff() {
    let html = "<h1>I nostri professionisti</h1><dl><dt>Dott.ssa Ilenia Caruso</dt><dd>Medico dermatologo</dd><dd>Tel. 06 8412 3377</dd><dt>Dott. Pierluigi Santoro</dt><dd>Direttore sanitario</dd><dd><a href=mailto:p.santoro@muster.test>p.santoro@muster.test</a></dd></dl>\
        <aside class=blog><h3>Dal blog</h3><article><h4>La pelle d'estate</h4><p class=byline>di <b>Gianni Marchetti</b>, 3 luglio 2024</p></article></aside>\
        <p>Amministratore unico e legale rappresentante: Ettore Lo Presti</p>";
    assert_people(
        "/chi-siamo",
        html,
        &[
            ExpectedPerson {
                name: "Ilenia Caruso",
                title: "Medico dermatologo",
                phones: 1,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Pierluigi Santoro",
                title: "Direttore sanitario",
                mails: &["p.santoro@muster.test"],
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Ettore Lo Presti",
                title: "Amministratore unico e legale rappresentante",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// Departments as headings above people, a board as a list.
#[test]
fn polish_department_headings_apply_to_people_below() {
    let html = "<h1>Kontakt</h1><h2>Zarząd</h2><ul><li>Tomasz Wiśniewski – Prezes Zarządu</li><li>Katarzyna Lis-Nowak – Wiceprezes Zarządu</li></ul>\
        <h2>Dział sprzedaży</h2><div class=os><b>Paweł Gajda</b><br>Specjalista ds. sprzedaży<br>tel. 601 234 567<br>pawel.gajda@muster.test</div><div class=os><b>Żaneta Krół</b><br>Handlowiec<br>tel. 602 345 678<br>zaneta.krol@muster.test</div>\
        <h2>Biuro</h2><p>ul. Świętego Jana 4, 30-001 Kraków<br>biuro@muster.test</p>";
    assert_people(
        "/kontakt",
        html,
        &[
            ExpectedPerson {
                name: "Tomasz Wiśniewski",
                title: "Prezes Zarządu",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Katarzyna Lis-Nowak",
                title: "Wiceprezes Zarządu",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Paweł Gajda",
                title: "Specjalista ds. sprzedaży",
                department: "Dział sprzedaży",
                mails: &["pawel.gajda@muster.test"],
                phones: 1,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Żaneta Krół",
                title: "Handlowiec",
                department: "Dział sprzedaży",
                mails: &["zaneta.krol@muster.test"],
                phones: 1,
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// Headings with paragraphs; the mailbox of the company is below one of them.
#[test]
fn portuguese_headings_and_prose_are_read() {
    let html = "<h1>A nossa equipa</h1><h3>Eng.ª Beatriz Sá Nogueira</h3><p><em>Sócia-gerente</em></p><p>Fundou a empresa com o pai e dirige hoje a área técnica, depois de quinze anos em obra.</p>\
        <h3>Rui Pedro Antunes</h3><p><em>Encarregado de obra</em></p><p>Trabalha connosco desde 2004 e conhece cada máquina pelo nome.</p><h2>Contactos</h2><p>Tel. 229 876 543 · geral@muster.test</p>";
    assert_people(
        "/quem-somos",
        html,
        &[
            ExpectedPerson {
                name: "Beatriz Sá Nogueira",
                title: "Sócia-gerente",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Rui Pedro Antunes",
                title: "Encarregado de obra",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// A list with commas, names of dead founders, and a patron saint.
#[test]
fn british_founders_and_saints_are_not_staff() {
    let html = "<h1>About us</h1><p>St Martin's House was founded in 1894 by Canon Arthur Pemberton and his sister Edith Pemberton.</p>\
        <h2>Trustees</h2><ul><li>Dr Amara Okafor, Chair</li><li>Gareth Llewellyn-Price, Treasurer</li><li>Susan Blakely</li></ul>\
        <h2>Our history</h2><p>In 1921 <b>Arthur Pemberton</b> opened the second house.</p><h2>Visit</h2><p>12 St John Street, Bristol BS1 4XX</p>";
    assert_people(
        "/about",
        html,
        &[
            ExpectedPerson {
                name: "Amara Okafor",
                title: "Chair",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Gareth Llewellyn-Price",
                title: "Treasurer",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Susan Blakely",
                title: "Trustees",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// Every word is in its own box; no element forms a card.
#[test]
fn site_builder_page_without_cards_is_read() {
    let html = "<div><div><span>UNSER TEAM</span></div><div><div><img src=x></div><div><p><span>Svenja Ahlers</span></p></div><div><p><span>Filialleitung</span></p></div><div><p><a href='tel:+494211234501'>0421 1234-501</a></p></div></div>\
        <div><div><img src=y></div><div><p><span>Deniz Yıldırım</span></p></div><div><p><span>Werkstattmeister</span></p></div><div><p><a href='tel:+494211234502'>0421 1234-502</a></p></div></div>\
        <div><div><img src=z></div><div><p><span>Thore Quast</span></p></div><div><p><span>Azubi im 2. Lehrjahr</span></p></div></div></div>";
    assert_people(
        "/wir",
        html,
        &[
            ExpectedPerson {
                name: "Svenja Ahlers",
                title: "Filialleitung",
                phones: 1,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Deniz Yıldırım",
                title: "Werkstattmeister",
                phones: 1,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Thore Quast",
                title: "Azubi im 2. Lehrjahr",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// A product page that looks like a team, and shops in streets named after people.
#[test]
fn products_and_streets_are_not_people() {
    let html = "<h1>Unsere Modelle</h1><div class=grid><div class=card><img src=1><h3>Emma Sofa</h3><p>ab 899 €</p></div><div class=card><img src=2><h3>Oskar Sessel</h3><p>ab 399 €</p></div><div class=card><img src=3><h3>Clara Eiche Natur</h3><p>Esstisch</p></div></div>\
        <h2>Filialen</h2><ul><li>Konrad-Adenauer-Ufer 12, Köln</li><li>Rosa-Luxemburg-Platz 2, Berlin</li><li>Willy Brandt Platz 3, Essen</li></ul><h2>Marken</h2><p>Ligne Roset, Rolf Benz, Hugo Boss</p>";
    assert_people("/produkte", html, &[]);
}

/// Two boards, of which one does not represent the company.
#[test]
fn german_supervisory_board_does_not_represent_the_company() {
    let html = "<h1>Impressum</h1><dl><dt>Vorstand</dt><dd>Dr. Henrike Osterloh (Vorsitzende)<br>Matthias Brandl<br>Yuki Tanaka</dd><dt>Vorsitzender des Aufsichtsrats</dt><dd>Prof. Dr. Rainer Stadelmann</dd><dt>Sitz</dt><dd>Mannheim</dd></dl>";
    assert_people(
        "/impressum",
        html,
        &[
            ExpectedPerson {
                name: "Henrike Osterloh",
                title: "Vorsitzende",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Matthias Brandl",
                title: "Vorstand",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Yuki Tanaka",
                title: "Vorstand",
                legal: true,
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Rainer Stadelmann",
                title: "Vorsitzender des Aufsichtsrats",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// The contact of a job advertisement, with the company's number in the footer.
#[test]
fn contact_of_a_job_advertisement_is_read() {
    let html = "<main><h1>Elektroniker (m/w/d)</h1><p>Wir suchen einen Elektroniker für unsere Werkstatt in Fulda.</p><div class=box><h4>Ihre Ansprechpartnerin</h4><p>Frau Leonie Haberkorn<br>Personalreferentin<br>0661 / 90 80-44<br><a href='mailto:bewerbung@muster.test'>bewerbung@muster.test</a></p></div></main>\
        <footer><p>Muster AG · Telefon 0661 / 90 80-0 · info@muster.test</p></footer>";
    assert_people(
        "/karriere/elektroniker",
        html,
        &[ExpectedPerson {
            name: "Leonie Haberkorn",
            title: "Personalreferentin",
            phones: 1,
            ..ExpectedPerson::EMPTY
        }],
    );
}

/// JSON-LD with employees, a review and an article; microdata of an employee.
#[test]
fn json_ld_reviewers_and_authors_are_not_staff() {
    let html = r#"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization","name":"Muster","founder":{"@type":"Person","name":"Nora Lindqvist"},
        "employee":[{"@type":"Person","name":"Callum Reid","jobTitle":"Chief Operating Officer","email":"mailto:callum@muster.test","sameAs":["https://www.linkedin.com/in/callumreid"]}],
        "review":[{"@type":"Review","author":{"@type":"Person","name":"Angry Customer"}}]}</script><script type="application/ld+json">{"@type":"Article","author":{"@type":"Person","name":"Guest Writer","jobTitle":"Journalist"}}</script>
        <div itemscope itemtype="https://schema.org/Person"><span itemprop="name">Ailsa McBride</span>, <span itemprop="jobTitle">Master Brewer</span></div>"#;
    assert_people(
        "/",
        html,
        &[
            ExpectedPerson { name: "Nora Lindqvist", ..ExpectedPerson::EMPTY },
            ExpectedPerson {
                name: "Callum Reid",
                title: "Chief Operating Officer",
                mails: &["callum@muster.test"],
                ..ExpectedPerson::EMPTY
            },
            ExpectedPerson {
                name: "Ailsa McBride",
                title: "Master Brewer",
                ..ExpectedPerson::EMPTY
            },
        ],
    );
}

/// A list of partners with professions, separated by semicolons.
#[test]
fn partners_in_a_list_keep_their_professions() {
    let html = "<html lang=de><body><h1>Impressum</h1><p>Vertretungsberechtigte Partner: Dr. jur. \
        Henning Köhler, Rechtsanwalt und Fachanwalt für Arbeitsrecht; Sabine Steinbrecher, \
        Steuerberaterin; Prof. Dr. Ulrich von Aspern, LL.M.</p>";
    let partner =
        |name, title| ExpectedPerson { name, title, legal: true, ..ExpectedPerson::EMPTY };
    let partners = [
        partner("Henning Köhler", "Rechtsanwalt"),
        partner("Sabine Steinbrecher", "Steuerberaterin"),
        partner("Ulrich von Aspern", "Partner"),
    ];
    assert_people("/impressum", html, &partners);
}

/// One person has two offices, of which one represents the company.
#[test]
fn gerant_with_editorial_duty_represents_the_company() {
    let html = "<html lang=fr><body><h1>Mentions légales</h1><p>Gérant et directeur de la publication : \
        M. Pierre-Yves DUVAL</p>";
    let title = "Gérant et directeur de la publication";
    let wanted =
        ExpectedPerson { name: "Pierre-Yves Duval", title, legal: true, ..ExpectedPerson::EMPTY };
    assert_people("/mentions-legales", html, &[wanted]);
}

/// District and town of an address are no people.
#[test]
fn district_of_an_address_is_not_a_person() {
    let html = "<html lang=pt><body><h1>Contato</h1><p>Av. Paulista, 1578 - 12º andar, conj. 124 - \
        Bela Vista, São Paulo - SP, 01310-200</p><p>(11) 3251-4000</p><p><b>Márcia Tavares de Lima</b><br>\
        Diretora Financeira</p>";
    let title = "Diretora Financeira";
    let wanted = ExpectedPerson { name: "Márcia Tavares de Lima", title, ..ExpectedPerson::EMPTY };
    assert_people("/contato", html, &[wanted]);
}
