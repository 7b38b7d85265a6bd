//! What a page is about, as far as it bears on whose the names on it are.

use hashbrown::HashSet;

use super::labelled::Labelled;
use super::name::{fold, is_legal_form};
use super::role::folded_words;
use super::role::organ::{self, Sense};
use crate::sheet::{Line, Sheet};
use html::dom::NodeId;

/// Words in addresses and headings of pages that show people, folded.
const TEAM: &[&str] = &[
    "team",
    "people",
    "staff",
    "who we are",
    "our people",
    "meet the",
    "leadership",
    "management",
    "about us",
    "board",
    "ansprechpartner",
    "mitarbeiter",
    "unser team",
    "uber uns",
    "ueber uns",
    "wir uber uns",
    "kollegen",
    "koepfe",
    "kopfe",
    "geschaftsfuhrung",
    "geschaeftsfuehrung",
    "geschaftsleitung",
    "vorstand",
    "menschen",
    "equipe",
    "qui sommes nous",
    "collaborateurs",
    "interlocuteurs",
    "direction",
    "dirigeants",
    "equipo",
    "quienes somos",
    "nosotros",
    "nuestro equipo",
    "plantilla",
    "squadra",
    "chi siamo",
    "staff",
    "il nostro team",
    "persone",
    "medewerkers",
    "ons team",
    "mensen",
    "over ons",
    "wie zijn wij",
    "wie we zijn",
    "equipa",
    "equipe",
    "quem somos",
    "nossa equipe",
    "a nossa equipa",
    "zespol",
    "nasz zespol",
    "ludzie",
    "kadra",
    "pracownicy",
    "o nas",
    "zarzad",
    "wladze",
    "contact",
    "kontakt",
    "contacto",
    "contatti",
    "contatos",
    "anwalte",
    "rechtsanwalte",
    "avocats",
    "abogados",
    "avvocati",
    "professionisti",
    "profesionales",
    "lawyers",
    "attorneys",
    "partners",
    "experts",
    "experten",
    "berater",
    "beratung team",
    "arzte",
    "aerzte",
    "doctors",
    "docteurs",
    "medecins",
    "lehrer",
    "kollegium",
    "organisation",
    "specialisten",
    "press contact",
    "pressekontakt",
];

/// Words in headings over what others say, buy or write, folded.
const OTHERS: &[&str] = &[
    "testimonial",
    "testimonials",
    "kundenstimmen",
    "kundenmeinungen",
    "das sagen",
    "was unsere kunden",
    "what our c",
    "what people say",
    "what they say",
    "customer stories",
    "success stories",
    "reviews",
    "bewertungen",
    "referenzen",
    "references clients",
    "ils nous font confiance",
    "temoignages",
    "avis clients",
    "opiniones",
    "testimonios",
    "clientes dicen",
    "nuestros clientes",
    "recensioni",
    "dicono di noi",
    "clienti dicono",
    "testimonianze",
    "ervaringen",
    "klanten vertellen",
    "wat klanten",
    "onze klanten",
    "depoimentos",
    "testemunhos",
    "clientes dizem",
    "opinie",
    "referencje",
    "co mowia",
    "nasi klienci",
    "our clients",
    "our customers",
    "unsere kunden",
    "geschichte",
    "history",
    "histoire de",
    "historia",
    "storia",
    "geschiedenis",
    "chronik",
    "chronicle",
    "timeline",
    "in memoriam",
    "nachruf",
    "speakers",
    "referenten",
    "preistrager",
    "gewinner",
    "alumni",
    "ehemalige",
    "kunstler",
    "autoren",
    "authors",
    "comments",
    "kommentare",
    "commentaires",
    "comentarios",
    "commenti",
    "reacties",
    "komentarze",
    "datenschutzbeauftragt",
    "data protection officer",
    "bildnachweis",
    "photo credits",
    "bildquellen",
    "credits",
    "hosting",
    "webdesign",
    "umsetzung",
    "gestaltung",
    "hebergeur",
    "hebergement",
    "projektpartner",
    "partnerunternehmen",
    "stellenangebot",
    "verbraucherschlichtung",
];

/// Classes of elements whose names are authors', customers' or makers'.
const FOREIGN_CLASSES: &[&str] = &[
    "author",
    "byline",
    "autor",
    "auteur",
    "testimonial",
    "testimonials",
    "review",
    "reviews",
    "reviewer",
    "quote",
    "comment",
    "comments",
    "commentlist",
    "kundenstimmen",
    "kundenstimme",
    "customer",
    "client",
    "clients",
    "referenz",
    "credits",
    "copyright",
    "product",
    "products",
    "portfolio",
    "breadcrumb",
    "price",
    "pricing",
    "event",
    "speaker",
    "speakers",
];

