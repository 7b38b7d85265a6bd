//! When new template versions are made, and what they read.

use super::super::{ExtractionTemplate, TemplateExample, TemplateLearner};
use crate::field::ProductField;
use html::dom::Dom;

/// A product page in the old or the new design of a shop.
fn page(number: usize, design: &str) -> String {
    match design {
        "old" => format!(
            "<body><header><a class=logo>Shop</a></header><main class=item-{number}>\
             <h1>Chair {number}</h1><p>Price: <b>{number},50 €</b></p>\
             <table><tr><th>Code</th><td>C-{number}-X</td></tr></table></main></body>"
        ),
        _ => format!(
            "<body><div id=top>Shop</div><section class=product><div class=title>Chair {number}\
             </div><span class='amount now'>{number},50 €</span><ul><li>Code: C-{number}-X</li>\
             </ul></section></body>"
        ),
    }
}

fn example(number: usize, design: &str, with_data: bool) -> TemplateExample {
    let html = page(number, design);
    let (name, code, price) =
        (format!("Chair {number}"), format!("C-{number}-X"), format!("{number}.50"));
    let known =
        [(ProductField::Name, &*name), (ProductField::Sku, &*code), (ProductField::Price, &*price)];
    TemplateExample::of(&Dom::parse(&html), if with_data { &known } else { &[] })
}

fn read(template: &ExtractionTemplate, html: &str) -> Vec<(ProductField, String)> {
    let values = template.read(&Dom::parse(html));
    values.into_iter().map(|value| (value.field, value.value)).collect()
}

#[test]
fn first_version_is_made_after_a_few_pages() {
    for design in ["old", "new"] {
        let mut learner = TemplateLearner::after(None);
        let mut versions = (10..20).filter_map(|n| learner.learn(&example(n, design, true)));
        let template = versions.next().expect("a template");
        let values = read(&template, &page(77, design));
        assert_eq!(
            values,
            [
                (ProductField::Name, "Chair 77".to_owned()),
                (ProductField::Sku, "C-77-X".to_owned()),
                (ProductField::Price, "77,50 €".to_owned())
            ],
            "{design}"
        );
        assert_eq!(read(&template, "<p>Nothing of the kind"), []);
    }
}

#[test]
fn pages_without_structured_data_teach_nothing() {
    let mut learner = TemplateLearner::after(None);
    for number in 10..40 {
        assert_eq!(learner.learn(&example(number, "old", false)), None);
    }
}

#[test]
fn same_examples_give_the_same_template() {
    let versions = || {
        let mut learner = TemplateLearner::after(None);
        (10..60)
            .filter_map(|n| learner.learn(&example(n, "new", true)))
            .map(|t| t.id())
            .collect::<Vec<_>>()
    };
    assert_eq!(versions(), versions());
    assert!(!versions().is_empty());
}

#[test]
fn new_site_design_is_learned_from_scratch() {
    let mut learner = TemplateLearner::after(None);
    let old = (10..14).filter_map(|n| learner.learn(&example(n, "old", true))).last().expect("old");
    let mut learner = TemplateLearner::after(Some(&old));
    let again: Vec<_> = (10..42).filter_map(|n| learner.learn(&example(n, "old", true))).collect();
    let current = again.last().unwrap_or(&old);
    assert_eq!(read(current, &page(5, "new")), []);
    let new =
        (50..110).filter_map(|n| learner.learn(&example(n, "new", true))).last().expect("new");
    assert_eq!(read(&new, &page(5, "new")).len(), 3);
}

#[test]
fn version_of_few_pages_does_not_replace_one_of_many() {
    let mut learner = TemplateLearner::after(None);
    let kept =
        (10..42).filter_map(|n| learner.learn(&example(n, "old", true))).last().expect("kept");
    // The pages of the next run have structured data with only a name.
    let poor = |number: usize| {
        let name = format!("Chair {number}");
        TemplateExample::of(&Dom::parse(&page(number, "old")), &[(ProductField::Name, &*name)])
    };
    let mut learner = TemplateLearner::after(Some(&kept));
    let few = (100..107).find_map(|number| learner.learn(&poor(number)));
    assert_eq!(few, None);
    assert!((107..300).any(|number| learner.learn(&poor(number)).is_some()), "many pages count");
}

#[test]
fn selector_with_wrong_values_is_not_used() {
    let mut learner = TemplateLearner::after(None);
    let mut template = None;
    for number in 10..30 {
        // On every second page the data states another price than the page shows.
        let price = if number % 2 == 0 { format!("{number}.50") } else { "3.99".to_owned() };
        let name = format!("Chair {number}");
        let known = [(ProductField::Name, &*name), (ProductField::Price, &*price)];
        let example = TemplateExample::of(&Dom::parse(&page(number, "old")), &known);
        template = learner.learn(&example).or(template);
    }
    let values = read(&template.expect("a template"), &page(77, "old"));
    assert_eq!(values, [(ProductField::Name, "Chair 77".to_owned())]);
}

#[test]
fn hostile_pages_are_learned_in_linear_time() {
    for part in ["<div>", "<div class=a>12 ", "<p>a: ", "<b>x</b>", "<td>1<td>2", "<span id=a1>5"] {
        let html = part.repeat(20_000);
        let known = [
            (ProductField::Price, "12"),
            (ProductField::Name, "x"),
            (ProductField::Attribute, "a\tb"),
        ];
        let example = TemplateExample::of(&Dom::parse(&html), &known);
        let _ = TemplateLearner::after(None).learn(&example);
    }
}
