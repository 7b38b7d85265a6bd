//! Pages that cause more output than input, or the same work many times.

use crate::pages::{Recipe, repeated};

const LD: &str = "<h1>Widget</h1><script type=application/ld+json>";

fn script(text: &str) -> String {
    format!("<h1>Widget</h1><script>{text}</script>")
}

/// A function that uses one long argument as often as possible.
fn mentioned_argument(bytes: usize) -> String {
    let argument = "x".repeat(bytes / 2);
    let mentions = "{\"price\":a},".repeat(bytes / 24);
    script(&format!(
        "window.__NUXT__=(function(a){{return {{\"sku\":[{mentions}1]}}}}(\"{argument}\"))"
    ))
}

/// A function that uses one list argument as often as possible.
fn mentioned_list(bytes: usize) -> String {
    let argument = "1,".repeat(bytes / 4);
    let mentions = "a,".repeat(bytes / 4);
    script(&format!(
        "window.__NUXT__=(function(a){{return {{\"price\":[{mentions}1]}}}}([{argument}1]))"
    ))
}

/// A devalue list in which many members refer to one long string.
fn referred_text(bytes: usize) -> String {
    let references = "1,".repeat(bytes / 4);
    let text = "x".repeat(bytes / 2);
    let data = format!("[{{\"price\":2}},\"{text}\",[{references}1]]");
    format!("<h1>Widget</h1><script type=application/json>{data}</script>")
}

/// A devalue list whose lists refer twice to the next one: exponential output.
fn doubled_references(bytes: usize) -> String {
    let mut data = "[{\"price\":1}".to_owned();
    let mut at = 1;
    while data.len() < bytes {
        data.push_str(&format!(",[{},{}]", at + 1, at + 1));
        at += 1;
    }
    data.push_str(",\"x\"]");
    format!("<h1>Widget</h1><script type=application/json>{data}</script>")
}

/// A devalue list whose objects refer to themselves under a long name.
fn circular_references(bytes: usize) -> String {
    let name = "k".repeat(bytes / 2);
    let refers = "\"a\":1,".repeat(bytes / 12);
    let data = format!("[{{\"price\":1}},{{\"{name}\":1,{refers}\"b\":0}}]");
    format!("<h1>Widget</h1><script type=application/json>{data}</script>")
}

/// E-mail scripts whose text grows with each statement.
fn growing_script(statement: &'static str) -> impl Fn(usize) -> String {
    move |bytes| {
        let mut page = String::new();
        while page.len() < bytes {
            let text = "x@y.de ".repeat(200);
            let statements = statement.repeat((8_000_usize).min(bytes) / statement.len());
            page.push_str(&format!(
                "<script>var a='{text}';{statements}document.write(a);</script>"
            ));
        }
        page
    }
}

/// JSON-LD in which every object refers to the next one, or to all.
fn linked_graph(reference: &'static str) -> impl Fn(usize) -> String {
    move |bytes| {
        let mut page = format!("{LD}{{\"@graph\":[");
        let mut at = 0_usize;
        while page.len() < bytes {
            let next = reference.replace('\u{1}', &(at + 1).to_string());
            page.push_str(&format!(
                "{{\"@type\":\"Product\",\"@id\":\"#{at}\",\"name\":\"Widget\",{next}}},"
            ));
            at += 1;
        }
        page + "{}]}</script>"
    }
}

/// A table whose cells all have large spans.
fn spanned_table(bytes: usize) -> String {
    let cells = "<td colspan=60 rowspan=60>x".repeat(20);
    repeated("<table>", &format!("<tr>{cells}"), "</table>", bytes)
}

/// A table with one wide row and many short ones.
fn ragged_table(bytes: usize) -> String {
    let first = format!("<tr>{}", "<td>x".repeat(bytes / 10));
    repeated(&format!("<table>{first}"), "<tr><td>x", "</table>", bytes)
}

