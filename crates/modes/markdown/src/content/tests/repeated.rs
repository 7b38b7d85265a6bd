//! Penalties for blocks that repeat on the pages of a site.

use super::*;

const URL: &str = "https://docs.northwind.test/api/lists/create";

fn reference() -> String {
    site(
        "Create a list",
        &format!(
            "<main class=content><article><h1>Create a list</h1>{}\
             <h2>Parameters</h2><ul><li><code>name</code>: the name that the list will have, at \
             most eighty characters long</li><li><code>owner</code>: whoever may change the list \
             later on</li></ul>\
             <h2>Example</h2><pre><code>lists create --name reading --owner me</code></pre>\
             <p>Every page of this manual is also available in print; ask the person at the desk \
             for the current edition of the book and its supplements.</p>\
             </article></main>",
            prose("list")
        ),
    )
}

/// Repeated blocks with these texts on `share` of the pages, in 255ths.
fn known(texts: &[&str], share: u8) -> RepeatedBlocks {
    RepeatedBlocks::new(
        texts.iter().map(|text| (xxhash_rust::xxh3::xxh3_64(text.as_bytes()), share)),
    )
}

const PRINT: &str = "Every page of this manual is also available in print; ask the person at the \
                     desk for the current edition of the book and its supplements.";

#[test]
fn a_block_of_many_pages_goes() {
    let html = reference();
    chosen(URL, &html).has(&["also available in print"]);
    choose_at(URL, &html, &known(&[PRINT], 200)).has_none(&["also available in print"]);
}

#[test]
fn a_block_of_few_pages_stays() {
    let html = reference();
    choose_at(URL, &html, &known(&[PRINT], 20)).has(&["also available in print"]);
}

#[test]
fn headings_that_repeat_stay_with_what_follows_them() {
    let html = reference();
    let repeated = known(&["Parameters", "Example", PRINT], 255);
    choose_at(URL, &html, &repeated).has(&["Parameters", "Example", "lists create", "whoever may"]);
}

#[test]
fn the_largest_block_stays_whatever_is_known() {
    let html = reference();
    let dom = Dom::parse(&html);
    let about = About::read(&dom, URL);
    let blocks = choose(&dom, &about, &RepeatedBlocks::default()).blocks;
    let everything = RepeatedBlocks::new(blocks.into_iter().map(|block| (block, 255)));
    let chosen = choose_at(URL, &html, &everything);
    chosen.has(&["stood for thirty years"]);
    assert!(chosen.choice.kept_words > 20);
}

#[test]
fn fingerprints_of_all_blocks_are_told_once() {
    let chosen =
        chosen(URL, &site("Twice", "<main><p>one two three</p><p>one two three</p></main>"));
    let blocks = &chosen.choice.blocks;
    let expected = xxhash_rust::xxh3::xxh3_64(b"one two three");
    assert_eq!(blocks.iter().filter(|block| **block == expected).count(), 1);
    assert!(blocks.contains(&xxhash_rust::xxh3::xxh3_64(b"Privacy policy")));
}
