//! The rules, one a vendor, the surest first.
//!
//! F5's challenge, Fastly and Radware are known from less evidence than the others, so
//! that their rules ask for more of it.

use super::case::Case;
use super::needles::Sign;
use super::{ProtectionKind, ProtectionMarker, Vendor};

/// Says of which kind the wall is, if it is that vendor's.
type Rule = fn(&Case<'_>) -> Option<ProtectionKind>;

const RULES: [(Vendor, Rule); 14] = [
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
    // The walls above hold such widgets too.
    (Vendor::CaptchaWall, captcha_wall),
];

pub(super) fn judge(case: &Case<'_>) -> Option<ProtectionMarker> {
    RULES
        .iter()
        .find_map(|(vendor, rule)| Some(ProtectionMarker { vendor: *vendor, kind: rule(case)? }))
}

fn cloudflare(case: &Case<'_>) -> Option<ProtectionKind> {
    if !case.headers.cloudflare() || !case.status_in(&[403, 429, 503]) {
        return None;
    }
    let titled = |title: &str| case.has(Sign::CloudflareTitle) && case.sketch().title == title;
    if case.has(Sign::CloudflareScript) || titled("Just a moment...") {
        return Some(ProtectionKind::Challenge);
    }
    let refused = case.has(Sign::CloudflareErrorCode) || titled("Attention Required! | Cloudflare");
    (refused && case.status != 503).then_some(ProtectionKind::Block)
}

fn aws_waf(case: &Case<'_>) -> Option<ProtectionKind> {
    let signs = [Sign::AwsChallenge, Sign::AwsCaptcha, Sign::AwsSettings];
    if !case.status_in(&[202, 403, 405]) || !case.has_any(&signs) || !case.text_below(600) {
        return None;
    }
    // Both load their settings alike; only the CAPTCHA answers 405.
    let captcha = case.has(Sign::AwsCaptcha) || case.status == 405;
    Some(if captcha { ProtectionKind::Captcha } else { ProtectionKind::Challenge })
}

fn vercel(case: &Case<'_>) -> Option<ProtectionKind> {
    let wall = case.status_in(&[403, 429, 503])
        && case.has(Sign::VercelTitle)
        && case.sketch().title == "Vercel Security Checkpoint";
    wall.then_some(ProtectionKind::Challenge)
}

fn datadome(case: &Case<'_>) -> Option<ProtectionKind> {
    let shown = case.has_any(&[Sign::DataDomeHost, Sign::DataDomeSettings]);
    if shown && case.status_in(&[401, 403, 405, 429]) {
        return Some(if case.holds("'t':'bv'") {
            ProtectionKind::Block
        } else if case.holds("'rt':'i'") {
            ProtectionKind::Challenge
        } else {
            ProtectionKind::Captcha
        });
    }
    (case.headers.datadome() && case.status_in(&[401, 403, 429])).then_some(ProtectionKind::Block)
}

fn human(case: &Case<'_>) -> Option<ProtectionKind> {
    if case.status_in(&[403, 429]) {
        if case.has(Sign::HumanObject) && case.is_object() {
            return Some(ProtectionKind::Captcha);
        }
        let captcha = case.has_any(&[Sign::HumanElement, Sign::HumanCaptcha]);
        if (captcha || case.has(Sign::HumanAppSet)) && case.text_below(1_500) {
            return Some(if captcha { ProtectionKind::Captcha } else { ProtectionKind::Challenge });
        }
        return None;
    }
    let wall = case.status == 200
        && case.has_any(&[Sign::HumanApp, Sign::HumanAppSet])
        && case.holds("px-captcha")
        && case.text_below(400);
    wall.then_some(ProtectionKind::Captcha)
}

fn imperva(case: &Case<'_>) -> Option<ProtectionKind> {
    if case.has_any(&[Sign::ImpervaFrame, Sign::ImpervaIncident]) && case.text_below(600) {
        // The frame may let a browser pass; a number alone lets nobody.
        return Some(if case.has(Sign::ImpervaFrame) {
            ProtectionKind::Challenge
        } else {
            ProtectionKind::Block
        });
    }
    let tokens = ["reese84", "reeseSkip", "distil_", "distilIdentification"];
    let wall = case.has(Sign::ImpervaPardon)
        && tokens.iter().any(|token| case.holds(token))
        && case.text_below(1_500);
    wall.then_some(ProtectionKind::Challenge)
}

fn kasada(case: &Case<'_>) -> Option<ProtectionKind> {
    // Its settings stand in the site's own pages too, so also in those that refuse; the
    // wall itself has nothing to read.
    let shown = || case.has(Sign::Kasada) && case.text_below(1_500);
    let wall = case.status_in(&[403, 429]) && (case.headers.kasada() || shown());
    wall.then_some(ProtectionKind::Challenge)
}

fn akamai(case: &Case<'_>) -> Option<ProtectionKind> {
    if case.status == 428 && case.has(Sign::AkamaiProof) {
        return Some(ProtectionKind::Challenge);
    }
    let interstitial = case.status_in(&[200, 403]) && case.has(Sign::AkamaiInterstitial);
    if interstitial && case.text_below(600) {
        return Some(ProtectionKind::Challenge);
    }
    let denied =
        case.status == 403 && case.has(Sign::AkamaiDenied) && has_reference(&case.sketch().text);
    denied.then_some(ProtectionKind::Block)
}

/// Akamai's number of a refusal: `Reference #18.2d351ab8.1557333295.a4e16ab`. Servers of
/// every make say `Access Denied`; this they do not.
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

fn sucuri(case: &Case<'_>) -> Option<ProtectionKind> {
    if case.status_in(&[403, 429]) && case.has(Sign::SucuriFirewall) {
        return Some(ProtectionKind::Block);
    }
    let wall = case.has(Sign::SucuriScript)
        && case.holds("You are being redirected")
        && case.text_below(600);
    wall.then_some(ProtectionKind::Challenge)
}

fn ddos_guard(case: &Case<'_>) -> Option<ProtectionKind> {
    let titled = || case.has(Sign::DdosGuardTitle) && case.sketch().title == "DDoS-Guard";
    let wall = case.status_in(&[403, 429, 503]) && (case.has(Sign::DdosGuard) || titled());
    wall.then_some(ProtectionKind::Challenge)
}

fn fastly(case: &Case<'_>) -> Option<ProtectionKind> {
    (case.has(Sign::FastlyScript) && case.text_below(600)).then_some(ProtectionKind::Challenge)
}

fn f5(case: &Case<'_>) -> Option<ProtectionKind> {
    let rejected = case.has(Sign::F5Rejected) && case.holds("support ID");
    if rejected && case.text_below(500) {
        return Some(ProtectionKind::Block);
    }
    // Both stand in ordinary pages too, a short form or a page that its script has yet
    // to fill among them.
    let wall = case.has(Sign::F5Settings)
        && case.has(Sign::F5Script)
        && case.text_below(500)
        && !case.sketch().own_content;
    wall.then_some(ProtectionKind::Challenge)
}

fn anubis(case: &Case<'_>) -> Option<ProtectionKind> {
    (case.has(Sign::Anubis) && case.text_below(1_500)).then_some(ProtectionKind::Challenge)
}

fn captcha_wall(case: &Case<'_>) -> Option<ProtectionKind> {
    let wall = case.status_in(&[401, 403, 405, 429, 503])
        && case.has(Sign::Widget)
        && case.text_below(800)
        && case.sketch().widget;
    wall.then_some(ProtectionKind::Captcha)
}
