//! Nine pages from nine countries. All companies, people and numbers are invented.

use super::HandwrittenPage;

pub(crate) const PAGES_NINE_COUNTRIES: &[HandwrittenPage] = &[
    HandwrittenPage {
        url: "https://talleresruiz.es/aviso-legal",
        html: r##"<!doctype html><html lang="es"><head><title>Aviso legal | Talleres Hermanos Ruiz</title></head><body>
<header><nav><a href="/">Inicio</a> <a href="/servicios">Servicios</a> <a href="/contacto">Contacto</a></nav><a href="tel:+34961234567">96 123 45 67</a></header>
<main><h1>Aviso Legal</h1>
<p>En cumplimiento del artículo 10 de la Ley 34/2002, de 11 de julio, de Servicios de la Sociedad de la Información, se informa que el titular de este sitio web es <strong>TALLERES HERMANOS RUIZ, S.L.</strong> (en adelante, el Titular), con domicilio social en Polígono Industrial Fuente del Jarro, C/ Ciudad de Liria, 45, 46988 Paterna (Valencia), con C.I.F. B-46103834, inscrita en el Registro Mercantil de Valencia, Tomo 1234, Libro 456, Folio 78, Hoja V-12345, Inscripción 1ª.</p>
<p>Correo electrónico: administracion@talleresruiz.es<br>Teléfono: 961 234 567 &nbsp; Fax: 961 234 568 &nbsp; Móvil: 612 345 678</p>
<p>Autoridad de control: Agencia Española de Protección de Datos, C/ Jorge Juan, 6, 28001 Madrid, www.aepd.es, Tel. 901 100 099</p>
<p>Delegado de Protección de Datos: Lucía Ferrer Gómez – dpd@talleresruiz.es</p>
</main><footer>© 2025 Talleres Hermanos Ruiz · Diseño web: <a href="https://pixelarte.es">PixelArte Studio</a> info@pixelarte.es
<a href="https://www.facebook.com/talleresruiz">Facebook</a> <a href="https://www.instagram.com/talleresruiz.vlc/">Instagram</a> <a href="https://www.facebook.com/sharer/sharer.php?u=x">Compartir</a></footer></body></html>"##,
        legal_name: "TALLERES HERMANOS RUIZ, S.L.",
        emails: &["administracion@talleresruiz.es", "dpd@talleresruiz.es"],
        phones: &["+34961234567", "+34961234568", "+34612345678"],
        addresses: &[("C/ Ciudad de Liria, 45", "46988", "Paterna")],
        vat: "B46103834",
        registration: "V12345",
        socials: &[
            "https://www.facebook.com/talleresruiz",
            "https://www.instagram.com/talleresruiz.vlc",
        ],
        foreign: &["pixelarte", "aepd", "Jorge Juan", "901 100 099"],
    },
    HandwrittenPage {
        url: "https://bramblewoodvets.co.uk/team",
        html: r##"<!doctype html><html lang="en"><head><title>Our Team - Bramblewood Veterinary Centre</title>
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"VeterinaryCare","name":"Bramblewood Veterinary Centre","telephone":"01865 552 219","address":{"@type":"PostalAddress","streetAddress":"12-14 Botley Road","addressLocality":"Oxford","postalCode":"OX2 0AB","addressCountry":"GB"},"sameAs":["https://www.facebook.com/bramblewoodvets","https://x.com/bramblewoodvets"]},{"@type":"WebSite","name":"Bramblewood","publisher":{"@type":"Organization","name":"Bramblewood Veterinary Centre"}}]}</script></head><body>
<main><h1>Meet the team</h1>
<h2>Vets</h2>
<div class="grid">
<div class="card"><img src="a.jpg" alt="Sarah Whitcombe"><h3>Sarah Whitcombe BVSc MRCVS</h3><p class="role">Clinical Director</p><p>Sarah qualified from Bristol in 2004 and enjoys soft tissue surgery.</p></div>
<div class="card"><img src="b.jpg"><h3>Dr. Tomás Ó Briain</h3><p class="role">Veterinary Surgeon</p><p>Tomás is a keen cyclist. <a href="mailto:tomas@bramblewoodvets.co.uk">Email Tomás</a></p></div>
<div class="card"><img src="c.jpg"><h3>Priya Raghunathan</h3><p class="role">Associate Vet</p></div>
</div>
<h2>Nurses &amp; Reception</h2>
<div class="grid">
<div class="card"><h3>Jean-Luc Okafor RVN</h3><p class="role">Head Nurse</p></div>
<div class="card"><h3>Molly</h3><p class="role">Practice Cat</p></div>
<div class="card"><h3>Beth Ashdown</h3><p class="role">Reception Manager</p><p>T: 01865 552 219 ext 3</p></div>
</div>
<blockquote>"They saved our dog's life" <cite>Mrs Hannah Price, Botley</cite></blockquote>
<h2>Opening Hours</h2><p>Mon-Fri 8.30-18.30</p>
</main><footer><p>Bramblewood Veterinary Centre Ltd. Registered in England and Wales No. 08123456. VAT No. GB 123 4567 82. Registered office: 12-14 Botley Road, Oxford OX2 0AB</p><p>Website by <a href="https://vetsites.example">VetSites</a></p></footer></body></html>"##,
        legal_name: "Bramblewood Veterinary Centre Ltd.",
        emails: &["tomas@bramblewoodvets.co.uk"],
        phones: &["+441865552219"],
        addresses: &[("12-14 Botley Road", "OX2 0AB", "Oxford")],
        vat: "GB123456782",
        registration: "08123456",
        socials: &["https://www.facebook.com/bramblewoodvets", "https://x.com/bramblewoodvets"],
        foreign: &["Hannah Price", "Molly", "VetSites"],
    },
    HandwrittenPage {
        url: "https://atelier-duval.fr/mentions-legales",
        html: r##"<html lang="fr"><head><title>Mentions légales</title></head><body><div id="page"><h2>Mentions légales</h2>
<h3>Éditeur du site</h3>
<p>Le site www.atelier-duval.fr est édité par la SARL Atelier Duval &amp; Fils<br/>
au capital de 15 000 €<br/>RCS Nantes 732 829 320<br/>SIRET : 732 829 320 00021 – Code APE 4332A<br/>
N° TVA : FR 44 732829320<br/>
Siège social : 7 bis, rue du Général-Leclerc – BP 40012 – 44402 Rezé Cedex<br/>
Tél : 02 40 75 12 34 – Port. 06 12 34 56 78<br/>
Courriel : contact (arobase) atelier-duval (point) fr</p>
<p>Gérant et directeur de la publication : M. Pierre-Yves DUVAL</p>
<h3>Hébergeur</h3><p>NuageWeb SAS – 2 rue Kellermann – 59100 Roubaix – France – Tél. 1007</p>
<h3>Médiateur</h3><p>Médiation de la consommation, 1 place de la Bourse, 33000 Bordeaux, contact@mediation-conso.example</p>
<h3>Réalisation</h3><p>Agence Kiwi, 5 quai de la Fosse, 44000 Nantes – hello@agencekiwi.fr</p>
</div></body></html>"##,
        legal_name: "SARL Atelier Duval & Fils",
        emails: &["contact@atelier-duval.fr"],
        phones: &["+33240751234", "+33612345678"],
        addresses: &[("7 bis, rue du Général-Leclerc, BP 40012", "44402", "Rezé")],
        vat: "FR44732829320",
        registration: "732829320",
        socials: &[],
        foreign: &["NuageWeb", "Kellermann", "mediation-conso", "Kiwi", "agencekiwi"],
    },
    HandwrittenPage {
        url: "https://zlotyklos.pl/kontakt",
        html: r##"<html lang="pl"><head><title>Kontakt – Piekarnia Złoty Kłos</title></head><body><main>
<h1>Kontakt</h1>
<address><b>Piekarnia Złoty Kłos Sp. z o.o. sp. k.</b><br>ul. Świętego Marcina 24/5<br>61-805 Poznań<br>NIP 778-134-53-86, REGON 630123456, KRS 0000123456<br>Sąd Rejonowy Poznań – Nowe Miasto i Wilda w Poznaniu, VIII Wydział Gospodarczy KRS</address>
<table><tr><th>Dział</th><th>Osoba</th><th>Telefon</th><th>E-mail</th></tr>
<tr><td>Biuro Zarządu</td><td>mgr inż. Katarzyna Wiśniewska-Nowak</td><td>61 852 11 22</td><td>zarzad@zlotyklos.pl</td></tr>
<tr><td>Sprzedaż hurtowa</td><td>Marek Zieliński</td><td>+48 601 234 567</td><td>m.zielinski@zlotyklos.pl</td></tr>
<tr><td>Księgowość</td><td>Agnieszka Lis</td><td>61 852 11 24</td><td>ksiegowosc@zlotyklos.pl</td></tr></table>
<p>Prezes Zarządu: Katarzyna Wiśniewska-Nowak</p>
</main></body></html>"##,
        legal_name: "Piekarnia Złoty Kłos Sp. z o.o. sp. k.",
        emails: &["zarzad@zlotyklos.pl", "m.zielinski@zlotyklos.pl", "ksiegowosc@zlotyklos.pl"],
        phones: &["+48618521122", "+48601234567", "+48618521124"],
        addresses: &[("ul. Świętego Marcina 24/5", "61-805", "Poznań")],
        vat: "7781345386",
        registration: "0000123456",
        socials: &[],
        foreign: &[],
    },
    HandwrittenPage {
        url: "https://groenegevel.nl/over-ons",
        html: r##"<html lang="nl"><head><title>Over ons | De Groene Gevel</title></head><body><article><h1>Over De Groene Gevel B.V.</h1>
<p>In 2011 begon Joost van der Heijden met twee collega's een hoveniersbedrijf in Utrecht. Inmiddels leidt hij samen met Fatima el Amrani (operationeel directeur) een team van 35.</p>
<h3>Bezoekadres</h3><p>Vleutenseweg 386 B<br>3532 HP Utrecht</p><h3>Postadres</h3><p>Postbus 8044<br>3503 RA Utrecht</p>
<ul><li>KvK 53214567</li><li>BTW NL850793123B01</li><li>IBAN NL91 ABNA 0417 1643 00</li></ul>
<p>Bel ons: (030) 294 56 78 of app naar 06-18273645. Mail: <span>info</span><span>@</span><span>groenegevel.nl</span></p>
<p>Klachten? Geschillencommissie Groen, Bordewijklaan 46, 2591 XR Den Haag</p></article></body></html>"##,
        legal_name: "Groene Gevel B.V.",
        emails: &["info@groenegevel.nl"],
        phones: &["+31302945678", "+31618273645"],
        addresses: &[
            ("Vleutenseweg 386 B", "3532 HP", "Utrecht"),
            ("Postbus 8044", "3503 RA", "Utrecht"),
        ],
        vat: "",
        registration: "53214567",
        socials: &[],
        foreign: &["Bordewijklaan", "Geschillencommissie"],
    },
    HandwrittenPage {
        url: "https://ksp-recht.de/impressum",
        html: r##"<html lang="de"><head><title>Impressum - Kanzlei</title></head><body><div><h1>Impressum</h1>
<p>Dr. Köhler, Steinbrecher &amp; Partner mbB<br>Rechtsanwälte · Steuerberater<br>Sophienstr. 3<br>D-70180 Stuttgart</p>
<p>Telefon 0711/24 89 38-0<br>Telefax 0711/24 89 38-99<br>kanzlei&#64;ksp-recht&#46;de</p>
<p>Vertretungsberechtigte Partner: Dr. jur. Henning Köhler, Rechtsanwalt und Fachanwalt für Arbeitsrecht; Sabine Steinbrecher, Steuerberaterin; Prof. Dr. Ulrich von Aspern, LL.M.</p>
<p>Amtsgericht Stuttgart, PR 720123 · USt-IdNr. DE 147 845 365</p>
<p>Zuständige Kammer: Rechtsanwaltskammer Stuttgart, Königstr. 14, 70173 Stuttgart, Tel. 0711 222155-0, info@kammer-stuttgart.example</p>
<p>Berufshaftpflicht: Nordsee Versicherung AG, Nordseeplatz 1, 30659 Hannover</p>
<p>Plattform der EU zur OS: https://ec.europa.eu/consumers/odr/</p></div></body></html>"##,
        legal_name: "Dr. Köhler, Steinbrecher & Partner mbB",
        emails: &["kanzlei@ksp-recht.de"],
        phones: &["+497112489380", "+4971124893899"],
        addresses: &[("Sophienstr. 3", "70180", "Stuttgart")],
        vat: "",
        registration: "PR720123",
        socials: &[],
        foreign: &["Nordsee", "kammer-stuttgart", "Königstr.", "222155"],
    },
    HandwrittenPage {
        url: "https://cantinabelvedere.it/contatti",
        html: r##"<html lang="it"><head><title>Contatti - Cantina Belvedere</title></head><body>
<div itemscope itemtype="https://schema.org/Winery"><h1 itemprop="name">Cantina Belvedere</h1>
<div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress"><span itemprop="streetAddress">Località Poggio Alto, 11</span> – <span itemprop="postalCode">53024</span> <span itemprop="addressLocality">Montalcino</span> (<span itemprop="addressRegion">SI</span>)</div>
<p>Tel. <span itemprop="telephone">0577 848 123</span> – Cell. 335 812 3456 – PEC: cantinabelvedere@pec.it</p></div>
<h2>Le persone</h2><ul><li><strong>Maria Grazia Belvedere</strong> – titolare ed enologa</li><li><strong>Andrea De Santis</strong>, responsabile commerciale, <a href="mailto:commerciale@cantinabelvedere.it">commerciale@cantinabelvedere.it</a></li><li><strong>Hospitality</strong> – <a href="mailto:visite@cantinabelvedere.it">visite@cantinabelvedere.it</a></li></ul>
<footer>Azienda Agricola Belvedere di Belvedere Maria Grazia &amp; C. s.a.s. – P.IVA 12345670017 – REA SI-98765 – Cap. soc. € 10.000 i.v. | Credits: Studio Web Siena</footer></body></html>"##,
        legal_name: "Azienda Agricola Belvedere di Belvedere Maria Grazia & C. s.a.s.",
        emails: &[
            "cantinabelvedere@pec.it",
            "commerciale@cantinabelvedere.it",
            "visite@cantinabelvedere.it",
        ],
        phones: &["+390577848123", "+393358123456"],
        addresses: &[("Località Poggio Alto, 11", "53024", "Montalcino")],
        vat: "12345670017",
        registration: "SI98765",
        socials: &[],
        foreign: &["Studio Web Siena"],
    },
    HandwrittenPage {
        url: "https://horizonteconstrutora.com.br/contato",
        html: r##"<html lang="pt-BR"><head><title>Fale Conosco - Construtora Horizonte</title></head><body><main><h1>Fale conosco</h1>
<p>Construtora Horizonte Ltda. – CNPJ 11.222.333/0001-81</p><p>Av. Paulista, 1578 - 12º andar, conj. 124 - Bela Vista, São Paulo - SP, 01310-200</p>
<p>Central: (11) 3251-4000 | WhatsApp: (11) 98765-4321</p><p>SAC: sac@horizonteconstrutora.com.br</p>
<h2>Diretoria</h2><p><b>Eduardo Nascimento Filho</b><br>Diretor-Presidente</p><p><b>Márcia Tavares de Lima</b><br>Diretora Financeira<br>marcia.lima@horizonteconstrutora.com.br</p></main></body></html>"##,
        legal_name: "Construtora Horizonte Ltda.",
        emails: &["sac@horizonteconstrutora.com.br", "marcia.lima@horizonteconstrutora.com.br"],
        phones: &["+551132514000", "+5511987654321"],
        addresses: &[("Av. Paulista, 1578, 12º andar, conj. 124", "01310-200", "São Paulo")],
        vat: "",
        registration: "11222333000181",
        socials: &[],
        foreign: &[],
    },
    HandwrittenPage {
        url: "https://northlinefreight.com/contact",
        html: r##"<html lang="en-US"><head><title>Contact | Northline Freight</title></head><body><main><h1>Contact us</h1>
<div class="office"><h3>Headquarters</h3><p>4800 W. Industrial Blvd., Suite 210<br>Cedar Rapids, IA 52404-1234</p><p>Phone: (319) 555-0142 · Toll-free: 1-800-555-0199 · Fax: 319.555.0143</p></div>
<div class="office"><h3>Chicago</h3><p>233 S Wacker Dr, Fl 44, Chicago, IL 60606</p><p>312-555-0177</p></div>
<h2>Leadership</h2><dl><dt>Robert "Bob" McAllister III</dt><dd>President &amp; CEO</dd><dt>Dana L. Whitfield, CPA</dt><dd>Chief Financial Officer</dd><dt>Open Position</dt><dd>VP Operations</dd></dl>
<p>MC# 123456 | DOT# 1234567 | Tracking: 4815162342</p><p>sales@northlinefreight.com, <a href="#" data-user="careers" data-domain="northlinefreight.com">careers</a></p></main>
<footer>&copy; 2025 Northline Freight, Inc. <a href="https://www.linkedin.com/company/northline-freight/">LinkedIn</a> Theme by ThemeGrove</footer></body></html>"##,
        legal_name: "Northline Freight, Inc.",
        emails: &["sales@northlinefreight.com", "careers@northlinefreight.com"],
        phones: &["+13195550142", "+18005550199", "+13195550143", "+13125550177"],
        addresses: &[
            ("4800 W. Industrial Blvd., Suite 210", "52404-1234", "Cedar Rapids"),
            ("233 S Wacker Dr, Fl 44", "60606", "Chicago"),
        ],
        vat: "",
        registration: "",
        socials: &["https://www.linkedin.com/company/northline-freight"],
        foreign: &["ThemeGrove", "4815162342", "Open Position"],
    },
];
