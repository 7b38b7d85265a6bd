//! When versions come, and what they know.

use super::super::{Template, TemplateLearner, TemplateLesson};
use crate::field::Field;
use html::dom::Dom;

/// A page of a shop with few classes, and another face of it.
fn page(number: usize, face: &str) -> String {
    match face {
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

fn lesson(number: usize, face: &str, with_data: bool) -> TemplateLesson {
    let html = page(number, face);
    let (name, code, price) =
        (format!("Chair {number}"), format!("C-{number}-X"), format!("{number}.50"));
    let known = [(Field::Name, &*name), (Field::Sku, &*code), (Field::Price, &*price)];
    TemplateLesson::of(&Dom::parse(&html), if with_data { &known } else { &[] }, true)
}

fn read(template: &Template, html: &str) -> Vec<(Field, String)> {
    let values = template.read(&Dom::parse(html));
    values.into_iter().map(|value| (value.field, value.value)).collect()
}

#[test]
fn the_first_version_comes_after_a_few_pages() {
    for face in ["old", "new"] {
        let mut learner = TemplateLearner::after(None);
        let mut versions = (10..20).filter_map(|n| learner.see(&lesson(n, face, true)));
        let template = versions.next().expect("a template");
        let values = read(&template, &page(77, face));
        assert_eq!(
            values,
            [
                (Field::Name, "Chair 77".to_owned()),
                (Field::Sku, "C-77-X".to_owned()),
                (Field::Price, "77,50 €".to_owned())
            ],
            "{face}"
        );
        assert_eq!(read(&template, "<p>Nothing of the kind"), []);
    }
}

#[test]
fn pages_without_data_and_other_pages_teach_nothing() {
    let mut learner = TemplateLearner::after(None);
    for number in 10..40 {
        assert_eq!(learner.see(&lesson(number, "old", false)), None);
        let other = TemplateLesson { is_product: false, ..lesson(number, "old", true) };
        assert_eq!(learner.see(&other), None);
    }
}

#[test]
fn the_same_lessons_make_the_same_template() {
    let versions = || {
        let mut learner = TemplateLearner::after(None);
        (10..60)
            .filter_map(|n| learner.see(&lesson(n, "new", true)))
            .map(|t| t.id())
            .collect::<Vec<_>>()
    };
    assert_eq!(versions(), versions());
    assert!(!versions().is_empty());
}

#[test]
fn a_site_with_a_new_face_is_learned_anew() {
    let mut learner = TemplateLearner::after(None);
    let old = (10..14).filter_map(|n| learner.see(&lesson(n, "old", true))).last().expect("old");
    let mut learner = TemplateLearner::after(Some(&old));
    let again: Vec<_> = (10..42).filter_map(|n| learner.see(&lesson(n, "old", true))).collect();
    let in_force = again.last().unwrap_or(&old);
    assert_eq!(read(in_force, &page(5, "new")), []);
    let new = (50..110).filter_map(|n| learner.see(&lesson(n, "new", true))).last().expect("new");
    assert_eq!(read(&new, &page(5, "new")).len(), 3);
}

#[test]
fn what_was_learned_of_many_pages_gives_way_to_no_version_of_a_few() {
    let mut learner = TemplateLearner::after(None);
    let kept = (10..42).filter_map(|n| learner.see(&lesson(n, "old", true))).last().expect("kept");
    // The next run meets pages whose data names nothing but the name.
    let poor = |number: usize| {
        let name = format!("Chair {number}");
        TemplateLesson::of(&Dom::parse(&page(number, "old")), &[(Field::Name, &*name)], true)
    };
    let mut learner = TemplateLearner::after(Some(&kept));
    let few = (100..107).find_map(|number| learner.see(&poor(number)));
    assert_eq!(few, None);
    assert!((107..300).any(|number| learner.see(&poor(number)).is_some()), "many pages count");
}

#[test]
fn a_place_that_shows_other_things_is_not_believed() {
    let mut learner = TemplateLearner::after(None);
    let mut template = None;
    for number in 10..30 {
        // The data names a price, and the page shows another in the same place half the time.
        let price = if number % 2 == 0 { format!("{number}.50") } else { "3.99".to_owned() };
        let name = format!("Chair {number}");
        let known = [(Field::Name, &*name), (Field::Price, &*price)];
        let lesson = TemplateLesson::of(&Dom::parse(&page(number, "old")), &known, true);
        template = learner.see(&lesson).or(template);
    }
    let values = read(&template.expect("a template"), &page(77, "old"));
    assert_eq!(values, [(Field::Name, "Chair 77".to_owned())]);
}

#[test]
fn hostile_pages_take_time_in_proportion() {
    for part in ["<div>", "<div class=a>12 ", "<p>a: ", "<b>x</b>", "<td>1<td>2", "<span id=a1>5"] {
        let html = part.repeat(20_000);
        let known = [(Field::Price, "12"), (Field::Name, "x"), (Field::Attribute, "a\tb")];
        let lesson = TemplateLesson::of(&Dom::parse(&html), &known, true);
        let _ = TemplateLearner::after(None).see(&lesson);
    }
}
