//! The rules, one per vendor, the most reliable first.
//!
//! The challenges of F5, Fastly and Radware are known from few samples, so that their rules require
//! more evidence.

use super::needles::ProtectionSign;
use super::suspect::SuspectResponse;
use document::{ProtectionKind, ProtectionMarker, Vendor};

/// Returns the kind of protection if the response is from that vendor.
type VendorRule = fn(&SuspectResponse<'_>) -> Option<ProtectionKind>;

const RULES: [(Vendor, VendorRule); 14] = [
    (Vendor::Cloudflare, cloudflare),
    (Vendor::AwsWaf, aws_waf),
    (Vendor::Vercel, vercel),
    (Vendor::DataDome, datadome),
    (Vendor::Human, human),
    (Vendor::Imperva, imperva),
    (Vendor::Kasada, kasada),
    (Vendor::Akamai, akamai),
    (Vendor::Sucuri, sucuri),
    (Vendor::DdosGuard, ddos_guard),
    (Vendor::Fastly, fastly),
    (Vendor::F5, f5),
    (Vendor::Anubis, anubis),
    // Last, because the pages of the vendors above contain such widgets too.
    (Vendor::CaptchaWall, captcha_wall),
];

pub(super) fn apply_rules(suspect: &SuspectResponse<'_>) -> Option<ProtectionMarker> {
    RULES
        .iter()
        .find_map(|(vendor, rule)| Some(ProtectionMarker { vendor: *vendor, kind: rule(suspect)? }))
}

fn cloudflare(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    if !suspect.headers.cloudflare() || !suspect.status_in(&[403, 429, 503]) {
        return None;
    }
    let titled = |title: &str| {
        suspect.has(ProtectionSign::CloudflareTitle) && suspect.outline().title == title
    };
    if suspect.has(ProtectionSign::CloudflareScript) || titled("Just a moment...") {
        return Some(ProtectionKind::Challenge);
    }
    let refused = suspect.has(ProtectionSign::CloudflareErrorCode)
        || titled("Attention Required! | Cloudflare");
    (refused && suspect.status != 503).then_some(ProtectionKind::Block)
}

fn aws_waf(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    let signs =
        [ProtectionSign::AwsChallenge, ProtectionSign::AwsCaptcha, ProtectionSign::AwsSettings];
    if !suspect.status_in(&[202, 403, 405]) || !suspect.has_any(&signs) || !suspect.text_below(600)
    {
        return None;
    }
    // Challenge and CAPTCHA load the same settings; only the CAPTCHA responds with 405.
    let captcha = suspect.has(ProtectionSign::AwsCaptcha) || suspect.status == 405;
    Some(if captcha { ProtectionKind::Captcha } else { ProtectionKind::Challenge })
}

fn vercel(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    let is_match = suspect.status_in(&[403, 429, 503])
        && suspect.has(ProtectionSign::VercelTitle)
        && suspect.outline().title == "Vercel Security Checkpoint";
    is_match.then_some(ProtectionKind::Challenge)
}

fn datadome(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    let shown = suspect.has_any(&[ProtectionSign::DataDomeHost, ProtectionSign::DataDomeSettings]);
    if shown && suspect.status_in(&[401, 403, 405, 429]) {
        return Some(if suspect.holds("'t':'bv'") {
            ProtectionKind::Block
        } else if suspect.holds("'rt':'i'") {
            ProtectionKind::Challenge
        } else {
            ProtectionKind::Captcha
        });
    }
    (suspect.headers.datadome() && suspect.status_in(&[401, 403, 429]))
        .then_some(ProtectionKind::Block)
}

fn human(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    if suspect.status_in(&[403, 429]) {
        if suspect.has(ProtectionSign::HumanObject) && suspect.is_object() {
            return Some(ProtectionKind::Captcha);
        }
        let captcha =
            suspect.has_any(&[ProtectionSign::HumanElement, ProtectionSign::HumanCaptcha]);
        if (captcha || suspect.has(ProtectionSign::HumanAppSet)) && suspect.text_below(1_500) {
            return Some(if captcha { ProtectionKind::Captcha } else { ProtectionKind::Challenge });
        }
        return None;
    }
    let is_match = suspect.status == 200
        && suspect.has_any(&[ProtectionSign::HumanApp, ProtectionSign::HumanAppSet])
        && suspect.holds("px-captcha")
        && suspect.text_below(400);
    is_match.then_some(ProtectionKind::Captcha)
}

fn imperva(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    if suspect.has_any(&[ProtectionSign::ImpervaFrame, ProtectionSign::ImpervaIncident])
        && suspect.text_below(600)
    {
        // A browser may pass the frame; an incident number is a block.
        return Some(if suspect.has(ProtectionSign::ImpervaFrame) {
            ProtectionKind::Challenge
        } else {
            ProtectionKind::Block
        });
    }
    let tokens = ["reese84", "reeseSkip", "distil_", "distilIdentification"];
    let is_match = suspect.has(ProtectionSign::ImpervaPardon)
        && tokens.iter().any(|token| suspect.holds(token))
        && suspect.text_below(1_500);
    is_match.then_some(ProtectionKind::Challenge)
}

fn kasada(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    // Its settings are also part of ordinary pages, including error pages; the challenge itself has
    // no visible text.
    let shown = || suspect.has(ProtectionSign::Kasada) && suspect.text_below(1_500);
    let is_match = suspect.status_in(&[403, 429]) && (suspect.headers.kasada() || shown());
    is_match.then_some(ProtectionKind::Challenge)
}

fn akamai(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    if suspect.status == 428 && suspect.has(ProtectionSign::AkamaiProof) {
        return Some(ProtectionKind::Challenge);
    }
    let interstitial =
        suspect.status_in(&[200, 403]) && suspect.has(ProtectionSign::AkamaiInterstitial);
    if interstitial && suspect.text_below(600) {
        return Some(ProtectionKind::Challenge);
    }
    let denied = suspect.status == 403
        && suspect.has(ProtectionSign::AkamaiDenied)
        && has_reference(&suspect.outline().text);
    denied.then_some(ProtectionKind::Block)
}

/// The reference number of Akamai: `Reference #18.2d351ab8.1557333295.a4e16ab`. Other servers also
/// say `Access Denied`, but without it.
fn has_reference(text: &str) -> bool {
    text.match_indices("Reference #").any(|(at, sign)| {
        let number = text[at + sign.len()..].split_whitespace().next().unwrap_or_default();
        let mut parts = number.split('.');
        let decimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut next = |fits: &dyn Fn(&str) -> bool| {
            parts.next().is_some_and(|part| !part.is_empty() && fits(part))
        };
        next(&decimal) && next(&hexadecimal) && next(&decimal) && next(&hexadecimal)
    })
}

fn sucuri(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    if suspect.status_in(&[403, 429]) && suspect.has(ProtectionSign::SucuriFirewall) {
        return Some(ProtectionKind::Block);
    }
    let is_match = suspect.has(ProtectionSign::SucuriScript)
        && suspect.holds("You are being redirected")
        && suspect.text_below(600);
    is_match.then_some(ProtectionKind::Challenge)
}

fn ddos_guard(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    let titled =
        || suspect.has(ProtectionSign::DdosGuardTitle) && suspect.outline().title == "DDoS-Guard";
    let is_match =
        suspect.status_in(&[403, 429, 503]) && (suspect.has(ProtectionSign::DdosGuard) || titled());
    is_match.then_some(ProtectionKind::Challenge)
}

fn fastly(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    (suspect.has(ProtectionSign::FastlyScript) && suspect.text_below(600))
        .then_some(ProtectionKind::Challenge)
}

fn f5(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    let rejected = suspect.has(ProtectionSign::F5Rejected) && suspect.holds("support ID");
    if rejected && suspect.text_below(500) {
        return Some(ProtectionKind::Block);
    }
    // Both also occur in ordinary pages, such as a short form or a JavaScript shell.
    let is_match = suspect.has(ProtectionSign::F5Settings)
        && suspect.has(ProtectionSign::F5Script)
        && suspect.text_below(500)
        && !suspect.outline().own_content;
    is_match.then_some(ProtectionKind::Challenge)
}

fn anubis(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    (suspect.has(ProtectionSign::Anubis) && suspect.text_below(1_500))
        .then_some(ProtectionKind::Challenge)
}

fn captcha_wall(suspect: &SuspectResponse<'_>) -> Option<ProtectionKind> {
    let is_match = suspect.status_in(&[401, 403, 405, 429, 503])
        && suspect.has(ProtectionSign::Widget)
        && suspect.text_below(800)
        && suspect.outline().widget;
    is_match.then_some(ProtectionKind::Captcha)
}
