//! Layouts of real sites with invented content.

use contacts::{ContactAggregator, Contacts};
use urls::CanonicalUrl;

use crate::scoring::read;

/// The record of one page of `muster.test`.
fn record(path: &str, html: &str) -> Contacts {
    let url = CanonicalUrl::parse(&format!("https://muster.test{path}")).expect("an address");
    let mut aggregator = ContactAggregator::new("muster.test");
    let page = read(html, &url);
    aggregator.add(url, page);
    aggregator.finish()
}

fn mails(record: &Contacts) -> Vec<&str> {
    record.emails.iter().map(|mail| mail.value.as_str()).collect()
}

fn phones(record: &Contacts) -> Vec<&str> {
    record.phones.iter().filter_map(|phone| phone.e164.as_deref()).collect()
}

/// Name and title of each person.
fn people(record: &Contacts) -> Vec<(&str, &str)> {
    let shown = record.people.iter();
    shown.map(|one| (one.name.as_str(), one.title.as_deref().unwrap_or_default())).collect()
}

#[test]
fn links_without_space_between_them_are_separate_values() {
    let html = "<footer><a href='tel:888-555-0142'><span>(888) 555-0142</span></a>\
        <a href='mailto:service@muster.test'>service@muster.test</a><label>Sales</label></footer>";
    let html = html.replace("</a>        <a", "</a><a");
    let record = record("/", &html);
    assert_eq!(mails(&record), ["service@muster.test"]);
    assert_eq!(phones(&record), ["+18885550142"]);
}

#[test]
fn content_of_closed_accordions_is_read_and_traps_are_not() {
    let html = "<h1>Help</h1><div style='display:none'><h3>Contact</h3><p>Muster Ltd</p>\
        <p>12 Mill Lane</p><p>London SW1A 2AA</p><p>help@muster.test</p></div>\
        <p style='display:none'>robots@muster.test</p>";
    let record = record("/help", html);
    assert_eq!(mails(&record), ["help@muster.test"]);
    assert_eq!(record.addresses[0].city.as_deref(), Some("London"));
}

#[test]
fn entries_of_a_directory_belong_to_others() {
    let entry = |name: &str, number: &str| {
        format!(
            "<li><h3>{name}</h3><p>12 Harbor Street, Riverton, NY 12901</p>\
             <a href='https://{name}.example.org/'>Website</a> <a href='tel:{number}'>Call</a></li>"
        )
    };
    let html = format!(
        "<main><h1>Best movers</h1><ul>{}{}{}</ul></main>\
         <footer>Call us: <a href='tel:+12125550147'>(212) 555-0147</a></footer>",
        entry("alpha", "+12125550131").replace("alpha.example.org", "alpha.com"),
        entry("beta", "+17185550132").replace("beta.example.org", "beta.com"),
        entry("gamma", "+17185550133").replace("gamma.example.org", "gamma.com"),
    );
    let record = record("/best-movers", &html);
    assert_eq!(phones(&record), ["+12125550147"]);
    assert_eq!(record.addresses, []);
}

#[test]
fn heading_over_logos_does_not_cover_the_next_section() {
    let html = "<section><h2>Our clients</h2><div><img src=a.png><img src=b.png><img src=c.png>\
        </div></section><section><p>Call us <a href='tel:+12125550147'>+1 212 555 0147</a></p>\
        </section>";
    assert_eq!(phones(&record("/services", html)), ["+12125550147"]);
}

#[test]
fn mailboxes_in_source_code_and_federated_handles_are_no_contacts() {
    let html = "<main><pre><code>user = 'anna@marble-works.com'</code></pre>\
        <p>Follow @relay@muster.test, or write to hello@muster.test.</p></main>";
    assert_eq!(mails(&record("/docs", html)), ["hello@muster.test"]);
}

#[test]
fn short_numbers_are_no_phone_numbers() {
    let html = "<main lang=en><p>Mobile sales reached 431 million.</p>\
        <p>Our phones under 25000</p><p>Dial 2-1-1 for help</p><p>Port 8080, phone 4711</p></main>";
    assert_eq!(record("/", html).phones, []);
}

