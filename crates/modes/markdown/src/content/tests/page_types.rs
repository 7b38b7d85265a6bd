//! Pages of every type: the content is kept and the boilerplate removed.

use super::*;

#[test]
fn documentation_keeps_text_and_code_without_side_navigation() {
    let side: String = ["Installing", "Configuring", "Upgrading", "Backups", "Troubleshooting"]
        .iter()
        .map(|name| format!("<li><a href=/docs/{name}>{name} the server</a></li>"))
        .collect();
    let html = site(
        "Installing the server",
        &format!(
            "<div class=docs-layout><aside class=sidebar><nav class=docs-menu><ul>{side}</ul></nav>\
             </aside><main class='docs-content markdown-body'><h1>Installing the server</h1>\
             <p>The server runs on any machine with two gigabytes of memory. Download the archive \
             for your system and unpack it where you like.</p>\
             <div class=tabs><div role=tablist><button role=tab>Linux</button></div>\
             <div role=tabpanel><pre><code>tar xf server.tar.gz &amp;&amp; ./server start</code></pre></div>\
             </div><h2>First steps</h2><p>Open the address that the server prints when it has \
             started. It asks for a name and a password, and creates the first account.</p>\
             <p>Settings are read from a file beside the program; every key in it has a default, \
             so that the file may also be missing.</p></main>\
             <div class=toc><p>On this page</p><ul><li><a href=#first>First steps</a></li></ul></div></div>"
        ),
    );
    select_page("https://northwind.test/docs/installing", &html)
        .has(&["First steps", "two gigabytes", "./server start", "every key in it"])
        .has_none(&AROUND)
        .has_none(&["Troubleshooting", "Backups"]);
}

#[test]
fn product_page_keeps_the_product_without_shop_boilerplate() {
    let related: String = (1..7)
        .map(|at| format!("<li class=product-card><a href=/p/{at}>Kettle number {at}</a> <span>$ {at}9.00</span></li>"))
        .collect();
    let html = site(
        "Copper kettle",
        &format!(
            "<main><div class=product itemscope itemtype=https://schema.org/Product>\
             <h1 class=product-title>Copper kettle</h1><span class=price>$ 89.00</span>\
             <div class=product-description><p>A kettle of hammered copper that holds two litres and \
             brings them to the boil in four minutes on any stove, induction included.</p>\
             <p>The handle is made of beech and stays cool. Descale it with vinegar twice a year and \
             it will outlive its owner.</p></div>\
             <table class=specifications><tr><th>Capacity</th><td>2 litres</td></tr>\
             <tr><th>Weight</th><td>1.1 kilograms</td></tr></table>\
             <button class=add-to-cart>Add to cart</button></div>\
             <section class=related-products><h2>You may also like</h2><ul>{related}</ul></section></main>"
        ),
    );
    select_page("https://northwind.test/products/copper-kettle", &html)
        .has(&["hammered copper", "Descale it with vinegar"])
        .has_none(&AROUND)
        .has_none(&["Kettle number 4"]);
}

#[test]
fn category_page_keeps_its_cards() {
    let cards: String = [
        "Copper kettle",
        "Steel kettle",
        "Glass kettle",
        "Camping kettle",
        "Whistling kettle",
        "Small kettle",
    ]
    .iter()
    .map(|name| {
        format!(
            "<li class=product-card><a href=/p><h3 class=card-title>{name}</h3></a>\
                 <p class=card-text>The {name} boils two litres in four minutes.</p>\
                 <span class=price>$ 49.00</span></li>"
        )
    })
    .collect();
    let html = site(
        "Kettles",
        &format!(
            "<main class=collection><h1>Kettles</h1><p>All our kettles boil water on every stove.</p>\
             <ul class=product-grid>{cards}</ul></main>"
        ),
    );
    select_page("https://northwind.test/collections/kettles", &html)
        .has(&["Copper kettle", "Glass kettle", "Small kettle"])
        .has_none(&["All rights reserved", "Accept all cookies"]);
}

