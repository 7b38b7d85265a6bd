//! The shops are as they say: every page is linked and served, every value of the truth
//! stands on its page, and what should parse does.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::LazyLock;

use lab::{
    Availability, Lab, PageKind, PriceType, ProductTruth, Reply, Shop, ShopTruth, Site,
    VariantTruth,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Cuts every stretch from `open` to `close`.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once(open) {
        kept.push_str(before);
        rest = after.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&")
}

/// Without any white space, so that tags within a price do no harm.
fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// What the buyer sees, squeezed.
fn visible(html: &str) -> String {
    let mut text = html.to_owned();
    for name in ["script", "style", "noscript"] {
        text = without(&text, &format!("<{name}"), &format!("</{name}>"));
    }
    squeezed(&unescaped(&without(&text, "<", ">")))
}

/// What lies between `open` and `close`, each time.
fn between<'a>(text: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
}

static SHOPS: LazyLock<Vec<(Shop, ShopTruth)>> = LazyLock::new(|| {
    Shop::all().into_iter().map(|shop| (shop.clone(), shop.shop_truth())).collect()
});

fn shops() -> impl Iterator<Item = (&'static Shop, &'static ShopTruth)> {
    SHOPS.iter().map(|(shop, truth)| (shop, truth))
}

fn page(shop: &Shop, path: &str) -> String {
    shop.page_at(path).unwrap_or_else(|| panic!("{}{path} is not served", shop.host()))
}

#[test]
fn there_are_shops_of_many_kinds_with_products_enough() {
    let shops: Vec<_> = shops().collect();
    assert!(shops.len() >= 16);
    let hosts: HashSet<&str> = shops.iter().map(|(shop, _)| shop.host()).collect();
    assert_eq!(hosts.len(), shops.len());
    let mut currencies = HashSet::new();
    for (shop, truth) in &shops {
        assert!((30..=90).contains(&truth.products.len()), "{}", shop.host());
        let paths: HashSet<&str> = truth.products.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths.len(), truth.products.len(), "{}", shop.host());
        let kinds: HashSet<PageKind> = truth.pages.values().copied().collect();
        assert_eq!(kinds.len(), 7, "{} has every kind of page", shop.host());
        currencies.extend(truth.products.iter().filter_map(|one| one.price.currency.clone()));
    }
    assert_eq!(currencies.len(), 9, "{currencies:?}");
}

#[test]
fn a_shop_is_the_same_each_time() {
    for (shop, truth) in shops() {
        let again = Shop::named(shop.host()).expect("a shop of that name");
        assert_eq!(*truth, again.shop_truth());
        assert!(shop.pages().eq(again.pages()), "{}", shop.host());
    }
}

#[test]
fn every_page_can_be_reached_and_every_link_leads_somewhere() {
    for (shop, truth) in shops() {
        let mut seen = BTreeSet::from(["/".to_owned()]);
        let mut queue = VecDeque::from(["/".to_owned()]);
        let mut pages = BTreeSet::new();
        while let Some(path) = queue.pop_front() {
            let Reply::Whole(whole) = shop.answer(&path) else { panic!("{path} is raw") };
            assert_eq!(whole.status, 200, "{}{path}", shop.host());
            let html = String::from_utf8_lossy(&whole.body).into_owned();
            if !html.starts_with("<!doctype") {
                continue;
            }
            let html = without(&html, "<script", "</script>");
            for link in between(&html, "<a ", ">") {
                let Some(href) = between(link, "href=\"", "\"").next() else { continue };
                let href = unescaped(href);
                let inner = href.starts_with('/') && !href.starts_with("//");
                if inner && href != "/checkout" && seen.insert(href.clone()) {
                    queue.push_back(href);
                }
            }
            pages.insert(path);
        }
        let mut told: BTreeSet<String> = truth.pages.keys().cloned().collect();
        // A product that is listed under its collection is linked there, not everywhere.
        let aliases: HashMap<&str, &str> = truth
            .products
            .iter()
            .flat_map(|one| one.also_at.iter().map(|other| (one.path.as_str(), other.as_str())))
            .collect();
        told.retain(|path| pages.contains(path) || !aliases.contains_key(path.as_str()));
        let apart: Vec<&String> = pages.symmetric_difference(&told).collect();
        assert!(apart.is_empty(), "{}: {apart:?}", shop.host());
    }
}

