//! The first pages. All companies, people and numbers are invented.

use super::HandwrittenPage;

pub(crate) const PAGES: &[HandwrittenPage] = &[
    HandwrittenPage {
        url: "https://www.dachdeckerei-uhlenbrock.de/impressum.html",
        html: r#"<html lang="de"><body><table width="900"><tr><td class="nav"><a href="/">Home</a><br><a href="/kontakt.html">Kontakt</a></td>
<td><font size="4"><b>Impressum</b></font><br><br>Angaben gemäß § 5 DDG:<br><br>Dachdeckerei Uhlenbrock GmbH<br>An der Ziegelei 14<br>D-48147 Münster<br><br>
Telefon: 0251 / 98 76 54-0<br>Telefax: 0251 / 98 76 54-29<br>Notdienst (24 h): 0171 5551234<br>E-Mail: info (at) dachdeckerei-uhlenbrock (punkt) de<br><br>
Geschäftsführer: Heinz Uhlenbrock<br>Registergericht: Amtsgericht Münster<br>Registernummer: HRB 20481<br>Umsatzsteuer-Identifikationsnummer gemäß § 27 a UStG: DE136695976<br><br>
Zuständige Kammer:<br>Handwerkskammer Münster<br>Bismarckallee 1<br>48151 Münster<br>Tel. 0251 5203-0<br><br>
Berufshaftpflichtversicherung:<br>Westfälische Muster Versicherung AG<br>Provinzialallee 1<br>48159 Münster<br><br>
Streitschlichtung: Wir nehmen nicht teil. Plattform: https://ec.europa.eu/consumers/odr<br><br>Bildnachweis: fotolia, Studio Lichtblick Köln, Tel. 0221 123456<br><br>
Webdesign: <a href="http://www.pixelhafen-agentur.de">Pixelhafen</a>, Hafenweg 3, 48155 Münster, mail@pixelhafen-agentur.de</td></tr></table></body></html>"#,
        legal_name: "Dachdeckerei Uhlenbrock GmbH",
        emails: &["info@dachdeckerei-uhlenbrock.de"],
        phones: &["+492519876540", "+4925198765429", "+491715551234"],
        addresses: &[("An der Ziegelei 14", "48147", "Münster")],
        vat: "DE136695976",
        registration: "HRB20481",
        socials: &[],
        foreign: &[
            "52030",
            "Bismarckallee",
            "Provinzialallee",
            "Hafenweg",
            "pixelhafen",
            "+49221123456",
        ],
    },
    HandwrittenPage {
        url: "https://menuiserie-vasseur.fr/mentions-legales",
        html: r#"<html lang="fr-FR"><head><meta property="og:site_name" content="Menuiserie Vasseur"></head><body><header><div class="elementor-widget"><a href="/contact">Contact</a></div></header>
<main><h1 class="elementor-heading-title">Mentions légales</h1>
<h2>Éditeur du site</h2><p>Le site menuiserie-vasseur.fr est édité par la société Menuiserie Vasseur, SARL au capital de 10&nbsp;000&nbsp;€, immatriculée au RCS de Rennes sous le numéro 404 833 048, dont le siège social est situé 12 rue des Charpentiers, 35000 Rennes.</p>
<p>N° de TVA intracommunautaire : FR83404833048<br>Téléphone : 02 99 12 34 56<br>Courriel : <a href="mailto:contact@menuiserie-vasseur.fr">contact@menuiserie-vasseur.fr</a></p>
<p>Directeur de la publication : Yann Vasseur</p>
<h2>Hébergement</h2><p>NuageWeb SAS<br>2 rue Kellermann<br>59100 Roubaix<br>Tél. : 09 72 10 10 07<br>support@nuageweb.example</p>
<h2>Conception et réalisation</h2><p>Agence Triskell – 4 quai Duguay-Trouin, 35000 Rennes – 02 99 65 43 21</p>
<h2>Médiation</h2><p>CM2C, 14 rue Saint Jean, 75017 Paris</p></main>
<footer><a href="https://www.facebook.com/menuiserievasseur/">Facebook</a><a href="https://www.facebook.com/sharer.php?u=x">Partager</a></footer></body></html>"#,
        legal_name: "Menuiserie Vasseur, SARL",
        emails: &["contact@menuiserie-vasseur.fr"],
        phones: &["+33299123456"],
        addresses: &[("12 rue des Charpentiers", "35000", "Rennes")],
        vat: "FR83404833048",
        registration: "404833048",
        socials: &["https://www.facebook.com/menuiserievasseur"],
        foreign: &[
            "Kellermann",
            "972101007",
            "Duguay",
            "299654321",
            "Saint Jean",
            "nuageweb",
            "NuageWeb",
        ],
    },
    HandwrittenPage {
        url: "https://www.officinebrambati.it/",
        html: r#"<html lang="it"><head><title>Officine Brambati | Carpenteria metallica</title></head><body><div class="hero"><h1>Carpenteria metallica dal 1961</h1></div>
<section class="clienti"><h2>I nostri clienti</h2><p>Acciaierie Rota S.p.A.</p><p>Tel. 030 9988776</p></section>
<div id="footer"><div class="container"><div class="col-md-4"><h4>Contatti</h4><i class="fa fa-map-marker"></i> Via dell'Industria, 27 - 25030 Castel Mella (BS)<br><i class="fa fa-phone"></i> <a href="tel:+390302580011">030 2580011</a><br><i class="fa fa-fax"></i> 030 2580012<br><i class="fa fa-envelope"></i> <a href="mailto:info@officinebrambati.it">info@officinebrambati.it</a><br>PEC: officinebrambati@legalmail.it</div>
<div class="col-md-8"><small>&copy; 2024 Officine Brambati S.r.l. - Sede legale: Via dell'Industria 27, 25030 Castel Mella (BS) - P.IVA e C.F. 00743110157 - REA BS-345678 - Cap. Soc. &euro; 100.000,00 i.v. | <a href="/privacy">Privacy</a> | Credits: <a href="https://www.webdolomiti.it">Web Dolomiti srl</a> - 0464 123456</small></div>
<a href="https://www.linkedin.com/company/officine-brambati"></a><a href="https://www.instagram.com/officinebrambati"></a></div></div></body></html>"#,
        legal_name: "Officine Brambati S.r.l.",
        emails: &["info@officinebrambati.it", "officinebrambati@legalmail.it"],
        phones: &["+390302580011", "+390302580012"],
        addresses: &[("Via dell'Industria, 27", "25030", "Castel Mella")],
        vat: "00743110157",
        registration: "BS345678",
        socials: &[
            "https://www.linkedin.com/company/officine-brambati",
            "https://www.instagram.com/officinebrambati",
        ],
        foreign: &["9988776", "Dolomiti", "464123456", "Rota"],
    },
    HandwrittenPage {
        url: "https://zielony-zakatek.pl/kontakt",
        html: r#"<!DOCTYPE html><html lang="pl"><head><title>Kontakt - Zielony Zakątek</title></head><body><div class="content"><h1>Kontakt</h1><p><strong>Zielony Zakątek Sp. z o.o.</strong><br />ul. Ogrodowa 5/7<br />61-821 Poznań</p>
<ul><li>tel. <a href="tel:+48618501122">61 850 11 22</a></li><li>kom. 601 234 567</li><li>faks: 61 850 11 23</li><li>e-mail: biuro<span style="display:none">usun-to</span>@zielony-zakatek.pl</li></ul>
<p>NIP: 856-734-62-15, REGON: 300123456, KRS: 0000123456, Sąd Rejonowy Poznań – Nowe Miasto i Wilda w Poznaniu, VIII Wydział Gospodarczy KRS. Kapitał zakładowy: 50 000 zł.</p>
<p>Nr konta: 12 1020 4027 0000 1102 0304 0506</p><h3>Godziny otwarcia</h3><p>pn.–pt. 8:00–16:00</p></div>
<footer><p>© 2015-2024 Zielony Zakątek. Projekt i wykonanie: Studio Malina, tel. 500 600 700, kontakt@studiomalina.pl</p><a href="https://www.facebook.com/zielonyzakatekpoznan">FB</a></footer></body></html>"#,
        legal_name: "Zielony Zakątek Sp. z o.o.",
        emails: &["biuro@zielony-zakatek.pl"],
        phones: &["+48618501122", "+48601234567", "+48618501123"],
        addresses: &[("ul. Ogrodowa 5/7", "61-821", "Poznań")],
        vat: "8567346215",
        registration: "0000123456",
        socials: &["https://www.facebook.com/zielonyzakatekpoznan"],
        foreign: &["500600700", "studiomalina", "+4812102"],
    },
    HandwrittenPage {
        url: "https://www.harbottle-joinery.co.uk/contact",
        html: r#"<html lang="en-GB"><head><title>Contact | Harbottle Joinery</title></head><body><main><h1>Contact us</h1><div class="row"><div class="col"><h3>Workshop</h3><p>Unit 12, Tanyard Business Park<br>Tanyard Lane<br>Halifax<br>West Yorkshire<br>HX1 5ED</p><p>Call us on 01422 345 678 or email <a href="mailto:hello@harbottle-joinery.co.uk">hello@harbottle-joinery.co.uk</a></p><p>Order reference 2024-118-3345 · Opening hours 8.00 - 17.30</p></div>
<div class="col"><h3>What our clients say</h3><blockquote>Superb work! – J. Smith, Smith &amp; Co Ltd, 0113 496 0999</blockquote></div></div></main>
<footer><p>Harbottle Joinery is a trading name of Harbottle &amp; Daughters Ltd. Registered in England &amp; Wales No. 07654321. Registered office: 3 Church Street, Halifax, HX1 1AA. VAT Reg No 980 7806 84.</p><p>Site by <a href="https://brightowl.agency">Bright Owl</a> 0161 496 0123</p><a href="https://www.instagram.com/harbottlejoinery/"><svg class="icon"></svg></a><a href="https://twitter.com/intent/tweet?text=x">Tweet</a></footer></body></html>"#,
        legal_name: "Harbottle & Daughters Ltd.",
        emails: &["hello@harbottle-joinery.co.uk"],
        phones: &["+441422345678"],
        addresses: &[
            ("Unit 12, Tanyard Business Park, Tanyard Lane", "HX1 5ED", "Halifax"),
            ("3 Church Street", "HX1 1AA", "Halifax"),
        ],
        vat: "980780684",
        registration: "07654321",
        socials: &["https://www.instagram.com/harbottlejoinery"],
        foreign: &["1134960999", "1614960123", "Smith"],
    },
    HandwrittenPage {
        url: "https://www.redwillowbakery.com/",
        html: r#"<!doctype html><html lang="en-US"><head><title>Red Willow Bakery</title><meta name="description" content="Sourdough and pies in Boise"></head><body><nav><a href="/menu">Menu</a> <a href="/contact">Visit</a></nav>
<section><h2>Visit us</h2><p>1204 W Idaho St, Boise, ID 83702</p><p><a href="tel:2085550142">(208) 555-0142</a></p><p>Mon-Fri 7am-3pm</p><p>Wholesale: wholesale [at] redwillowbakery.com</p></section>
<section class="press"><h2>Press quotes</h2><p>"Best rye in town" – Boise Courier, tips@boisecourier.example</p></section>
<footer>© 2024 Red Willow Bakery LLC. All rights reserved. <a href="https://www.instagram.com/redwillowbakery">IG</a> <a href="https://www.yelp.com/biz/red-willow">Yelp</a> Powered by <a href="https://www.squarespaceish.example">SiteBlocks</a></footer></body></html>"#,
        legal_name: "Red Willow Bakery LLC",
        emails: &["wholesale@redwillowbakery.com"],
        phones: &["+12085550142"],
        addresses: &[("1204 W Idaho St", "83702", "Boise")],
        vat: "",
        registration: "",
        socials: &["https://www.instagram.com/redwillowbakery"],
        foreign: &["boisecourier", "SiteBlocks"],
    },
    HandwrittenPage {
        url: "https://www.talleresnavarrete.es/aviso-legal/",
        html: r#"<html lang="es"><body><div class="entry-content"><h1>Aviso legal</h1><p>En cumplimiento del artículo 10 de la Ley 34/2002, se informa:</p><ul><li><b>Titular:</b> Talleres Navarrete, S.L.</li><li><b>CIF:</b> A58818501</li><li><b>Domicilio social:</b> Polígono Industrial El Romeral, C/ Fresadores 8, nave 3, 30820 Alcantarilla (Murcia)</li><li><b>Teléfono:</b> 968 12 34 56 / 699 11 22 33</li><li><b>Correo electrónico:</b> taller arroba talleresnavarrete punto es</li><li><b>Datos registrales:</b> Registro Mercantil de Murcia, Tomo 2345, Folio 12, Hoja MU-54321</li></ul>
<h2>Protección de datos</h2><p>Puede reclamar ante la Agencia Española de Protección de Datos, C/ Jorge Juan 6, 28001 Madrid, tel. 900 293 183.</p></div>
<footer>Diseño web: MurciaPixel · hola@murciapixel.example · 968 99 88 77</footer></body></html>"#,
        legal_name: "Talleres Navarrete, S.L.",
        emails: &["taller@talleresnavarrete.es"],
        phones: &["+34968123456", "+34699112233"],
        addresses: &[(
            "Polígono Industrial El Romeral, C/ Fresadores 8, nave 3",
            "30820",
            "Alcantarilla",
        )],
        vat: "A58818501",
        registration: "MU54321",
        socials: &[],
        foreign: &["Jorge Juan", "900293183", "murciapixel", "968998877"],
    },
    HandwrittenPage {
        url: "https://bakkerijdewolf.nl/over-ons",
        html: r#"<html lang="nl"><body><div id="page"><h1>Over ons</h1><p>Sinds 1948 bakken wij brood in Deventer.</p></div><div class="site-footer"><div class="widget"><h4 class="widget-title">Bakkerij De Wolf B.V.</h4><div class="textwidget">Brink 23<br>7411 BS Deventer<br>T 0570 61 23 45<br>E <a href="mailto:info@bakkerijdewolf.nl">info@bakkerijdewolf.nl</a></div></div><div class="widget"><h4 class="widget-title">Gegevens</h4>KvK 38012345<br>BTW NL004495445B01<br>IBAN NL91 ABNA 0417 1643 00</div><div class="widget"><h4 class="widget-title">Onze partners</h4>Molen De Hoop, Molenweg 2, 7441 AA Nijverdal, tel. 0548 61 99 88</div><div class="copyright">Website door <a href="https://sterkwerk.example">Sterkwerk</a> – 038 123 45 67</div></div></body></html>"#,
        legal_name: "Bakkerij De Wolf B.V.",
        emails: &["info@bakkerijdewolf.nl"],
        phones: &["+31570612345"],
        addresses: &[("Brink 23", "7411 BS", "Deventer")],
        vat: "NL004495445B01",
        registration: "38012345",
        socials: &[],
        foreign: &["Molenweg", "548619988", "381234567", "ABNA"],
    },
    HandwrittenPage {
        url: "https://www.cortica-do-vale.pt/contactos",
        html: r#"<html lang="pt-PT"><body><h2>Contactos</h2><p>Cortiça do Vale, Unipessoal Lda<br>Zona Industrial de Grândola, Lote 14<br>7570-103 Grândola<br>Portugal</p><p>Tel.: (+351) 269 123 456 <small>(chamada para a rede fixa nacional)</small><br>Tlm.: 912 345 678<br>geral@cortica-do-vale.pt</p><p>NIPC 501 964 843 · Matriculada na Conservatória do Registo Comercial de Grândola</p><p><a href="https://www.livroreclamacoes.pt/">Livro de Reclamações</a></p><h3>Resolução alternativa de litígios</h3><p>CNIACC – Rua D. Afonso Henriques 1, 4700-030 Braga, tel. 253 619 107, geral@cniacc.example</p><footer>Desenvolvido por Alentejo Digital, 266 000 111</footer></body></html>"#,
        legal_name: "Cortiça do Vale, Unipessoal Lda",
        emails: &["geral@cortica-do-vale.pt"],
        phones: &["+351269123456", "+351912345678"],
        addresses: &[("Zona Industrial de Grândola, Lote 14", "7570-103", "Grândola")],
        vat: "501964843",
        registration: "501964843",
        socials: &[],
        foreign: &["Henriques", "253619107", "cniacc", "266000111"],
    },
    HandwrittenPage {
        url: "https://www.cafeserradourada.com.br/",
        html: r#"<html lang="pt-BR"><body><header><img class="logo" src="/l.png" alt="Café Serra Dourada"></header><footer class="rodape"><div><strong>Atendimento</strong><br>(31) 3245-6789<br>WhatsApp: (31) 98765-4321<br>contato@cafeserradourada.com.br</div><div>Serra Dourada Comércio de Cafés Ltda - CNPJ 11.222.333/0001-81<br>Rua das Acácias, 455 - Savassi, Belo Horizonte - MG, 30140-060</div><div>Desenvolvido por AgênciaMinas (31) 3000-1000</div><a href="https://www.instagram.com/cafeserradourada">@cafeserradourada</a></footer></body></html>"#,
        legal_name: "Serra Dourada Comércio de Cafés Ltda",
        emails: &["contato@cafeserradourada.com.br"],
        phones: &["+553132456789", "+5531987654321"],
        addresses: &[("Rua das Acácias, 455", "30140-060", "Belo Horizonte")],
        vat: "",
        registration: "11222333000181",
        socials: &["https://www.instagram.com/cafeserradourada"],
        foreign: &["30001000"],
    },
    HandwrittenPage {
        url: "https://www.alpenwerk-tirol.at/impressum",
        html: r#"<html lang="de-AT"><body><dl><dt>Firmenwortlaut</dt><dd>Alpenwerk Holzbau GmbH</dd><dt>Unternehmensgegenstand</dt><dd>Holzbau</dd><dt>UID-Nummer</dt><dd>ATU13585627</dd><dt>Firmenbuchnummer</dt><dd>FN 123456a</dd><dt>Firmenbuchgericht</dt><dd>Landesgericht Innsbruck</dd><dt>Firmensitz</dt><dd>Sägewerkstraße 9, 6020 Innsbruck</dd><dt>Kontaktdaten</dt><dd>Tel.: +43 512 90 80 70<br>Fax DW 15<br>E-Mail: <a href="javascript:linkTo_UnCryptMailto('ocknvq,qhhkegBcnrgpygtm/vktqn0cv');">office(at)alpenwerk-tirol.at</a></dd><dt>Mitglied der</dt><dd>WKO Tirol, Wilhelm-Greil-Straße 7, 6020 Innsbruck, 05 90905</dd><dt>Aufsichtsbehörde</dt><dd>Bezirkshauptmannschaft Innsbruck, Gilmstraße 2, 6020 Innsbruck, bh.innsbruck@tirol.example</dd></dl></body></html>"#,
        legal_name: "Alpenwerk Holzbau GmbH",
        emails: &["office@alpenwerk-tirol.at"],
        phones: &["+43512908070"],
        addresses: &[("Sägewerkstraße 9", "6020", "Innsbruck")],
        vat: "ATU13585627",
        registration: "FN123456a",
        socials: &[],
        foreign: &["Greil", "Gilmstra", "bh.innsbruck", "90905"],
    },
    HandwrittenPage {
        url: "https://atelier-zumstein.ch/kontakt",
        html: r#"<html lang="de-CH"><body><div class="vcard"><span class="fn org">Atelier Zumstein AG</span><div class="adr"><span class="street-address">Gerbergasse 11</span> <span class="postal-code">3011</span> <span class="locality">Bern</span> <span class="country-name">Schweiz</span></div><div class="tel">T +41 31 311 22 33</div><div>M 079 123 45 67</div><a class="email" href="mailto:atelier@atelier-zumstein.ch">Mail</a></div><p>CHE-116.281.710 MWST</p><p>Handelsregister des Kantons Bern</p><p>Öffnungszeiten: Di–Sa 10–18 Uhr</p><hr><p>Fotos: Anna Keller, anna@kellerfoto.example, +41 79 999 88 77</p></body></html>"#,
        legal_name: "Atelier Zumstein AG",
        emails: &["atelier@atelier-zumstein.ch"],
        phones: &["+41313112233", "+41791234567"],
        addresses: &[("Gerbergasse 11", "3011", "Bern")],
        vat: "CHE116281710",
        registration: "CHE116281710",
        socials: &[],
        foreign: &["kellerfoto", "799998877", "Keller"],
    },
    HandwrittenPage {
        url: "https://kilrush-seaweed.ie/contact-us",
        html: r#"<html lang="en-IE"><body><h1>Contact</h1><address>Kilrush Seaweed Teoranta<br>Pier Road<br>Kilrush<br>Co. Clare<br>V15 A2B3<br>Ireland</address><p>Phone: 065 905 1234<br>Email: info&#64;kilrush-seaweed.ie</p><p>Registered in Ireland No. 543210. VAT: IE6433435F. Directors: A. Moroney, B. Behan.</p><p class="small">Not to be confused with Kilrush Kelp Ltd, 065 905 9999.</p></body></html>"#,
        legal_name: "Kilrush Seaweed Teoranta",
        emails: &["info@kilrush-seaweed.ie"],
        phones: &["+353659051234"],
        addresses: &[("Pier Road", "V15 A2B3", "Kilrush")],
        vat: "IE6433435F",
        registration: "543210",
        socials: &[],
        foreign: &["659059999", "Kelp"],
    },
    HandwrittenPage {
        url: "https://www.garage-lambrecht.be/nl/contact",
        html: r#"<html lang="nl-BE"><body><div class="wrap"><div class="c1"><p>Garage Lambrecht BV</p><p>Steenweg op Gent 112 bus 1</p><p>9300 Aalst</p></div><div class="c2"><p>Tel: 053 77 88 99</p><p>Gsm: 0475 12 34 56</p><p>Fax: 053 77 88 98</p><p>info@garage-lambrecht.be</p><p>BTW BE 0428.759.497 - RPR Gent, afdeling Dendermonde</p><p>IBAN BE71 0961 2345 6769</p></div></div></body></html>"#,
        legal_name: "Garage Lambrecht BV",
        emails: &["info@garage-lambrecht.be"],
        phones: &["+3253778899", "+32475123456", "+3253778898"],
        addresses: &[("Steenweg op Gent 112 bus 1", "9300", "Aalst")],
        vat: "BE0428759497",
        registration: "",
        socials: &[],
        foreign: &["0961"],
    },
];
