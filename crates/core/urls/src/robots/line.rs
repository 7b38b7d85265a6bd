//! Parses the lines of a robots.txt leniently.

/// A line with a known key.
pub(super) enum RobotsLine<'a> {
    UserAgent(&'a [u8]),
    Allow(&'a [u8]),
    Disallow(&'a [u8]),
    CrawlDelay(&'a [u8]),
    Sitemap(&'a [u8]),
}

/// The known lines of the first `limit` bytes. A truncated last line is ignored: a part of a pattern would
/// forbid more than the whole.
pub(super) fn lines(body: &[u8], limit: usize) -> impl Iterator<Item = RobotsLine<'_>> {
    let body = without_bom(body);
    let read = match body.get(..limit) {
        Some(head) if body.len() > limit => {
            let end = head.iter().rposition(|byte| is_line_end(*byte)).unwrap_or(0);
            &head[..end]
        }
        _ => body,
    };
    read.split(|byte| is_line_end(*byte)).filter_map(line)
}

/// Removes a byte order mark, also a truncated one.
fn without_bom(body: &[u8]) -> &[u8] {
    let length = body.iter().zip(b"\xef\xbb\xbf").take_while(|(byte, mark)| byte == mark).count();
    &body[length..]
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn line(text: &[u8]) -> Option<RobotsLine<'_>> {
    let end = text.iter().position(|byte| *byte == b'#').unwrap_or(text.len());
    let text = text[..end].trim_ascii();
    let (key, value) = match text.iter().position(|byte| *byte == b':') {
        Some(colon) => (&text[..colon], &text[colon + 1..]),
        // A missing colon is accepted if there are exactly two words.
        None => {
            let gap = text.iter().position(u8::is_ascii_whitespace)?;
            let value = text[gap..].trim_ascii();
            if value.iter().any(u8::is_ascii_whitespace) {
                return None;
            }
            (&text[..gap], value)
        }
    };
    let (key, value) = (key.trim_ascii(), value.trim_ascii());
    // Prefixes match: `Disallowed` is a typo, and in `Sitemap https://…` the colon is missing.
    let begins = |name: &str| {
        key.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
    let is = |names: &[&str]| names.iter().any(|name| begins(name));
    if is(&["user-agent", "useragent", "user agent"]) {
        Some(RobotsLine::UserAgent(value))
    } else if is(&["allow"]) {
        Some(RobotsLine::Allow(value))
    } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Some(RobotsLine::Disallow(value))
    } else if is(&["crawl-delay", "crawldelay"]) {
        Some(RobotsLine::CrawlDelay(value))
    } else if is(&["sitemap", "site-map"]) {
        Some(RobotsLine::Sitemap(value))
    } else {
        None
    }
}

/// Whether a group is for all agents without their own group.
pub(super) fn is_wildcard(name: &[u8]) -> bool {
    match name {
        [b'*'] => true,
        [b'*', next, ..] => next.is_ascii_whitespace(),
        _ => false,
    }
}

/// The product token of an agent: `Trawl` of `Trawl/1.0 (+https://…)`.
pub(super) fn product_token(name: &[u8]) -> &[u8] {
    let end = name
        .iter()
        .position(|byte| !(byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')))
        .unwrap_or(name.len());
    &name[..end]
}
