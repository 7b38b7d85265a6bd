//! E-mail addresses as sites hide them from harvesters.

use std::fmt::Write as _;

use super::truth::Veil;

/// The mark-up that shows a hidden address.
pub(super) fn veiled(veil: Veil, address: &str, (at, dot): (&str, &str), label: &str) -> String {
    let (user, domain) = address.split_once('@').unwrap_or((address, ""));
    match veil {
        Veil::Words => format!("{user}{at}{}", domain.replace('.', dot)),
        Veil::Entities => {
            let coded = references(address, |_| true, false);
            format!("<a href=\"&#109;&#97;&#105;&#108;&#116;&#111;&#58;{coded}\">{coded}</a>")
        }
        Veil::Hex => references(address, |_| true, true),
        Veil::MixedEntities => {
            let coded = references(address, |place| place % 3 == 1, true);
            let coded = coded.replacen('@', "&#64;", 1);
            format!("<a href=\"mailto:{coded}\">{coded}</a>")
        }
        Veil::Reversed => format!(
            "<span style=\"unicode-bidi:bidi-override; direction: rtl;\">{}</span>",
            address.chars().rev().collect::<String>()
        ),
        Veil::Cloudflare => {
            let coded = cloudflare(address);
            format!(
                "<a href=\"/cdn-cgi/l/email-protection#{coded}\"><span class=\"__cf_email__\" \
                 data-cfemail=\"{coded}\">[email&#160;protected]</span></a>"
            )
        }
        Veil::Spans => {
            let (name, end) = domain.rsplit_once('.').unwrap_or((domain, ""));
            format!(
                "<span class=\"m\"><span>{user}</span><b>@</b><i>{name}</i>.<span>{end}</span></span>"
            )
        }
        Veil::Comments => {
            let (first, rest) = user.split_at(user.len() / 2);
            format!("{first}<!-- >@. -->{rest}<!-- x@y -->@<!-- -->{domain}")
        }
        Veil::Filler => format!(
            "{user}<span class=\"rq7\">.nospam</span>@<span style=\"display:none\">remove.</span>{domain}"
        ),
        Veil::ScriptConcat => {
            let (name, end) = domain.rsplit_once('.').unwrap_or((domain, ""));
            format!(
                "<script>document.write('<a href=\"mailto:' + '{user}' + '@' + '{name}' + '.{end}' \
                 + '\">' + '{user}' + '@' + '{name}.{end}' + '<\\/a>');</script>\
                 <noscript>{label}</noscript>"
            )
        }
        Veil::ScriptJoin => {
            let parts: Vec<String> = domain.split('.').map(|part| format!("\"{part}\"")).collect();
            format!(
                "<script type=\"text/javascript\">\nvar u = \"{user}\";\nvar d = [{}].join(\".\");\n\
                 document.write([u, d].join(\"@\"));\n</script>",
                parts.join(", ")
            )
        }
        Veil::CharCodes => {
            let codes: Vec<String> = address.bytes().map(|byte| byte.to_string()).collect();
            format!("<script>document.write(String.fromCharCode({}))</script>", codes.join(","))
        }
        Veil::DataAttributes => format!(
            "<a class=\"js-mail\" href=\"#\" data-user=\"{user}\" data-domain=\"{domain}\">{label}</a>"
        ),
        Veil::Rot13 => format!(
            "<script>document.write(\"{}\".replace(/[a-zA-Z]/g,function(c){{return \
             String.fromCharCode((c<=\"Z\"?90:122)>=(c=c.charCodeAt(0)+13)?c:c-26);}}));</script>",
            rot13(&format!("<a href='mailto:{address}' rel='nofollow'>{address}</a>"))
        ),
        Veil::Image => {
            format!("<img src=\"/img/mail.gif\" width=\"140\" height=\"14\" alt=\"{label}\">")
        }
    }
}

/// Characters as references, those whose place is chosen.
fn references(text: &str, chosen: impl Fn(usize) -> bool, hex: bool) -> String {
    let mut coded = String::new();
    for (place, letter) in text.chars().enumerate() {
        // Writing to a String cannot fail.
        let _ = match (chosen(place), hex) {
            (false, _) => write!(coded, "{letter}"),
            (true, true) => write!(coded, "&#x{:x};", u32::from(letter)),
            (true, false) => write!(coded, "&#{};", u32::from(letter)),
        };
    }
    coded
}

/// The key, then each byte with the key.
fn cloudflare(address: &str) -> String {
    let key = address.bytes().fold(0x2a_u8, |key, byte| key.wrapping_mul(3).wrapping_add(byte));
    let mut coded = format!("{key:02x}");
    for byte in address.bytes() {
        let _ = write!(coded, "{:02x}", byte ^ key);
    }
    coded
}

fn rot13(text: &str) -> String {
    let turn = |letter: char| match letter {
        'a'..='m' | 'A'..='M' => char::from(letter as u8 + 13),
        'n'..='z' | 'N'..='Z' => char::from(letter as u8 - 13),
        other => other,
    };
    text.chars().map(turn).collect()
}
