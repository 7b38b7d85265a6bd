//! Tree construction on malformed and hostile pages, and React streaming.

use proptest::prelude::*;

use super::*;

/// The tree as text: elements with their content in parentheses.
fn outline(html: &str) -> String {
    fn write(dom: &Dom<'_>, id: NodeId, out: &mut String) {
        for child in dom.children(id) {
            match dom.kind(child) {
                NodeKind::Element(element) => {
                    let name = match element.name() {
                        "" => "?",
                        name => name,
                    };
                    out.push_str(name);
                    if dom.end(child).0 > child.0 + 1 {
                        out.push('(');
                        write(dom, child, out);
                        out.push(')');
                    }
                }
                _ => out.push_str(&format!("'{}'", dom.text(child).trim())),
            }
            out.push(' ');
        }
        if out.ends_with(' ') {
            out.pop();
        }
    }
    let dom = Dom::parse(html);
    let mut out = String::new();
    write(&dom, NodeId::ROOT, &mut out);
    out
}

#[test]
fn malformed_markup_gives_the_tree_of_browsers() {
    for (html, expected) in [
        ("<p>a<p>b", "p('a') p('b')"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "ul(li('a') li('b' ul(li('c'))) li('d')) 'e'"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "dl(dt('a') dd('b') dt('c'))"),
        ("<table><tr><td>a<td>b<tr><th>c</table>d", "table(tr(td('a') td('b')) tr(th('c'))) 'd'"),
        (
            "<table><thead><tr><td>a<tbody><tr><td><table><tr><td>b</table>c</table>",
            "table(thead(tr(td('a'))) tbody(tr(td(table(tr(td('b'))) 'c'))))",
        ),
        ("<p>a<div>b</p>c</div>", "p('a') div('b' 'c')"),
        ("<h1>a<h2>b</h3>c", "h1('a') h2('b') 'c'"),
        ("<a href=1>a<a href=2>b</a>c", "a('a') a('b') 'c'"),
        ("<b>a<p>b</b>c</p>d", "b('a' p('b' 'c')) 'd'"),
        ("<br>a</br>b</p>c", "br 'a' br 'b' 'c'"),
        ("<div><span>a</div>b</span>c", "div(span('a')) 'b' 'c'"),
        ("<form>a<form>b</form>c", "form('a' 'b') 'c'"),
        ("<head><title>a&amp;b</title><div>c", "head(title('a&b')) div('c')"),
        ("<html><head></head><body>a</body></html>b", "html(head body('a' 'b'))"),
        ("<div><html><body>a</div>b", "div(body('a' 'b'))"),
        ("<p>x<svg><path/><title>t</title><p>y", "p('x' svg(path? title('t'))) p('y')"),
        ("<script>a<p>b</script><p>c", "script('a<p>b') p('c')"),
        ("<x-y>a<x-z>b</x-y>c", "?('a' ?('b')) 'c'"),
        ("<button>a<button>b", "button('a') button('b')"),
        ("<select><option>a<option>b</select>c", "select(option('a') option('b')) 'c'"),
        ("<p><img src=a>b<p", "p(img 'b')"),
    ] {
        let expected = expected.replace("path?", "?");
        assert_eq!(outline(html), expected, "{html}");
    }
}

#[test]
fn elements_beyond_the_maximum_depth_are_flattened() {
    let html = "<div>".repeat(100_000) + "x";
    let dom = Dom::parse(&html);
    assert!(dom.too_deep);
    let deepest = (0..dom.node_count()).map(|at| dom.ancestors(NodeId(at as u32)).count()).max();
    assert!(deepest <= Some(MAX_DEPTH + 1));
    assert_eq!(dom.inner_text(NodeId::ROOT), "x");
}

#[test]
fn nodes_beyond_the_maximum_are_dropped() {
    let html = "<b>".repeat(MAX_NODES + 10);
    let dom = Dom::parse(&html);
    assert!(dom.truncated);
    assert_eq!(dom.node_count(), MAX_NODES);
}

