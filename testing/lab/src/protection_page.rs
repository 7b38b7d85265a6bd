//! Responses of bot protections: challenges and blocks.
//!
//! The pages are written for tests, with the signs by which the real ones are recognised. The lab
//! serves them, and the tests of the detection use them.

use bytes::Bytes;

use crate::{FullReply, Reply};

/// A response of a bot protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtectionPage {
    /// A unique name: the marker, and the difference from others of the same marker.
    pub name: &'static str,
    /// The marker that the detection must return.
    pub marker: &'static str,
    pub status: u16,
    pub headers: &'static [(&'static str, &'static str)],
    pub body: &'static str,
}

const HTML: (&str, &str) = ("content-type", "text/html; charset=utf-8");
const JSON: (&str, &str) = ("content-type", "application/json");
const TEXT: (&str, &str) = ("content-type", "text/plain; charset=utf-8");
const CLOUDFLARE: (&str, &str) = ("server", "cloudflare");
const RAY: (&str, &str) = ("cf-ray", "8f00aa11bb22cc33-FRA");
const CLOUDFLARE_COOKIE: (&str, &str) = ("set-cookie", "__cf_bm=a1b2; path=/; HttpOnly");

/// A response with a page from `protection_page/pages`.
macro_rules! protection {
    ($name:literal, $marker:literal, $status:literal, [$($header:expr),*], $page:literal) => {
        ProtectionPage {
            name: $name,
            marker: $marker,
            status: $status,
            headers: &[$($header),*],
            body: include_str!(concat!("protection_page/pages/", $page)),
        }
    };
}

/// A response that redirects to the host of the vendor.
const fn redirecting(
    name: &'static str,
    headers: &'static [(&'static str, &'static str)],
) -> ProtectionPage {
    ProtectionPage { name, marker: name, status: 302, headers, body: "" }
}

