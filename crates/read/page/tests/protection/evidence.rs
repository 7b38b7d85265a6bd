//! Each sign alone: which statuses it needs, and where it proves nothing.

use super::{Answer, article};

const CLOUDFLARE: &[(&str, &str)] = &[("server", "cloudflare")];
const NONE: &[(&str, &str)] = &[];

/// A small page that contains a piece of markup.
fn around(piece: &str) -> String {
    format!("<!doctype html><html><head><title>A page</title></head><body>{piece}</body></html>")
}

#[track_caller]
fn check(status: u16, headers: &[(&str, &str)], body: &str, expected: Option<&str>) {
    let answer = Answer { status, headers, body };
    assert_eq!(answer.marker().as_deref(), expected, "{status} {headers:?} {body:.300}");
    assert_eq!(answer.marker_of_page().as_deref(), expected, "{status} {headers:?} {body:.300}");
}

/// Expects the marker with these statuses on a page with little text, and none with the others.
#[track_caller]
fn only_under(statuses: &[u16], headers: &[(&str, &str)], piece: &str, marker: &str) {
    for status in [200, 202, 401, 403, 404, 405, 410, 428, 429, 451, 500, 503, 520, 522, 530] {
        let expected = statuses.contains(&status).then_some(marker);
        check(status, headers, &around(piece), expected);
    }
}

const ALWAYS: &[u16] = &[200, 202, 401, 403, 404, 405, 410, 428, 429, 451, 500, 503, 520, 522, 530];

#[test]
fn explicit_header_is_sufficient() {
    for (name, value, marker) in [
        ("cf-mitigated", "challenge", "cloudflare_challenge"),
        ("x-amzn-waf-action", "challenge", "aws_waf_challenge"),
        ("x-amzn-waf-action", "captcha", "aws_waf_captcha"),
        ("x-vercel-mitigated", "challenge", "vercel_challenge"),
        ("x-vercel-mitigated", "deny", "vercel_block"),
    ] {
        only_under(ALWAYS, &[(name, value)], "", marker);
        check(200, &[(name, "something")], "", None);
        check(403, &[(name, "")], "", None);
    }
}

#[test]
fn cloudflare_requires_status_header_and_body() {
    for piece in [
        "<script>window._cf_chl_opt={}</script>",
        "<script src='/cdn-cgi/challenge-platform/h/g/orchestrate/jsch/v1?ray=1'></script>",
        "<a href='/?__cf_chl_rt_tk=1'>on</a>",
        "<form id=\"challenge-form\" method=post></form>",
        "<form class=x id='challenge-form'></form>",
    ] {
        only_under(&[403, 429, 503], CLOUDFLARE, piece, "cloudflare_challenge");
        only_under(&[403, 429, 503], &[("cf-ray", "1-FRA")], piece, "cloudflare_challenge");
        only_under(&[], NONE, piece, "");
    }
    for title in ["Just a moment...", "\n\t Just a moment... "] {
        let page = format!("<title>{title}</title>");
        check(403, CLOUDFLARE, &page, Some("cloudflare_challenge"));
        check(200, CLOUDFLARE, &page, None);
        check(403, NONE, &page, None);
    }
    let attention = "<title>Attention Required! | Cloudflare</title>";
    check(403, CLOUDFLARE, attention, Some("cloudflare_block"));
    check(503, CLOUDFLARE, attention, None);
    for (code, blocks) in
        [("1006", true), ("1009", true), ("1010", true), ("1012", true), ("1020", true)]
            .into_iter()
            .chain([("1000", false), ("1016", false), ("1011", false), ("522", false)])
            .chain([("10201", false)])
    {
        let piece = format!("<span class=\"cf-error-code\">{code}</span>");
        let statuses: &[u16] = if blocks { &[403, 429] } else { &[] };
        only_under(statuses, CLOUDFLARE, &piece, "cloudflare_block");
    }
    // Scripts that Cloudflare adds to every page, and text that resembles a form.
    for piece in [
        "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>",
        "<a href='/cdn-cgi/l/email-protection#1a'>mail</a>",
        "<form class=challenge-form data-id=\"challenge-form\"></form>",
        "<p>Just a moment...</p>",
    ] {
        only_under(&[], CLOUDFLARE, piece, "");
    }
}

#[test]
fn aws_waf_requires_script_and_little_text() {
    let challenge =
        "<script src='https://a1.b2.us-east-1.token.awswaf.com/a1/b2/challenge.js'></script>";
    let captcha = "<script src='https://a1.captcha-sdk.awswaf.com/a1/jsapi/captcha.js'></script>";
    check(202, NONE, &around(challenge), Some("aws_waf_challenge"));
    check(403, NONE, &around(challenge), Some("aws_waf_challenge"));
    check(403, NONE, &around(captcha), Some("aws_waf_captcha"));
    check(200, NONE, &around(challenge), None);
    check(202, NONE, &around("<script>window.gokuProps={}</script>"), Some("aws_waf_challenge"));
    check(405, NONE, &around("<script>window.gokuProps={}</script>"), Some("aws_waf_captcha"));
    check(403, NONE, &article("Staff only", challenge, "Sign in."), None);
    check(403, NONE, &around("<script src='https://a1.awswaf.com/telemetry.js'></script>"), None);
}