/// Options with a variant for each combination.
fn combined_options(bytes: usize) -> String {
    let mut page = "<h1>Widget</h1><p class=price>9,99 €</p><form action=/cart>".to_owned();
    let mut at = 0;
    while page.len() < bytes {
        page.push_str(&format!("<label>Wahl {at}</label><select name=option{at}>"));
        for value in 0..20 {
            page.push_str(&format!("<option value={value}>Wert {value}"));
        }
        page.push_str("</select>");
        at += 1;
    }
    page + "<button>In den Warenkorb</button></form>"
}

fn product_with(member: &'static str, value: &'static str) -> impl Fn(usize) -> String {
    move |bytes| {
        let before =
            format!("{LD}{{\"@type\":\"Product\",\"name\":\"Widget\",\"sku\":\"a\",\"{member}\":[");
        repeated(&before, value, "1]}</script>", bytes)
    }
}

/// Blocks that repeat the description of the structured data.
fn repeated_description(bytes: usize) -> String {
    let text = "word ".repeat(bytes / 10);
    let data = format!(
        "{LD}{{\"@type\":\"Product\",\"name\":\"Widget\",\"description\":\"{text}\",\"offers\":{{\"price\":1}}}}</script>"
    );
    repeated(&data, "<p>word word word word", "", bytes.max(data.len() + bytes / 2))
}

/// Streamed segments that are nested in each other.
fn streamed_into_each_other(bytes: usize) -> String {
    let mut page = "<template id=\"B:0\"></template>".to_owned();
    let mut at = 0;
    while page.len() < bytes {
        let next = at + 1;
        page.push_str(&format!("<div hidden id=\"S:{at}\">x<template id=\"B:{next}\"></template></div><script>$RC(\"B:{at}\",\"S:{at}\")</script>"));
        at += 1;
    }
    page
}

/// One streamed segment with many placeholders.
fn streamed_many_times(bytes: usize) -> String {
    let piece = format!(
        "<template id=\"B:0\"></template><div hidden id=\"S:0\">{}</div>",
        "<p>x".repeat(bytes / 8)
    );
    repeated(&piece, "<script>$RC(\"B:0\",\"S:0\")</script>", "", bytes)
}

/// Items that all include the same element by `itemref`.
fn shared_item_references(bytes: usize) -> String {
    let shared = format!("<div id=a>{}</div>", "<p itemprop=name>x".repeat(bytes / 36));
    repeated(
        &shared,
        "<div itemscope itemtype=https://schema.org/Product itemref='a a a'></div>",
        "",
        bytes,
    )
}

/// One long value that all items include.
fn shared_long_value(bytes: usize) -> String {
    let shared =
        format!("<div id=a><meta itemprop=name content='{}'></div>", "x".repeat(bytes / 2));
    let references = "a ".repeat(32);
    let item =
        format!("<div itemscope itemtype=https://schema.org/Product itemref='{references}'></div>");
    repeated(&shared, &item, "", bytes)
}

/// Items that are each the value of eight properties of the next one.
fn properties_of_properties(bytes: usize) -> String {
    let item = "<div itemscope itemtype=https://schema.org/Product itemprop='a b c d e f g h'>";
    let top = "<div itemscope itemtype=https://schema.org/Product>";
    let nested = format!("{top}{}<p itemprop=name>x</p>{}", item.repeat(11), "</div>".repeat(12));
    repeated("", &nested, "", bytes)
}

/// An `AggregateOffer` that contains itself many times.
fn offers_within_themselves(bytes: usize) -> String {
    let before = format!(
        "{LD}[{{\"@type\":\"Product\",\"name\":\"Widget\",\"offers\":{{\"@id\":\"#a\"}}}},{{\"@type\":\"AggregateOffer\",\"@id\":\"#a\",\"lowPrice\":1,\"offers\":["
    );
    repeated(&before, "{\"@id\":\"#a\"},", "1]}]</script>", bytes)
}

