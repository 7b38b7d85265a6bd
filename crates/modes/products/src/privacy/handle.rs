//! Names and links of messengers.

use std::ops::Range;
use std::sync::LazyLock;

use super::line::Line;
use super::phrases::{Finder, finder, finds};

/// Links that open a conversation.
const LINKS: &[&str] = &[
    "wa.me/",
    "api.whatsapp.com",
    "chat.whatsapp.com",
    "whatsapp://",
    "web.whatsapp.com",
    "t.me/",
    "telegram.me/",
    "tg://",
    "m.me/",
    "line.me/",
    "lin.ee/",
    "viber://",
    "viber.me/",
    "signal.me/",
    "skype:",
    "weixin://",
    "u.wechat.com",
    "zalo.me/",
    "discord.gg/",
    "tel:",
    "mailto:",
    "sms:",
    "facetime:",
    "threema.id/",
    "join.skype.com",
    "msng.link/",
];

/// Messengers by names that mean nothing else.
const MESSENGERS: &[&str] = &[
    "whatsapp",
    "whats",
    "wapp",
    "telegram",
    "viber",
    "wechat",
    "weixin",
    "skype",
    "threema",
    "kakaotalk",
    "zalo",
    "icq",
    "imessage",
    "whatsap",
    "watsapp",
    "вотсап",
    "телеграм",
    "вайбер",
    "微信",
    "zap",
    "instagram",
    "insta",
    "facebook",
];
/// Names that mean something else as well: only before a colon or in capitals.
const HOMONYMS: &[&str] = &["signal", "line", "messenger", "kakao", "snapchat", "discord", "wa"];

static FINDER: Finder = LazyLock::new(|| {
    let names = LINKS.iter().chain(MESSENGERS).chain(HOMONYMS);
    let names: Vec<&str> = names.copied().chain(["@"]).collect();
    finder(&names)
});

/// Whether a text in small letters is worth a closer look.
pub(super) fn may_hold(text: &str) -> bool {
    finds(&FINDER, text)
}

/// The handles of a line.
pub(super) fn handles(line: &Line) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.small.len() {
        let begins = at == 0 || line.small.get(at - 1).is_some_and(|c| !c.is_alphanumeric());
        if !begins {
            at += 1;
            continue;
        }
        let handle = link(line, at).or_else(|| named(line, at)).or_else(|| bare(line, at));
        match handle {
            Some(part) => {
                at = part.end.max(at + 1);
                found.push(part);
            }
            None => at += 1,
        }
    }
    found
}

/// A link at a place, as far as it goes.
fn link(line: &Line, at: usize) -> Option<Range<usize>> {
    let rest = line.small.get(at..)?;
    let starts = |prefix: &str| {
        let mut rest = rest.iter();
        prefix.chars().all(|c| rest.next() == Some(&c))
    };
    LINKS.iter().find(|link| starts(link))?;
    let length =
        rest.iter().take_while(|c| !c.is_whitespace() && !matches!(c, '"' | '<' | '>')).count();
    // The scheme and the host before it are part of it.
    let before = line.small.get(..at)?.iter().rev().take(16);
    let scheme =
        before.take_while(|c| matches!(c, ':' | '/' | '.') || c.is_ascii_lowercase()).count();
    let has_scheme = line.small.get(at - scheme..at)?.starts_with(&['h', 't', 't', 'p']);
    let start = if has_scheme { at - scheme } else { at };
    let end = at + length;
    let trailing = line
        .small
        .get(start..end)?
        .iter()
        .rev()
        .take_while(|c| matches!(c, '.' | ',' | ')'))
        .count();
    Some(start..end - trailing)
}

/// The name of a messenger and the handle behind it.
fn named(line: &Line, at: usize) -> Option<Range<usize>> {
    let length = line.small.get(at..)?.iter().take(12).take_while(|c| c.is_alphanumeric()).count();
    let word: String = line.small.get(at..at + length)?.iter().collect();
    let is_messenger = MESSENGERS.contains(&word.as_str());
    let is_capital = line.chars.get(at..at + length)?.iter().all(|c| c.is_uppercase());
    if !is_messenger && !HOMONYMS.contains(&word.as_str()) {
        return None;
    }
    let mut end = at + length;
    let (mut colon, mut id) = (false, false);
    // WhatsApp App, WeChat ID, LINE-ID, Telegram-Kanal: …
    while let Some(&c) = line.small.get(end).filter(|_| end < at + length + 24) {
        if matches!(c, ':' | '：' | '=') {
            colon = true;
        } else if c.is_alphabetic() {
            let word: String =
                line.small.get(end..)?.iter().take(10).take_while(|c| c.is_alphabetic()).collect();
            if colon
                || !matches!(
                    word.as_str(),
                    "id" | "app"
                        | "nr"
                        | "name"
                        | "nick"
                        | "user"
                        | "username"
                        | "business"
                        | "kanal"
                        | "channel"
                )
            {
                break;
            }
            id |= word == "id" || word == "nick" || word == "username";
            end += word.chars().count() - 1;
        } else if !(c.is_whitespace() || matches!(c, '-' | '.' | '(' | '–')) {
            break;
        }
        end += 1;
    }
    let rest = line.small.get(end..)?;
    let is_handle = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '-');
    let handle = rest.iter().take(40).take_while(|c| is_handle(c)).count();
    let name = rest.get(..handle)?;
    let trailing = name.iter().rev().take_while(|c| matches!(c, '.' | '-')).count();
    let letters = name.iter().filter(|c| c.is_ascii_alphanumeric()).count();
    let has_sign = name.first() == Some(&'@');
    let is_told = has_sign || id || (colon && (is_messenger || is_capital || has_sign));
    (letters >= 3 && is_told).then_some(at..end + handle - trailing)
}

/// `@name` by itself.
fn bare(line: &Line, at: usize) -> Option<Range<usize>> {
    (line.small.get(at) == Some(&'@')).then_some(())?;
    let name = line.small.get(at + 1..)?.iter().take(32);
    let length = name.take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count();
    let is_name = line.small.get(at + 1).is_some_and(|c| c.is_ascii_alphabetic());
    (length >= 4 && is_name).then_some(at..at + 1 + length)
}
