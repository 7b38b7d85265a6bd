//! The parts of a company by name, in eight languages.

use std::sync::LazyLock;

use hashbrown::HashSet;

use super::folded_words;

/// Names of departments, folded, parted by bars.
const NAMES: &str = "sales|sales team|inside sales|field sales|marketing|sales marketing|marketing sales|customer service|customer support|customer care|customer success|client services|support|technical support|press office|press|media relations|public relations|communications|corporate communications|accounts|accounting|finance|finance department|human resources|hr|people culture|people operations|legal|legal department|it|it department|operations|logistics|shipping|warehouse|purchasing|procurement|production|engineering|research|research development|r d|development|product|product management|quality|quality management|administration|reception|front office|back office|design|creative|service|workshop|export|board|management|leadership|executive team|consulting|dispatch|facilities|maintenance|training|project management|after sales|business development|investor relations|compliance|security|\
    vertrieb|vertriebsinnendienst|vertriebsaussendienst|innendienst|aussendienst|verkauf|kundendienst|kundenservice|kundenbetreuung|service|pressestelle|presse|presse offentlichkeitsarbeit|offentlichkeitsarbeit|kommunikation|unternehmenskommunikation|buchhaltung|rechnungswesen|finanzen|finanzbuchhaltung|controlling|personal|personalabteilung|personalwesen|recht|rechtsabteilung|edv|einkauf|produktion|fertigung|entwicklung|forschung entwicklung|konstruktion|technik|logistik|versand|lager|verwaltung|empfang|zentrale|sekretariat|montage|werkstatt|qualitatsmanagement|qualitatssicherung|projektmanagement|arbeitsvorbereitung|disposition|ausbildung|geschaftsleitung|geschaftsfuhrung|rezeption|prophylaxe|assistenz|anmeldung|ersatzteile|auftragsabwicklung|export|bauleitung|planung|\
    service commercial|commercial|vente|ventes|service client|service clients|relation client|service apres vente|sav|service de presse|service presse|presse|communication|comptabilite|administration|administration et finances|finances|ressources humaines|rh|service juridique|juridique|informatique|achats|production|bureau d etudes|recherche et developpement|logistique|expedition|atelier|accueil|secretariat|direction|qualite|formation|technique|service technique|magasin|entretien|\
    departamento comercial|comercial|ventas|atencion al cliente|servicio al cliente|departamento de prensa|prensa|gabinete de prensa|comunicacion|contabilidad|administracion|administracion y finanzas|finanzas|recursos humanos|rrhh|departamento juridico|asesoria juridica|informatica|compras|produccion|ingenieria|investigacion y desarrollo|i d|logistica|almacen|taller|recepcion|direccion|calidad|formacion|posventa|departamento tecnico|secretaria|\
    ufficio commerciale|commerciale|vendite|assistenza clienti|servizio clienti|assistenza|ufficio stampa|stampa|comunicazione|amministrazione|contabilita|amministrazione e finanza|finanza|risorse umane|ufficio legale|ufficio tecnico|ufficio acquisti|acquisti|produzione|ricerca e sviluppo|logistica|magazzino|officina|reception|segreteria|direzione|qualita|formazione|post vendita|sistemi informativi|marketing e comunicazione|\
    verkoop|binnendienst|buitendienst|klantenservice|klantendienst|pers|persdienst|communicatie|boekhouding|administratie|financien|financiele administratie|personeelszaken|p o|juridische zaken|ict|inkoop|productie|ontwikkeling|onderzoek en ontwikkeling|logistiek|magazijn|werkplaats|receptie|secretariaat|directie|kwaliteit|opleiding|techniek|technische dienst|planning|nazorg|\
    departamento comercial|vendas|atendimento ao cliente|apoio ao cliente|servico de apoio ao cliente|assessoria de imprensa|gabinete de imprensa|imprensa|comunicacao|contabilidade|administracao|administrativo|financeiro|financas|recursos humanos|departamento juridico|juridico|informatica|ti|compras|producao|engenharia|pesquisa e desenvolvimento|investigacao e desenvolvimento|logistica|armazem|oficina|rececao|recepcao|direcao|diretoria|qualidade|formacao|pos venda|assistencia tecnica|secretaria|\
    dzial handlowy|dzial sprzedazy|sprzedaz|dzial obslugi klienta|obsluga klienta|biuro obslugi klienta|biuro prasowe|dzial marketingu|komunikacja|ksiegowosc|dzial ksiegowosci|administracja|finanse|dzial finansowy|dzial kadr|kadry|kadry i place|hr|dzial prawny|dzial it|informatyka|dzial zakupow|zakupy|produkcja|dzial produkcji|dzial techniczny|serwis|dzial rozwoju|badania i rozwoj|logistyka|dzial logistyki|magazyn|warsztat|recepcja|sekretariat|zarzad|jakosc|szkolenia|dzial eksportu";

