//! The target of a job request: `url`, `urls`, `list_id` or `domains`, as its mode requires.

use crate::{BodyFields, ListId, Mode, RequestPolicy};

/// Maximum bytes of one entry of `domains`, which is stored as it was written; the same as for `url`.
const DOMAIN_BYTES: usize = 2_048;

/// Reads `url`, which must be one that may be crawled; returns it as given and parsed.
pub(crate) fn read_url<P: RequestPolicy>(
    fields: &mut BodyFields<'_>,
    policy: &P,
) -> Option<(String, P::Url)> {
    let text = fields.text("url")?;
    match parse_target(text, policy) {
        Ok(url) => Some((text.to_owned(), url)),
        Err(message) => {
            fields.wrong("url", message);
            None
        }
    }
}

/// Reads `list_id`, the id of an uploaded list.
pub(crate) fn read_list_id(fields: &mut BodyFields<'_>) -> Option<ListId> {
    let id = fields.text("list_id")?.parse();
    if id.is_err() {
        fields.wrong("list_id", "must be the list_id of an answer of POST /v1/lists, as lst_…");
    }
    id.ok()
}

/// Parses a URL that may be crawled. Its errors never show a password.
///
/// # Errors
///
/// The message about a user name or a password in the URL, or that of the policy.
pub fn parse_target<P: RequestPolicy>(text: &str, policy: &P) -> Result<P::Url, String> {
    match has_userinfo(text) {
        Some(message) => Err(message.to_owned()),
        None => policy.parse_url(text),
    }
}

/// The message about a URL whose authority has a user name.
fn has_userinfo(url: &str) -> Option<&'static str> {
    let authority = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#', '\\']).next()?;
    authority
        .contains('@')
        .then_some("must not contain a user name or a password; send them as basic_auth")
}

/// Checks that `url`, `urls`, `list_id` or `domains` is given, as the mode requires.
pub(crate) fn check_target(fields: &mut BodyFields<'_>, mode: Option<Mode>) {
    let Some(mode) = mode else { return };
    let [url, urls, domains] = ["url", "urls", "domains"].map(|name| fields.given(name));
    let list = fields.given("list_id");
    let other = if mode == Mode::Contacts { domains } else { urls || list };
    match (mode, url, other) {
        (Mode::Contacts, true, true) => {
            fields.wrong("domains", "must not be given together with url");
        }
        (Mode::Contacts, false, false) => {
            fields.wrong("url", "is required unless domains is given");
        }
        (Mode::Contacts, ..) => {}
        (Mode::Sitemap, is_given, _) if !is_given => fields.require("url"),
        (Mode::Sitemap, ..) => {}
        (Mode::Links | Mode::Markdown | Mode::Products, true, true) => {
            let name = if urls { "urls" } else { "list_id" };
            fields.wrong(name, "must not be given together with url");
        }
        (Mode::Links | Mode::Markdown | Mode::Products, false, false) => fields.require("url"),
        (Mode::Links | Mode::Markdown | Mode::Products, ..) => {}
    }
    if domains && mode != Mode::Contacts {
        fields.wrong("domains", "belongs to mode contacts alone");
    }
    for (name, is_given) in [("urls", urls), ("list_id", list)] {
        if is_given && !Mode::LISTS.contains(&mode) {
            fields.wrong(name, "belongs to the modes links, markdown and products");
        }
    }
    if urls && list {
        fields.wrong("list_id", "must not be given together with urls");
    }
}

/// Reads `urls`; returns the valid entries as given and parsed.
pub(crate) fn read_urls<P: RequestPolicy>(
    fields: &mut BodyFields<'_>,
    policy: &P,
) -> Option<(Vec<String>, Vec<P::Url>)> {
    let (mut given, mut urls) = (Vec::new(), Vec::new());
    for (index, text) in fields.texts("urls", policy.max_urls())? {
        match parse_target(text, policy) {
            Ok(url) => {
                given.push(text.to_owned());
                urls.push(url);
            }
            Err(message) => fields.wrong(&format!("urls[{index}]"), message),
        }
    }
    if let Err(message) = policy.check_urls(&urls) {
        fields.wrong("urls", message);
    }
    Some((given, urls))
}

/// Reads `domains`; returns the valid entries as given and parsed.
pub(crate) fn read_domains<P: RequestPolicy>(
    fields: &mut BodyFields<'_>,
    policy: &P,
) -> Option<(Vec<String>, Vec<P::Domain>)> {
    let (mut given, mut domains) = (Vec::new(), Vec::new());
    for (index, text) in fields.texts("domains", policy.max_domains())? {
        let parsed = if text.len() > DOMAIN_BYTES {
            Err(format!("must not be longer than {DOMAIN_BYTES} bytes"))
        } else {
            policy.parse_domain(text)
        };
        match parsed {
            Ok(domain) => {
                given.push(text.to_owned());
                domains.push(domain);
            }
            Err(message) => fields.wrong(&format!("domains[{index}]"), message),
        }
    }
    if let Err(message) = policy.check_domains(&domains) {
        fields.wrong("domains", message);
    }
    Some((given, domains))
}
