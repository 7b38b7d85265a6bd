//! Builds adversarial pages from tokens.

use crate::{amplifiers, tokens};

/// A page that can be generated at any size.
pub struct Recipe {
    pub name: String,
    make: Box<dyn Fn(usize) -> String>,
}

impl Recipe {
    pub fn new(name: impl Into<String>, make: impl Fn(usize) -> String + 'static) -> Self {
        Self { name: name.into(), make: Box::new(make) }
    }

    /// The page with about that many bytes.
    pub fn page(&self, bytes: usize) -> String {
        (self.make)(bytes)
    }
}

/// `unit` repeated up to that many bytes; a `\u{1}` in it is replaced by a unique number.
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

/// The same in parts of at most `part` bytes, for content that is read only when it is short.
fn in_parts(before: &str, unit: &str, after: &str, part: usize, bytes: usize) -> String {
    let mut page = String::new();
    while page.len() < bytes {
        page.push_str(&repeated(before, unit, after, part.min(bytes)));
    }
    page
}

/// `open` nested, some content, and all of them closed.
fn nested(open: &str, close: &str, bytes: usize) -> String {
    let times = bytes / (open.len() + close.len()).max(1);
    format!("{}x{}", open.repeat(times), close.repeat(times))
}

/// A location in a page where tokens of one grammar are read.
struct TokenLocation {
    name: &'static str,
    before: &'static str,
    after: &'static str,
    /// Bytes of one such location; the page has as many as fit.
    part: usize,
}

const fn location(
    name: &'static str,
    before: &'static str,
    after: &'static str,
    part: usize,
) -> TokenLocation {
    TokenLocation { name, before, after, part }
}

const WHOLE: usize = usize::MAX;

const JSON_LOCATIONS: &[TokenLocation] = &[
    location("json-ld", "<h1>Widget</h1><script type=application/ld+json>", "</script>", WHOLE),
    location(
        "state",
        "<h1>Widget</h1><script type=application/json>{\"price\":",
        "</script>",
        WHOLE,
    ),
    location("assigned", "<h1>Widget</h1><script>var price=\"1\",x=", "</script>", WHOLE),
    location("data", "<div data-product='{\"price\":", "'>", 4_000),
];

const SCRIPT_LOCATIONS: &[TokenLocation] = &[
    location("program", "<h1>Widget</h1><script>var price='mailto';", "</script>", WHOLE),
    location("small scripts", "<script>var a='x@y.de',b='price';", "</script>", 8_000),
    location("handler", "<a onclick=\"mail('x@y.de');", "\">x</a>", 2_000),
];

const TEXT_LOCATIONS: &[TokenLocation] = &[
    location("line", "<h1>Team</h1><p>", "", WHOLE),
    location("cells", "<table><tr><td>", "</table>", WHOLE),
];

const STYLE_LOCATIONS: &[TokenLocation] = &[
    location("sheet", "<style>", "</style><p class=a>x@y.de</p>", WHOLE),
    location("attribute", "<p style=\"", "\">x</p>", 2_000),
];

const URL_LOCATIONS: &[TokenLocation] = &[
    location("links", "<a href='", "'>x</a>", 600),
    location("source set", "<img src=a srcset='", "'>", 4_000),
    location("link", "<a href='https://firma.test/", "'>x</a>", WHOLE),
];

fn in_locations(
    recipes: &mut Vec<Recipe>,
    locations: &'static [TokenLocation],
    units: &'static [&'static str],
) {
    for location in locations {
        for unit in units {
            recipes.push(Recipe::new(format!("{} of {unit:?}", location.name), move |bytes| {
                in_parts(location.before, unit, location.after, location.part, bytes)
            }));
        }
    }
}

/// HTML tokens alone, nested and in pairs.
pub fn markup() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for unit in tokens::HTML {
        recipes.push(Recipe::new(format!("{unit:?}"), |bytes| repeated("", unit, "", bytes)));
    }
    for (open, close) in tokens::CONTAINERS {
        recipes.push(Recipe::new(format!("nested {open:?}"), |bytes| nested(open, close, bytes)));
        recipes.push(Recipe::new(format!("filled {open:?}"), |bytes| {
            // The same number of containers at any size: their content grows.
            let opens = open.repeat(200);
            repeated(&opens, "<p>x", &close.repeat(200), bytes + opens.len())
        }));
    }
    // Tokens of one kind between those of another, so that nothing is closed.
    for (at, one) in tokens::PAIRED.iter().enumerate() {
        for other in &tokens::PAIRED[at + 1..] {
            recipes.push(Recipe::new(format!("{one:?} with {other:?}"), move |bytes| {
                repeated("", &format!("{one}{other}"), "", bytes)
            }));
        }
    }
    recipes
}

/// Tokens of JSON in all its locations, of XML and of vCards.
pub fn data() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    in_locations(&mut recipes, JSON_LOCATIONS, tokens::JSON);
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

/// Tokens of scripts, style sheets, URLs and bot protections.
pub fn scripts() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for unit in tokens::PROTECTION {
        recipes.push(Recipe::new(format!("{unit:?}"), |bytes| repeated("", unit, "", bytes)));
    }
    in_locations(&mut recipes, SCRIPT_LOCATIONS, tokens::SCRIPT);
    in_locations(&mut recipes, STYLE_LOCATIONS, tokens::STYLE);
    in_locations(&mut recipes, URL_LOCATIONS, tokens::URL);
    recipes
}

/// Visible text: contacts, prices, names, in lines and in blocks.
pub fn texts() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    in_locations(&mut recipes, TEXT_LOCATIONS, tokens::TEXT);
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
