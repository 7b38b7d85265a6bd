//! Limits of a credential: reading them from a body, and rejecting calls beyond them.

use std::net::IpAddr;

use axum::http::{HeaderValue, header};
use contract::{
    BodyFields, CredentialLimits, Credits, Millis, Mode, OauthScope, ProblemCode, comma_list,
};
use store::LimitChange;
use urls::{canonical_network, is_within};

use crate::api_error::{ApiError, ApiResult};

/// Maximum networks of one credential.
const MAX_NETWORKS: usize = 20;

/// Reads the members that all bodies with limits have.
pub(crate) fn read(fields: &mut BodyFields<'_>, now: Millis) -> LimitChange {
    LimitChange {
        scopes: None,
        expires_at: expiry(fields, now),
        networks: list(fields, "networks", MAX_NETWORKS, |text| {
            canonical_network(text).ok_or_else(|| {
                "must be an address or a network, as 192.0.2.7 or 192.0.2.0/24".to_owned()
            })
        }),
        modes: list(fields, "modes", Mode::ALL.len(), |word| {
            word.parse().map_err(|_| format!("must be one of {}", comma_list(Mode::ALL)))
        }),
        daily_credits: budget(fields, "daily_credits"),
        total_credits: budget(fields, "total_credits"),
    }
}

/// Reads the scopes of a key, sorted.
pub(crate) fn read_scopes(fields: &mut BodyFields<'_>) -> Option<Vec<OauthScope>> {
    let mut scopes = list(fields, "scopes", OauthScope::ALL.len(), |word| {
        word.parse().map_err(|_| format!("must be one of {}", comma_list(OauthScope::ALL)))
    })?;
    scopes.sort_unstable();
    Some(scopes)
}

fn expiry(fields: &mut BodyFields<'_>, now: Millis) -> Option<Option<Millis>> {
    if fields.is_cleared("expires_at") {
        return Some(None);
    }
    match Millis::parse_iso(fields.text("expires_at")?) {
        Some(at) if at > now => Some(Some(at)),
        Some(_) => {
            fields.wrong("expires_at", "must be in the future");
            None
        }
        None => {
            fields.wrong("expires_at", "must be an ISO 8601 date-time, as 2027-01-31T00:00:00Z");
            None
        }
    }
}

fn budget(fields: &mut BodyFields<'_>, name: &'static str) -> Option<Option<Credits>> {
    if fields.is_cleared(name) {
        return Some(None);
    }
    fields.integer(name, 1).map(|credits| Some(Credits(credits)))
}

/// The entries of a list, each once; an empty list or null means no limit.
fn list<T: PartialEq>(
    fields: &mut BodyFields<'_>,
    name: &'static str,
    most: usize,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<Vec<T>> {
    if fields.is_cleared(name) {
        return Some(Vec::new());
    }
    let mut entries = Vec::new();
    for (place, text) in fields.texts(name, most)? {
        match parse(text) {
            Ok(entry) if entries.contains(&entry) => {}
            Ok(entry) => entries.push(entry),
            Err(message) => fields.wrong(&format!("{name}[{place}]"), message),
        }
    }
    Some(entries)
}

/// Whether the credential may be used from this address. An unknown address is in no network.
pub(crate) fn check_network(limits: &CredentialLimits, ip: Option<IpAddr>) -> ApiResult<()> {
    if limits.networks.is_empty() || ip.is_some_and(|ip| is_within(ip, &limits.networks)) {
        return Ok(());
    }
    let from = ip.map_or_else(|| "this address".to_owned(), |ip| ip.to_canonical().to_string());
    Err(forbidden(format!(
        "this credential may not be used from {from}; its networks can be changed by the owner of \
         the account"
    )))
}

/// Whether the credential may start jobs of this mode.
pub(crate) fn check_mode(limits: Option<&CredentialLimits>, mode: Mode) -> ApiResult<()> {
    match limits {
        Some(limits) if !limits.admits(mode) => Err(forbidden(format!(
            "this credential may not start jobs of mode {mode}; it may use {}",
            comma_list(&limits.modes)
        ))),
        Some(_) | None => Ok(()),
    }
}

/// Whether the credential may spend credits: with a budget, only on what is charged to itself
/// (`is_own`).
pub(crate) fn check_budget(limits: Option<&CredentialLimits>, is_own: bool) -> ApiResult<()> {
    let has_budget = |limits: &CredentialLimits| {
        limits.daily_credits.is_some() || limits.total_credits.is_some()
    };
    if is_own || !limits.is_some_and(has_budget) {
        return Ok(());
    }
    let message = "this credential has a budget and may not spend credits outside of it: this is \
        charged to another credential, or to the account";
    Err(forbidden(message.to_owned()))
}

/// 403 for a key without the scope.
pub(crate) fn missing_scope(needed: OauthScope) -> ApiError {
    forbidden(format!(
        "the API key lacks the scope {needed}; use another key, or add the scope to it"
    ))
}

/// 403 with the challenge of RFC 6750, section 3.1.
fn forbidden(message: String) -> ApiError {
    let challenge = HeaderValue::from_static("Bearer error=\"insufficient_scope\"");
    ApiError::new(ProblemCode::Forbidden, message).header(header::WWW_AUTHENTICATE, challenge)
}
