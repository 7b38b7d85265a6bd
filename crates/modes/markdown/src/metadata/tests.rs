//! Titles, authors and dates of pages.

use urls::CanonicalUrl;

use super::*;
use page::{PageHead, PageLimits};

fn read(html: &str) -> Metadata {
    let url = CanonicalUrl::parse("https://example.com/a").expect("an address");
    let page = page::read_page(html.as_bytes(), &PageHead::default(), &url, &PageLimits::default());
    metadata(&Dom::parse(html), &page)
}

#[test]
fn site_name_is_removed_from_the_title() {
    for (html, title) in [
        ("<title>A page | Site</title><h1>A page</h1>", "A page"),
        ("<title>Site - A page - Part two</title><h1>A page - Part two</h1>", "A page - Part two"),
        ("<title>A page – Site</title><meta property=og:site_name content=Site>", "A page"),
        ("<title>Site: A longer page</title><h1>A longer page</h1>", "A longer page"),
        ("<title>A page | Site</title><meta property=og:title content='A page'>", "A page"),
        ("<title>Site | News</title><h1>Site | News</h1>", "Site | News"),
        (
            "<title>A page - Site</title><h1>Site</h1>\
          <meta property=og:site_name content=Site>",
            "A page",
        ),
        ("<title>Home</title><h1>Welcome to us</h1>", "Welcome to us"),
        ("<h1>Only a heading</h1>", "Only a heading"),
        ("<title>A well-known thing</title>", "A well-known thing"),
        (
            "<title>A - B</title><script type=application/ld+json>\
             {\"@type\":\"NewsArticle\",\"headline\":\"A\"}</script>",
            "A",
        ),
    ] {
        assert_eq!(read(html).title.as_deref(), Some(title), "{html}");
    }
    assert_eq!(read("<p>a").title, None);
}

#[test]
fn author_is_a_name_and_no_url() {
    for (html, author) in [
        ("<meta name=author content='By Jane Doe'>", Some("Jane Doe")),
        ("<meta property=article:author content=https://facebook.com/x>", None),
        (
            "<script type=application/ld+json>{\"@graph\":[{\"@type\":\"Article\",\"author\":\
             [{\"@id\":\"#j\"},{\"name\":\"Max\"}]},{\"@id\":\"#j\",\"name\":\"Jane\"}]}</script>",
            Some("Jane, Max"),
        ),
        (
            "<script type=application/ld+json>{\"@type\":</script><a rel=author>Jane</a>",
            Some("Jane"),
        ),
        ("<span itemprop=author><b itemprop=name>Jane</b> writes</span>", Some("Jane")),
        ("<p class=byline>Written by: Jane Doe | 3 May</p>", Some("Jane Doe")),
        ("<div class=comments><p class=author>Troll</p></div>", None),
        ("<meta name=author content=Site><meta property=og:site_name content=Site>", None),
        (
            "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content=Jane>",
            Some("Jane"),
        ),
    ] {
        assert_eq!(read(html).author.as_deref(), author, "{html}");
    }
}

#[test]
fn only_valid_dates_are_returned() {
    for (html, published) in [
        (
            "<meta property=article:published_time content='2024-05-01T10:20:30+02:00'>",
            Some("2024-05-01T10:20:30+02:00"),
        ),
        ("<meta name=date content='2024-02-31'><time datetime=2024-02-28>", Some("2024-02-28")),
        ("<meta name=dc.date content=20240501>", Some("2024-05-01")),
        ("<meta name=date content='1970-01-01'>", None),
        ("<meta name=date content='Tue, 10 Jun 2003 04:00:00 GMT'>", Some("2003-06-10T04:00:00Z")),
        ("<span class=post-date>Posted on March 3rd, 2021</span>", Some("2021-03-03")),
        ("<span itemprop=datePublished>3 Sept 2021</span>", Some("2021-09-03")),
        ("<time datetime=2024-05-01>a</time><time datetime=2024-05-02>b</time>", None),
        ("<h1>A</h1><p>By B</p><p>March 3, 2021</p>", Some("2021-03-03")),
        ("<h1>A</h1><p>Updated March 3, 2021</p>", None),
        ("<h1>A</h1><ul><li><p>March 3, 2021</p></ul>", None),
        ("<h1>A</h1><p>Release date: March 3, 2021</p>", None),
        ("<p class=date>March 3, 2021</p><p class=date>March 4, 2021</p>", None),
        ("<p>Last modified: <time>March 3, 2021</time></p>", None),
        ("<h1>a</h1><p>May 4, 2020</p>", Some("2020-05-04")),
        ("<h1>a</h1><p>Marketing 4, 2020</p>", None),
        (
            "<script type=application/ld+json>{\"@type\":\"BlogPosting\",\
             \"datePublished\":\"2024-05-01T10:20:30Z\"}</script>",
            Some("2024-05-01T10:20:30Z"),
        ),
    ] {
        assert_eq!(read(html).published_at.as_deref(), published, "{html}");
    }
    let changed = read("<meta property=article:modified_time content=2024-05-01>").modified_at;
    assert_eq!(changed.as_deref(), Some("2024-05-01"));
}

#[test]
fn hostile_metadata_takes_linear_time() {
    let deep = format!("<script type=application/ld+json>{}</script>", "[".repeat(100_000));
    let wide = format!("<script type=application/ld+json>[{}1]</script>", "{},".repeat(100_000));
    let many = "<meta name=author content=x>".repeat(10_000);
    let authors = "<a rel=author class=byline itemprop=author>".repeat(10_000);
    for html in [deep, wide, many, authors] {
        let _ = read(&html);
    }
}