/// Words that open the name of a department: "Abteilung Vertrieb", "Dział Handlowy".
const OPENERS: &str = "abteilung bereich department dept division departement service departamento area ufficio reparto afdeling setor dzial team referat fachbereich pole";

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| NAMES.split('|').map(str::trim).collect());

/// The name of a department that a text is, without "Department:" before it.
pub(crate) fn named(text: &str) -> Option<&str> {
    let text = text.trim().trim_matches([':', '-', '–', '|', '·']).trim();
    if text.is_empty() || text.len() > 60 {
        return None;
    }
    if let Some((label, value)) = text.split_once(':') {
        let words = folded_words(label);
        let is_label = matches!(&words[..], [word] if OPENERS.split_ascii_whitespace().any(|known| known == word));
        let value = value.trim();
        return (is_label && !value.is_empty()).then_some(value);
    }
    let words = folded_words(text);
    if words.is_empty() || words.len() > 6 {
        return None;
    }
    let joined = words.join(" ");
    let inner: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "and" | "und" | "et" | "y" | "e" | "en" | "i" | "the"))
        .collect();
    let rest = words.get(1..).unwrap_or_default().join(" ");
    let opened = OPENERS.split_ascii_whitespace().any(|known| known == words[0])
        && KNOWN.contains(rest.as_str());
    let all_known = inner.len() > 1 && inner.iter().all(|word| KNOWN.contains(word));
    (KNOWN.contains(joined.as_str())
        || KNOWN.contains(inner.join(" ").as_str())
        || opened
        || all_known)
        .then_some(text)
}

/// Whether a heading names those at the top, or a thing that is sold as well as a department.
pub(crate) fn is_top(text: &str) -> bool {
    const TOP: &[&str] = &[
        "leadership",
        "management",
        "board",
        "executive team",
        "direction",
        "directie",
        "direccion",
        "direzione",
        "direcao",
        "diretoria",
        "geschaftsleitung",
        "geschaftsfuhrung",
        "zarzad",
        "planung",
        "wartung",
        "montage",
        "training",
        "consulting",
        "design",
    ];
    text.len() < 3 || TOP.contains(&folded_words(text).join(" ").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn departments_are_known_by_name() {
        for text in [
            "Vertrieb",
            "Sales",
            "Customer service",
            "Service de presse",
            "Ufficio commerciale",
            "Dział handlowy",
            "Biuro prasowe",
            "Atención al cliente",
            "Assessoria de imprensa",
            "Klantenservice",
            "Abteilung Vertrieb",
            "Forschung & Entwicklung",
            "Einkauf und Logistik",
            "Human Resources",
        ] {
            assert_eq!(named(text), Some(text));
        }
        assert_eq!(named("Abteilung: Sonderfertigung"), Some("Sonderfertigung"));
        for text in ["Anna Berg", "Unser Team", "Leiter Vertrieb", "Köln", "", "Telefon: 0221 1"] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