#[test]
fn forum_thread_keeps_every_post() {
    let posts: String = ["ann", "ben", "cleo", "dan"]
        .iter()
        .map(|name| {
            format!(
                "<article class='post message'><div class=post-author><a href=/u/{name}>{name}</a>\
                 </div><div class='post-body message-content'><p>I had the same trouble with the pump \
                 last year, and what {name} did then was to clean the filter first and to look at \
                 the seal only after that. It has been quiet ever since.</p></div>\
                 <div class=post-actions><button>Like</button><button>Reply</button></div></article>"
            )
        })
        .collect();
    let html = site(
        "The pump is loud",
        &format!(
            "<main class=thread><h1>The pump is loud</h1><div class=posts>{posts}</div></main>"
        ),
    );
    select_page("https://forum.northwind.test/t/the-pump-is-loud/4711", &html)
        .has(&["what ann did then", "what ben did", "what cleo did", "what dan did"])
        .has_none(&AROUND);
}

#[test]
fn faq_keeps_questions_and_answers() {
    let html = site(
        "How do I bleed a radiator?",
        "<main class=question-page><div class=question><h1>How do I bleed a radiator?</h1>\
         <div class=question-body><p>Mine gurgles at night and stays cold at the top. I have a key \
         but do not know which way to turn it, or when to stop.</p></div></div>\
         <div class=answers><h2>2 Answers</h2><div class=answer><div class=answer-body><p>Turn it to \
         the left by half a turn, hold a cup below, and close it as soon as water comes instead of \
         air. Then look at the pressure of the boiler.</p></div></div>\
         <div class=answer><div class=answer-body><p>Switch the pump off before you begin; otherwise \
         it draws more air in while you let some out.</p></div></div></div></main>",
    );
    select_page("https://northwind.test/questions/17/how-do-i-bleed-a-radiator", &html)
        .has(&["gurgles at night", "half a turn", "Switch the pump off"])
        .has_none(&AROUND);
}

#[test]
fn home_page_keeps_its_text() {
    let html = site(
        "Northwind, heating for old houses",
        "<main><section class=hero><h1>Heating for old houses</h1><p>We plan, build and look after \
         heating in houses that were never made for it, from farmhouses to town halls.</p></section>\
         <section class=features><div class=feature><h3>Planning</h3><p>We measure every room and \
         tell you what it will cost to keep it warm before you decide.</p></div>\
         <div class=feature><h3>Building</h3><p>Our own people do the work, and you know their names \
         before they ring your bell.</p></div></section></main>",
    );
    select_page("https://northwind.test/", &html)
        .has(&["from farmhouses to town halls", "measure every room", "know their names"])
        .has_none(&AROUND);
}

#[test]
fn table_page_keeps_the_table() {
    let rows: String = (1..30)
        .map(|at| {
            format!("<tr><td>Station {at}</td><td>{at}.5 °C</td><td>{at} mm of rain</td></tr>")
        })
        .collect();
    let html = site(
        "Weather stations",
        &format!(
            "<main><h1>Weather stations</h1><table class=data><thead><tr><th>Station</th>\
             <th>Temperature</th><th>Rain</th></tr></thead><tbody>{rows}</tbody></table></main>"
        ),
    );
    select_page("https://northwind.test/stations", &html)
        .has(&["Station 1", "Station 29", "29 mm of rain", "Temperature"])
        .has_none(&AROUND);
}

#[test]
fn recipe_keeps_ingredients_and_steps() {
    let html = site(
        "Onion soup",
        "<main><article class=recipe><h1>Onion soup</h1><p>A soup for cold evenings that needs an \
         hour and little else; my grandmother made it every Saturday.</p>\
         <h2>Ingredients</h2><ul class=ingredients><li>1 kg of yellow onions</li><li>60 g of \
         butter</li><li>1 litre of beef stock</li><li>4 slices of old bread</li></ul>\
         <h2>Method</h2><ol class=instructions><li>Slice the onions thinly and fry them in the butter \
         for forty minutes, until they are brown.</li><li>Pour in the stock and let it simmer for \
         another quarter of an hour.</li><li>Toast the bread, lay it on top and serve the soup at \
         once.</li></ol></article>\
         <div class='newsletter signup'><h3>Never miss a recipe</h3><p>Subscribe to our newsletter.</p>\
         <form><input name=email><button>Subscribe</button></form></div></main>",
    );
    select_page("https://northwind.test/recipes/onion-soup", &html)
        .has(&["yellow onions", "old bread", "Slice the onions", "Toast the bread"])
        .has_none(&AROUND)
        .has_none(&["Subscribe to our newsletter"]);
}