/// Variants that all refer to one object with many images and offers.
fn variants_of_one_thing(bytes: usize) -> String {
    let images: String =
        (0..100).map(|at| format!("\"/{at}/{}\",", "x".repeat(bytes / 400))).collect();
    let offers = "{\"price\":1,\"sku\":\"a\"},".repeat(bytes / 100);
    let before = format!(
        "{LD}[{{\"@type\":\"Product\",\"@id\":\"#a\",\"name\":\"Widget\",\"image\":[{images}1],\"offers\":[{offers}1]}},{{\"@type\":\"ProductGroup\",\"name\":\"Widget\",\"hasVariant\":["
    );
    repeated(&before, "{\"@id\":\"#a\"},", "1]}]</script>", bytes.max(before.len() + bytes / 3))
}

/// Products in the page state, each nested in the last.
fn products_within_products(bytes: usize) -> String {
    let product = "{\"name\":\"Widget\",\"sku\":\"a\",\"price\":1,\"description\":\"word word\",\"variants\":[{\"price\":1,\"sku\":\"b\"},";
    let nested = format!("{}1{}", product.repeat(20), "]}".repeat(20));
    repeated(
        "<h1>Widget</h1><script type=application/json>[",
        &format!("{nested},"),
        "1]</script>",
        bytes,
    )
}

/// People of one family, with mailboxes that match any of them.
fn cards_of_one_family(bytes: usize) -> String {
    let given = ["Anna", "Karl", "Maria", "Peter", "Julia", "Hans", "Eva", "Paul"];
    let mut page = "<h1>Team</h1>".to_owned();
    let mut at = 0;
    while page.len() < bytes {
        let name = given[at % given.len()];
        let letter = |by: usize| char::from(b'a' + u8::try_from(by % 26).unwrap_or(0));
        let last = format!("Berg{}{}{}", letter(at), letter(at / 26), letter(at / 676));
        page.push_str(&format!(
            "<div class=card><h3>{name} {last}</h3><p>CEO</p><p>{name}.{last}@firma.test</p></div>"
        ));
        at += 1;
    }
    page
}

/// One person with as many mailboxes, phone numbers and profiles as fit.
fn card_of_many_contacts(bytes: usize) -> String {
    let contact = "<p>anna.berg\u{1}@firma.test<p>Tel. +49 221 1\u{1}<p><a href=https://www.linkedin.com/in/anna-berg-\u{1}>in</a>";
    repeated("<div class=card><h3>Anna Berg</h3><p>CEO</p>", contact, "</div>", bytes)
}

/// People with the same name, each with a title and a mailbox.
fn cards_of_namesakes(bytes: usize) -> String {
    let card = "<div class=card><h3>Anna Berg</h3><p>Head of Sales \u{1}</p><p>Tel. +49 221 1\u{1}<p>anna.berg\u{1}@firma.test</p></div>";
    repeated("<h1>Team</h1>", card, "", bytes)
}

/// Style rules for classes that occur on many elements.
fn styled_elements(bytes: usize) -> String {
    let rules: String =
        (0..bytes / 60).map(|at| format!(".a{at} .b{at}{{display:none}}")).collect();
    let before = format!("<style>{rules}</style>");
    repeated(&before, "<p class='a\u{1} b\u{1}'>x@y.de", "", bytes.max(before.len() + bytes / 2))
}

/// Links before a late `<base>`, which cause a second pass.
fn late_bases(bytes: usize) -> String {
    repeated("", "<a href=x\u{1}>x</a><base href=/a\u{1}/>", "", bytes)
}

/// One long word as text, class and URL.
fn one_long_word(bytes: usize) -> String {
    let word = "a".repeat(bytes / 3);
    format!("<p class={word}><a href=/{word}>{word}</a>")
}

