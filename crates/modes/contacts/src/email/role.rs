//! Names of mailboxes that belong to a function, in eight languages, and those that are a
//! person's name.

use std::sync::LazyLock;

use crate::wordlist::{Wordlist, words};

/// Whole names, and the first words of longer ones.
static ROLES: Wordlist = LazyLock::new(|| {
    words(
        "abuse academy accounting accounts administracao administracion administrac administracja
    administration administratie administrazione admin adv afspraak agenda agence allgemein
    amministrazione anfrage anfragen anmeldung app appointments ask asistencia assistance
    assistencia assistenza atencion atendimento auftrag aussteller auskunft backoffice balie
    bestellen bestellung bestellungen bewerbung bewerbungen bezwaar biuro booking bookings
    boekhouding buchhaltung buchung bureau business candidature candidatures care career
    careers carriera carriere central centrale ciao clientes clienti clients comercial comm
    commande commandes commercial commerciale communication communications compliance
    compras compta comptabilite comunicacao comunicacion comunicazione concierge consulta
    consultas contab contabilidad contabilidade contabilita contact contacto contactus
    contato contatti contatto correo crm customer customercare customers customerservice cv
    data dataprivacy dataprotection datenschutz datenschutzbeauftragter delivery design desk
    dev devis digital direccion direction direktion direzione dispo disposition docs donnees
    donneespersonnelles dpo dsb dsgvo druck dyrekcja ecommerce editor editorial ekonomia
    einkauf email empfang empleo empleos emploi encomendas engineering enquiries enquiry
    event events export facturacion facturation faktura faktury faturacao feedback ferrara
    finance finances finanzas finanzen firma formacion formation fotografie franchise
    frontdesk garantie gdpr geral gestion general generale hallo handel headoffice hello
    help helpdesk hi hilfe hola home hotel hotline hr imprensa impressum info infos
    information informacion informacoes informacje informatie informations informazioni
    inkoop inquiries inquiry internet invest investor investors invoice invoices iod ir it
    job jobs journalist jura kadry kanzlei karriere kasse kantoor klantenservice klient
    klienci kontakt koordination ksiegowosc kunde kunden kundendienst kundenservice kurse
    labor lager lavoro legal leitung livraison loja logistica logistics logistik logistique
    magazyn mail mailbox maintenance management manager marketing media medien mediation
    mitarbeit montage moin news newsletter noreply no-reply nfo notdienst objednavky obsluga
    oferta oferty offerte offertes office officemanagement ogolny online operations order
    orders ordini orcamento orcamentos partner partners parts personal personalabteilung
    personeel pedidos planning poczta post postmaster praca praxis praktijk prensa presse
    press pressoffice prenotazioni presupuesto presupuestos preventivi privacidad
    privacidade privacy produktion production projekt projekte projects protecciondatos
    provacy ps public publicidad purchasing qualita quality questions rappels reception
    recepcion recepcja reclamacoes reclami recruiting recruitment recrutamento recrutement
    rechnung rechnungen redaktion redaction redazione redakcja reklamacje rekrutacja rental
    rentals reparatur repair reservas reservation reservations reservering reservierung
    responsable retouren returns rezeption rezerwacja rgpd rh rodo rrhh sac sales salon sav
    secretaria secretariaat secretariat secretariado secretary security segreteria
    sekretariat service serviceclient services servicio servis serwis shop siege sklep
    soporte spedition sprzedaz staff stage stampa standort store student studio suporte
    support techniek technik technique technical tecnico team termin termine ticket tickets
    tienda tickethotline training trading travel uitgeverij urlaub vendas vendita vendite
    ventas vente ventes verkauf verkoop verlag vermietung versand vertrieb verwaltung
    voucher warsztat web webmaster website welcome werbung werkplaats werkstatt workshop
    zakupy zapytania zapytanie zarzad zentrale zamowienia trabaja trabajo trabalhe empregos
    travailler werken werkenbij vacatures solliciteren directie geschaeftsfuehrung
    geschaeftsleitung gf vorstand inhaber jobsite qm datos lopd dpd avg fg odo dados
    ausbildung azubi technologie hausverwaltung consulting accueil bonjour ola czesc onthaal
    ombudsman beschwerde whistleblower hinweis meldestelle denuncias canaletico etica pers
    persdienst pr kommunikation club verein gemeinde rathaus museum galerie gallery
    gutschein catering kueche restaurant reservierungen tisch events-team nieuwsbrief abo
    abonnement leserservice acquisti acquisto ufficio uffici magazzino spedizioni
    risorseumane personale curriculum produzione estero fornitori pec preventivo tecnica
    almacen calidad obras citas cita turnos recambios taller talleres devoluciones envios
    reclamaciones matriculas escuela alumnos cursos produccion escola matricula qualidade
    armazem producao oficina magasin atelier boutique achats qualite expedition expeditions
    travaux inscription inscriptions mairie werkvoorbereiding magazijn expeditie calculatie
    project projecten debiteuren crediteuren inschrijven receptie bestelling bestellingen
    kwaliteit productie logistyka transport jakosc produkcja hurt hurtownia eksport import
    rejestracja zgloszenia bestell fuhrpark planung warehouse dispatch bookkeeping payroll
    admissions membership members volunteer volunteers donations lettings",
    )
});

/// Whether a mailbox is a function's by its name.
pub(crate) fn is_role(name: &str) -> bool {
    let name = name.to_lowercase();
    let whole: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    if ROLES.contains(name.as_str()) || ROLES.contains(whole.as_str()) {
        return true;
    }
    name.split(['.', '-', '_', '+']).any(|part| {
        let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
        part.len() > 1 && ROLES.contains(part)
    })
}

/// Whether a mailbox may be a person's by its shape: first and last name, or an initial and
/// a name, and no word of a function in it.
pub(crate) fn is_personal(name: &str) -> bool {
    if is_role(name) {
        return false;
    }
    // Namesakes are counted.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let parts: Vec<&str> = name.split(['.', '_']).collect();
    let is_word = |part: &&str| {
        part.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'') && !part.is_empty()
    };
    match parts.as_slice() {
        [first, last] => is_word(first) && is_word(last) && last.len() > 1,
        [first, middle, last] => [first, middle, last].into_iter().all(is_word) && last.len() > 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_people_are_told_apart() {
        for name in ["info", "vertrieb", "presse-team", "info.berlin", "biuro2", "rh", "no-reply"] {
            assert!(is_role(name) && !is_personal(name), "{name}");
        }
        for name in ["anna.berg", "a.berg", "jean-luc.martin", "m_rossi", "j.m.costa"] {
            assert!(is_personal(name), "{name}");
        }
        for name in ["zx77", "berg", "team.berg", "a.1"] {
            assert!(!is_personal(name), "{name}");
        }
    }
}