#[test]
fn streamed_segments_move_to_their_placeholders() {
    for (html, expected) in [
        (
            "<main><template id=B:0></template><p>wait</main><footer>f</footer>\
             <div hidden id=S:0><h1>a</h1><template id=B:1></template>c</div>\
             <div hidden id=S:1><b>b</b></div>",
            "main(h1('a') b('b') 'c' p('wait')) footer('f')",
        ),
        // The fallback is removed when its segment exists, also if fallbacks nest.
        (
            "<p>a</p><!--$?--><template id=B:0></template><p>wait<!--$-->x<!--/$--></p><!--/$-->\
             <p>c</p><!--$?--><template id=B:1></template><i>wait</i><!--/$-->d\
             <div hidden id=S:0><b>b</b></div>",
            "p('a') b('b') p('c') template i('wait') 'd'",
        ),
        ("<template id=B:0></template>w<!--/$-->x<div hidden id=S:0>a</div>", "'a' 'w' 'x'"),
        ("<div hidden id=S:0>a</div><p><template id=P:0></template>b</p>", "p('a' 'b')"),
        // A segment without a placeholder, inside its own, or whose placeholder is used; a cycle.
        ("<div hidden id=S:0>a</div>", "div('a')"),
        ("<div hidden id=S:0>a<template id=B:0></template></div>", "div('a' template)"),
        (
            "<template id=B:0></template><div hidden id=S:0>a</div><div hidden id=S:0>b</div>",
            "'a' div('b')",
        ),
        (
            "<div hidden id=S:0>a<template id=P:1></template></div>\
             <div hidden id=S:1>b<template id=P:0></template></div>",
            "div('a' template) div('b' template)",
        ),
        // Hidden, but not a segment.
        ("<template id=B:0></template><div hidden id=menu>a</div>", "template div('a')"),
        ("<template id=B:0></template><div id=S:0>a</div>", "template div('a')"),
        // A segment inside of another.
        (
            "<template id=B:0></template><template id=B:1></template>\
             <div hidden id=S:0>a<div hidden id=S:1>b</div></div>",
            "'a' 'b'",
        ),
    ] {
        assert_eq!(outline(html), expected, "{html}");
    }
}

#[test]
fn deeply_nested_segments_are_flattened() {
    let mut html = String::from("<template id=B:0></template>");
    for piece in 0..5_000 {
        let next = piece + 1;
        html.push_str(&format!(
            "<div hidden id=S:{piece}><i><b>x<template id=B:{next}></template></b></i></div>"
        ));
    }
    let dom = Dom::parse(&html);
    assert!(dom.too_deep);
    let deepest = (0..dom.node_count()).map(|at| dom.ancestors(NodeId(at as u32)).count()).max();
    assert!(deepest <= Some(MAX_DEPTH + 1), "{deepest:?}");
    assert_eq!(dom.inner_text(NodeId::ROOT), "x".repeat(5_000));
}

proptest! {
    #[test]
    fn tree_invariants_hold_on_any_input(
        html in "(<!--(/[$]|[$][?])-->|<(template id=[BP]:[0-3]|div hidden id=S:[0-3])>|</?(p|div|a|b|li|ul|table|tr|td|th|tbody|form|svg|math|h1|h2|button|head|body|html|x-y|br|script|select|option|template)[ />]?|>|x|&amp;| ){0,120}"
    ) {
        let dom = Dom::parse(&html);
        for at in 0..dom.node_count() {
            let id = NodeId(at as u32);
            prop_assert!(dom.end(id) > id);
            if let Some(parent) = dom.parent(id) {
                prop_assert!(parent < id);
                prop_assert!(dom.end(id) <= dom.end(parent));
            }
            let mut next = id.0 + 1;
            for child in dom.children(id) {
                prop_assert_eq!(child.0, next);
                prop_assert_eq!(dom.parent(child), Some(id));
                next = dom.end(child).0;
            }
            prop_assert_eq!(next, dom.end(id).0);
        }
    }
}
