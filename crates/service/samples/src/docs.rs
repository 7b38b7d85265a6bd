//! `https://docs.lab.test/`: a documentation. Ten topics in three languages, a sitemap with
//! `hreflang` translations, one broken link, and one orphan: a page that only the sitemap lists.

use std::fmt::Write as _;

use crate::page::{SamplePage, document, sitemap};

const HOST: &str = "https://docs.lab.test";

/// A topic: its path, and in each language its title and its text.
type DocsTopic = (&'static str, [(&'static str, &'static str); 3]);

/// The languages, the default one first: English pages have no folder.
const LANGUAGES: [(&str, &str); 3] = [("en", ""), ("de", "/de"), ("fr", "/fr")];

const TOPICS: [DocsTopic; 10] = [
    (
        "start",
        [
            (
                "Getting started",
                "Install the tool, open a terminal, and ask for your first page. The \
            first run takes a minute and costs nothing on this site.",
            ),
            (
                "Erste Schritte",
                "Installieren Sie das Werkzeug, öffnen Sie ein Terminal und rufen Sie \
            die erste Seite ab. Der erste Lauf dauert eine Minute und kostet hier nichts.",
            ),
            (
                "Premiers pas",
                "Installez l'outil, ouvrez un terminal et demandez votre première page. \
            La première exécution dure une minute et ne coûte rien sur ce site.",
            ),
        ],
    ),
    (
        "keys",
        [
            (
                "Keys",
                "Every request carries a key. Keep it in the settings of your program, never in \
            its source, and give each program its own key.",
            ),
            (
                "Schlüssel",
                "Jede Anfrage trägt einen Schlüssel. Bewahren Sie ihn in den Einstellungen \
            Ihres Programms auf, nie im Quelltext, und geben Sie jedem Programm einen eigenen.",
            ),
            (
                "Clés",
                "Chaque requête porte une clé. Gardez-la dans la configuration de votre \
            programme, jamais dans son code, et donnez à chaque programme sa propre clé.",
            ),
        ],
    ),
    (
        "jobs",
        [
            (
                "Jobs",
                "A job is one run over one site. It is queued, it runs, and it ends as completed, \
            failed or aborted. Ask for its status as often as you like.",
            ),
            (
                "Aufträge",
                "Ein Auftrag ist ein Lauf über eine Website. Er wartet, er läuft, und er \
            endet als abgeschlossen, fehlgeschlagen oder abgebrochen. Fragen Sie beliebig oft.",
            ),
            (
                "Tâches",
                "Une tâche est une exécution sur un site. Elle attend, elle tourne, puis elle \
            se termine : achevée, échouée ou interrompue. Demandez son état à volonté.",
            ),
        ],
    ),
    (
        "results",
        [
            (
                "Results",
                "Results come in pages of a hundred. Read on while there is more, and keep \
            the address of each item: it is the same in the next run.",
            ),
            (
                "Ergebnisse",
                "Ergebnisse kommen in Seiten zu je hundert. Lesen Sie weiter, solange es \
            mehr gibt, und merken Sie sich die Adresse: Sie bleibt beim nächsten Lauf gleich.",
            ),
            (
                "Résultats",
                "Les résultats arrivent par pages de cent. Continuez tant qu'il en reste et \
            gardez l'adresse de chaque élément : elle sera la même à la prochaine exécution.",
            ),
        ],
    ),
    (
        "webhooks",
        [
            (
                "Webhooks",
                "Instead of asking, let the service call you. Check the signature of every \
            call, answer within fifteen seconds, and expect the same event twice.",
            ),
            (
                "Rückrufe",
                "Statt zu fragen, lassen Sie sich rufen. Prüfen Sie jede Signatur, antworten \
            Sie binnen fünfzehn Sekunden, und rechnen Sie mit Wiederholungen.",
            ),
            (
                "Rappels",
                "Au lieu de demander, laissez le service vous appeler. Vérifiez chaque \
            signature, répondez en quinze secondes et attendez-vous à des répétitions.",
            ),
        ],
    ),
    (
        "exports",
        [
            (
                "Exports",
                "A finished run can be downloaded as a table, as text or as a sitemap. The \
            link works once and only for a quarter of an hour.",
            ),
            (
                "Exporte",
                "Ein beendeter Lauf lässt sich als Tabelle, als Text oder als Sitemap laden. \
            Der Link gilt ein einziges Mal und nur eine Viertelstunde.",
            ),
            (
                "Exports",
                "Une exécution terminée se télécharge en tableau, en texte ou en plan de \
            site. Le lien ne sert qu'une fois et pendant un quart d'heure.",
            ),
        ],
    ),
    (
        "limits",
        [
            (
                "Limits",
                "There is a limit for requests per minute and one for concurrent jobs. When you \
            reach it, wait as long as the answer says and try again.",
            ),
            (
                "Grenzen",
                "Es gibt eine Obergrenze für Anfragen je Minute und eine für gleichzeitige \
            Aufträge. Wer sie erreicht, wartet so lange, wie die Antwort sagt.",
            ),
            (
                "Limites",
                "Il existe un plafond de requêtes par minute et un plafond de tâches \
            simultanées. Quand vous l'atteignez, attendez le temps indiqué par la réponse.",
            ),
        ],
    ),
    (
        "errors",
        [
            (
                "Errors",
                "Every refusal has a code that stays and a message that may change. Decide by \
            the code, show the message, and write the request id into your log.",
            ),
            (
                "Fehler",
                "Jede Ablehnung hat einen festen Code und eine Meldung, die sich ändern darf. \
            Entscheiden Sie nach dem Code und schreiben Sie die Anfragenummer ins Protokoll.",
            ),
            (
                "Erreurs",
                "Chaque refus porte un code qui reste et un message qui peut changer. Décidez \
            d'après le code et notez l'identifiant de la requête dans vos journaux.",
            ),
        ],
    ),
    (
        "schedules",
        [
            (
                "Schedules",
                "A schedule starts a job at set times. When the last run is still under way \
            it skips a turn, and says so, rather than starting a second one.",
            ),
            (
                "Zeitpläne",
                "Ein Zeitplan startet einen Auftrag zu festen Zeiten. Läuft der letzte noch, \
            lässt er einen Termin aus und sagt das, statt einen zweiten zu beginnen.",
            ),
            (
                "Horaires",
                "Un horaire lance une tâche à heures fixes. Si la précédente tourne encore, \
            il passe son tour et le signale plutôt que d'en lancer une seconde.",
            ),
        ],
    ),
    (
        "glossary",
        [
            (
                "Glossary",
                "Frontier: the addresses that are known and not yet fetched. Canonical: the \
            address that a page calls its own. Orphan: a page that no page links to.",
            ),
            (
                "Glossar",
                "Grenze: die bekannten, noch nicht abgerufenen Adressen. Kanonisch: die \
            Adresse, die eine Seite ihre eigene nennt. Waise: eine Seite ohne Verweise auf sie.",
            ),
            (
                "Glossaire",
                "Frontière : les adresses connues et pas encore visitées. Canonique : \
            l'adresse qu'une page dit être la sienne. Orpheline : une page sans lien vers elle.",
            ),
        ],
    ),
];

pub(crate) fn page(path: &str) -> SamplePage {
    match path {
        "/robots.txt" => {
            SamplePage::text(format!("User-agent: *\nAllow: /\nSitemap: {HOST}/sitemap.xml\n"))
        }
        "/sitemap.xml" => listed(),
        "/changes" => framed(
            0,
            "/changes",
            "Changes",
            "<h1>Changes</h1><p>No page links here: \
            only the sitemap knows this page, so that you can try the detection of orphans.</p>",
        ),
        _ => in_languages(path).unwrap_or_else(SamplePage::not_found),
    }
}

/// The path of a topic in a language; of the home page without a topic.
fn path_of(language: usize, topic: Option<&DocsTopic>) -> String {
    let folder = LANGUAGES[language].1;
    match topic {
        Some((name, _)) => format!("{folder}/{name}"),
        None => format!("{folder}/"),
    }
}

/// The sitemap: each page with its translations.
fn listed() -> SamplePage {
    let mut entries = vec![(format!("{HOST}/changes"), String::new())];
    for topic in std::iter::once(None).chain(TOPICS.iter().map(Some)) {
        let more = alternates(topic, "xhtml:link", "/>");
        let of = |language| (format!("{HOST}{}", path_of(language, topic)), more.clone());
        entries.extend((0..LANGUAGES.len()).map(of));
    }
    sitemap(entries.iter().map(|(url, more)| (url.clone(), more.as_str())))
}

/// The translations of a page as link elements.
fn alternates(topic: Option<&DocsTopic>, element: &str, end: &str) -> String {
    let mut links = String::new();
    for (language, (code, _)) in LANGUAGES.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(
            links,
            "<{element} rel=\"alternate\" hreflang=\"{code}\" href=\"{HOST}{}\"{end}",
            path_of(language, topic)
        );
    }
    links
}