/// Every text of the truth that must stand on the page, with the name of its field.
fn texts(product: &ProductTruth) -> Vec<(&'static str, String)> {
    let mut texts = vec![("name", product.name.clone())];
    let mut add =
        |field, text: Option<&String>| texts.extend(text.map(|text| (field, text.clone())));
    add("price", product.price.price_raw.as_ref());
    add("brand", product.brand.as_ref());
    add("category", product.category.as_ref());
    add("sku", product.sku.as_ref());
    add("mpn", product.mpn.as_ref());
    add("stock", product.availability_raw.as_ref());
    add("seller", product.seller.as_ref().map(|seller| &seller.name));
    for gtin in &product.gtin {
        add("gtin", Some(&gtin.value));
    }
    for crumb in &product.breadcrumbs {
        add("crumb", Some(&crumb.name));
    }
    for feature in &product.features {
        add("feature", Some(feature));
    }
    for (label, value) in &product.attributes {
        add("attribute", Some(label));
        add("attribute", Some(value));
    }
    if let Some(text) = &product.description_with_contacts {
        for line in text.lines() {
            add("description", Some(&line.to_owned()));
        }
    }
    if let Some(rating) = &product.rating {
        add("rating", Some(&rating.count.to_string()));
    }
    if let Some(before) = &product.price.regular_price {
        // Its whole part, as far as it stands before the first mark of grouping.
        let whole = before.split('.').next().unwrap_or_default();
        let lead = if whole.len() > 3 { &whole[whole.len() - 3..] } else { whole };
        add("regular price", Some(&lead.to_owned()));
    }
    for variant in product.variants.iter().take(50) {
        for (label, value) in &variant.options {
            add("option", Some(label));
            add("option", Some(value));
        }
    }
    texts
}

/// What a test missed, by shop and field, with one example of each.
#[derive(Default)]
struct Missing(BTreeMap<(&'static str, &'static str), (usize, String)>);

impl Missing {
    fn look(&mut self, shop: &Shop, product: &ProductTruth, page: &str) {
        for (field, text) in texts(product) {
            if !page.contains(&squeezed(&text)) {
                let example = format!("{}: {text}", product.path);
                self.0.entry((shop.host(), field)).or_insert((0, example)).0 += 1;
            }
        }
    }

