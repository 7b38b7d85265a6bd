//! Decodes addresses that attributes and scripts obfuscate.

use text::mailbox::{MailboxCandidate, MailboxScanner};
use text::vocabulary::TermSet;

use super::placeholder::is_own_domain;
use super::role::is_role;
use super::scan::is_mailbox;
use super::{cipher, script};
use html::dom::{Dom, Element, NodeId};

/// An address that an element shows.
pub(crate) struct DecodedAddress {
    pub text: String,
    /// The address replaces the content of the element.
    pub replaces: bool,
}

/// Whether letters, "@" or dots are written as character references, which indicates
/// obfuscation.
pub(crate) fn has_coded_letters(raw: &str) -> bool {
    raw.match_indices("&#").take(400).any(|(at, _)| {
        let rest = raw.get(at + 2..).unwrap_or_default();
        let (digits, radix) = match rest.strip_prefix(['x', 'X']) {
            Some(rest) => (rest, 16),
            None => (rest, 10),
        };
        let end = digits.bytes().take(7).take_while(u8::is_ascii_alphanumeric).count();
        let code = digits.get(..end).and_then(|code| u32::from_str_radix(code, radix).ok());
        code.and_then(char::from_u32)
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '.' | ':'))
    }) || raw.contains("&commat;")
}

/// Decodes the address in the attributes of an element of a page of `host`.
pub(crate) fn decode_element(dom: &Dom<'_>, at: NodeId, host: &str) -> Option<DecodedAddress> {
    let attributes = dom.attributes(at);
    if attributes.is_empty() {
        return None;
    }
    let get = |name: &str| dom.attribute(at, name).map(|value| value.trim().to_owned());
    if let Some(text) = get("data-cfemail").and_then(|code| cipher::cloudflare(&code)) {
        return Some(DecodedAddress { text, replaces: true });
    }
    let is_link = dom.is(at, Element::A);
    if is_link && let Some(href) = get("href") {
        let lower = href.to_ascii_lowercase();
        if let Some(code) = lower.split("/cdn-cgi/l/email-protection#").nth(1)
            && let Some(text) = cipher::cloudflare(code)
        {
            return Some(DecodedAddress { text, replaces: true });
        }
        if lower.starts_with("javascript:") {
            return decode_handler(&href);
        }
    }
    if let Some(code) = get("data-mailto-token")
        && let Some(text) = cipher::shifted_link(&code)
    {
        return Some(DecodedAddress { text, replaces: false });
    }
    if let Some(code) = get("data-enc-email") {
        let text = cipher::rot13(&code).replace("[at]", "@");
        return text.contains('@').then_some(DecodedAddress { text, replaces: false });
    }
    for name in ["onclick", "onmouseover", "onmousedown", "onfocus"] {
        if let Some(source) =
            get(name).filter(|source| source.contains("mail") || source.contains('@'))
        {
            return decode_handler(&source);
        }
    }
    decode_data_attributes(dom, at, host)
}

fn decode_handler(source: &str) -> Option<DecodedAddress> {
    let quoted = source.split(['\'', '"']).nth(1).unwrap_or_default();
    if let Some(text) = cipher::shifted_link(quoted) {
        return Some(DecodedAddress { text, replaces: false });
    }
    let text = script::written_texts(source).into_iter().find(|text| text.contains('@'))?;
    Some(DecodedAddress { text, replaces: false })
}

static LOCAL_PART_ATTRIBUTES: TermSet = word_set!("email/local_part_attributes.txt");
static DOMAIN_ATTRIBUTES: TermSet = word_set!("email/domain_attributes.txt");
static ENDING_ATTRIBUTES: TermSet = word_set!("email/ending_attributes.txt");
static ADDRESS_ATTRIBUTES: TermSet = word_set!("email/address_attributes.txt");

/// Decodes an address that a script assembles from attributes: local part and domain
/// separately, or the whole address reversed, in Base64, in ROT13 or with words for its signs.
fn decode_data_attributes(dom: &Dom<'_>, at: NodeId, host: &str) -> Option<DecodedAddress> {
    let names = dom.attributes(at).iter().filter(|one| one.name.starts_with("data-"));
    names.clone().next()?;
    let first = |known: &TermSet| {
        let found = names.clone().find(|one| known.contains(one.name))?;
        dom.attribute(at, found.name).map(|value| value.trim().to_owned())
    };
    if let Some((user, domain)) = first(&LOCAL_PART_ATTRIBUTES).zip(first(&DOMAIN_ATTRIBUTES)) {
        let domain = match first(&ENDING_ATTRIBUTES) {
            Some(ending) => format!("{domain}.{}", ending.trim_start_matches('.')),
            None => domain,
        };
        let domain = domain.trim_start_matches('@');
        let is_name = |text: &str| {
            !text.is_empty()
                && text.len() < 64
                && !text.contains(char::is_whitespace)
                && !text.contains('@')
        };
        let is_domain = domain.contains('.') && !domain.contains('/') && is_name(domain);
        if is_name(&user) && is_domain {
            return Some(DecodedAddress { text: format!("{user}@{domain}"), replaces: false });
        }
    }
    let whole = first(&ADDRESS_ATTRIBUTES)?;
    let whole = whole.strip_prefix("mailto:").unwrap_or(&whole).to_owned();
    if whole.len() > 200 || whole.contains("://") {
        return None;
    }
    let read = |text: &str| {
        let is_address =
            |mailbox: &MailboxCandidate| mailbox.has_known_ending() && is_mailbox(mailbox, host);
        let mut found = MailboxScanner::new(text).mailboxes(is_address);
        let length = text.chars().count();
        found.pop_if(|mailbox| mailbox.span == (0..length))
    };
    let turned: String = whole.chars().rev().collect();
    let spellings =
        [Some(whole.clone()), Some(turned), cipher::base64(&whole), Some(cipher::rot13(&whole))];
    let read = spellings.into_iter().flatten().filter_map(|text| read(&text));
    // A cipher may read as an address as well: `vasb@svezn.bet` is `info@firma.org`.
    let certainty = |mailbox: &MailboxCandidate| {
        let (name, domain) = mailbox.parts();
        (is_own_domain(domain, host), is_role(name), mailbox.has_common_ending())
    };
    // The first one of the most certain ones.
    let best =
        read.reduce(|best, next| if certainty(&next) > certainty(&best) { next } else { best })?;
    Some(DecodedAddress { text: best.value, replaces: false })
}

/// The texts with addresses that a script writes into the page.
pub(crate) fn decode_script(source: &str) -> Vec<String> {
    let writes = script::written_texts(source);
    writes.iter().filter_map(|text| text_of_markup(text)).collect()
}

/// The visible text of markup, or the address of its mailto link.
fn text_of_markup(markup: &str) -> Option<String> {
    let dom = Dom::parse(markup);
    let mut text = html::text::Collapsed::new(1_000);
    let mut linked = None;
    for id in dom.descendants(NodeId::ROOT).take(500) {
        if dom.is(id, Element::A)
            && let Some(href) = dom.attribute(id, "href")
            && let Some(address) = href.trim().strip_prefix("mailto:")
        {
            linked =
                linked.or_else(|| Some(address.split('?').next().unwrap_or_default().to_owned()));
        }
        if dom.element(id).is_some_and(|element| !element.is_inline()) {
            text.gap();
        }
        text.push(&dom.text(id));
    }
    let text = text.take();
    match linked {
        _ if text.contains('@') => Some(text),
        Some(address) if address.contains('@') => Some(address),
        _ => None,
    }
}
