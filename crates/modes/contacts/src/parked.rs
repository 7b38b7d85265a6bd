//! Whether nobody lives at a domain: it is for sale, or shows what the host puts there.
//! Told only by plain words on a page that says little else.

use super::sheet::Sheet;

/// A page with more text than this is somebody's.
const MAX_TEXT: usize = 2_500;

/// Sentences of sellers, parking services, hosts and servers, in small letters.
const SENTENCES: &str = "domain is for sale|domain may be for sale|domain name is for sale|this domain is available|buy this domain|\
    domain zu verkaufen|domain steht zum verkauf|domain ist zu verkaufen|diese domain kaufen|domain kaufen|domain ist geparkt|\
    domain ist registriert|hier entsteht eine neue|diese domain wurde|ce domaine est à vendre|domaine à vendre|domaine est à vendre|\
    acheter ce domaine|nom de domaine est à vendre|dominio en venta|este dominio está a la venta|dominio está en venta|comprar este dominio|dominio in vendita|\
    questo dominio è in vendita|dominio è in vendita|acquista questo dominio|domein te koop|domeinnaam is te koop|dit domein is te koop|domein is te koop|\
    domínio à venda|este domínio está à venda|comprar este domínio|domena na sprzedaż|domena jest na sprzedaż|kup tę domenę|\
    domain parking|parked domain|parked free|domain is parked|is parked|this web page is parked|future home of|sedo domain parking|\
    welcome to nginx|apache2 ubuntu default page|apache2 debian default page|iis windows server|default web site page|test page for|\
    it works!|congratulations! your site is|site default page|plesk default|index of /|web server's default page|domain default page|\
    domain has expired|domain name has expired|domain is registered|has been registered|domain wurde registriert|domain est enregistré|\
    account has been suspended|\
    strona site sito sitio \
    make an offer|sponsored listings|inquire about this domain|renew this domain|questo dominio è stato registrato|dominio registrado|domein is geregistreerd|domena została zarejestrowana|\
    dit domein is gereserveerd|créé avec succès";

/// What a site says that is not finished.
const UNFINISHED: &str = "under construction|coming soon|baustelle|in kürze verfügbar|en construction|en construcción|\
    in costruzione|in aanbouw|em construção|w budowie|website is coming|website is under|opening soon|binnenkort online";

/// Whether it is the page of a domain that nobody lives at.
pub(crate) fn is_parked(sheet: &Sheet<'_, '_>, title: &str) -> bool {
    let size: usize = sheet.lines.iter().map(|line| line.text.len()).sum();
    if size > MAX_TEXT {
        return false;
    }
    let mut text = title.to_lowercase();
    for line in &sheet.lines {
        text.push('\n');
        text.push_str(&line.text.to_lowercase());
    }
    let says = |list: &str| list.split('|').any(|sentence| text.contains(sentence.trim()));
    // A firm that builds or sells its site still says where it is.
    if !(says(SENTENCES) || says(UNFINISHED)) || !super::address::read(sheet).is_empty() {
        return false;
    }
    let has_number =
        sheet.phones.iter().any(|phone| phone.evidence != super::phone::Evidence::Shape);
    says(SENTENCES) || (!has_number && sheet.mails.is_empty())
}
