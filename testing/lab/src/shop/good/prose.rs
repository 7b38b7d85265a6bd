//! Descriptions: sentences of the trade, numbers that must stay, and contact details
//! that a seller slips in.

use super::super::locale::Locale;
use super::super::plan::Plan;
use super::super::trade::Trade;
use crate::draw::Draw;

/// A paragraph, a list or an address.
#[derive(Debug, Clone)]
pub(in crate::shop) struct Block {
    pub(in crate::shop) form: Form,
    pub(in crate::shop) lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shop) enum Form {
    Prose,
    List,
    Address,
}

#[derive(Debug, Clone)]
pub(in crate::shop) struct Line {
    pub(in crate::shop) text: String,
    /// It is there for the seller's sake, and goes when contacts are suppressed.
    pub(in crate::shop) contact: bool,
}

/// What [`write`] made.
pub(super) struct Prose {
    pub(super) blocks: Vec<Block>,
    pub(super) contacts: Vec<String>,
    pub(super) codes: Vec<String>,
}

impl Block {
    /// How its lines are joined in plain text.
    pub(in crate::shop) fn joint(&self) -> &'static str {
        match self.form {
            Form::Prose => " ",
            Form::List | Form::Address => "\n",
        }
    }
}

pub(super) fn text(blocks: &[Block], with_contacts: bool) -> String {
    let paragraph = |block: &Block| {
        let lines = block.lines.iter().filter(|line| with_contacts || !line.contact);
        lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join(block.joint())
    };
    blocks.iter().map(paragraph).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

pub(super) fn write(
    plan: &Plan,
    locale: &'static Locale,
    trade: &Trade,
    name: &str,
    draw: &mut Draw,
) -> Prose {
    let plain = |text: String| Line { text, contact: false };
    let mut made = Prose { blocks: Vec::new(), contacts: Vec::new(), codes: Vec::new() };
    let (first, rest) = trade.sentences.split_first().map_or(("", &[][..]), |(f, r)| (*f, r));
    let count = draw.between(3, 8);
    let mut sentences = draw.some(rest, count).into_iter().map(str::to_owned);
    let opening = first.replace("{}", name);
    let mut lines = vec![plain(opening)];
    lines.extend(sentences.by_ref().take(draw.between(1, 3)).map(plain));
    made.blocks.push(Block { form: Form::Prose, lines });
    let mut lines: Vec<Line> = sentences.map(plain).collect();
    if draw.chance(45) {
        let code = code(draw);
        lines.push(plain(draw.pick(locale.words.code_lines).replace("{code}", &code)));
        made.codes.push(code);
    }
    if draw.chance(45) {
        let size = size(locale, draw);
        lines.push(plain(locale.words.size_line.replace("{}", &size)));
        made.codes.push(size);
    }
    if draw.chance(plan.contacts) {
        let at = draw.below(lines.len() + 1);
        let (text, mut details) = contact(plan, locale, draw);
        made.contacts.append(&mut details);
        // What is no sentence stands in a line of its own.
        let lone = !text.ends_with(['.', '。']);
        let line = Line { text, contact: true };
        if lone {
            made.blocks.push(Block { form: Form::Prose, lines: vec![line] });
        } else {
            lines.insert(at, line);
        }
    }
    if !lines.is_empty() {
        made.blocks.push(Block { form: Form::Prose, lines });
    }
    if draw.chance(25) {
        let lines = draw.some(trade.features, 3).into_iter().map(str::to_owned).map(plain);
        made.blocks.push(Block { form: Form::List, lines: lines.collect() });
    }
    if draw.chance(plan.contacts / 3) {
        let facts = Contact::draw(plan, locale, draw);
        let lines = locale.words.contact_block.iter();
        let lines = lines.map(|line| Line { text: facts.fill(line), contact: true });
        made.blocks.push(Block { form: Form::Address, lines: lines.collect() });
        let place = [locale.words.street, facts.city].map(str::to_owned);
        made.contacts.extend(place.into_iter().chain([facts.phone, facts.mail]));
    }
    made
}

/// The details that a seller may give away.
struct Contact {
    shop: &'static str,
    street: &'static str,
    city: &'static str,
    phone: String,
    mail: String,
    mail_at: String,
    /// The address of mail spelled out in German.
    mail_words: String,
    whatsapp: String,
    wa: String,
    telegram: String,
    handle: String,
}

impl Contact {
    fn draw(plan: &Plan, locale: &'static Locale, draw: &mut Draw) -> Self {
        let user = draw.pick(&["info", "sales", "hello", "order"]);
        let host = plan.host;
        let (name, end) = host.split_once('.').unwrap_or((host, "test"));
        let end = end.replace('.', " dot ");
        let mail_at = match draw.below(4) {
            0 => format!("{user} [at] {name} [dot] {}", end.replace(" dot ", " [dot] ")),
            1 => format!("{user}(at){host}"),
            2 => format!("{user} AT {name} DOT {}", end.replace(" dot ", " DOT ")),
            _ => format!("{user} @ {host}"),
        };
        let short: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        Self {
            shop: plan.name,
            street: locale.words.street,
            city: locale.city(),
            phone: locale.phone(draw),
            mail: format!("{user}@{host}"),
            mail_at,
            mail_words: format!("{user} ät {}", host.replace('.', " punkt ")),
            wa: draw.digits(11),
            handle: format!("{short}_help"),
            whatsapp: format!("+{} {} {}", draw.digits(2), draw.digits(3), draw.digits(6)),
            telegram: format!("@{short}_shop"),
        }
    }

    fn fill(&self, line: &str) -> String {
        line.replace("{shop}", self.shop)
            .replace("{street}", self.street)
            .replace("{city}", self.city)
            .replace("{mail_words}", &self.mail_words)
            .replace("{wa}", &self.wa)
            .replace("{handle}", &self.handle)
            .replace("{phone}", &self.phone)
            .replace("{mail}", &self.mail)
            .replace("{mail_at}", &self.mail_at)
            .replace("{whatsapp}", &self.whatsapp)
            .replace("{telegram}", &self.telegram)
    }
}

/// A sentence, and the details in it.
fn contact(plan: &Plan, locale: &'static Locale, draw: &mut Draw) -> (String, Vec<String>) {
    let facts = Contact::draw(plan, locale, draw);
    let line = draw.pick(locale.words.contact_lines);
    let text = facts.fill(line);
    let all = [
        facts.phone,
        facts.mail,
        facts.mail_at,
        facts.mail_words,
        facts.whatsapp,
        facts.wa,
        facts.telegram,
        facts.handle,
    ];
    let details = all.into_iter().filter(|detail| text.contains(detail.as_str())).collect();
    (text, details)
}

/// A number that is nobody's telephone, and may look like one.
fn code(draw: &mut Draw) -> String {
    match draw.below(5) {
        0 => format!("{}-{}-{}", draw.digits(4), draw.digits(4), draw.digits(2)),
        1 => format!("{}-{}", draw.letters(2), draw.digits(5)),
        2 => format!("0{}-{}", draw.digits(2), draw.digits(7)),
        3 => format!("{}{}/{}", draw.letters(3), draw.digits(3), draw.digits(1)),
        _ => draw.digits(10),
    }
}

fn size(locale: &Locale, draw: &mut Draw) -> String {
    let (a, b, c) = (draw.between(12, 240), draw.between(5, 99), draw.between(1, 90));
    match locale.country {
        "US" => format!("{a} x {b} x {c} in."),
        "FR" | "SE" => format!("{a} × {b} × {c} cm"),
        "JP" => format!("{a}×{b}×{c}mm"),
        _ => format!("{a} x {b} x {c} cm"),
    }
}
