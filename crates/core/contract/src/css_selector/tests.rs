//! Tests of the parser of selectors.

use super::*;

/// The steps of a selector, in a short form.
fn steps(text: &str) -> Vec<String> {
    let parsed = SelectorParser::parse(text).unwrap_or_else(|error| panic!("{text} {error}"));
    let short = |step: SelectorStep| {
        let place = match step.place {
            StepPlace::Anywhere => "",
            StepPlace::Descendant => " ",
            StepPlace::Child => ">",
        };
        let tests = step.tests.iter().map(|test| {
            let AttributeTest { name, operator, value } = test;
            format!("[{name} {operator:?} {value}]")
        });
        let tests: String = tests.collect();
        let end = if step.is_last { "$" } else { "" };
        format!("{place}{}{tests}{end}", step.element.as_deref().unwrap_or("*"))
    };
    parsed.into_iter().map(short).collect()
}

#[test]
fn selectors_are_steps_from_the_outermost_element() {
    assert_eq!(steps("P"), ["p$"]);
    assert_eq!(steps("main .post#a > *"), ["main", " *[class HasWord post][id Equals a]", ">*$"]);
    assert_eq!(steps(" ul>li , h1"), ["ul", ">li$", "h1$"]);
    assert_eq!(
        steps("a[HREF][rel~=me][lang|=en][id^='x'][id$=\"y]\"][data-a*= z ]"),
        ["a[href Exists ][rel HasWord me][lang HasLanguage en][id StartsWith x][id EndsWith y]]\
          [data-a Contains z]$"]
    );
    assert_eq!(
        steps(r".md\:flex.\31 0.ü"),
        ["*[class HasWord md:flex][class HasWord 10][class HasWord ü]$"]
    );
}

#[test]
fn errors_name_the_character_and_what_is_not_supported() {
    for (text, position, word) in [
        ("", 1, "expected"),
        ("a,", 3, "expected"),
        ("a >", 4, "expected"),
        ("> a", 1, "expected"),
        ("a:hover", 2, "pseudo-classes"),
        ("ü::before", 2, "pseudo-classes"),
        ("h1 + p", 4, "children"),
        ("h1 ~ p", 4, "children"),
        ("svg|a", 4, "namespaces"),
        ("my-tag", 1, "custom elements"),
        ("[a=b", 5, "] is expected"),
        ("[a=\"b]", 7, "quotation mark"),
        ("[a!=b]", 3, "= or ]"),
        ("[a=b i]", 6, "] is expected"),
        (".", 2, "name"),
        ("a)", 2, "comma"),
        (r"\110000", 1, "escape"),
        ("a\\", 3, "character"),
    ] {
        let error = SelectorParser::parse(text).expect_err(text);
        assert_eq!(error.position, position, "{text}: {error}");
        assert!(error.message.contains(word), "{text}: {error}");
    }
}

#[test]
fn lists_have_bounded_selectors_and_steps() {
    let long = ".a".repeat(101);
    let errors = selector_errors(&["p", &long, "a:b"]);
    assert_eq!(errors.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 2]);
    assert!(errors[0].1.contains("more than 200"), "{errors:?}");
    let many = "a ".repeat(90);
    assert!(selector_errors(&[&many, &many]).is_empty());
    let errors = selector_errors(&[&many, &many, &many, &many]);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].0, 2);
    let texts = [many.clone(), many.clone(), many];
    assert!(CssSelectors::new(&texts).steps().len() <= CssSelectors::MAX_STEPS);
}

#[test]
fn values_of_attributes_are_compared_as_in_css() {
    let passes = |selector: &str, value: &str| {
        let step = SelectorParser::parse(selector).expect("a selector").remove(0);
        step.tests[0].passes(value)
    };
    for (selector, value, expected) in [
        (".a", "b a", true),
        (".a", "ab", false),
        ("[x='']", "", true),
        ("[x~='']", "a", false),
        ("[x^='']", "a", false),
        ("[x|=en]", "en-GB", true),
        ("[x|=en]", "eng", false),
        ("[x^=a]", "ab", true),
        ("[x$=b]", "ab", true),
        ("[x*=c]", "ab", false),
    ] {
        assert_eq!(passes(selector, value), expected, "{selector} {value}");
    }
}