#[test]
fn datadome_requires_a_refusing_status() {
    for piece in [
        "<script>var dd={'rt':'c','cid':'1'}</script>",
        "<script src='https://ct.captcha-delivery.com/c.js'></script>",
        "<iframe src='https://geo.captcha-delivery.com/captcha/?x=1'></iframe>",
    ] {
        only_under(&[401, 403, 405, 429], NONE, piece, "datadome_captcha");
    }
    for headers in [&[("x-dd-b", "1")], &[("x-dd-b", "2")], &[("x-datadome", "blocked")]] {
        only_under(&[401, 403, 429], headers, "", "datadome_block");
    }
    for headers in [&[("x-dd-b", "0")], &[("x-datadome", "protected")], &[("x-datadome", "")]] {
        only_under(&[], headers, "", "");
    }
    only_under(&[], NONE, "<script src='https://js.datadome.co/tags.js'></script>", "");
    // A policy names hosts and a hint connects to them; neither requests anything there.
    only_under(
        &[],
        NONE,
        "<meta http-equiv=content-security-policy content='frame-src https://geo.captcha-delivery.com https://ct.captcha-delivery.com;'>\
         <link rel=preconnect href='https://geo.captcha-delivery.com/'>",
        "",
    );
}

#[test]
fn human_requires_a_status_or_both_signs() {
    for (piece, marker) in [
        ("<script>window._pxAppId='PX1'</script>", "human_challenge"),
        ("<script>window._pxAppId = 'PX1'</script>", "human_challenge"),
        ("<div id=\"px-captcha\"></div>", "human_captcha"),
        ("<div id=px-captcha></div>", "human_captcha"),
        ("<script src='https://captcha.px-cdn.net/PX1/captcha.js'></script>", "human_captcha"),
        ("<script src='/x/captcha/captcha.js?a=c&u=1'></script>", "human_captcha"),
    ] {
        only_under(&[403, 429], NONE, piece, marker);
        check(403, NONE, &article("Staff only", piece, "Sign in."), None);
    }
    let both = "<script>window._pxAppId='PX1'</script><div id=px-captcha></div>";
    only_under(&[200, 403, 429], NONE, both, "human_captcha");
    check(200, NONE, &around(&format!("{both}{}", "Words of the site. ".repeat(30))), None);
    for piece in [
        "<script src='https://client.px-cloud.net/PX1/main.min.js'></script>",
        "<style>#px-captcha{margin:0}</style>",
        "<p>\"blockScript\"</p>",
    ] {
        only_under(&[], NONE, piece, "");
    }
}

#[test]
fn imperva_requires_little_text() {
    let frame = "<iframe id=main src='/_Incapsula_Resource?CWUDNSAI=1'></iframe>";
    let incident = "<p>Request unsuccessful. Incapsula incident ID: 443000270-66</p>";
    only_under(ALWAYS, NONE, frame, "imperva_challenge");
    only_under(ALWAYS, NONE, incident, "imperva_block");
    for piece in [frame, incident] {
        check(200, NONE, &article("An error and its meaning", "", piece), None);
        check(403, NONE, &article("An error and its meaning", "", piece), None);
    }
    for piece in [
        "<script src='/_Incapsula_Resource?SWJIYLWA=719d'></script>",
        "<p>What is an Incapsula incident ID?</p>",
        "<p>&lt;iframe src=\"/_Incapsula_Resource\"&gt;</p>",
        "<h1>Pardon Our Interruption</h1><p>The shop moves.</p>",
    ] {
        only_under(&[], NONE, piece, "");
    }
    only_under(
        ALWAYS,
        NONE,
        "<h1>Pardon Our Interruption...</h1><script>distil_referrer=1</script>",
        "imperva_challenge",
    );
}

#[test]
fn kasada_requires_a_refusing_status() {
    for piece in ["<script>window.KPSDK={}</script>", "<script src='/a/b/ips.js?x=1'></script>"] {
        only_under(&[403, 429], NONE, piece, "kasada_challenge");
        check(403, NONE, &article("Staff only", piece, "Sign in."), None);
    }
    only_under(&[403, 429], &[("x-kpsdk-ct", "1")], "", "kasada_challenge");
    only_under(&[], NONE, "<script src='/149e/2d20/p.js'></script>", "");
}