fn in_languages(path: &str) -> Option<SamplePage> {
    // The longest folder first: that of the default language is empty.
    let (language, rest) = (0..LANGUAGES.len()).rev().find_map(|language| {
        let rest = path.strip_prefix(LANGUAGES[language].1)?;
        rest.starts_with('/').then_some((language, rest))
    })?;
    if rest == "/" {
        return Some(home(language));
    }
    let topic = TOPICS.iter().find(|(name, _)| rest.strip_prefix('/') == Some(name))?;
    let (title, text) = topic.1[language];
    let mut body = format!("<h1>{title}</h1>\n<p>{text}</p>\n");
    if (language, topic.0) == (0, "errors") {
        body.push_str(
            "<p>See also the <a href=\"/troubleshooting\">guide to troubleshooting</a>, \
            which does not exist: it is the one broken link of this site.</p>\n",
        );
    }
    Some(framed_in(language, Some(topic), title, &body))
}

fn home(language: usize) -> SamplePage {
    let (title, text) = [
        ("Documentation", "Everything about a tool that exists only to be crawled."),
        ("Dokumentation", "Alles über ein Werkzeug, das nur zum Crawlen da ist."),
        ("Documentation", "Tout sur un outil qui n'existe que pour être exploré."),
    ][language];
    framed_in(language, None, title, &format!("<h1>{title}</h1>\n<p>{text}</p>"))
}

