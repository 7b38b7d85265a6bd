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
fn block_on_many_pages_is_dropped() {
    let html = reference();
    select_page(URL, &html).has(&["also available in print"]);
    select_at(URL, &html, &known(&[PRINT], 200)).has_none(&["also available in print"]);
}

#[test]
fn block_on_few_pages_is_kept() {
    let html = reference();
    select_at(URL, &html, &known(&[PRINT], 20)).has(&["also available in print"]);
}

#[test]
fn repeated_headings_are_kept_with_their_content() {
    let html = reference();
    let repeated = known(&["Parameters", "Example", PRINT], 255);
    select_at(URL, &html, &repeated).has(&["Parameters", "Example", "lists create", "whoever may"]);
}

#[test]
fn largest_block_is_always_kept() {
    let html = reference();
    let dom = Dom::parse(&html);
    let head = HeadFeatures::read(&dom, URL);
    let blocks = select(&dom, &head, &RepeatedBlocks::default()).blocks;
    let everything = RepeatedBlocks::new(blocks.into_iter().map(|block| (block, 255)));
    let selected = select_at(URL, &html, &everything);
    selected.has(&["stood for thirty years"]);
    assert!(selected.content.kept_words > 20);
}

#[test]
fn block_fingerprints_are_listed_once() {
    let selected =
        select_page(URL, &site("Twice", "<main><p>one two three</p><p>one two three</p></main>"));
    let blocks = &selected.content.blocks;
    let expected = xxhash_rust::xxh3::xxh3_64(b"one two three");
    assert_eq!(blocks.iter().filter(|block| **block == expected).count(), 1);
    assert!(blocks.contains(&xxhash_rust::xxh3::xxh3_64(b"Privacy policy")));
}