impl ProtectionPage {
    pub const ALL: &'static [Self] = &[
        protection!(
            "cloudflare_challenge",
            "cloudflare_challenge",
            403,
            [HTML, CLOUDFLARE, RAY, ("cf-mitigated", "challenge"), CLOUDFLARE_COOKIE],
            "cloudflare_challenge.html"
        ),
        protection!(
            "cloudflare_challenge_without_its_header",
            "cloudflare_challenge",
            503,
            [HTML, CLOUDFLARE, RAY],
            "cloudflare_challenge.html"
        ),
        protection!(
            "cloudflare_challenge_form",
            "cloudflare_challenge",
            503,
            [HTML, RAY],
            "cloudflare_challenge_form.html"
        ),
        protection!(
            "cloudflare_block",
            "cloudflare_block",
            403,
            [HTML, CLOUDFLARE, RAY],
            "cloudflare_block.html"
        ),
        protection!(
            "cloudflare_block_attention",
            "cloudflare_block",
            403,
            [HTML, CLOUDFLARE, RAY, CLOUDFLARE_COOKIE],
            "cloudflare_block_attention.html"
        ),
        protection!(
            "cloudflare_block_rate",
            "cloudflare_block",
            429,
            [HTML, CLOUDFLARE, RAY, ("retry-after", "60")],
            "cloudflare_block_rate.html"
        ),
        protection!(
            "aws_waf_challenge",
            "aws_waf_challenge",
            202,
            [HTML, ("server", "awselb/2.0"), ("x-amzn-waf-action", "challenge")],
            "aws_waf_challenge.html"
        ),
        protection!(
            "aws_waf_challenge_without_its_header",
            "aws_waf_challenge",
            202,
            [HTML, ("server", "CloudFront"), ("x-amz-cf-id", "q1w2e3")],
            "aws_waf_challenge.html"
        ),
        protection!(
            "aws_waf_captcha",
            "aws_waf_captcha",
            405,
            [HTML, ("x-amzn-waf-action", "captcha")],
            "aws_waf_captcha.html"
        ),
        protection!(
            "aws_waf_captcha_without_its_header",
            "aws_waf_captcha",
            403,
            [HTML],
            "aws_waf_captcha.html"
        ),
        protection!(
            "vercel_challenge",
            "vercel_challenge",
            429,
            [HTML, ("server", "Vercel"), ("x-vercel-mitigated", "challenge")],
            "vercel_challenge.html"
        ),
        protection!(
            "vercel_challenge_without_its_header",
            "vercel_challenge",
            403,
            [HTML, ("server", "Vercel"), ("x-vercel-id", "fra1::abc")],
            "vercel_challenge.html"
        ),
        protection!(
            "vercel_block",
            "vercel_block",
            403,
            [TEXT, ("server", "Vercel"), ("x-vercel-mitigated", "deny")],
            "vercel_block.txt"
        ),
        protection!(
            "datadome_captcha",
            "datadome_captcha",
            403,
            [
                HTML,
                ("server", "DataDome"),
                ("x-datadome", "protected"),
                ("x-dd-b", "2"),
                ("set-cookie", "datadome=a1b2; Max-Age=31536000; Path=/; Secure")
            ],
            "datadome_captcha.html"
        ),
        protection!(
            "datadome_captcha_json",
            "datadome_captcha",
            405,
            [JSON],
            "datadome_captcha.json"
        ),
        protection!(
            "datadome_challenge",
            "datadome_challenge",
            403,
            [HTML],
            "datadome_challenge.html"
        ),
        protection!(
            "datadome_block",
            "datadome_block",
            403,
            [HTML, ("x-dd-b", "1")],
            "datadome_block.html"
        ),
        protection!(
            "human_captcha",
            "human_captcha",
            403,
            [HTML, ("set-cookie", "_pxhd=a1b2; path=/")],
            "human_captcha.html"
        ),
        protection!("human_captcha_json", "human_captcha", 403, [JSON], "human_captcha.json"),
        protection!("human_captcha_on_200", "human_captcha", 200, [HTML], "human_captcha.html"),
        protection!(
            "imperva_challenge",
            "imperva_challenge",
            200,
            [
                HTML,
                ("x-cdn", "Imperva"),
                ("x-iinfo", "7-1234567-0 NNNN RT"),
                ("set-cookie", "visid_incap_123=a1b2; path=/")
            ],
            "imperva_challenge.html"
        ),
        protection!("imperva_block", "imperva_block", 403, [HTML], "imperva_block.html"),
        protection!(
            "imperva_challenge_pardon",
            "imperva_challenge",
            200,
            [HTML],
            "imperva_challenge_pardon.html"
        ),
        protection!(
            "kasada_challenge",
            "kasada_challenge",
            429,
            [HTML, ("x-kpsdk-ct", "0a1b2c"), ("x-kpsdk-im", "AAE")],
            "kasada_challenge.html"
        ),
        protection!(
            "kasada_challenge_without_its_headers",
            "kasada_challenge",
            403,
            [HTML],
            "kasada_challenge.html"
        ),
        protection!(
            "akamai_challenge",
            "akamai_challenge",
            200,
            [HTML, ("set-cookie", "_abck=a1b2~-1~; path=/; Secure")],
            "akamai_challenge.html"
        ),
        protection!(
            "akamai_challenge_proof",
            "akamai_challenge",
            428,
            [JSON],
            "akamai_challenge_proof.json"
        ),
        protection!(
            "akamai_block",
            "akamai_block",
            403,
            [HTML, ("server", "AkamaiGHost"), ("mime-version", "1.0")],
            "akamai_block.html"
        ),
        protection!(
            "sucuri_block",
            "sucuri_block",
            403,
            [HTML, ("server", "Sucuri/Cloudproxy"), ("x-sucuri-id", "11005")],
            "sucuri_block.html"
        ),
        protection!(
            "sucuri_challenge",
            "sucuri_challenge",
            200,
            [HTML, ("x-sucuri-id", "11005")],
            "sucuri_challenge.html"
        ),
        protection!(
            "ddos_guard_challenge",
            "ddos_guard_challenge",
            403,
            [HTML, ("server", "ddos-guard"), ("set-cookie", "__ddg1_=a1b2; Path=/")],
            "ddos_guard_challenge.html"
        ),
        protection!(
            "fastly_challenge",
            "fastly_challenge",
            200,
            [HTML, ("via", "1.1 varnish"), ("x-served-by", "cache-fra-1")],
            "fastly_challenge.html"
        ),
        protection!(
            "f5_block",
            "f5_block",
            200,
            [HTML, ("set-cookie", "TS01a1b2=0c; Path=/")],
            "f5_block.html"
        ),
        protection!("f5_challenge", "f5_challenge", 200, [HTML], "f5_challenge.html"),
        redirecting(
            "radware_challenge",
            &[(
                "location",
                "https://validate.perfdrive.com/?ssa=a1b2&ssc=https%3A%2F%2Fshop.lab.test",
            )],
        ),
        protection!("anubis_challenge", "anubis_challenge", 200, [HTML], "anubis_challenge.html"),
        redirecting(
            "queue_it_waiting_room",
            &[(
                "location",
                "https://labshop.queue-it.net/?c=labshop&e=sale&t=https%3A%2F%2Fshop.lab.test",
            )],
        ),
        protection!(
            "captcha_wall_recaptcha",
            "captcha_wall_captcha",
            403,
            [HTML],
            "captcha_wall_recaptcha.html"
        ),
        protection!(
            "captcha_wall_hcaptcha",
            "captcha_wall_captcha",
            503,
            [HTML],
            "captcha_wall_hcaptcha.html"
        ),
        protection!(
            "captcha_wall_turnstile",
            "captcha_wall_captcha",
            429,
            [HTML],
            "captcha_wall_turnstile.html"
        ),
        protection!(
            "captcha_wall_arkose",
            "captcha_wall_captcha",
            401,
            [HTML],
            "captcha_wall_arkose.html"
        ),
    ];

    /// The response of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|protection| protection.name == name)
    }

    /// One response of each vendor and kind: the first of each marker.
    pub fn one_per_marker() -> impl Iterator<Item = &'static Self> {
        Self::ALL.iter().filter(|protection| {
            protection.name == protection.marker || protection.name.ends_with("_recaptcha")
        })
    }

    /// Whether the response is HTML, in which a script can run.
    pub(crate) fn is_html(&self) -> bool {
        self.headers.contains(&HTML)
    }

    #[must_use]
    pub fn reply(&self) -> Reply {
        Reply::Full(FullReply {
            status: self.status,
            headers: self
                .headers
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
            body: Bytes::from_static(self.body.as_bytes()),
        })
    }
}