fn framed_in(language: usize, topic: Option<&DocsTopic>, title: &str, body: &str) -> SamplePage {
    let own = path_of(language, topic);
    let head = format!(
        "<link rel=\"canonical\" href=\"{HOST}{own}\">\n{}\n",
        alternates(topic, "link", ">")
    );
    let mut links = String::new();
    for topic in &TOPICS {
        let title = topic.1[language].0;
        let _ = write!(links, "<a href=\"{}\">{title}</a> ", path_of(language, Some(topic)));
    }
    for (other, (code, _)) in LANGUAGES.iter().enumerate() {
        let _ = write!(links, "<a href=\"{}\" lang=\"{code}\">{code}</a> ", path_of(other, topic));
    }
    let body = format!("<nav>{links}</nav>\n<main>\n<article>\n{body}\n</article>\n</main>");
    SamplePage::html(document(LANGUAGES[language].0, title, &body, &head))
}

fn framed(language: usize, path: &str, title: &str, body: &str) -> SamplePage {
    let head = format!("<link rel=\"canonical\" href=\"{HOST}{path}\">\n");
    let body = format!("<main>\n{body}\n</main>");
    SamplePage::html(document(LANGUAGES[language].0, title, &body, &head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_exists_in_every_language_and_one_link_is_broken() {
        for language in 0..LANGUAGES.len() {
            for topic in std::iter::once(None).chain(TOPICS.iter().map(Some)) {
                let path = path_of(language, topic);
                assert_eq!(page(&path).status, 200, "{path}");
            }
        }
        let listed = page("/sitemap.xml").body.matches("<loc>").count();
        assert_eq!(listed, 34, "33 translated pages and the orphan");
        assert_eq!(page("/troubleshooting").status, 404);
        assert!(page("/errors").body.contains("/troubleshooting"));
    }
}
