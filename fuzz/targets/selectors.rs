//! Selectors of elements. The first line has one, the rest is a page. Selectors and pages that are made
//! of the bytes of the input are also compared with a reference matcher.

#![no_main]

#[path = "../../crates/read/page/tests/selectors/reference.rs"]
mod reference;

use contract::CssSelectors;
use html::budget::{PageBudget, with};
use html::dom::{Dom, NodeId};
use libfuzzer_sys::fuzz_target;
use page::selected_nodes;

fn texts(dom: &Dom<'_>) -> Vec<String> {
    let texts = dom.descendants(NodeId::ROOT).map(|id| dom.text(id).into_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

/// Compares two selectors of the first lines with the reference, on a page of the others.
fn compare_with_reference(input: &[u8]) {
    let mut lines = input.splitn(3, |byte| *byte == b'\n').map(<[u8]>::to_vec);
    let mut next = || lines.next().unwrap_or_default();
    let (included, include) = reference::selector(&next());
    let (excluded, exclude) = reference::selector(&next());
    let html = reference::page(&next());
    let dom = Dom::parse(&html);
    let list = |text: &String| match text.is_empty() {
        true => CssSelectors::default(),
        false => CssSelectors::new(std::slice::from_ref(text)),
    };
    let steps = |steps: Vec<reference::Step>| if steps.is_empty() { Vec::new() } else { vec![steps] };
    let part = selected_nodes(&dom, &list(&included), &list(&excluded));
    let found = texts(part.as_ref().unwrap_or(&dom));
    let expected = reference::selected(&dom, &steps(include), &steps(exclude));
    assert_eq!(found, expected, "{html} {included:?} {excluded:?}");
}

fuzz_target!(|input: &[u8]| {
    compare_with_reference(input);
    let text = String::from_utf8_lossy(input);
    let (selectors, page) = text.split_once('\n').unwrap_or((&text, ""));
    let given: Vec<_> = selectors.split(';').map(str::to_owned).collect();
    let selectors = CssSelectors::new(&given);
    assert!(selectors.steps().len() <= CssSelectors::MAX_STEPS);
    // The budget of a page is exceeded at most by an error, never by a panic.
    let none = CssSelectors::default();
    for (include, exclude) in [(&selectors, &none), (&none, &selectors), (&selectors, &selectors)] {
        let read = with(PageBudget::for_page(page.len()), || {
            let dom = Dom::parse(page);
            let part = selected_nodes(&dom, include, exclude);
            part.map(|part| part.node_count()).unwrap_or_default()
        });
        std::hint::black_box(read.is_ok());
    }
});
