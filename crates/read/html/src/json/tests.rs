//! Repairs of the lenient parser, budgets, and robustness.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn malformed_json_is_repaired() {
    for (text, meant) in [
        (r#"{"a": 1, "b": [1, 2, ], }"#, json!({"a": 1, "b": [1, 2]})),
        ("{\"a\": \"one\ntwo\tthree\"}", json!({"a": "one\ntwo\tthree"})),
        ("<!-- {\"a\": 1} -->", json!({"a": 1})),
        ("//<![CDATA[\n{\"a\": 1}\n//]]>", json!({"a": 1})),
        ("/* x */ {\"a\": 1 // y\n}", json!({"a": 1})),
        (r#"{"a": "a 24" screen", "b": 2}"#, json!({"a": "a 24\" screen", "b": 2})),
        (
            r#"{"a": "the "best" one, says he", "b": 2}"#,
            json!({"a": "the \"best\" one, says he", "b": 2}),
        ),
        (r#"{"a": 1};"#, json!({"a": 1})),
        ("{&quot;a&quot;: &quot;b &amp;amp; c&quot;}", json!({"a": "b &amp; c"})),
        (
            "{a: 'x', b: !0, c: !1, d: void 0, e: undefined}",
            json!({"a": "x", "b": true, "c": false, "d": null, "e": null}),
        ),
        (r#"{"a": .5, "b": +1, "c": 01}"#, json!({"a": 0.5, "b": 1, "c": 1.0})),
        (
            r#"{"a": "it\'s", "b": "\x41\u00e9\ud83d\ude00\ud83d"}"#,
            json!({"a": "it's", "b": "Aé😀\u{fffd}"}),
        ),
        (r#"{"a": {"b": 1"#, json!({"a": {"b": 1}})),
        (r#"{"a" "b", "c": 1}"#, json!(null)),
    ] {
        assert_eq!(value(text).unwrap_or_default(), meant, "{text}");
    }
}

#[test]
fn consecutive_objects_are_all_read() {
    assert_eq!(values("{\"a\":1}\n{\"b\":2},\n[3]"), [json!({"a":1}), json!({"b":2}), json!([3])]);
}

#[test]
fn value_ends_before_the_rest_of_the_script() {
    let script = "var meta = {\"a\":[1]};\nfor (var x in meta) {}";
    assert_eq!(value_at(script, 11), Some((json!({"a":[1]}), 20)));
}

#[test]
fn function_that_only_inserts_arguments_is_evaluated() {
    let script = r#"(function(a,b,c){return {w:"x",x:a,y:[b,{z:c}]}}("one",null,2))"#;
    assert_eq!(evaluate_call(script), Ok(json!({"w": "x", "x": "one", "y": [null, {"z": 2}]})));
    assert!(evaluate_call("(function(a){alert(1)}(1))").is_err());
}

#[test]
fn call_is_dropped_when_arguments_exceed_the_budget() {
    let call = |mentions: usize| {
        let argument = "x".repeat(10_000);
        let mentions = "a,".repeat(mentions);
        format!("(function(a){{return {{x:[{mentions}1]}}}}(\"{argument}\"))")
    };
    assert!(evaluate_call(&call(3)).is_ok());
    // 12 KB of script would expand to 10 MB of values.
    assert!(evaluate_call(&call(1_000)).is_err());
}

#[test]
fn devalue_strings_are_copied_within_the_budget() {
    let text = "x".repeat(10_000);
    let references = vec![json!(2); 1_000];
    let revived = revive(&json!([{"a": 1}, references, text])).expect("a flattened list");
    let copies = revived["a"].as_array().expect("the list").iter().filter(|one| one.is_string());
    assert!((1..=10).contains(&copies.count()));
}

#[test]
fn devalue_doubling_references_stop_at_the_budget() {
    let mut flat = vec![json!({"a": 1})];
    flat.extend((2..40).map(|next| json!([next, next])));
    let revived = revive(&serde_json::Value::Array(flat)).expect("a flattened list");
    assert!(length(&revived) < 4 * 1024 * 1024, "{}", length(&revived));
}

#[test]
fn devalue_undefined_entries_stop_at_the_budget() {
    let undefined = vec![json!(-1); 4_000];
    let references = vec![json!(2); 4_000];
    let flat = json!([{"a": 1}, references, undefined]);
    let revived = revive(&flat).expect("a flattened list");
    assert!(length(&revived) < 32 * length(&flat), "{}", length(&revived));
}

#[test]
fn texts_beyond_four_megabytes_in_total_are_skipped() {
    let long = format!("[\"{}\"]", "x".repeat(3 * 1024 * 1024));
    let texts = [long.as_str(), long.as_str(), "[1]"];
    assert_eq!(values_of_all(texts.into_iter()).len(), 2);
}

#[test]
fn nesting_depth_is_limited() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(values(&deep).len(), 1);
    assert!(!values(&"{\"a\":".repeat(100_000)).is_empty());
}

#[test]
fn devalue_state_is_revived() {
    let flat = json!([["ShallowReactive", 1], {"a": 2, "b": 3, "c": -1}, "x", [2, 4], 7]);
    assert_eq!(revive(&flat), Some(json!({"a": "x", "b": ["x", 7], "c": null})));
    assert!(revive(&json!([{"a": 1}, {"b": 0}])).is_some());
    assert_eq!(revive(&json!([1, 2])), None);
}

proptest! {
    #[test]
    fn parsers_never_panic_on_text(text in "\\PC{0,200}") {
        values(&text);
    }

    #[test]
    fn parsers_never_panic_on_json_syntax(text in "([\\[\\]{}:,\"'`\\\\!/<>*\\-a-zé0-9 \n]){0,200}") {
        values(&text);
        value_at(&text, 0);
    }

    #[test]
    fn valid_json_round_trips(text in "[a-z \"\\\\\n,:é]{0,20}", number in any::<i64>()) {
        let right = json!({"text": text, "list": [number, null, true, {"x": text}]});
        let written = right.to_string();
        prop_assert_eq!(value_at(&written, 0).map(|(value, _)| value), Some(right.clone()));
        prop_assert_eq!(values(&written), [right]);
    }
}
