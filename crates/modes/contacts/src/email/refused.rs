//! What looks like a mailbox and is nobody's: examples, traps, addresses of machines.

use std::sync::LazyLock;

use crate::wordlist::{Wordlist, phrases, words};

/// Domains that stand for any domain.
static EXAMPLES: Wordlist = LazyLock::new(|| {
    words(
        "domain yourdomain your-domain mydomain ihredomain ihre-domain deinedomain deine-domain
         beispiel musterdomain muster-domain exemple ejemplo esempio voorbeeld exemplo przyklad
         yourcompany company-name mail-domain votredomaine tudominio dominio tuodominio uwdomein
         jouwdomein seudominio twojadomena email website yoursite yourwebsite votre-site mysite
         firma-xyz adresse",
    )
});
/// Names that stand for any name.
static NAMES: Wordlist = LazyLock::new(|| {
    words(
        "your yourname your.name youremail your-email your.email deinname ihrname ihr.name
         vorname.nachname vorname max.mustermann mustermann erika.mustermann prenom.nom
         nom.prenom votreemail votre.email tuemail tucorreo nombre nombre.apellido nome.cognome
         tuonome voornaam.achternaam uwnaam jouwnaam nome.sobrenome seuemail seunome
         imie.nazwisko twojemail jan.kowalski.przyklad firstname.lastname first.last john.doe
         jane.doe jdoe johndoe username someone somebody xxx xxxx abc name.surname
         initial.lastname",
    )
});
/// Domains of services that pages name in their code.
static MACHINES: Wordlist = LazyLock::new(|| {
    words(
        "sentry.io wixpress.com sentry-next.wixpress.com ingest.sentry.io
         group.calendar.google.com 2x.png schema.org w3.org googlegroups.test",
    )
});
/// Endings that the standards keep for examples.
static RESERVED: Wordlist = LazyLock::new(|| words("example invalid localhost local tld"));

/// Whether a domain is the site's, or one below or above it.
pub(crate) fn is_of(domain: &str, host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let below = |inner: &str, outer: &str| {
        inner.strip_suffix(outer).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !host.is_empty() && (below(domain, host) || (domain.contains('.') && below(host, domain)))
}

/// Whether nobody reads what is sent there.
pub(crate) fn is_refused(value: &str, host: &str) -> bool {
    let Some((name, domain)) = value.split_once('@') else { return true };
    if is_of(domain, host) {
        return is_trap_name(name) || matches!(name, "your" | "yourname" | "vorname.nachname");
    }
    let (before, ending) = domain.rsplit_once('.').unwrap_or(("", domain));
    let last = before.rsplit('.').next().unwrap_or_default();
    RESERVED.contains(ending)
        || matches!(last, "example" | "test" | "sample" | "placeholder")
        || EXAMPLES.contains(last)
        || NAMES.contains(name)
        || MACHINES.contains(domain)
        || (name.len() >= 24 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || is_trap_name(name)
}

fn is_trap_name(name: &str) -> bool {
    [
        "spamtrap",
        "spam-trap",
        "honeypot",
        "honey-pot",
        "do-not-mail",
        "donotmail",
        "donotsend",
        "nospam-trap",
        "trap-",
        "blackhole",
        "bottrap",
        "spider-trap",
    ]
    .iter()
    .any(|word| name.contains(word))
        || matches!(name, "trap" | "spam.trap" | "nobody" | "devnull")
}

/// Words that warn of an address in the eight languages.
static WARNINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    phrases(
        "do not write to
     do not send
     do not use this
     don't write to
     don't send
     don't email
     do not email
     do not mail
     never write to
     never send mail
     spam trap
     spamtrap
     honeypot
     honey pot
     for bots only
     for spambots
     blacklisted
     schreiben sie nicht an
     nicht an diese adresse
     bitte nicht schreiben
     keine mails an
     keine e-mails an
     nicht verwenden
     nicht benutzen
     spamfalle
     spam-falle
     n'écrivez pas
     ne pas écrire
     ne pas utiliser
     n'envoyez pas
     ne jamais écrire
     piège à spam
     piège à robots
     pourriel
     no escriba a
     no escribir a
     no envíe
     no enviar
     no utilice esta
     no usar
     trampa para
     non scrivere a
     non scrivete
     non inviare
     non utilizzare
     trappola per
     niet schrijven naar
     schrijf niet naar
     niet gebruiken
     stuur geen
     spamval
     não escreva para
     não envie
     não utilize
     nao escreva
     armadilha
     nie pisz na
     nie pisać na
     nie wysyłaj
     nie używać
     pułapka",
    )
});

/// Whether a line warns of the address in it.
pub(super) fn is_trap_line(text: &str) -> bool {
    if !text.contains('@') && text.len() > 300 {
        return false;
    }
    let small = text.to_lowercase();
    WARNINGS.iter().any(|warning| small.contains(warning))
}
