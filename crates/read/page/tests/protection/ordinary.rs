//! Ordinary pages: behind a product, about a product, or with a plain refusal.

use super::{Answer, article};

/// A product, the headers that it adds to every response, and its markup in pages.
type Product = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const BEHIND: &[Product] = &[
    (
        "cloudflare",
        &[
            ("server", "cloudflare"),
            ("cf-ray", "8f00-FRA"),
            ("cf-cache-status", "DYNAMIC"),
            ("set-cookie", "__cf_bm=1; path=/"),
            ("set-cookie", "cf_clearance=1; path=/"),
        ],
        "<script>window.__CF$cv$params={r:'8f00'};var a=document.createElement('script');\
         a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';</script>\
         <a class=__cf_email__ href='/cdn-cgi/l/email-protection'>[email&#160;protected]</a>",
    ),
    (
        "aws",
        &[
            ("x-amzn-requestid", "1"),
            ("x-amz-cf-id", "1"),
            ("set-cookie", "aws-waf-token=1; path=/"),
            ("set-cookie", "AWSALB=1; path=/"),
        ],
        "<script src='https://a1.edge.sdk.awswaf.com/a1/b2/challenge.js' defer></script>",
    ),
    ("vercel", &[("server", "Vercel"), ("x-vercel-id", "fra1::1"), ("x-vercel-cache", "HIT")], ""),
    (
        "datadome",
        &[("x-datadome", "protected"), ("set-cookie", "datadome=1; path=/")],
        "<script>window.ddjskey='1';</script><script src='https://js.datadome.co/tags.js'></script>",
    ),
    (
        "human",
        &[("set-cookie", "_px3=1"), ("set-cookie", "_pxhd=1"), ("set-cookie", "_pxvid=1")],
        "<script>window._pxAppId='PX1';</script><script src='https://client.px-cloud.net/PX1/main.min.js'></script>",
    ),
    (
        "imperva",
        &[
            ("x-iinfo", "1-2-3"),
            ("x-cdn", "Incapsula"),
            ("set-cookie", "visid_incap_1=1"),
            ("set-cookie", "incap_ses_1=1"),
        ],
        "<script type='text/javascript' src='/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3'></script>",
    ),
    ("kasada", &[], "<script src='/149e9513/2d206a39/p.js'></script>"),
    (
        "akamai",
        &[("set-cookie", "_abck=1"), ("set-cookie", "ak_bmsc=1"), ("set-cookie", "bm_sz=1")],
        "<script src='/akam/13/5a6b7c'></script><noscript><img src='/akam/13/pixel_5a6b' alt=''></noscript>",
    ),
    ("sucuri", &[("x-sucuri-id", "11005"), ("x-sucuri-cache", "HIT")], ""),
    ("ddos-guard", &[("server", "ddos-guard"), ("set-cookie", "__ddg1_=1")], ""),
    ("fastly", &[("via", "1.1 varnish"), ("x-served-by", "cache-fra-1")], ""),
    (
        "f5",
        &[("set-cookie", "TS01a1b2=1"), ("set-cookie", "BIGipServerpool=1")],
        "<script>window[\"bobcmn\"]=\"10\"</script><script src='/TSPD/08ab?type=9'></script>",
    ),
];

/// Statuses with which sites respond themselves.
const STATUSES: [u16; 14] = [200, 203, 401, 403, 404, 405, 410, 429, 451, 500, 503, 520, 522, 530];

#[track_caller]
fn none(name: &str, status: u16, headers: &[(&str, &str)], body: &str) {
    let answer = Answer { status, headers, body };
    assert_eq!(answer.marker(), None, "{name} {status} {body:.200}");
    assert_eq!(answer.marker_of_page(), None, "{name} {status} {body:.200}");
}

#[test]
fn pages_behind_a_vendor_are_not_protected() {
    for (name, headers, injected) in BEHIND {
        let page = article("Our shop", injected, "Lamps and kettles.");
        for status in STATUSES {
            none(name, status, headers, &page);
        }
    }
}

#[test]
fn short_pages_behind_a_vendor_are_not_protected() {
    for (name, headers, injected) in BEHIND {
        let page = format!("<title>Login</title>{injected}<h1>Login</h1><form></form>");
        none(name, 200, headers, &page);
        none(name, 404, headers, &page);
        let shell = format!(
            "<title>App</title>{injected}<div id=root></div><script src=/main.js></script>"
        );
        none(name, 200, headers, &shell);
    }
}

