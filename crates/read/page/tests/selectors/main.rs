//! Selectors of elements against a reference, and at the limits of pages.

mod reference;

use contract::CssSelectors;
use html::budget::{Exhausted, PageBudget, with};
use html::dom::{Dom, NodeId};
use page::selected_nodes;
use proptest::collection::vec;
use proptest::prelude::*;

fn list(texts: &[String]) -> CssSelectors {
    CssSelectors::new(texts)
}

fn texts(dom: &Dom<'_>) -> Vec<String> {
    let texts = dom.descendants(NodeId::ROOT).map(|id| dom.text(id).into_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn selection_agrees_with_the_reference(
        page in vec(any::<u8>(), 0..60),
        include in vec(vec(any::<u8>(), 1..7), 0..3),
        exclude in vec(vec(any::<u8>(), 1..7), 0..3),
    ) {
        let html = reference::page(&page);
        let dom = Dom::parse(&html);
        let read = |given: Vec<Vec<u8>>| -> (Vec<String>, Vec<Vec<reference::Step>>) {
            given.iter().map(|bytes| reference::selector(bytes)).unzip()
        };
        let (included, include) = read(include);
        let (excluded, exclude) = read(exclude);
        let part = selected_nodes(&dom, &list(&included), &list(&excluded));
        let found = texts(part.as_ref().unwrap_or(&dom));
        let expected = reference::selected(&dom, &include, &exclude);
        prop_assert_eq!(found, expected, "{} {:?} {:?}", html, included, excluded);
    }
}

/// Selectors with as many steps as a list can have, none of which a page can exclude early.
fn costly() -> CssSelectors {
    list(&vec!["* ".repeat(50); 5])
}

#[test]
fn deep_page_with_many_steps_is_read_within_its_budget() {
    let page = "<div class='a b c'>".repeat(20_000);
    let read = with(PageBudget::for_page(page.len()), || {
        let dom = Dom::parse(&page);
        selected_nodes(&dom, &costly(), &costly()).map(|part| part.node_count())
    });
    assert!(read.is_ok_and(|kept| kept.is_some()));
}

#[test]
fn work_of_selectors_counts_for_the_budget_of_the_page() {
    let page = "<b>".repeat(200_000);
    let read = with(PageBudget::for_page(page.len()), || {
        let dom = Dom::parse(&page);
        let many = costly();
        for _ in 0..40 {
            std::hint::black_box(selected_nodes(&dom, &many, &many));
        }
    });
    assert_eq!(read, Err(Exhausted::Steps));
}
