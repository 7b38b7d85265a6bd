//! Which links of a page lead to contacts, by their words and their addresses.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use hashbrown::HashSet;
use urls::CanonicalUrl;

use super::sheet::{Sheet, Zone};
use super::{Lead, LeadTopic};

/// How many leads of a page are given.
const MAX_LEADS: usize = 60;

/// Words of links and addresses, in small letters, accents kept and left out.
const WORDS: &[(LeadTopic, &str)] = &[
    (
        LeadTopic::Imprint,
        "impressum|imprint|legal notice|legal-notice|legalnotice|mentions légales|mentions legales|mentions-legales|mentionslegales|\
         aviso legal|aviso-legal|avisolegal|note legali|note-legali|notelegali|informazioni legali|dati societari|dati-societari|\
         informations légales|informations-legales|informations legales|colofon|juridische informatie|juridisch|bedrijfsgegevens|\
         ficha técnica|ficha-tecnica|informação legal|informacao-legal|informações legais|informacoes-legais|avisos legais|\
         nota prawna|nota-prawna|dane firmy|dane-firmy|informacje prawne|informacje-prawne|dane rejestrowe|dane-rejestrowe|\
         anbieterkennzeichnung|offenlegung|legal information|legal-information|company information|company-information|\
         legal disclosure|rechtliches|rechtliche hinweise|crédits et mentions|disclaimer & imprint|información legal|informacion-legal|\
         identificação|site notice|site-notice|rechtliche-hinweise|wettelijke vermeldingen|juridische-informatie|legal details|datos de la empresa|\
         aspetti legali|credits e note|info legali|info-legali|informacja o firmie|company details|company-details|dati aziendali|\
         mentions obligatoires|quem-detem|termos legais|datos fiscales|datos-fiscales|aviso jurídico|regulatory information|regulatory-information",
    ),
    (
        LeadTopic::Contact,
        "kontakt|contact|contacto|contatto|contatti|contato|contactos|contattaci|contactez|contactar|contáctanos|contactanos|get in touch|\
         get-in-touch|getintouch|reach us|find us|find-us|anfahrt|so erreichen sie uns|nous trouver|nous-trouver|dove siamo|\
         dove-siamo|come raggiungerci|fale conosco|fale-conosco|onde estamos|onde-estamos|jak dojechać|napisz do nas|schrijf ons|bereikbaarheid|\
         atendimento|enquiries|enquiry|talk to us|write to us|escríbenos|escribenos|donde estamos|dónde estamos|dove trovarci|route en contact",
    ),
    (
        LeadTopic::Management,
        "management|geschäftsführung|geschaeftsfuehrung|vorstand|leadership|board of directors|board-of-directors|our board|direction|\
         la direction|équipe dirigeante|dirección|junta directiva|consejo|direzione|consiglio|cda|bestuur|directie|administração|\
         administracao|direção|órgãos sociais|zarząd|zarzad|executive team|executives|trustees|governance|geschäftsleitung|\
         geschaeftsleitung|władze|kierownictwo|gerência|organi sociali|equipo directivo|organigramm|organigrama|organigramme|organigramma|partners-and-directors",
    ),
    (
        LeadTopic::Team,
        "team|unser team|people|our people|staff|mitarbeiter|mitarbeitende|équipe|equipe|equipo|nuestro equipo|squadra|chi siamo noi|medewerkers|\
         ons team|onze mensen|zespół|zespol|nasi ludzie|pracownicy|anwälte|anwaelte|attorneys|lawyers|avocats|abogados|avvocati|advocaten|\
         advogados|prawnicy|ärzte|aerzte|doctors|médecins|medici|médicos|lekarze|dentists|artsen|collaborateurs|collaboratori|\
         professionals|profesionales|professionisti|meet the|wer wir sind|köpfe|ansprechpartner|ansprechpartnerinnen|ansprechpersonen|personas|pessoas|ludzie|mensen|corpo-clinico|corpo clínico|menschen|profile|berater|beraterinnen|consultants|experts|experten",
    ),
    (
        LeadTopic::About,
        "about|about us|über uns|ueber-uns|uber-uns|ueber uns|unternehmen|das unternehmen|wir über uns|company|who we are|who-we-are|our story|our-story|\
         qui sommes|qui-sommes|à propos|a-propos|entreprise|l'entreprise|société|quiénes somos|quienes somos|quienes-somos|sobre nosotros|\
         sobre-nosotros|nosotros|la empresa|empresa|chi siamo|chi-siamo|azienda|l'azienda|over ons|over-ons|overons|wie zijn wij|wie-zijn-wij|quem somos|\
         quem-somos|sobre nós|sobre-nos|sobre|a empresa|o nas|o-nas|o firmie|o-firmie|firma|portrait|porträt|profil|historie|geschichte|verein|der verein|\
         kanzlei|praxis|die praxis|la maison|nossa história|la nostra storia|notre histoire|nuestra historia|het bedrijf|kim jesteśmy|acerca de",
    ),
    (
        LeadTopic::Locations,
        "standorte|standort|locations|our locations|offices|our offices|filialen|niederlassungen|agences|nos agences|implantations|nos implantations|sedes|\
         oficinas|sedi|le sedi|filiali|vestigingen|locaties|filiais|unidades|lojas|oddziały|oddzialy|lokalizacje|placówki|stores|branches|\
         store locator|where we are|adressen|adresses|magasins|nos magasins|sucursales|delegaciones|negozi|winkels|studios|clinics|werke",
    ),
    (
        LeadTopic::Press,
        "presse|press|newsroom|media centre|media center|prensa|stampa|ufficio stampa|area stampa|pers|imprensa|prasa|dla mediów|dla-mediow|media contact|\
         presskit|press room|pressroom|espace presse|sala de prensa|sala stampa|sala de imprensa|biuro prasowe",
    ),
    (
        LeadTopic::Privacy,
        "datenschutz|privacy|datenschutzerklärung|datenschutzerklaerung|confidentialité|confidentialite|données personnelles|donnees-personnelles|\
         privacidad|política de privacidad|privacidade|prywatności|prywatnosci|privacybeleid|privacyverklaring|informativa|rodo|rgpd|gdpr|dsgvo|data protection|data-protection",
    ),
];

