//! How adversarial pages are put together.

use crate::{amplifiers, tokens};

/// A page that can be made of any size.
pub struct Recipe {
    pub name: String,
    make: Box<dyn Fn(usize) -> String>,
}

impl Recipe {
    pub fn new(name: impl Into<String>, make: impl Fn(usize) -> String + 'static) -> Self {
        Self { name: name.into(), make: Box::new(make) }
    }

    /// The page, of about that many bytes.
    pub fn page(&self, bytes: usize) -> String {
        (self.make)(bytes)
    }
}

/// `unit` as often as it takes for a page of that many bytes; a `\u{1}` in it stands for a
/// number that no other one has.
pub fn repeated(before: &str, unit: &str, after: &str, bytes: usize) -> String {
    let mut page = String::with_capacity(bytes + unit.len() + after.len());
    page.push_str(before);
    let mut number = 0_usize;
    while page.len() < bytes {
        match unit.split_once('\u{1}') {
            Some(_) => page.push_str(&unit.replace('\u{1}', &number.to_string())),
            None => page.push_str(unit),
        }
        number += 1;
    }
    page.push_str(after);
    page
}

/// The same in parts of at most so many bytes each, for what is read only when it is short.
fn in_parts(before: &str, unit: &str, after: &str, part: usize, bytes: usize) -> String {
    let mut page = String::new();
    while page.len() < bytes {
        page.push_str(&repeated(before, unit, after, part.min(bytes)));
    }
    page
}

/// `open` nested, something in the middle, and every one of them closed.
fn nested(open: &str, close: &str, bytes: usize) -> String {
    let times = bytes / (open.len() + close.len()).max(1);
    format!("{}x{}", open.repeat(times), close.repeat(times))
}

/// A place of a page in which tokens of one grammar are read.
struct Place {
    name: &'static str,
    before: &'static str,
    after: &'static str,
    /// Bytes of one such place; the page has as many as fit.
    part: usize,
}

const fn place(
    name: &'static str,
    before: &'static str,
    after: &'static str,
    part: usize,
) -> Place {
    Place { name, before, after, part }
}

const WHOLE: usize = usize::MAX;

const JSON_PLACES: &[Place] = &[
    place("json-ld", "<h1>Widget</h1><script type=application/ld+json>", "</script>", WHOLE),
    place("state", "<h1>Widget</h1><script type=application/json>{\"price\":", "</script>", WHOLE),
    place("assigned", "<h1>Widget</h1><script>var price=\"1\",x=", "</script>", WHOLE),
    place("data", "<div data-product='{\"price\":", "'>", 4_000),
];

const SCRIPT_PLACES: &[Place] = &[
    place("program", "<h1>Widget</h1><script>var price='mailto';", "</script>", WHOLE),
    place("small scripts", "<script>var a='x@y.de',b='price';", "</script>", 8_000),
    place("handler", "<a onclick=\"mail('x@y.de');", "\">x</a>", 2_000),
];

const TEXT_PLACES: &[Place] = &[
    place("line", "<h1>Team</h1><p>", "", WHOLE),
    place("cells", "<table><tr><td>", "</table>", WHOLE),
];

const STYLE_PLACES: &[Place] = &[
    place("sheet", "<style>", "</style><p class=a>x@y.de</p>", WHOLE),
    place("attribute", "<p style=\"", "\">x</p>", 2_000),
];

const ADDRESS_PLACES: &[Place] = &[
    place("links", "<a href='", "'>x</a>", 600),
    place("source set", "<img src=a srcset='", "'>", 4_000),
    place("link", "<a href='https://firma.test/", "'>x</a>", WHOLE),
];

fn in_places(recipes: &mut Vec<Recipe>, places: &'static [Place], units: &'static [&'static str]) {
    for place in places {
        for unit in units {
            recipes.push(Recipe::new(format!("{} of {unit:?}", place.name), move |bytes| {
                in_parts(place.before, unit, place.after, place.part, bytes)
            }));
        }
    }
}

/// Tokens of HTML by themselves, nested and in pairs.
pub fn markup() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for unit in tokens::HTML {
        recipes.push(Recipe::new(format!("{unit:?}"), |bytes| repeated("", unit, "", bytes)));
    }
    for (open, close) in tokens::CONTAINERS {
        recipes.push(Recipe::new(format!("nested {open:?}"), |bytes| nested(open, close, bytes)));
        recipes.push(Recipe::new(format!("filled {open:?}"), |bytes| {
            // As many containers at any size: what grows is what they hold.
            let opens = open.repeat(200);
            repeated(&opens, "<p>x", &close.repeat(200), bytes + opens.len())
        }));
    }
    // Tokens of one kind between those of another: what opens one thing closes none of the other.
    for (at, one) in tokens::PAIRED.iter().enumerate() {
        for other in &tokens::PAIRED[at + 1..] {
            recipes.push(Recipe::new(format!("{one:?} with {other:?}"), move |bytes| {
                repeated("", &format!("{one}{other}"), "", bytes)
            }));
        }
    }
    recipes
}

/// Tokens of JSON where pages have it, of XML and of vCards.
pub fn data() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    in_places(&mut recipes, JSON_PLACES, tokens::JSON);
    for unit in tokens::XML {
        recipes.push(Recipe::new(format!("urlset of {unit:?}"), |bytes| {
            repeated("<?xml version='1.0'?><urlset>", unit, "", bytes)
        }));
    }
    for unit in tokens::CARD {
        recipes.push(Recipe::new(format!("card of {unit:?}"), |bytes| {
            repeated("BEGIN:VCARD\n", unit, "\nEND:VCARD\n", bytes)
        }));
    }
    recipes
}

/// Tokens of scripts, style sheets, addresses and bot protections.
pub fn scripts() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for unit in tokens::PROTECTION {
        recipes.push(Recipe::new(format!("{unit:?}"), |bytes| repeated("", unit, "", bytes)));
    }
    in_places(&mut recipes, SCRIPT_PLACES, tokens::SCRIPT);
    in_places(&mut recipes, STYLE_PLACES, tokens::STYLE);
    in_places(&mut recipes, ADDRESS_PLACES, tokens::ADDRESS);
    recipes
}

/// What people write: contacts, prices, names, in lines and in blocks.
pub fn texts() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    in_places(&mut recipes, TEXT_PLACES, tokens::TEXT);
    for unit in tokens::BLOCKS {
        recipes.push(Recipe::new(format!("blocks {unit:?}"), |bytes| {
            repeated("<body><h1>Team</h1>", unit, "", bytes)
        }));
    }
    recipes
}

/// All pages of the suite.
pub fn all() -> Vec<Recipe> {
    [markup(), data(), scripts(), texts(), amplifiers::all()].into_iter().flatten().collect()
}