#[test]
fn plain_refusals_are_not_protected() {
    let pages = [
        "",
        "Forbidden",
        "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>nginx</center></body></html>",
        "<html><title>401 Authorization Required</title><h1>Authorization Required</h1></html>",
        "<h1>Too Many Requests</h1><p>Slow down.</p>",
        "<h1>Unavailable For Legal Reasons</h1>",
        "<title>Under maintenance</title><h1>Back soon</h1><p>We are working on it. Just a moment...</p>",
        "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>1</RequestId></Error>",
        "<h1>Access Denied</h1><p>You are not on the list. Reference #4711</p>",
        "{\"error\":\"forbidden\"}",
        "{\"message\":\"Access Denied\",\"reason\":\"captcha\"}",
        "<title>Access denied</title><h1>Please log in</h1><form action=/login method=post></form>",
    ];
    let through_cloudflare: &[(&str, &str)] = &[("server", "cloudflare"), ("cf-ray", "1-FRA")];
    for headers in [&[][..], through_cloudflare] {
        for page in pages {
            for status in STATUSES {
                none("plain", status, headers, page);
            }
        }
    }
}

#[test]
fn origin_errors_behind_cloudflare_are_not_protected() {
    for (status, code) in [(520, "520"), (522, "522"), (524, "524"), (530, "1016"), (530, "1033")] {
        let page = format!(
            "<title>shop.lab.test | {code}: Web server is down</title><h1>Error \
             <span class=\"cf-error-code\">{code}</span></h1><p>Ray ID: 8f00</p>"
        );
        none("52x", status, &[("server", "cloudflare"), ("cf-ray", "1-FRA")], &page);
    }
}

#[test]
fn articles_about_challenges_are_not_protected() {
    let quotes = "Cloudflare shows <b>Just a moment...</b> and <code>window._cf_chl_opt</code> with \
        <code>/cdn-cgi/challenge-platform/h/b/orchestrate/</code>; others write Request unsuccessful. \
        Incapsula incident ID: 443000270-66, Pardon Our Interruption (reese84), The requested URL was \
        rejected. Your support ID is: 123, You are being redirected (sucuri_cloudproxy_js), \
        window._pxAppId= and px-captcha, triggerInterstitialChallenge, anubis_challenge, \
        Access Denied, Attention Required! | Cloudflare, Vercel Security Checkpoint.";
    let page = article("How walls look: Just a moment...", "", quotes);
    for status in [200, 203, 404, 410, 500] {
        none("article", status, &[("server", "cloudflare"), ("cf-ray", "1-FRA")], &page);
    }
}

#[test]
fn forms_with_a_captcha_are_not_protected() {
    for widget in [
        "<div class=g-recaptcha data-sitekey=1></div><script src='https://www.google.com/recaptcha/api.js'></script>",
        "<div class=h-captcha></div><script src='https://js.hcaptcha.com/1/api.js'></script>",
        "<div class=cf-turnstile></div><script src='https://challenges.cloudflare.com/turnstile/v0/api.js'></script>",
        "<script src='https://client-api.arkoselabs.com/v2/k/api.js'></script>",
    ] {
        let form =
            format!("<form method=post><input name=mail>{widget}<button>Send</button></form>");
        none("form", 200, &[("server", "cloudflare")], &article("Write to us", "", &form));
        none(
            "short form",
            200,
            &[("server", "cloudflare")],
            &format!("<title>Login</title>{form}"),
        );
        none("missing", 404, &[], &format!("<h1>Not found</h1>{form}"));
    }
    let policy = [(
        "content-security-policy",
        "script-src https://www.google.com/recaptcha/ https://js.hcaptcha.com",
    )];
    none("policy", 403, &policy, "<h1>Forbidden</h1>");
}

#[test]
fn long_pages_are_not_protected() {
    let data = "0123456789abcdef".repeat(32 * 1_024);
    let page = format!(
        "<title>App</title><script>triggerInterstitialChallenge;var data='{data}'</script>"
    );
    none("long", 200, &[], &page);
    let page = format!("<div class=g-recaptcha></div><script>var data='{data}'</script>");
    none("long", 403, &[], &page);
}

#[test]
fn redirects_within_a_vendor_site_are_not_protected() {
    let url = urls::CanonicalUrl::parse("https://www.queue-it.net/login").expect("an address");
    let seen = page::ProtectionEvidence {
        status: 302,
        url: &url,
        location: Some("https://go.queue-it.net/"),
        headers: page::HeaderSigns::default(),
        body: b"",
        text_chars: None,
    };
    assert_eq!(page::detect_protection(&seen), None);
}
