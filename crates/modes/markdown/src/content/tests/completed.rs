//! Lists and items that are completed around selected blocks.

use super::*;

/// The texts that are selected after completion: blocks with `probability` from 0.5 on are before.
fn completed(html: &str, probability: impl Fn(&str) -> f32) -> Vec<String> {
    let dom = Dom::parse(html);
    let head = HeadFeatures::read(&dom, "https://northwind.test/blog/the-bridge");
    let segmentation = Segmentation::of(&dom);
    let context = FeatureContext::of(&segmentation, &head);
    let text = |block: &segmentation::TextBlock| {
        let nodes = &segmentation.texts[block.texts.0 as usize..block.texts.1 as usize];
        nodes.iter().map(|id| dom.text(*id).trim().to_owned()).collect::<Vec<_>>().concat()
    };
    let texts: Vec<_> = segmentation.blocks.iter().map(text).collect();
    let probabilities: Vec<_> = texts.iter().map(|text| probability(text)).collect();
    let mut keep: Vec<_> = probabilities.iter().map(|probability| *probability >= 0.5).collect();
    let repeated = RepeatedBlocks::default();
    completion::complete(&context, &probabilities, &repeated, &mut keep);
    completion::complete_items(&context, &probabilities, &repeated, &mut keep);
    completion::complete_lists(&context, &probabilities, &repeated, &mut keep);
    texts.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(text, _)| text).collect()
}

#[test]
fn item_that_is_mostly_selected_keeps_its_label() {
    let html = "<ul><li><div>Winner</div><div>The long bridge over the river</div></li>\
        <li><div>Honoree</div><div>A short one</div><div>by the mill and its pond</div></li></ul>";
    let found = completed(html, |text| if text == "Winner" { 0.1 } else { 0.8 });
    assert_eq!(found[..2], ["Winner", "The long bridge over the river"]);
    let found = completed(html, |text| if text == "Winner" { 0.8 } else { 0.0 });
    assert_eq!(found, ["Winner"]);
}

#[test]
fn list_of_which_most_items_are_selected_is_completed() {
    let page = |class: &str| {
        format!(
            "<p>The bridges of the valley.</p><ul class={class}><li>The long bridge</li>\
             <li>The short bridge</li><li>The oak bridge</li><li>Another</li></ul>"
        )
    };
    let last = |class: &str, probability: f32| {
        let found =
            completed(&page(class), |text| if text == "Another" { probability } else { 0.8 });
        found.last().is_some_and(|text| text == "Another")
    };
    assert!(last("bridges", 0.1));
    assert!(!last("bridges", 0.01));
    assert!(!last("related", 0.1));
    // Half of the items.
    let few = |text: &str| if text.contains("long") || text.contains("oak") { 0.8 } else { 0.1 };
    assert_eq!(completed(&page("bridges"), few), ["The long bridge", "The oak bridge"]);
}

#[test]
fn list_of_links_within_the_selected_text_is_completed() {
    let page = |element: &str| {
        format!(
            "<p>The bridges of the valley are these three.</p><{element}><ul>\
             <li><a href=/a>The long bridge</a></li><li><a href=/b>The short bridge</a></li></ul>\
             </{element}><p>All of them are open to carts.</p><ul><li><a href=/c>Other towns</a>\
             </li></ul>"
        )
    };
    let probability = |links: f32| move |text: &str| if text.ends_with('.') { 0.9 } else { links };
    assert_eq!(completed(&page("div"), probability(0.4)).len(), 4, "between selected text");
    assert_eq!(completed(&page("div"), probability(0.1)).len(), 2, "improbable");
    assert_eq!(completed(&page("nav"), probability(0.4)).len(), 2, "navigation");
}
