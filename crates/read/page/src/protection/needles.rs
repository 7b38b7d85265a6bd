//! The strings that are searched in a body, all in one pass.
//!
//! A needle only says where to look; its surroundings decide whether it is a sign. Articles mention
//! the products, and their scripts are part of ordinary pages.

use std::sync::LazyLock;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;
use memchr::memmem;

use super::needle_match::NeedleMatch;

/// Evidence in a body that rules use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProtectionSign {
    ImpervaIncident,
    ImpervaFrame,
    ImpervaPardon,
    HumanApp,
    HumanAppSet,
    AkamaiInterstitial,
    SucuriScript,
    FastlyScript,
    F5Rejected,
    F5Settings,
    F5Script,
    Anubis,
    CloudflareScript,
    CloudflareTitle,
    CloudflareErrorCode,
    AwsChallenge,
    AwsCaptcha,
    AwsSettings,
    VercelTitle,
    DataDomeHost,
    DataDomeSettings,
    HumanElement,
    HumanCaptcha,
    HumanObject,
    Kasada,
    AkamaiProof,
    AkamaiDenied,
    SucuriFirewall,
    DdosGuard,
    DdosGuardTitle,
    Widget,
}

/// The set of signs found in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ProtectionSigns(u32);

/// A search string, and the check of its surroundings.
type Needle = (&'static str, fn(&NeedleMatch<'_>) -> Option<ProtectionSign>);

/// Needles that count with any status.
const ANY: [Needle; 13] = [
    ("Incapsula incident ID", |at| {
        let whole = at.follows("Request unsuccessful. ") && at.number_follows();
        whole.then_some(ProtectionSign::ImpervaIncident)
    }),
    // A script of that name monitors ordinary pages.
    ("_Incapsula_Resource", |at| at.in_tag("iframe").then_some(ProtectionSign::ImpervaFrame)),
    ("Pardon Our Interruption", |_| Some(ProtectionSign::ImpervaPardon)),
    ("_pxAppId", |at| {
        let set = at.follows("window.") && at.rest().trim_ascii_start().starts_with(b"=");
        Some(if set { ProtectionSign::HumanAppSet } else { ProtectionSign::HumanApp })
    }),
    ("triggerInterstitialChallenge", |_| Some(ProtectionSign::AkamaiInterstitial)),
    ("/_sec/verify?provider=interstitial", |_| Some(ProtectionSign::AkamaiInterstitial)),
    ("sucuri_cloudproxy_js", |_| Some(ProtectionSign::SucuriScript)),
    ("/_fs-ch-", |at| at.in_tag("script").then_some(ProtectionSign::FastlyScript)),
    ("URL was rejected", |at| at.follows("The requested ").then_some(ProtectionSign::F5Rejected)),
    ("[\"bobcmn\"]", |at| at.follows("window").then_some(ProtectionSign::F5Settings)),
    ("/TSPD/", |at| {
        let hex = at.rest().first().is_some_and(u8::is_ascii_hexdigit);
        (hex && at.in_tag("script")).then_some(ProtectionSign::F5Script)
    }),
    ("anubis_challenge", |at| {
        (at.in_tag("script") && at.is_id()).then_some(ProtectionSign::Anubis)
    }),
    ("/.within.website/x/cmd/anubis/", |at| at.tag().map(|_| ProtectionSign::Anubis)),
];