    #[track_caller]
    fn assert_none(&self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}

#[test]
fn what_the_truth_says_stands_on_the_page() {
    let mut missing = Missing::default();
    for (shop, truth) in shops() {
        for product in &truth.products {
            let html = page(shop, &product.path);
            // Codes are escaped in attributes and in JSON, raw line ends are one shop's trouble.
            let source = squeezed(&unescaped(&unescaped(&html)).replace("\\n", "\n"));
            let seen = visible(&html);
            // A text may be HTML within JSON.
            let nested = without(&html.replace("\\\"", "\""), "<", ">");
            let all = format!("{seen}\n{source}\n{}", squeezed(&unescaped(&nested)));
            missing.look(shop, product, &all);
            let price = product.price.price_raw.as_deref().map(squeezed).unwrap_or_default();
            for text in [squeezed(&product.name), price] {
                assert!(seen.contains(&text), "{}{}: {text}", shop.host(), product.path);
            }
            for image in &product.images {
                let path = image.url.trim_start_matches("http:");
                let path = path.trim_start_matches(&format!("//{}", shop.host()));
                assert!(html.contains(path), "{}{}: {path}", shop.host(), product.path);
            }
        }
    }
    missing.assert_none();
}

#[test]
fn a_page_without_data_shows_all_that_its_truth_says() {
    let mut missing = Missing::default();
    let marks = [
        "itemprop",
        "itemscope",
        "itemref",
        "ld+json",
        "property=",
        "typeof",
        "__NEXT_DATA__",
        "__NUXT",
        "x-magento-init",
        "data-product=",
        "product_variations",
        "BCData",
        "var meta",
        "application/json",
        "data-price-amount",
    ];
    for (shop, whole) in shops() {
        let (unstripped, shop) = (shop, &shop.stripped());
        let truth = shop.shop_truth();
        assert_eq!(truth.pages, whole.pages);
        let bare = truth.products.iter().filter(|product| product.stripped);
        assert_eq!(bare.clone().count(), truth.products.len() / 2, "{}", shop.host());
        for product in bare {
            let html = page(shop, &product.path);
            for mark in marks {
                assert!(!html.contains(mark), "{}{}: {mark}", shop.host(), product.path);
            }
            let seen = visible(&html);
            missing.look(shop, product, &seen);
        }
        for (kept, same) in
            truth.products.iter().zip(&whole.products).filter(|(one, _)| !one.stripped)
        {
            assert_eq!(kept, same);
            assert_eq!(page(shop, &kept.path), page(unstripped, &kept.path));
        }
    }
    missing.assert_none();
}

#[test]
fn contact_details_go_and_codes_stay() {
    let mut contacts = 0;
    let mut codes = 0;
    for (shop, truth) in shops() {
        for product in &truth.products {
            let clean = product.description.clone().unwrap_or_default();
            let whole = product.description_with_contacts.clone().unwrap_or_default();
            for detail in &product.contacts {
                assert!(whole.contains(detail.as_str()), "{}{}", shop.host(), product.path);
                assert!(!clean.contains(detail.as_str()), "{}{}", shop.host(), product.path);
            }
            for code in &product.codes {
                assert!(clean.contains(code.as_str()), "{}{}: {code}", shop.host(), product.path);
            }
            contacts += product.contacts.len();
            codes += product.codes.len();
        }
    }
    assert!(contacts > 200 && codes > 400, "{contacts} {codes}");
}

#[test]
fn linked_data_parses_where_it_should_and_only_there() {
    for (shop, truth) in shops() {
        let (mut good, mut torn) = (0, 0);
        for (path, html) in shop.pages() {
            for text in between(&html, "<script type=\"application/ld+json\">", "</script>") {
                match serde_json::from_str::<serde_json::Value>(text) {
                    Ok(_) => good += 1,
                    Err(_) if truth.pages.get(&path) == Some(&PageKind::Product) => torn += 1,
                    Err(error) => panic!("{}{path}: {error}", shop.host()),
                }
            }
        }
        let tattered = shop.host() == "grainhouse.lab.test";
        assert_eq!(torn > 0, tattered, "{}: {good} whole, {torn} torn", shop.host());
        assert!(good > 0, "{}", shop.host());
    }
}

#[test]
fn the_state_of_each_platform_parses() {
    let mut found: HashMap<&str, usize> = HashMap::new();
    let open = [
        ("<script type=\"application/json\">", "</script>"),
        ("<script type=\"application/json\" id=\"ProductJson-product-template\">", "</script>"),
        ("<script type=\"application/json\" id=\"__NUXT_DATA__\" data-ssr=\"true\">", "</script>"),
        ("<script id=\"__NEXT_DATA__\" type=\"application/json\">", "</script>"),
        ("<script type=\"text/x-magento-init\">", "</script>"),
        ("var meta = ", ";\n"),
        ("var BCData = ", ";</script>"),
        ("<script>window.__NUXT__={\"", ";</script>"),
        (" data-product=\"", "\""),
        (" data-product_variations=\"", "\""),
    ];
    for (shop, truth) in shops() {
        for product in &truth.products {
            let html = page(shop, &product.path);
            for (open, close) in open {
                for text in between(&html, open, close) {
                    let text =
                        if open.starts_with(' ') { unescaped(text) } else { text.to_owned() };
                    let text = if open.ends_with("={\"") { format!("{{\"{text}") } else { text };
                    let parsed = serde_json::from_str::<serde_json::Value>(&text);
                    assert!(parsed.is_ok(), "{}{}: {open} {parsed:?}", shop.host(), product.path);
                    *found.entry(open).or_default() += 1;
                }
            }
        }
    }
    assert_eq!(found.len(), open.len(), "{found:?}");
}

#[test]
fn every_trouble_occurs() {
    let products = || shops().flat_map(|(_, truth)| &truth.products);
    let count = |test: fn(&&ProductTruth) -> bool| products().filter(test).count();
    for kind in
        [PriceType::Exact, PriceType::From, PriceType::Range, PriceType::OnRequest, PriceType::None]
    {
        assert!(products().filter(|one| one.price.price_type == kind).count() > 1, "{kind:?}");
    }
    for stock in [
        Availability::InStock,
        Availability::OutOfStock,
        Availability::Preorder,
        Availability::Backorder,
        Availability::Discontinued,
        Availability::Unknown,
    ] {
        assert!(products().filter(|one| one.availability == stock).count() > 4, "{stock:?}");
    }
    assert!(count(|one| one.price_with_hidden.price_type == PriceType::Hidden) > 4);
    assert!(
        count(|one| one.price.price_type == PriceType::OnRequest
            && one.price_with_hidden.price.is_none())
            > 4
    );
    assert!(count(|one| one.price.regular_price.is_some()) > 100);
    assert_eq!(count(|one| one.variants.len() == 10_000), 1);
    assert_eq!(count(|one| one.alternates.len() == 2), 90);
    assert_eq!(count(|one| one.alternates.len() == 1), 64);
    for kind in ["gtin8", "gtin12", "gtin13", "gtin14"] {
        assert!(products().any(|one| one.gtin.iter().any(|gtin| gtin.kind == kind)), "{kind}");
    }
    assert!(count(|one| one.canonical_url.is_none()) > 20);
    assert!(count(|one| one.tax_included == Some(false)) > 4);
    let complete = |variant: &VariantTruth| variant.price.is_some() && !variant.gtin.is_empty();
    assert!(products().filter(|one| one.variants.iter().any(complete)).count() > 40);

    let page = |host: &str, test: &dyn Fn(&str) -> bool| {
        let shop = Shop::named(host).expect("a shop");
        shop.pages().filter(|(_, html)| test(html)).count()
    };
    assert!(page("saltmarsh.lab.test", &|html| html.contains("\"price\":-1.0")) > 2);
    assert!(page("saltmarsh.lab.test", &|html| html.contains("\"price\":0.0")) > 2);
    assert!(page("saltmarsh.lab.test", &|html| html.contains("\"priceCurrency\":\"XXQ\"")) > 0);
    assert!(page("saltmarsh.lab.test", &|html| html.contains("ask us")) > 2);
    assert!(page("mandacaru.lab.test", &|html| html.contains("itemref=\"produto twin\"")) > 2);
    assert_eq!(page("bazaar.lab.test", &|html| html.matches("\"seller\"").count() >= 98), 1);
}

#[test]
fn prices_are_decimal_numbers_and_a_former_price_is_higher() {
    for (shop, truth) in shops() {
        for product in &truth.products {
            let number = |text: &String| text.parse::<f64>().expect("a decimal number");
            let price = &product.price;
            if let (Some(now), Some(before)) = (&price.price, &price.regular_price) {
                assert!(number(now) < number(before), "{}{}", shop.host(), product.path);
            }
            assert_eq!(price.price.is_some(), price.currency.is_some());
            assert!(price.price.as_ref().map(number).is_none_or(|now| now > 0.0));
        }
    }
}

#[test]
fn the_same_article_has_one_sku_in_every_language() {
    for host in ["holzwurm.lab.test", "murmelberg.lab.test"] {
        assert_twins_agree(&Shop::named(host).expect("a shop"));
    }
}

#[track_caller]
fn assert_twins_agree(shop: &Shop) {
    let truth = shop.shop_truth();
    let by_url: HashMap<&str, &ProductTruth> =
        truth.products.iter().map(|one| (one.url.as_str(), one)).collect();
    for product in &truth.products {
        for other in &product.alternates {
            let twin = by_url[other.url.as_str()];
            assert_eq!(twin.language.as_ref(), Some(&other.lang));
            // A page may leave its number out, but none has another's.
            let both = twin.sku.as_ref().zip(product.sku.as_ref());
            assert!(both.is_none_or(|(one, same)| one == same), "{}", product.path);
            let link = format!("hreflang=\"{}\" href=\"{}\"", other.lang, other.url);
            assert!(page(shop, &product.path).contains(&link), "{}", product.path);
        }
    }
}

#[tokio::test]
async fn the_lab_serves_a_shop_under_its_name() {
    let lab = Lab::start().await.expect("a port is free");
    for shop in Shop::all() {
        lab.serve(shop.host(), shop);
    }
    let mut stream = tokio::net::TcpStream::connect(lab.address()).await.expect("the lab listens");
    let request = "GET /item/1000 HTTP/1.1\r\nHost: inkwell.lab.test\r\nConnection: close\r\n\r\n";
    stream.write_all(request.replace("/item/1000", "/").as_bytes()).await.expect("the lab reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the lab answers");
    assert!(answer.contains("<title>Inkwell &amp; Co</title>"));
    assert_eq!(lab.truth("inkwell.lab.test").expect("a site").delivered.get("/"), Some(&200));
}
