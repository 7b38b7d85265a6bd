//! URLs of links and images.

use urls::CanonicalUrl;

use super::*;

fn written_at(html: &str) -> WrittenMarkdown {
    let url = CanonicalUrl::parse("https://example.com/docs/a?x=1").expect("an address");
    let dom = Dom::parse(html);
    let body = dom.body();
    let selection = NodeSelection::all_below(&dom, body);
    let base = BaseUrl::of(&dom, &url);
    write(&dom, &selection, 0, WriterTarget::inline(&base))
}

#[test]
fn urls_are_absolute_without_tracking_parameters() {
    for (html, expected) in [
        ("<a href=b>t</a>", "[t](https://example.com/docs/b)"),
        ("<a href='/b?utm_source=x&amp;q=1#part'>t</a>", "[t](https://example.com/b?q=1#part)"),
        ("<a href='/b?z=2&amp;utm_source=x&amp;a=1'>t</a>", "[t](https://example.com/b?z=2&a=1)"),
        ("<a href=https://o.org?b&a>t</a>", "[t](https://o.org/?b&a)"),
        ("<a href=#part>t</a>", "[t](https://example.com/docs/a?x=1#part)"),
        ("<a href='/b#:~:text=a'>t</a>", "[t](https://example.com/b)"),
        ("<a href=//other.org/>t</a>", "[t](https://other.org/)"),
        ("<a href=tel:+123>t</a>", "[t](tel:+123)"),
        ("<a href='JavaScript:void(0)'>t</a>", "t"),
        ("<a href='https://user:pw@x.org/'>t</a>", "t"),
        ("<img src=i.png alt=t>", "![t](https://example.com/docs/i.png)"),
        ("<head><base href=/other/></head><a href=b>t</a>", "[t](https://example.com/other/b)"),
    ] {
        assert_eq!(written_at(html).markdown.trim_end(), expected, "{html}");
    }
}

#[test]
fn links_and_images_of_the_text_are_listed() {
    let found = written_at(
        "<h2 id=h>A <i>b</i></h2><p>one <a href=/x>two <b>three</b></a> \
         <a href=/y><img src=/i.png alt=four></a></p><pre>five six</pre>",
    );
    assert_eq!(found.words, 7);
    let links: Vec<_> = found.links.iter().map(|link| (&*link.url, &*link.text)).collect();
    assert_eq!(links, [("https://example.com/x", "two three"), ("https://example.com/y", "four")]);
    assert_eq!(found.images[0].url, "https://example.com/i.png");
    assert_eq!(found.images[0].alt.as_deref(), Some("four"));
    assert_eq!(found.headings[0].text, "A b");
}

#[test]
fn only_selected_nodes_are_written() {
    let html = "<div><p>a <b>b</b> c</p><p>d</p></div>";
    let dom = Dom::parse(html);
    let mut selection = NodeSelection::none(&dom);
    let chosen = dom.descendants(NodeId::ROOT).filter(|id| matches!(&*dom.text(*id), "b" | "d"));
    for id in chosen.collect::<Vec<_>>() {
        selection.add(&dom, id);
    }
    let found = write(&dom, &selection, 0, WriterTarget::inline(&BaseUrl::none()));
    assert_eq!(found.markdown, "**b**\n\nd\n");
}