/// What is known of a page.
#[derive(Debug)]
pub(super) struct Context<'p> {
    /// The site's name, small letters only.
    host: String,
    is_team: bool,
    is_privacy: bool,
    foreign: &'p HashSet<usize>,
    facts: &'p HashSet<usize>,
}

impl<'p> Context<'p> {
    /// `path` is that of the page's address.
    pub fn new(host: &str, path: &str, labelled: &'p Labelled) -> Self {
        let words = fold(path).replace(|c: char| !c.is_alphanumeric(), " ");
        let says = |list: &[&str]| list.iter().any(|part| has_words(&words, part));
        let label = host.rsplit('.').nth(1).or_else(|| host.split('.').next()).unwrap_or_default();
        let privacy = [
            "privacy",
            "datenschutz",
            "datenschutzerklarung",
            "datenschutzerklaerung",
            "confidentialite",
            "privacidad",
            "privacidade",
            "privacyverklaring",
            "prywatnosci",
            "rodo",
            "gdpr",
            "protection des donnees",
            "cookies",
            "politique de confidentialite",
        ];
        Self {
            host: label.chars().filter(char::is_ascii_alphanumeric).collect(),
            is_team: says(TEAM),
            is_privacy: says(&privacy),
            foreign: &labelled.foreign,
            facts: &labelled.facts,
        }
    }

    /// Whether the page explains how data is protected: most names on it are others'.
    pub fn is_privacy(&self) -> bool {
        self.is_privacy
    }

    /// Whether a line says a fact of the company, as the row of an imprint does.
    pub fn is_fact(&self, line: usize) -> bool {
        self.facts.contains(&line)
    }

    /// Whether the page, or the headings over a line, say that people stand here.
    pub fn is_team(&self, sheet: &Sheet<'_, '_>, line: usize) -> bool {
        self.is_team
            || sheet.headings(line).take(3).any(|heading| {
                let words = folded_words(heading).join(" ");
                heading.len() < 80 && TEAM.iter().any(|part| has_words(&words, part))
            })
    }

    /// Whether the name at a place is somebody else's by what stands over and around it.
    pub fn is_foreign(
        &self,
        sheet: &Sheet<'_, '_>,
        line: usize,
        from: usize,
        node: NodeId,
    ) -> bool {
        if self.is_privacy || self.foreign.contains(&line) {
            return true;
        }
        let over = sheet.headings(line).take(2).filter(|heading| heading.len() < 120);
        for heading in over {
            let words = folded_words(heading).join(" ");
            let others = OTHERS.iter().any(|part| has_start(&words, part));
            if others || organ::sense(heading) == Some(Sense::Foreign) {
                return true;
            }
        }
        let classed = sheet.dom.ancestors(node).take(9).any(|above| {
            let value = sheet.dom.raw_attribute(above, "class").unwrap_or_default();
            value
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| FOREIGN_CLASSES.iter().any(|known| word.eq_ignore_ascii_case(known)))
        });
        classed || (from > 0 && self.is_written_by(sheet.lines.get(line)))
    }

    /// "By Anna Berg": who wrote a text is not shown by that as working there.
    fn is_written_by(&self, line: Option<&Line>) -> bool {
        let Some(line) = line else { return false };
        let words = folded_words(&line.text);
        let first = words.first().map(String::as_str).unwrap_or_default();
        let second = words.get(1).map(String::as_str).unwrap_or_default();
        matches!(
            first,
            "by" | "von"
                | "par"
                | "por"
                | "door"
                | "przez"
                | "autor"
                | "author"
                | "auteur"
                | "autore"
                | "scritto"
                | "geschrieben"
                | "verfasst"
                | "ecrit"
                | "escrito"
                | "geschreven"
                | "napisal"
                | "foto"
                | "photo"
                | "fotos"
                | "bild"
                | "text"
                | "texte"
                | "illustration"
        ) || matches!(
            (first, second),
            ("written", "by")
                | ("posted", "by")
                | ("published", "by")
                | ("redige", "par")
                | ("publie", "par")
        )
    }

    /// Whether a title says that its holder works for another company.
    pub fn is_elsewhere(&self, title: &str) -> bool {
        let Some(at) = title.split_whitespace().position(is_legal_form) else { return false };
        let folded = fold(title);
        let own = folded
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word.len() > 3 && self.host.contains(word));
        at > 0 && !own
    }
}

/// Whether a text has a phrase as words of its own.
fn has_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + phrase.len()..).unwrap_or_default();
        (before.is_empty() || before.ends_with(' '))
            && (behind.is_empty() || behind.starts_with(' '))
    })
}

/// Whether a text has a phrase that begins with a word of it.
fn has_start(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(' '))
    })
}