#[test]
fn changelog_keeps_its_entries() {
    let versions: String = (1..6)
        .map(|at| {
            format!(
                "<h2>2.{at}.0</h2><ul><li>Added a command that lists all open files of run {at}</li>\
                 <li>Fixed a crash when the folder of run {at} was removed</li></ul>"
            )
        })
        .collect();
    let html = site(
        "Changelog",
        &format!("<main class=markdown-body><h1>Changelog</h1>{versions}</main>"),
    );
    select_page("https://northwind.test/docs/changelog", &html)
        .has(&["open files of run 1", "folder of run 5", "2.3.0"])
        .has_none(&AROUND);
}

#[test]
fn api_reference_keeps_its_signatures() {
    let methods: String = ["open", "close", "read", "write"]
        .iter()
        .map(|name| {
            format!(
                "<section class=method><h3><code>{name}(path, flags)</code></h3><p>The function \
                 {name} takes a path and flags, and returns a number that later calls need.</p>\
                 <dl><dt>path</dt><dd>where the file is, as text</dd><dt>flags</dt><dd>what may be \
                 done with it</dd></dl></section>"
            )
        })
        .collect();
    let html = site(
        "Module files",
        &format!("<main class=api-docs><h1>Module files</h1>{methods}</main>"),
    );
    select_page("https://northwind.test/docs/api/files", &html)
        .has(&["open(path, flags)", "write(path, flags)", "The function read", "where the file is"])
        .has_none(&AROUND);
}

#[test]
fn link_list_page_keeps_its_links() {
    let links: String =
        ["gardens", "bridges", "kettles", "pumps", "roofs", "wells", "mills", "barns"]
            .iter()
            .map(|name| {
                format!(
                    "<li><a href=/links/{name}>A short history of {name} in the valley</a></li>"
                )
            })
            .collect();
    let html = site(
        "Links",
        &format!("<main class=content><h1>Links</h1><ul class=link-list>{links}</ul></main>"),
    );
    select_page("https://northwind.test/links", &html)
        .has(&["history of gardens", "history of barns"])
        .has_none(&["Accept all cookies", "All rights reserved"]);
}

#[test]
fn short_page_keeps_all_lines() {
    let html = site(
        "Moved",
        "<main><h1>We have moved</h1><p>The office is now in Mill Lane 4.</p></main>",
    );
    select_page("https://northwind.test/moved", &html).has(&["The office is now in Mill Lane 4."]);
    let bare = select_page("https://northwind.test/ok", "<p>It works!</p>");
    bare.has(&["It works!"]);
    assert!(bare.content.kept_words > 0);
}

#[test]
fn article_boilerplate_is_removed() {
    let html = site(
        "The bridge",
        &format!(
            "<main><article class=post><h1>The bridge</h1>{}\
             <div class=share-buttons><a href=/s>Share on Facebook</a><a href=/t>Tweet this</a></div>\
             <div class='ad advertisement'>Advertisement</div>{}</article>\
             <section class=related-posts><h2>Related articles</h2><ul>\
             <li><a href=/a>Ten roofs of slate that you should see</a></li>\
             <li><a href=/b>Why wells run dry in spring</a></li></ul></section>\
             <section id=comments class=comments><h2>3 Comments</h2><div class=comment><p>Nice, thank \
             you!</p></div></section>\
             <div class=newsletter-signup><p>Subscribe to our newsletter</p></div></main>",
            prose("bridge"),
            prose("river bank"),
        ),
    );
    select_page("https://northwind.test/blog/the-bridge", &html)
        .has(&["bridge stood for thirty years", "river bank stood for thirty years"])
        .has_none(&AROUND)
        .has_none(&["Share on Facebook", "Advertisement", "Ten roofs", "Subscribe to our"]);
}