#[test]
fn staff_in_sentences_is_read_with_its_company() {
    let html = "<main><h1>How to choose a saw</h1>\
        <p>Please contact Laura Berg, Content Manager at Muster, laura.berg@muster.test.</p>\
        <p>Karl Otto, the founder of Muster, is here for you and your family.</p>\
        <p>You will receive an answer from our Registrar Margaret Hill within a day.</p>\
        <p>Peter Wolf, founder of Sawmill Partners, sees a growing market.</p>\
        <p>Jane Frost is a senior analyst at Timber Bank and follows the market.</p></main>";
    let record = record("/blog/saws", html);
    let mut found = people(&record);
    found.sort_unstable();
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0].0, "Karl Otto");
    assert!(found[0].1.contains("founder"));
    assert_eq!(found[1..], [("Laura Berg", "Content Manager"), ("Margaret Hill", "Registrar")]);
    let laura = record.people.iter().find(|one| one.name == "Laura Berg").expect("a person");
    assert_eq!(laura.emails, ["laura.berg@muster.test"]);
}

#[test]
fn author_box_counts_with_a_role_at_the_company() {
    let html = "<article><h1>How to choose a saw</h1><p>By Anna Berg, 12 May 2025</p><p>Text.</p>\
        <div class=author-box><h4>Anna Berg</h4><p>Anna is a market analyst based in our office.</p>\
        </div></article>";
    assert_eq!(people(&record("/blog/saws", html)), [("Anna Berg", "market analyst")]);
    let freelance = html.replace("a market analyst based in our office", "a freelance writer");
    assert_eq!(people(&record("/blog/saws", &freelance)), []);
}

#[test]
fn quoted_people_count_only_with_the_name_of_the_company() {
    let quote = |caption: &str| {
        format!(
            "<blockquote><p>It has changed the way that we work every day.</p>\
             <cite><b>Anna Berg</b>, {caption}</cite></blockquote>"
        )
    };
    assert_eq!(people(&record("/blog", &quote("Head of Sales, Sawmill Inc"))), []);
    assert_eq!(people(&record("/blog", &quote("Head of Sales, Muster"))).len(), 1);
}

#[test]
fn chief_executives_of_several_companies_are_not_staff() {
    let card = |name: &str| format!("<li><h3>{name}</h3><p>Chief Executive Officer</p></li>");
    let html = format!(
        "<main><h2>Executives</h2><ul>{}{}{}</ul></main>",
        card("Anna Berg"),
        card("Karl Otto"),
        card("Jane Frost"),
    );
    assert_eq!(people(&record("/article", &html)), []);
}

#[test]
fn slogans_and_generic_words_are_not_part_of_the_name() {
    for site_name in ["Muster - The Toolmakers of Riverton", "Muster | Tools", "Muster Blog"] {
        let html = format!("<meta property='og:site_name' content='{site_name}'><p>Text</p>");
        let record = record("/", &html);
        assert_eq!(record.company.name.as_deref(), Some("Muster"), "{site_name}");
    }
    let html = "<meta property='og:site_name' content='Homepage'><p>© 2013 - 2025 Muster. All rights reserved.</p>";
    assert_eq!(record("/", html).company.name.as_deref(), Some("Muster"));
}

#[test]
fn profiles_within_the_text_of_a_page_builder_belong_to_others() {
    let widget = |inner: &str| {
        format!(
            "<div class='elementor-element elementor-widget elementor-widget-text'>{inner}</div>"
        )
    };
    let text = widget(
        "<p>I played before <a href=https://www.facebook.com/redlamps>The Red Lamps</a> and \
         <a href=https://www.facebook.com/bluekettle>Blue Kettle</a>.</p>",
    );
    let footer = widget("<a href=https://www.facebook.com/lessons.here><i></i></a>");
    let html = format!(
        "<main><h1>What people say</h1>{text}</main>\
         <div class=elementor-location-footer>{footer}</div>"
    );
    let record = record("/praise", &html);
    let urls: Vec<_> = record.socials.iter().map(|one| one.url.as_str()).collect();
    assert_eq!(urls, ["https://www.facebook.com/lessons.here"]);
}

#[test]
fn author_of_the_logo_and_holder_of_a_documents_copyright_are_others() {
    let html = "<main><h1>grep</h1><pre>COPYRIGHT\n Copyright 2020 Other Tools Foundation, Inc.\n</pre>\
        </main><footer><div>Logo by<a href=https://twitter.com/somebody_else>@somebody_else</a></div>\
        <a href=https://github.com/muster-org>GitHub</a></footer>";
    let record = record("/man/grep", html);
    let urls: Vec<_> = record.socials.iter().map(|one| one.url.as_str()).collect();
    assert_eq!(urls, ["https://github.com/muster-org"]);
    assert_eq!(record.company.legal_name, None);
}
