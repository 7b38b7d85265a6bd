//! Eleven pages from ten countries. All companies, people and numbers are invented.

use super::HandwrittenPage;

pub(crate) const PAGES_TEN_COUNTRIES: &[HandwrittenPage] = &[
    HandwrittenPage {
        url: "https://www.hartwellpryce.co.uk/contact",
        html: r##"<!doctype html><html lang="en-GB"><head><title>Contact Us | Hartwell & Pryce Solicitors</title>
<meta property="og:site_name" content="Hartwell & Pryce"></head><body>
<header><nav><a href="/">Home</a><a href="/people">Our People</a><a href="tel:+441865551234">01865 551 234</a></nav></header>
<main><h1>Contact us</h1>
<div class="office"><h3>Oxford Office</h3><p>12 St. Giles'<br>Oxford<br>OX1 3LU</p><p>T: <a href="tel:01865551234">01865 551 234</a><br>F: 01865 551 235<br>E: <a href="mailto:oxford@hartwellpryce.co.uk?subject=Enquiry">oxford@hartwellpryce.co.uk</a></p><p>DX: 4321 Oxford 1</p></div>
<div class="office"><h3>Witney Office</h3><p>3 Market Square, Witney, Oxfordshire, OX28 6AB</p><p>Tel 01993 555 010</p></div>
<p>For complaints, contact our Senior Partner, Margaret Hartwell, at m.hartwell@hartwellpryce.co.uk.</p>
</main>
<footer><p>Hartwell & Pryce LLP is a limited liability partnership registered in England and Wales (registered number OC312345). Registered office: 12 St Giles', Oxford, OX1 3LU. VAT registration number GB 123 4567 82. Authorised and regulated by the Solicitors Regulation Authority (SRA number 401234). A list of members is available for inspection.</p>
<p>Site by <a href="https://www.brightpixel.agency">Bright Pixel</a> · <a href="mailto:hello@brightpixel.agency">hello@brightpixel.agency</a></p>
<a href="https://www.linkedin.com/company/hartwell-pryce"><i class="fa"></i></a><a href="https://twitter.com/intent/tweet?url=x">Tweet</a><a href="https://x.com/hartwellpryce">X</a></footer></body></html>"##,
        legal_name: "Hartwell & Pryce LLP",
        emails: &["oxford@hartwellpryce.co.uk", "m.hartwell@hartwellpryce.co.uk"],
        phones: &["+441865551234", "+441865551235", "+441993555010"],
        addresses: &[
            ("12 St. Giles'", "OX1 3LU", "Oxford"),
            ("3 Market Square", "OX28 6AB", "Witney"),
        ],
        vat: "GB123456782",
        registration: "OC312345",
        socials: &[
            "https://www.linkedin.com/company/hartwell-pryce",
            "https://x.com/hartwellpryce",
        ],
        foreign: &["brightpixel", "Bright Pixel", "401234"],
    },
    HandwrittenPage {
        url: "https://zimmerei-brandstaetter.de/impressum",
        html: r##"<!doctype html><html lang="de"><head><title>Impressum – Zimmerei Brandstätter</title></head><body><div id="content">
<h1>Impressum</h1><h2>Angaben gemäß § 5 DDG</h2>
<p>Zimmerei Brandstätter e.K.<br/>Inhaber: Josef Brandstätter<br/>Am Sägewerk 4a<br/>D-83512 Wasserburg a. Inn</p>
<h2>Kontakt</h2><p>Telefon: +49 (0)8071 / 40 12-0<br>Telefax: +49 (0)8071 / 40 12-20<br>Mobil: 0171/2345678<br>E-Mail: info(at)zimmerei-brandstaetter(dot)de</p>
<h2>Handelsregister</h2><p>Eingetragen im Handelsregister.<br>Registergericht: Amtsgericht Traunstein<br>Registernummer: HRA 10234</p>
<h2>Umsatzsteuer-ID</h2><p>Umsatzsteuer-Identifikationsnummer gemäß § 27 a Umsatzsteuergesetz:<br>DE 136695976</p>
<h2>Zuständige Kammer</h2><p>Handwerkskammer für München und Oberbayern, Max-Joseph-Straße 4, 80333 München, Telefon 089 5119-0, info@hwk-muenchen.de</p>
<h2>Verantwortlich für den Inhalt nach § 18 Abs. 2 MStV</h2><p>Josef Brandstätter (Anschrift wie oben)</p>
<h2>EU-Streitschlichtung</h2><p>https://ec.europa.eu/consumers/odr/. Unsere E-Mail-Adresse finden Sie oben im Impressum.</p>
<p>Bildnachweise: © Peter Müller, Adobe Stock</p><p>Konzept & Umsetzung: Medienwerk Chiemgau GmbH, www.medienwerk-chiemgau.de</p></div></body></html>"##,
        legal_name: "Zimmerei Brandstätter e.K.",
        emails: &["info@zimmerei-brandstaetter.de"],
        phones: &["+49807140120", "+498071401220", "+491712345678"],
        addresses: &[("Am Sägewerk 4a", "83512", "Wasserburg a. Inn")],
        vat: "DE136695976",
        registration: "HRA10234",
        socials: &[],
        foreign: &["hwk-muenchen", "Max-Joseph", "5119", "Peter Müller", "Medienwerk"],
    },
    HandwrittenPage {
        url: "https://atelier-rivoire.fr/mentions-legales",
        html: r##"<!doctype html><html lang="fr-FR"><head><title>Mentions légales - Atelier Rivoire</title></head><body><main>
<h1>Mentions légales</h1><h2>Éditeur du site</h2>
<p>Le présent site est édité par la société <strong>ATELIER RIVOIRE</strong>, SARL au capital de 10 000 €, immatriculée au RCS de Lyon sous le numéro 552 100 554, dont le siège social est situé 18 quai Saint-Vincent, 69001 Lyon.</p>
<p>N° TVA intracommunautaire : FR 83 404 833 048</p><p>Directrice de la publication : Mme Claire Rivoire, gérante.</p><p>Téléphone : 04 78 00 12 34 – Courriel : bonjour [arobase] atelier-rivoire [point] fr</p>
<h2>Hébergeur</h2><p>OVH SAS, 2 rue Kellermann, 59100 Roubaix, France. Tél. 1007. RCS Lille Métropole 424 761 419</p>
<h2>Médiation</h2><p>CM2C, 14 rue Saint Jean 75017 Paris, cm2c@cm2c.net, 01 89 47 00 14</p></main></body></html>"##,
        legal_name: "ATELIER RIVOIRE, SARL",
        emails: &["bonjour@atelier-rivoire.fr"],
        phones: &["+33478001234"],
        addresses: &[("18 quai Saint-Vincent", "69001", "Lyon")],
        vat: "FR83404833048",
        registration: "552100554",
        socials: &[],
        foreign: &["OVH", "Kellermann", "cm2c", "siège social"],
    },
    HandwrittenPage {
        url: "https://www.bertolotti.it/chi-siamo",
        html: r##"<!doctype html><html lang="it"><head><title>Chi siamo - Officine Bertolotti</title></head><body><h1>Chi siamo</h1>
<p>Fondata nel 1962 da Aldo Bertolotti, l'azienda è oggi guidata dai figli Marco e Lucia.</p>
<h2>Organigramma</h2><table><thead><tr><th>Funzione</th><th>Responsabile</th><th>Interno</th><th>E-mail</th></tr></thead><tbody>
<tr><td>Amministratore delegato</td><td>Ing. Marco Bertolotti</td><td>101</td><td>m.bertolotti@bertolotti.it</td></tr>
<tr><td>Ufficio acquisti</td><td>Lucia Bertolotti</td><td>102</td><td>acquisti@bertolotti.it</td></tr>
<tr><td>Assistenza tecnica</td><td>—</td><td>110</td><td>assistenza@bertolotti.it</td></tr></tbody></table>
<footer>Officine Bertolotti S.r.l. - Via dell'Artigianato, 15 - 25030 Castel Mella (BS) - P.IVA e C.F. 00743110157 - REA BS-234567 - Cap. Soc. € 100.000 i.v. - Tel. +39 030 258 1234 - PEC: bertolotti@pec.it</footer></body></html>"##,
        legal_name: "Officine Bertolotti S.r.l.",
        emails: &[
            "m.bertolotti@bertolotti.it",
            "acquisti@bertolotti.it",
            "assistenza@bertolotti.it",
            "bertolotti@pec.it",
        ],
        phones: &["+390302581234"],
        addresses: &[("Via dell'Artigianato, 15", "25030", "Castel Mella")],
        vat: "00743110157",
        registration: "BS234567",
        socials: &[],
        foreign: &["Aldo"],
    },
    HandwrittenPage {
        url: "https://www.northquay.ie/about",
        html: r##"<!doctype html><html lang="en-IE"><head><title>About | North Quay Architects</title></head><body>
<section><h2>Who we are</h2><p>North Quay was founded in 2004 by Aoife Ní Bhriain and Declan O'Shea.</p></section>
<section class="w-layout-grid"><div class="person"><div class="person__name">Aoife Ní Bhriain</div><div class="person__meta">Founding Director, FRIAI</div><a class="link" href="mailto:aoife@northquay.ie">aoife@northquay.ie</a></div>
<div class="person"><div class="person__name">Declan O'Shea</div><div class="person__meta">Director</div></div>
<div class="person"><div class="person__name">Ji-woo Park</div><div class="person__meta">Architectural Technologist</div></div>
<div class="person"><div class="person__name">Bramble</div><div class="person__meta">Office dog</div></div></section>
<section><h2>Selected clients</h2><ul><li>Patrick Kavanagh Centre</li><li>Trinity College Dublin</li></ul></section>
<section><h2>Visit</h2><address>North Quay Architects Ltd<br>Unit 4, The Malthouse<br>Grand Canal Quay<br>Dublin 2<br>D02 XY76</address><p>+353 1 555 0182 &nbsp; studio@northquay.ie</p><p>Registered in Ireland No. 412345. VAT IE6388047V. Directors: A. Ní Bhriain, D. O'Shea.</p></section></body></html>"##,
        legal_name: "North Quay Architects Ltd",
        emails: &["aoife@northquay.ie", "studio@northquay.ie"],
        phones: &["+35315550182"],
        addresses: &[("Unit 4, The Malthouse, Grand Canal Quay", "D02 XY76", "Dublin 2")],
        vat: "IE6388047V",
        registration: "412345",
        socials: &[],
        foreign: &["Bramble", "Kavanagh", "Trinity"],
    },
    HandwrittenPage {
        url: "https://www.weingut-hofer.at/impressum",
        html: r##"<!doctype html><html lang="de-AT"><head><title>Impressum | Weingut Hofer</title></head><body><article><h1>Impressum</h1>
<table><tr><td>Unternehmen</td><td>Weingut Hofer KG</td></tr><tr><td>Unternehmensgegenstand</td><td>Weinbau und Heuriger</td></tr><tr><td>UID-Nummer</td><td>ATU13585627</td></tr><tr><td>Firmenbuchnummer</td><td>FN 123456a</td></tr><tr><td>Firmenbuchgericht</td><td>Landesgericht Korneuburg</td></tr><tr><td>Firmensitz</td><td>Hauptstraße 61, 2223 Hohenruppersdorf</td></tr><tr><td>Komplementär</td><td>Ing. Hermann Hofer</td></tr><tr><td>Mitglied bei</td><td>WKO, Bioverband, Bio Austria</td></tr><tr><td>Aufsichtsbehörde/Gewerbebehörde</td><td>Bezirkshauptmannschaft Gänserndorf</td></tr><tr><td>Tel.</td><td>0043 2574 8730</td></tr><tr><td>Mail</td><td>office<span style="display:none">nospam</span>@weingut-hofer.at</td></tr></table></article></body></html>"##,
        legal_name: "Weingut Hofer KG",
        emails: &["office@weingut-hofer.at"],
        phones: &["+4325748730"],
        addresses: &[("Hauptstraße 61", "2223", "Hohenruppersdorf")],
        vat: "ATU13585627",
        registration: "FN123456a",
        socials: &[],
        foreign: &["nospam", "Gänserndorf", "Bio Austria"],
    },
    HandwrittenPage {
        url: "https://www.lumenoptics.com/company/leadership",
        html: r##"<!doctype html><html lang="en-US"><head><title>Leadership — Lumen Optics, Inc.</title></head><body><main><h1>Leadership</h1>
<div class="grid">
<article><img alt=""><h3><a href="/bio/1">Rebecca Torres, PhD</a></h3><p class="sub">Co-Founder &amp; Chief Executive Officer</p><p>Rebecca previously led R&D at Photonix Corp. She holds a PhD from MIT.</p></article>
<article><img alt=""><h3><a href="/bio/2">James T. Whitfield III</a></h3><p class="sub">VP, Global Sales</p><p>James joined from Acme Lasers, where he served as CRO.</p></article>
<article><img alt=""><h3><a href="/bio/3">Priya Raghunathan</a></h3><p class="sub">General Counsel and Secretary</p></article></div>
<h2>Board of Directors</h2><ul><li>Rebecca Torres</li><li>Alan Greenfield, Partner, Ridgeline Ventures</li><li>Marisol Vega (Independent)</li></ul>
<h2>Media contact</h2><p>Dana Kim<br>Director of Communications<br>press@lumenoptics.com<br>(512) 555-0147 ext. 12</p></main>
<footer>© 2026 Lumen Optics, Inc. 9800 Metric Blvd, Suite 200, Austin, TX 78758 · 1-800-555-0199</footer></body></html>"##,
        legal_name: "Lumen Optics, Inc.",
        emails: &["press@lumenoptics.com"],
        phones: &["+15125550147", "+18005550199"],
        addresses: &[("9800 Metric Blvd, Suite 200", "78758", "Austin")],
        vat: "",
        registration: "",
        socials: &[],
        foreign: &["Photonix", "Acme"],
    },
    HandwrittenPage {
        url: "https://garage-delacroix.be/contact",
        html: r##"<!doctype html><html lang="fr-BE"><head><title>Contact - Garage Delacroix</title></head><body><h1>Nous contacter</h1>
<p><strong>Garage Delacroix SRL</strong><br>Chaussée de Namur 123 bte 4<br>1300 Wavre<br>Belgique</p><p>TVA BE 0403.170.701 - RPM Nivelles</p>
<p>Tél.&nbsp;: 010/45.67.89 - Gsm&nbsp;: 0475/12.34.56 - Fax&nbsp;: 010/45.67.90</p><p>Email : <script>document.write('info'+'@'+'garage-delacroix.be')</script></p>
<h2>L'équipe</h2><dl><dt>Vente</dt><dd>Olivier Delacroix (gérant)<br>olivier@garage-delacroix.be</dd><dt>Atelier</dt><dd>Fatima El Amrani, réceptionniste<br>010/45.67.92</dd></dl>
<p>Heures d'ouverture : 8h30-18h00</p></body></html>"##,
        legal_name: "Garage Delacroix SRL",
        emails: &["info@garage-delacroix.be", "olivier@garage-delacroix.be"],
        phones: &["+3210456789", "+32475123456", "+3210456790", "+3210456792"],
        addresses: &[("Chaussée de Namur 123 bte 4", "1300", "Wavre")],
        vat: "BE0403170701",
        registration: "",
        socials: &[],
        foreign: &[],
    },
    HandwrittenPage {
        url: "https://www.quintadovale.pt/contactos",
        html: r##"<!doctype html><html lang="pt-PT"><head><title>Contactos | Quinta do Vale</title></head><body><h1>Contactos</h1>
<p>Quinta do Vale – Sociedade Agrícola, Lda.<br>Estrada Nacional 222, n.º 1045<br>5050-231 Peso da Régua<br>Portugal</p><p>T. (+351) 254 320 100 (chamada para a rede fixa nacional)<br>M. +351 912 345 678</p><p>geral@quintadovale.pt · reservas@quintadovale.pt</p>
<p>NIPC 501442600 · Conservatória do Registo Comercial de Peso da Régua</p>
<p><b>Enologia:</b> Eng.ª Teresa Magalhães e Sousa, <a href="mailto:teresa.sousa@quintadovale.pt">teresa.sousa@quintadovale.pt</a></p><p><b>Direção comercial:</b> Rui Nogueira</p>
<p><a href="https://www.livroreclamacoes.pt/">Livro de Reclamações</a></p></body></html>"##,
        legal_name: "Quinta do Vale – Sociedade Agrícola, Lda.",
        emails: &[
            "geral@quintadovale.pt",
            "reservas@quintadovale.pt",
            "teresa.sousa@quintadovale.pt",
        ],
        phones: &["+351254320100", "+351912345678"],
        addresses: &[("Estrada Nacional 222, n.º 1045", "5050-231", "Peso da Régua")],
        vat: "501442600",
        registration: "501442600",
        socials: &[],
        foreign: &["livroreclamacoes"],
    },
    HandwrittenPage {
        url: "https://studiolegalemoretti.it/",
        html: r##"<!doctype html><html lang="it"><head><title>Studio Legale Moretti & Associati</title></head><body><h1>I professionisti</h1>
<div class="et_pb_team_member"><h4>Avv. Giulia Moretti</h4><p class="et_pb_member_position">Socia fondatrice</p><div><p>Diritto di famiglia. Iscritta all'Ordine degli Avvocati di Firenze dal 1998.</p></div></div>
<div class="et_pb_team_member"><h4>Avv. Prof. Pier Luigi De Santis</h4><p class="et_pb_member_position">Of counsel</p></div>
<div class="et_pb_team_member"><h4>Dott.ssa Chiara Lo Presti</h4><p class="et_pb_member_position">Praticante</p></div>
<h2>Dove siamo</h2><p>Piazza della Libertà 9, 50129 Firenze FI<br>Tel/Fax 055 46 31 220 – cell. 347.1234567<br>segreteria@studiolegalemoretti.it – giulia.moretti@firenze.pecavvocati.it</p><p>P.I. 00743110157</p></body></html>"##,
        legal_name: "",
        emails: &["segreteria@studiolegalemoretti.it"],
        phones: &["+390554631220", "+393471234567"],
        addresses: &[("Piazza della Libertà 9", "50129", "Firenze")],
        vat: "00743110157",
        registration: "",
        socials: &[],
        foreign: &[],
    },
    HandwrittenPage {
        url: "https://tischlerei-voss.ch/kontakt",
        html: r##"<!doctype html><html lang="de-CH"><head><title>Kontakt | Tischlerei Voss</title></head><body><h1>Kontakt</h1><div itemscope itemtype="https://schema.org/LocalBusiness"><span itemprop="name">Voss Schreinerei AG</span><div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress"><span itemprop="streetAddress">Bahnhofstrasse 22</span><br><span itemprop="postalCode">CH-8620</span> <span itemprop="addressLocality">Wetzikon ZH</span></div><a itemprop="telephone" href="tel:+41449301122">044 930 11 22</a></div><p>CHE-116.281.710 MWST</p>
<div class="kontakt-person"><img src="x.jpg"><p><b>Urs Voss</b><br>dipl. Schreinermeister, Inhaber<br><a href="mailto:urs.voss@tischlerei-voss.ch">E-Mail</a></p></div><div class="kontakt-person"><img src="y.jpg"><p><b>Regula Bürgi</b><br>Administration<br>Direkt 044 930 11 24</p></div></body></html>"##,
        legal_name: "Voss Schreinerei AG",
        emails: &["urs.voss@tischlerei-voss.ch"],
        phones: &["+41449301122", "+41449301124"],
        addresses: &[("Bahnhofstrasse 22", "8620", "Wetzikon")],
        vat: "CHE116281710",
        registration: "CHE116281710",
        socials: &[],
        foreign: &[],
    },
];