pub fn all() -> Vec<Recipe> {
    let mut recipes = vec![
        Recipe::new("mentioned argument", mentioned_argument),
        Recipe::new("mentioned list", mentioned_list),
        Recipe::new("referred text", referred_text),
        Recipe::new("doubled references", doubled_references),
        Recipe::new("circular references", circular_references),
        Recipe::new("spanned table", spanned_table),
        Recipe::new("ragged table", ragged_table),
        Recipe::new("combined options", combined_options),
        Recipe::new("repeated description", repeated_description),
        Recipe::new("streamed into each other", streamed_into_each_other),
        Recipe::new("streamed many times", streamed_many_times),
        Recipe::new("shared item references", shared_item_references),
        Recipe::new("shared long value", shared_long_value),
        Recipe::new("properties of properties", properties_of_properties),
        Recipe::new("offers within themselves", offers_within_themselves),
        Recipe::new("variants of one thing", variants_of_one_thing),
        Recipe::new("products within products", products_within_products),
        Recipe::new("cards of one family", cards_of_one_family),
        Recipe::new("card of many contacts", card_of_many_contacts),
        Recipe::new("cards of namesakes", cards_of_namesakes),
        Recipe::new("styled elements", styled_elements),
        Recipe::new("late bases", late_bases),
        Recipe::new("one long word", one_long_word),
    ];
    for statement in [
        "a+=a;",
        "a=a+a;",
        "a=a.concat(a);",
        "a=a.split('').join('@@@@');",
        "a=a.split('x').reverse().join('xx');",
        "a=a.replace(/x/g,'xx@y.de');",
        "a=[a,a,a,a].join(a);",
        "a=atob(a);",
        "a=unescape(a)+a;",
        "b=a;c=b;document.write(a);",
        "el.innerHTML=a;",
    ] {
        recipes
            .push(Recipe::new(format!("growing script {statement:?}"), growing_script(statement)));
    }
    for reference in [
        "\"isRelatedTo\":{\"@id\":\"#\u{1}\"}",
        "\"offers\":{\"@id\":\"#\u{1}\"}",
        "\"isVariantOf\":{\"@id\":\"#\u{1}\"}",
        "\"hasVariant\":[{\"@id\":\"#\u{1}\"},{\"@id\":\"#0\"}]",
        "\"@reverse\":{\"@id\":\"#\u{1}\"}",
        "\"brand\":{\"@id\":\"#0\"},\"image\":{\"@id\":\"#0\"}",
    ] {
        recipes.push(Recipe::new(format!("graph of {reference:?}"), linked_graph(reference)));
    }
    for (member, value) in [
        ("offers", "{\"@type\":\"Offer\",\"price\":\u{1},\"priceCurrency\":\"EUR\"},"),
        (
            "hasVariant",
            "{\"@type\":\"Product\",\"name\":\"a\",\"color\":\"c\u{1}\",\"offers\":{\"price\":1}},",
        ),
        ("image", "\"/p\u{1}.jpg\","),
        ("review", "{\"@type\":\"Review\",\"reviewRating\":{\"ratingValue\":5}},"),
        (
            "additionalProperty",
            "{\"@type\":\"PropertyValue\",\"name\":\"a\u{1}\",\"value\":\"b\"},",
        ),
        ("isSimilarTo", "{\"@type\":\"Product\",\"name\":\"a\u{1}\"},"),
        ("description", "\"text \","),
        ("gtin13", "\"4006381333931\","),
        ("category", "\"a > b > c\","),
    ] {
        recipes.push(Recipe::new(format!("product with {member}"), product_with(member, value)));
    }
    // Valid JSON whose parsed form is many times as large.
    for unit in ["1,", "\"\",", "[],", "{},", "[[]],", "{\"a\":1},"] {
        for (kind, before) in [
            ("state", "<h1>Widget</h1><script type=application/json>{\"price\":["),
            ("json-ld", "<h1>Widget</h1><script type=application/ld+json>{\"price\":["),
        ] {
            recipes.push(Recipe::new(format!("{kind} with a list of {unit:?}"), move |bytes| {
                repeated(before, unit, "1]}</script>", bytes)
            }));
        }
    }
    recipes
}