#[test]
fn title_heading_is_kept_once_with_its_content() {
    let bodies = [
        ("article", format!("<article><h1>The bridge</h1>{}</article>", prose("bridge"))),
        (
            "header",
            format!(
                "<header class=entry-header><h1 class=entry-title>The bridge</h1><p class=byline>By \
                 Ann Lee</p></header><div class=entry-content>{}</div>",
                prose("bridge")
            ),
        ),
        (
            "docs",
            format!(
                "<main><ol class=breadcrumb><li><a href=/docs>Docs</a></li></ol><h1>The bridge</h1>\
                 <div class=docs-body>{}</div></main>",
                prose("bridge")
            ),
        ),
    ];
    for (name, body) in bodies {
        let page =
            select_page("https://northwind.test/blog/the-bridge", &site("The bridge", &body));
        page.has(&["The bridge", "stood for thirty years"]).has_none(&AROUND);
        let lines = page.text.lines().filter(|line| line.trim() == "The bridge");
        assert_eq!(lines.count(), 1, "{name}: {:?}", page.text);
    }
}

#[test]
fn site_name_heading_is_not_kept_as_title() {
    let navigation: String =
        (1..20).map(|at| format!("<li><a href=/{at}>Department {at}</a></li>")).collect();
    let html = format!(
        "<!doctype html><title>The bridge | Northwind</title><body><header><h1>Northwind</h1>\
         <nav><ul>{navigation}</ul></nav></header><main><article><h2>The bridge</h2>{}</article>\
         </main></body>",
        prose("bridge")
    );
    select_page("https://northwind.test/blog/the-bridge", &html)
        .has(&["stood for thirty years"])
        .has_none(&["Northwind", "Department 4"]);
}

#[test]
fn duplicated_text_is_kept_once() {
    let html = site(
        "The bridge",
        &format!(
            "<main><article class=post><h1>The bridge</h1>{0}</article>\
             <div class='mobile-only teaser-panel' aria-hidden=true>{0}</div></main>",
            prose("bridge"),
        ),
    );
    let page = select_page("https://northwind.test/blog/the-bridge", &html);
    assert_eq!(page.text.matches("stood for thirty years").count(), 1, "{:?}", page.text);
}

#[test]
fn posts_of_a_thread_have_authors_and_are_separated() {
    let post = |author: &str, text: &str| {
        format!(
            "<article class='message post'><div class=message-user><a class=username href=/u>\
             {author}</a></div><div class=message-body><p>{text}</p></div></article>"
        )
    };
    let posts = [
        post(
            "Otto",
            "My pump has not started since the cold weekend, and it only hums. Did \
              anybody here see that before, and what did you do about it?",
        ),
        post(
            "Ida",
            "Mine did the same for weeks until I cleaned the filter and waited for an \
              hour. After that it has run every day without any complaint.",
        ),
        post(
            "Ruth",
            "Check the fuse first, because a pump that hums gets power on one of two \
              lines only. That was the cause at my house, at least.",
        ),
    ];
    let html = site("Pump hums", &format!("<main><h1>Pump hums</h1>{}</main>", posts.concat()));
    let dom = Dom::parse(&html);
    let head = HeadFeatures::read(&dom, "https://forum.northwind.test/threads/pump-hums");
    let content = select(&dom, &head, &RepeatedBlocks::default());
    let base = crate::writer::BaseUrl::none();
    let target = crate::writer::WriterTarget::inline(&base);
    let written = crate::writer::write(&dom, &content.selection, 0, target);
    let markdown = written.markdown;
    assert_eq!(markdown.matches("\n---\n").count(), 2, "{markdown}");
    for author in ["**Otto**", "**Ida**", "**Ruth**"] {
        assert!(markdown.contains(author), "{author} in {markdown}");
    }
}
