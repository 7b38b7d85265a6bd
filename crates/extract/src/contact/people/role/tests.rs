use Seniority::{Executive, Head, Staff};

use super::*;

#[test]
fn titles_of_eight_languages_are_known_with_their_rank() {
    let known: &[(Seniority, &[&str])] = &[
        (Executive, &[
            "CEO", "Chief Executive Officer", "Managing Director", "Founder & CEO", "Co-Founder", "Owner", "CFO", "CTO", "Chief Technology Officer", "General Manager",
            "Geschäftsführer", "Geschäftsführerin", "Geschäftsführender Gesellschafter", "Inhaber", "Vorstand", "Vorstandsvorsitzende", "Gründerin", "Mitglied des Vorstands", "Prokurist",
            "Gérant", "Gérante", "PDG", "Président", "Directeur général", "Directrice générale", "Fondatrice", "Administrateur délégué", "Directeur technique",
            "Administrador único", "Director general", "Consejera delegada", "Gerente", "Socio director", "Director técnico",
            "Amministratore delegato", "Amministratrice unica", "Titolare", "Direttore generale", "Presidente", "Direttrice tecnica",
            "Directeur", "Bestuurder", "Zaakvoerder", "Eigenaar", "Vennoot", "Algemeen directeur", "Technisch directeur",
            "Sócio-gerente", "Diretor executivo", "Administradora", "Diretor técnico",
            "Prezes Zarządu", "Członek Zarządu", "Wiceprezes", "Właściciel", "Dyrektor generalny", "Wspólniczka", "Dyrektor techniczny",
        ]),
        (Head, &[
            "Head of Sales", "Head of Engineering", "Leiter Vertrieb", "Leiterin Einkauf", "Vertriebsleiter", "Teamleiterin Support", "Abteilungsleiter", "Technischer Leiter",
            "Responsable du service client", "Directeur commercial", "Directrice des ressources humaines", "Responsable marketing", "Jefe de taller", "Directora comercial", "Responsable de prensa",
            "Responsabile assistenza", "Direttore commerciale", "Capo reparto", "Hoofd verkoop", "Diretora comercial", "Chefe de oficina", "Responsável de qualidade",
            "Kierownik serwisu", "Dyrektor handlowy", "Dyrektor działu sprzedaży", "Team Lead", "Marketing Manager", "HR Manager", "Filialleiterin",
        ]),
        (Staff, &[
            "Office Manager", "Project Manager", "Accountant", "Software Engineer", "Assistant to the CEO", "Press Officer", "Paralegal", "Practice Nurse", "Senior Associate", "Sales Representative",
            "Assistentin der Geschäftsleitung", "Buchhalterin", "Projektleiter", "Pressesprecher", "Kundenberaterin", "Auszubildende", "Rechtsanwältin", "Zahnarzt", "Steuerfachangestellte", "Dachdeckergeselle",
            "Assistante de direction", "Comptable", "Chef de projet", "Attachée de presse", "Conseiller clientèle", "Avocat à la Cour", "Infirmière",
            "Secretaria de dirección", "Contable", "Jefa de proyecto", "Asesor de clientes", "Abogada", "Recepcionista",
            "Segretaria", "Addetto stampa", "Contabile", "Capo progetto", "Avvocato", "Fisioterapista",
            "Directiesecretaresse", "Boekhoudster", "Projectleider", "Klantadviseur", "Persvoorlichter", "Chef-kok", "Huisarts",
            "Secretária", "Contabilista", "Gestor de projeto", "Advogada", "Estagiário",
            "Asystentka zarządu", "Księgowa", "Kierownik projektu", "Rzecznik prasowy", "Radca prawny", "Doradczyni klienta", "Szef kuchni",
        ]),
    ];
    let mut wrong = Vec::new();
    for (expected, titles) in known {
        for title in *titles {
            let found = read(title).map(|role| role.seniority);
            if found != Some(*expected) {
                wrong.push(format!("{title}: {found:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_no_title_is_none() {
    for text in [
        "", "Anna Berg", "Köln", "Unser Team", "Beratung", "Wartung", "Meet our managers", "Telefon: 0221 1234", "Wir suchen einen Dachdecker (m/w/d)", "Dachdecker (m/w/d)",
        "Seit drei Generationen arbeiten wir in der Region.", "Alle Rechte vorbehalten", "Vertrieb", "Consulting", "Mehr erfahren", "Bauherr aus Hagen", "Cliente a Roma", "Montag–Freitag",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn organs_represent_and_others_do_not() {
    for title in [
        "Geschäftsführer", "Geschäftsführende Gesellschafterin", "Vorstand", "Mitglied des Vorstands", "Inhaberin", "Gérant", "Président", "Administrateur délégué", "Administradora única",
        "Amministratore unico", "Socia amministratrice", "Bestuurder", "Zaakvoerster", "Vennoot", "Sócio-gerente", "Prezes Zarządu", "Członek Zarządu", "Wspólnik", "Managing Director", "Director", "Trustee",
        "Präsidentin des Verwaltungsrats",
    ] {
        assert!(read(title).is_some_and(|role| role.represents), "{title}");
    }
    for title in [
        "CEO", "Prokurist", "Aufsichtsratsvorsitzender", "Vorsitzender des Aufsichtsrats", "Head of Sales", "Assistent der Geschäftsführung", "Directeur commercial", "Chief Executive Officer",
        "Betriebsratsvorsitzende", "Art Director", "Sales Director", "President", "Asystentka zarządu", "Owner",
    ] {
        assert!(!read(title).is_some_and(|role| role.represents), "{title}");
    }
}