/// Needles that count only with a refusing status.
const REFUSAL: [Needle; 31] = [
    ("_cf_chl_opt", |_| Some(ProtectionSign::CloudflareScript)),
    ("__cf_chl_", |_| Some(ProtectionSign::CloudflareScript)),
    // Other scripts below that path monitor ordinary pages.
    ("/cdn-cgi/challenge-platform/", |at| {
        at.url_contains("orchestrate").then_some(ProtectionSign::CloudflareScript)
    }),
    ("challenge-form", |at| at.is_id().then_some(ProtectionSign::CloudflareScript)),
    ("Just a moment...", |_| Some(ProtectionSign::CloudflareTitle)),
    ("Attention Required! | Cloudflare", |_| Some(ProtectionSign::CloudflareTitle)),
    ("cf-error-code\">", |at| {
        at.is_cloudflare_refusal().then_some(ProtectionSign::CloudflareErrorCode)
    }),
    (".awswaf.com/", |at| match () {
        () if at.url_contains("captcha.js") => Some(ProtectionSign::AwsCaptcha),
        () if at.url_contains("challenge.js") => Some(ProtectionSign::AwsChallenge),
        () => None,
    }),
    ("window.gokuProps", |_| Some(ProtectionSign::AwsSettings)),
    ("Vercel Security Checkpoint", |_| Some(ProtectionSign::VercelTitle)),
    ("geo.captcha-delivery.com", |at| at.path_follows().then_some(ProtectionSign::DataDomeHost)),
    ("ct.captcha-delivery.com", |at| at.path_follows().then_some(ProtectionSign::DataDomeHost)),
    ("var dd={'rt'", |_| Some(ProtectionSign::DataDomeSettings)),
    ("px-captcha", |at| at.is_id().then_some(ProtectionSign::HumanElement)),
    ("captcha.px-cdn.net", |at| at.path_follows().then_some(ProtectionSign::HumanCaptcha)),
    ("/captcha/captcha.js?a=c", |_| Some(ProtectionSign::HumanCaptcha)),
    ("\"blockScript\"", |_| Some(ProtectionSign::HumanObject)),
    ("window.KPSDK", |_| Some(ProtectionSign::Kasada)),
    ("/ips.js?", |_| Some(ProtectionSign::Kasada)),
    ("sec-cp-challenge", |_| Some(ProtectionSign::AkamaiProof)),
    ("/_sec/cp_challenge/", |_| Some(ProtectionSign::AkamaiProof)),
    ("Access Denied", |_| Some(ProtectionSign::AkamaiDenied)),
    ("Sucuri WebSite Firewall", |_| Some(ProtectionSign::SucuriFirewall)),
    ("/.well-known/ddos-guard/", |_| Some(ProtectionSign::DdosGuard)),
    ("data-ddg-origin", |at| at.tag().map(|_| ProtectionSign::DdosGuard)),
    ("DDoS-Guard", |_| Some(ProtectionSign::DdosGuardTitle)),
    // The outline of the page shows whether these belong to an element.
    ("g-recaptcha", |_| Some(ProtectionSign::Widget)),
    ("h-captcha", |_| Some(ProtectionSign::Widget)),
    ("cf-turnstile", |_| Some(ProtectionSign::Widget)),
    ("arkoselabs.com/", |_| Some(ProtectionSign::Widget)),
    ("funcaptcha.com/", |_| Some(ProtectionSign::Widget)),
];

/// A group of needles with a searcher for all of them.
struct Needles {
    needles: Vec<Needle>,
    /// `None` on machines without the required vector instructions.
    searcher: Option<Searcher>,
}

static OF_ANY: LazyLock<Needles> = LazyLock::new(|| Needles::new(&[&ANY]));
static OF_REFUSAL: LazyLock<Needles> = LazyLock::new(|| Needles::new(&[&ANY, &REFUSAL]));

impl Needles {
    fn new(groups: &[&[Needle]]) -> Self {
        let needles = groups.concat();
        let searcher = Searcher::new(needles.iter().map(|(needle, _)| needle));
        Self { needles, searcher }
    }

    fn signs(&self, body: &[u8]) -> ProtectionSigns {
        match &self.searcher {
            Some(searcher) => self.signs_at_once(body, searcher),
            None => self.signs_one_by_one(body),
        }
    }

    fn signs_at_once(&self, body: &[u8], searcher: &Searcher) -> ProtectionSigns {
        let mut signs = ProtectionSigns::default();
        let mut from = 0;
        while let Some(found) = searcher.find_in(body, Span::from(from..body.len())) {
            let needle = self.needles.get(found.pattern().as_usize());
            let needle_match = NeedleMatch { body, start: found.start(), end: found.end() };
            if let Some(sign) = needle.and_then(|(_, sign_of)| sign_of(&needle_match)) {
                signs.add(sign);
            }
            // Needles may overlap.
            from = found.start() + 1;
        }
        signs
    }

    fn signs_one_by_one(&self, body: &[u8]) -> ProtectionSigns {
        let mut signs = ProtectionSigns::default();
        for (needle, sign_of) in &self.needles {
            for start in memmem::find_iter(body, needle) {
                let needle_match = NeedleMatch { body, start, end: start + needle.len() };
                sign_of(&needle_match).into_iter().for_each(|sign| signs.add(sign));
            }
        }
        signs
    }
}

impl ProtectionSigns {
    /// The signs that count with any status.
    pub(super) fn of_any(body: &[u8]) -> Self {
        OF_ANY.signs(body)
    }

    /// All signs, for a refusing status.
    pub(super) fn of_refusal(body: &[u8]) -> Self {
        OF_REFUSAL.signs(body)
    }

    fn add(&mut self, sign: ProtectionSign) {
        self.0 |= 1 << sign as u32;
    }

    pub(super) fn has(self, sign: ProtectionSign) -> bool {
        self.0 & (1 << sign as u32) != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests;