#[test]
fn akamai_is_detected_in_three_forms() {
    only_under(&[428], NONE, "<a href='/_sec/cp_challenge/x.htm'>x</a>", "akamai_challenge");
    only_under(&[428], NONE, "<script>var h='sec-cp-challenge'</script>", "akamai_challenge");
    for piece in [
        "<script>triggerInterstitialChallenge()</script>",
        "<script>x.open('POST','/_sec/verify?provider=interstitial')</script>",
    ] {
        only_under(&[200, 403], NONE, piece, "akamai_challenge");
        check(200, NONE, &article("A look at interstitials", piece, "Code."), None);
    }
    let denied = |number: &str| format!("<h1>Access Denied</h1><p>Reference #{number}</p>");
    only_under(&[403], NONE, &denied("18.2d351ab8.1557333295.a4e16ab"), "akamai_block");
    for number in ["", "42", "18.2d351ab8", "18.xyz.12.ab", "18..12.ab", "a.b.c.d", "18.2d.15.zz"] {
        only_under(&[], NONE, &denied(number), "");
    }
}

#[test]
fn remaining_vendors_are_detected() {
    let sucuri = "<script>sucuri_cloudproxy_js=''</script><p>You are being redirected...</p>";
    only_under(ALWAYS, NONE, sucuri, "sucuri_challenge");
    only_under(&[], NONE, "<p>You are being redirected...</p>", "");
    only_under(&[403, 429], NONE, "<h1>Sucuri WebSite Firewall</h1>", "sucuri_block");
    for piece in [
        "<script src='/.well-known/ddos-guard/js-challenge/index.js'></script>",
        "<p data-ddg-origin='true'></p>",
    ] {
        only_under(&[403, 429, 503], NONE, piece, "ddos_guard_challenge");
    }
    check(503, NONE, "<title>DDoS-Guard</title>", Some("ddos_guard_challenge"));
    check(403, NONE, "<title>What DDoS-Guard does</title>", None);
    only_under(ALWAYS, NONE, "<script src='/_fs-ch-1T1w/script.js'></script>", "fastly_challenge");
    only_under(&[], NONE, "<p>/_fs-ch-1T1w/script.js</p>", "");
    let rejected = "The requested URL was rejected. Your support ID is: 123";
    only_under(ALWAYS, NONE, rejected, "f5_block");
    only_under(&[], NONE, "The requested URL was rejected. Sorry.", "");
    let f5 = "<script>window[\"bobcmn\"]=\"10\"</script><script src='/TSPD/08ab?type=8'></script>";
    only_under(ALWAYS, NONE, f5, "f5_challenge");
    only_under(&[], NONE, "<script src='/TSPD/08ab?type=9'></script>", "");
    // A JavaScript shell behind the same product.
    let shell = format!("{f5}<div id=app></div><script src=/assets/main.js></script>");
    only_under(&[], NONE, &shell, "");
    only_under(ALWAYS, NONE, "<script id=\"anubis_challenge\">{}</script>", "anubis_challenge");
    only_under(
        ALWAYS,
        NONE,
        "<script src='/.within.website/x/cmd/anubis/static/js/main.mjs'></script>",
        "anubis_challenge",
    );
    only_under(&[], NONE, "<code>&lt;script id=\"anubis_challenge\"</code>", "");
}

#[test]
fn redirects_to_vendor_hosts_are_detected() {
    for (status, location, marker) in [
        (302, "https://validate.perfdrive.com/?ssa=1", Some("radware_challenge")),
        (307, "//validate.perfdrive.com/x", Some("radware_challenge")),
        (302, "https://shop.queue-it.net/?c=shop", Some("queue_it_waiting_room")),
        (303, "https://A.B.Queue-it.NET/", Some("queue_it_waiting_room")),
        (302, "https://queue-it.net/", None),
        (302, "https://notqueue-it.net/", None),
        (302, "https://perfdrive.com/", None),
        (302, "/login?next=https://shop.queue-it.net/", None),
        (302, "::", None),
        (200, "https://shop.queue-it.net/", None),
    ] {
        let headers = [("location", location)];
        let answer = Answer { status, headers: &headers, body: "" };
        assert_eq!(answer.marker().as_deref(), marker, "{status} {location}");
    }
}

#[test]
fn captcha_needs_a_refusing_status_and_little_text() {
    for piece in [
        "<div class=g-recaptcha></div>",
        "<div class='a h-captcha b'></div>",
        "<div class=\"cf-turnstile\"></div>",
        "<script src='https://client-api.arkoselabs.com/v2/k/api.js'></script>",
    ] {
        only_under(&[401, 403, 405, 429, 503], NONE, piece, "captcha_wall_captcha");
        check(403, NONE, &article("Staff only", "", piece), None);
        check(200, NONE, &article("Write to us", "", piece), None);
    }
    for piece in [
        "<p>g-recaptcha and h-captcha</p>",
        "<div class=g-recaptcha-terms></div>",
        "<template><div class=g-recaptcha></div></template>",
        "<!-- <div class=g-recaptcha></div> -->",
        "<meta http-equiv=content-security-policy content='script-src https://client-api.arkoselabs.com/'>",
    ] {
        only_under(&[], NONE, piece, "");
    }
}
