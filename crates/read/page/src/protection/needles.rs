//! What is looked for in a body, all of it in one pass.
//!
//! A needle is only where to look: what stands around it decides whether it is a sign.
//! Products are written about and their scripts stand in ordinary pages.

use std::sync::LazyLock;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;
use memchr::memmem;

use super::place::Place;

/// Something in a body that a rule may build on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
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

/// The signs found in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Signs(u32);

/// Where to look, and what is there.
type Needle = (&'static str, fn(&Place<'_>) -> Option<Sign>);

/// What counts under any status.
const ANY: [Needle; 13] = [
    ("Incapsula incident ID", |at| {
        let whole = at.comes_after("Request unsuccessful. ") && at.number_follows();
        whole.then_some(Sign::ImpervaIncident)
    }),
    // In a script of that name it watches an ordinary page.
    ("_Incapsula_Resource", |at| at.in_tag("iframe").then_some(Sign::ImpervaFrame)),
    ("Pardon Our Interruption", |_| Some(Sign::ImpervaPardon)),
    ("_pxAppId", |at| {
        let set = at.comes_after("window.") && at.rest().trim_ascii_start().starts_with(b"=");
        Some(if set { Sign::HumanAppSet } else { Sign::HumanApp })
    }),
    ("triggerInterstitialChallenge", |_| Some(Sign::AkamaiInterstitial)),
    ("/_sec/verify?provider=interstitial", |_| Some(Sign::AkamaiInterstitial)),
    ("sucuri_cloudproxy_js", |_| Some(Sign::SucuriScript)),
    ("/_fs-ch-", |at| at.in_tag("script").then_some(Sign::FastlyScript)),
    ("URL was rejected", |at| at.comes_after("The requested ").then_some(Sign::F5Rejected)),
    ("[\"bobcmn\"]", |at| at.comes_after("window").then_some(Sign::F5Settings)),
    ("/TSPD/", |at| {
        let hex = at.rest().first().is_some_and(u8::is_ascii_hexdigit);
        (hex && at.in_tag("script")).then_some(Sign::F5Script)
    }),
    ("anubis_challenge", |at| (at.in_tag("script") && at.is_id()).then_some(Sign::Anubis)),
    ("/.within.website/x/cmd/anubis/", |at| at.tag().map(|_| Sign::Anubis)),
];

/// What counts only under a status that refuses.
const REFUSAL: [Needle; 31] = [
    ("_cf_chl_opt", |_| Some(Sign::CloudflareScript)),
    ("__cf_chl_", |_| Some(Sign::CloudflareScript)),
    // Other scripts below that path watch ordinary pages.
    ("/cdn-cgi/challenge-platform/", |at| {
        at.address_has("orchestrate").then_some(Sign::CloudflareScript)
    }),
    ("challenge-form", |at| at.is_id().then_some(Sign::CloudflareScript)),
    ("Just a moment...", |_| Some(Sign::CloudflareTitle)),
    ("Attention Required! | Cloudflare", |_| Some(Sign::CloudflareTitle)),
    ("cf-error-code\">", |at| at.is_cloudflare_refusal().then_some(Sign::CloudflareErrorCode)),
    (".awswaf.com/", |at| match () {
        () if at.address_has("captcha.js") => Some(Sign::AwsCaptcha),
        () if at.address_has("challenge.js") => Some(Sign::AwsChallenge),
        () => None,
    }),
    ("window.gokuProps", |_| Some(Sign::AwsSettings)),
    ("Vercel Security Checkpoint", |_| Some(Sign::VercelTitle)),
    ("geo.captcha-delivery.com", |at| at.path_follows().then_some(Sign::DataDomeHost)),
    ("ct.captcha-delivery.com", |at| at.path_follows().then_some(Sign::DataDomeHost)),
    ("var dd={'rt'", |_| Some(Sign::DataDomeSettings)),
    ("px-captcha", |at| at.is_id().then_some(Sign::HumanElement)),
    ("captcha.px-cdn.net", |at| at.path_follows().then_some(Sign::HumanCaptcha)),
    ("/captcha/captcha.js?a=c", |_| Some(Sign::HumanCaptcha)),
    ("\"blockScript\"", |_| Some(Sign::HumanObject)),
    ("window.KPSDK", |_| Some(Sign::Kasada)),
    ("/ips.js?", |_| Some(Sign::Kasada)),
    ("sec-cp-challenge", |_| Some(Sign::AkamaiProof)),
    ("/_sec/cp_challenge/", |_| Some(Sign::AkamaiProof)),
    ("Access Denied", |_| Some(Sign::AkamaiDenied)),
    ("Sucuri WebSite Firewall", |_| Some(Sign::SucuriFirewall)),
    ("/.well-known/ddos-guard/", |_| Some(Sign::DdosGuard)),
    ("data-ddg-origin", |at| at.tag().map(|_| Sign::DdosGuard)),
    ("DDoS-Guard", |_| Some(Sign::DdosGuardTitle)),
    // Whether an element is behind these, the sketch of the page tells.
    ("g-recaptcha", |_| Some(Sign::Widget)),
    ("h-captcha", |_| Some(Sign::Widget)),
    ("cf-turnstile", |_| Some(Sign::Widget)),
    ("arkoselabs.com/", |_| Some(Sign::Widget)),
    ("funcaptcha.com/", |_| Some(Sign::Widget)),
];

/// Some needles, and what finds all of them in one pass.
struct Needles {
    needles: Vec<Needle>,
    /// None on machines without the vector instructions for it.
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

    fn signs(&self, body: &[u8]) -> Signs {
        match &self.searcher {
            Some(searcher) => self.signs_at_once(body, searcher),
            None => self.signs_one_by_one(body),
        }
    }

    fn signs_at_once(&self, body: &[u8], searcher: &Searcher) -> Signs {
        let mut signs = Signs::default();
        let mut from = 0;
        while let Some(found) = searcher.find_in(body, Span::from(from..body.len())) {
            let needle = self.needles.get(found.pattern().as_usize());
            let place = Place { body, start: found.start(), end: found.end() };
            if let Some(sign) = needle.and_then(|(_, judge)| judge(&place)) {
                signs.add(sign);
            }
            // Another may begin within this one.
            from = found.start() + 1;
        }
        signs
    }

    fn signs_one_by_one(&self, body: &[u8]) -> Signs {
        let mut signs = Signs::default();
        for (needle, judge) in &self.needles {
            for start in memmem::find_iter(body, needle) {
                let place = Place { body, start, end: start + needle.len() };
                judge(&place).into_iter().for_each(|sign| signs.add(sign));
            }
        }
        signs
    }
}

impl Signs {
    /// The signs that count under any status.
    pub(super) fn of_any(body: &[u8]) -> Self {
        OF_ANY.signs(body)
    }

    /// All signs.
    pub(super) fn of_refusal(body: &[u8]) -> Self {
        OF_REFUSAL.signs(body)
    }

    fn add(&mut self, sign: Sign) {
        self.0 |= 1 << sign as u32;
    }

    pub(super) fn has(self, sign: Sign) -> bool {
        self.0 & (1 << sign as u32) != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests;