struct Finder {
    words: Vec<(LeadTopic, &'static str)>,
    finder: Option<AhoCorasick>,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let words: Vec<(LeadTopic, &str)> = WORDS
        .iter()
        .flat_map(|(topic, words)| words.split('|').map(|word| (*topic, word.trim())))
        .collect();
    let finder = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(words.iter().map(|(_, word)| *word))
        .ok();
    Finder { words, finder }
});

/// What a short text says its page is for, and how much of it the word is.
fn topic_of(text: &str) -> Option<(LeadTopic, usize)> {
    let small = text.to_lowercase();
    let finder = FINDER.finder.as_ref()?;
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let mut best: Option<(LeadTopic, usize)> = None;
    for hit in finder.find_iter(&small).take(20) {
        let before = small.get(..hit.start()).and_then(|head| head.chars().next_back());
        let behind = small.get(hit.end()..).and_then(|rest| rest.chars().next());
        // Words of German and Dutch go on: "Kontaktformular", but no word begins in the middle.
        let goes_on = is_letter(behind) && hit.len() < 7;
        if is_letter(before) || goes_on {
            continue;
        }
        let Some((topic, word)) = FINDER.words.get(hit.pattern().as_usize()) else { continue };
        let is_better = best
            .is_none_or(|(known, length)| (*topic, length) < (known, word.len()) && *topic < known);
        if is_better {
            best = Some((*topic, word.len()));
        }
    }
    best
}

/// What a page is for, by its address.
pub(crate) fn topic_of_path(url: &CanonicalUrl) -> Option<LeadTopic> {
    let path = super::decoded(url.path());
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    topic_of(&last.replace(['_', '.'], "-"))
        .or_else(|| topic_of(&last.replace(['-', '_'], " ")))
        .map(|(topic, _)| topic)
}

/// What a page is for, by its heading or its title.
pub(crate) fn topic_of_heading(text: &str) -> Option<LeadTopic> {
    (text.len() < 60).then(|| topic_of(text)).flatten().map(|(topic, _)| topic)
}

/// Whether a host is the site's, or one below or beside it.
fn is_same_site(url: &CanonicalUrl, page: &CanonicalUrl) -> bool {
    let rest = url.bare_host().strip_suffix(page.bare_host());
    rest.is_some_and(|below| below.is_empty() || below.ends_with('.'))
}

/// The links worth a visit, best first.
pub(crate) fn leads(sheet: &Sheet<'_, '_>, page: &CanonicalUrl, base: &CanonicalUrl) -> Vec<Lead> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut ranked: Vec<(LeadTopic, usize, usize, Lead)> = Vec::new();
    for (place, link) in sheet.links.iter().enumerate() {
        if link.href.starts_with('#') || link.href.len() > 2_000 {
            continue;
        }
        let small = link.href.to_ascii_lowercase();
        let has_scheme = small.split(['/', '?']).next().is_some_and(|head| head.contains(':'));
        if has_scheme && !small.starts_with("http") {
            continue;
        }
        let Ok(url) = base.join(&link.href) else { continue };
        if !is_same_site(&url, page) || url.page_key() == page.page_key() {
            continue;
        }
        let path = url.path().to_ascii_lowercase();
        let is_card = path.ends_with(".vcf") || path.ends_with(".vcard");
        if !is_card && is_file(&path) {
            continue;
        }
        let by_text = (link.text.chars().count() <= 48).then(|| topic_of(&link.text)).flatten();
        let by_path = topic_of_path(&url);
        let topic = match (by_text, by_path) {
            _ if is_card => LeadTopic::Card,
            (Some((topic, _)), _) => topic,
            (None, Some(topic)) => topic,
            (None, None) => continue,
        };
        // Deep pages of a section are rather articles than contacts.
        let depth = url.path().matches('/').count();
        let agrees = usize::from(by_text.map(|(topic, _)| topic) != by_path);
        let has_query = usize::from(url.query().is_some());
        let line = sheet.lines.get(link.line.min(sheet.lines.len().saturating_sub(1)));
        let is_aside = usize::from(
            !line.is_some_and(|line| matches!(line.zone, Zone::Footer | Zone::Nav | Zone::Header)),
        );
        if seen.insert(url.page_key().to_owned()) {
            let rank = agrees * 4 + has_query * 3 + depth + is_aside;
            ranked.push((topic, rank, place, Lead { url, topic }));
        }
    }
    ranked.sort_by_key(|(topic, rank, place, _)| (*topic, *rank, *place));
    ranked.truncate(MAX_LEADS);
    ranked.into_iter().map(|(_, _, _, lead)| lead).collect()
}

fn is_file(path: &str) -> bool {
    let ending =
        path.rsplit('/').next().and_then(|last| last.rsplit_once('.')).map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        matches!(
            ending,
            "pdf"
                | "jpg"
                | "jpeg"
                | "png"
                | "gif"
                | "svg"
                | "webp"
                | "zip"
                | "doc"
                | "docx"
                | "xls"
                | "xlsx"
                | "mp4"
                | "mp3"
                | "ics"
        )
    })
}
