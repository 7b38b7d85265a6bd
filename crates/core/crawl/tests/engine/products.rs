//! What a run delivers whose items are products.

use std::collections::{BTreeMap, BTreeSet};

use contract::{ErrorCode, Item, Options, PriceType, Scope};
use crawl::{Action, Equipment, Plan};
use job::RunEnding;
use lab::{PageKind, Shop};

use crate::goods::{Good, HOME, at, list, seeking, seeking_with};
use crate::script::{Answer, Run, Site, crawl, go_on, of_shop, plan_from};

const LAMP: Good<'_> = Good::LAMP;

fn paths(run: &Run) -> Vec<&str> {
    let mut paths: Vec<_> =
        run.urls().into_iter().map(|url| &url["https://site.test".len()..]).collect();
    paths.sort_unstable();
    paths
}

fn lamp(number: usize) -> String {
    let (name, sku) = (format!("Lamp No. {number}"), format!("LMP-{number}"));
    Good { name: &name, sku: &sku, ..LAMP }.html()
}

/// A shop whose lists have two pages, told apart by a query.
fn shop(products: usize) -> Site {
    let half: Vec<String> = (0..products).map(|n| format!("/p/{n}")).collect();
    let (first, second) = half.split_at(products / 2);
    let mut first: Vec<&str> = first.iter().map(String::as_str).collect();
    first.extend(["/lamps?page=2", "/lamps?sort=price", "/about"]);
    let second: Vec<&str> = second.iter().map(String::as_str).collect();
    let site = Site::of(&[
        (HOME, &list("en", &["/lamps"])),
        (&at("/lamps"), &list("en", &first)),
        (&at("/lamps?page=2"), &list("en", &second)),
        (&at("/about"), "<html lang=en><h1>About</h1><p>We have sold lamps since 1911."),
    ]);
    (0..products).fold(site, |site, n| site.with(&at(&format!("/p/{n}")), Answer::Html(lamp(n))))
}

#[test]
fn lists_are_followed_and_products_delivered() {
    let run = crawl(&shop(8), seeking());
    let expected: Vec<String> = (0..8).map(|n| format!("/p/{n}")).collect();
    assert_eq!(paths(&run), expected);
    assert_eq!(run.units, 8);
    assert!(run.whole.iter().all(|item| matches!(item, Item::Product(_))));
    let left_out = run.left_out();
    for path in ["/", "/lamps", "/lamps?page=2", "/about"] {
        let url = at(path);
        assert!(left_out.contains(&(url.as_str(), "no_product")), "{path} in {left_out:?}");
    }
    assert!(!run.pages_asked().contains(&at("/lamps?sort=price").as_str()), "the same again");
    let product = run.product(&at("/p/3"));
    assert_eq!((product.name.as_str(), product.product_id.as_str()), ("Lamp No. 3", "LMP-3"));
    assert_eq!(product.price.as_deref(), Some("19.90"));
    assert_eq!(product.language.as_deref(), Some("en"));
    assert!(product.alternates.is_empty());
}

#[test]
fn a_product_is_delivered_once_whatever_leads_to_it() {
    let canonical = |path: &str| format!("<link rel=canonical href={path}>");
    let at_home = |good: Good<'_>, head: &str| Good { head, ..good }.html();
    let rack = Good { name: "Towel rack", sku: "R-1", ..LAMP };
    let site = Site::of(&[
        (
            HOME,
            &list(
                "en",
                &[
                    "/sale/lamp",
                    "/lamp?utm_source=x",
                    "/lamp",
                    "/racks/towel-rack",
                    "/bath/towel-rack",
                    "/lamp?variant=2",
                    "/lamp?add-to-cart=5",
                ],
            ),
        ),
        (&at("/lamp"), &LAMP.html()),
        (&at("/sale/lamp"), &at_home(LAMP, &canonical("/lamp"))),
        (&at("/racks/towel-rack"), &rack.html()),
        (&at("/bath/towel-rack"), &Good { body: "<p>More.</p>", ..rack }.html()),
    ]);
    let run = crawl(&site, seeking());
    assert_eq!(paths(&run), ["/lamp", "/racks/towel-rack"]);
    assert_eq!(run.units, 2, "the others are free");
    for path in ["/sale/lamp", "/bath/towel-rack"] {
        assert!(run.left_out().contains(&(at(path).as_str(), "duplicate")), "{path}");
    }
}

/// As many shops do it: lists lead to products by way of their collection, and each such page
/// names the plain one as canonical, which nothing else leads to.
#[test]
fn pages_that_only_lead_to_better_ones_are_no_trap() {
    let products = 60;
    let links: Vec<String> =
        (0..products).map(|n| format!("/collections/all/products/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let mut site = Site::of(&[(HOME, &list("en", &links))]);
    for n in 0..products {
        let (name, sku) = (format!("Lamp No. {n}"), format!("LMP-{n}"));
        let head = format!("<link rel=canonical href=/products/{n}>");
        let html = Good { name: &name, sku: &sku, head: &head, ..LAMP }.html();
        for path in [format!("/products/{n}"), format!("/collections/all/products/{n}")] {
            site = site.with(&at(&path), Answer::Html(html.clone()));
        }
    }
    let run = crawl(&site, seeking());
    assert_eq!(run.units, products);
    assert!(paths(&run).iter().all(|path| path.starts_with("/products/")));
}

#[test]
fn one_number_and_two_names_are_two_products() {
    let site = Site::of(&[
        (HOME, &list("en", &["/a", "/b"])),
        (&at("/a"), &Good { name: "Red lamp", ..LAMP }.html()),
        (&at("/b"), &Good { name: "Blue lamp", ..LAMP }.html()),
    ]);
    assert_eq!(paths(&crawl(&site, seeking())), ["/a", "/b"]);
}

#[test]
fn products_that_only_a_query_tells_apart_are_all_found() {
    let site = Site::of(&[(HOME, &list("en", &["/list.php?group=1"]))]);
    let site = site.with(
        &at("/list.php?group=1"),
        Answer::Html(list("en", &["/item.php?id=1", "/item.php?id=2", "/item.php?id=3"])),
    );
    let site = (1..4)
        .fold(site, |site, n| site.with(&at(&format!("/item.php?id={n}")), Answer::Html(lamp(n))));
    assert_eq!(crawl(&site, seeking()).units, 3);
}

#[test]
fn limits_hold_as_in_every_mode() {
    let run = crawl(&shop(12), Plan { batch_ends_at: Some(5), ..seeking() });
    assert_eq!((run.units, &run.end), (5, &Action::ReachBoundary));
    let run = crawl(&shop(12), Plan { max_pages: Some(4), ..seeking() });
    assert!(run.whole.len() < 4, "lists are pages as well");
    let options = Options { sample_size: Some(3), ..Options::default() };
    let run = crawl(&shop(12), seeking_with(options));
    assert_eq!((run.units, &run.end), (3, &Action::Finish(RunEnding::Sampled)));
}

#[test]
fn what_is_no_page_is_left_out_whatever_was_asked_for() {
    let site = Site::of(&[
        (HOME, &list("en", &["/lamp", "/gone", "/a.pdf", "https://other.test/"])),
        (&at("/lamp"), &LAMP.html()),
    ])
    .with(&at("/a.pdf"), Answer::File);
    let scope = Scope {
        include_broken: true,
        include_files: true,
        include_images: true,
        include_external: true,
        ..Scope::default()
    };
    let run = crawl(&site, Plan { scope, ..seeking() });
    assert_eq!(paths(&run), ["/lamp"]);
    assert_eq!(run.units, 1);
}

#[test]
fn one_page_is_a_product_or_nothing() {
    let scope = Scope { one_page: true, ..Scope::default() };
    let start = |path: &str| Plan {
        scope,
        ..Plan { mode: contract::Mode::Products, ..plan_from(&at(path)) }
    };
    let run = crawl(&shop(2), start("/p/1"));
    assert_eq!(paths(&run), ["/p/1"]);
    let run = crawl(&shop(2), start("/lamps"));
    let Action::Finish(RunEnding::Nothing { code, message }) = run.end else {
        panic!("{:?}", run.end)
    };
    assert_eq!(code, ErrorCode::NoData);
    assert!(message.contains("product"), "{message}");
}

#[test]
fn a_page_is_rendered_only_where_it_is_an_empty_shell() {
    let site = Site::of(&[(HOME, &list("en", &["/app", "/lamp"])), (&at("/lamp"), &LAMP.html())])
        .with(&at("/app"), Answer::Shell(lamp(7)));
    let equipment = Equipment { browser: true, ..Equipment::default() };
    let run = crawl(&site, Plan { equipment, ..seeking() });
    assert_eq!(paths(&run), ["/app", "/lamp"]);
    let rendered = run.asked.iter().filter(|(task, _)| task.means == crawl::Means::Browser);
    let rendered: Vec<_> = rendered.map(|(task, _)| task.url.path()).collect();
    assert_eq!(rendered, ["/app"]);
}

/// Filters that can be combined: every list links to itself narrowed down by one more.
#[test]
fn facets_are_bounded() {
    let filters = [
        ("colour", ["red", "blue", "green", "white", "black", "grey", "pink", "brown"]),
        ("maker", ["acme", "zenith", "orion", "vega", "lyra", "juno", "ceres", "pallas"]),
        ("size", ["s", "m", "l", "xl", "xxl", "xs", "one", "two"]),
    ];
    let mut lists: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    let mut site = Site::of(&[
        (HOME, &list("en", &["/lamps"])),
        (&at("/p/1"), &lamp(1)),
        (&at("/p/2"), &lamp(2)),
    ]);
    let address = |chosen: &[(usize, usize)]| {
        let member = |&(filter, value): &(usize, usize)| {
            format!("{}={}", filters[filter].0, filters[filter].1[value])
        };
        let query = chosen.iter().map(member).collect::<Vec<_>>().join("&");
        if query.is_empty() { "/lamps".to_owned() } else { format!("/lamps?{query}") }
    };
    let mut at_list = 0;
    while let Some(chosen) = lists.get(at_list).cloned() {
        let mut links = vec!["/p/1".to_owned(), "/p/2".to_owned()];
        for filter in (0..3).filter(|filter| chosen.iter().all(|(taken, _)| taken != filter)) {
            for value in 0..8 {
                let mut narrower = chosen.clone();
                narrower.push((filter, value));
                narrower.sort_unstable();
                links.push(address(&narrower));
                if !lists.contains(&narrower) {
                    lists.push(narrower);
                }
            }
        }
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        site = site.with(&at(&address(&chosen)), Answer::Html(list("en", &links)));
        at_list += 1;
    }
    assert_eq!(lists.len(), 729);
    let run = crawl(&site, seeking());
    assert_eq!(paths(&run), ["/p/1", "/p/2"]);
    let asked = run.pages_asked().len();
    assert!(asked < 150, "{asked} of {} lists", lists.len());
    assert!(run.left_out().iter().any(|(_, reason)| *reason == "facets"));
}

/// Wherever a run breaks off, what is delivered in the end is the same, and once.
#[test]
fn a_run_comes_to_the_same_from_every_commit() {
    let shop = Shop::named("murmelberg.lab.test").expect("a shop");
    let (site, plan) = (of_shop(&shop), at_shop(&shop, Options::default()));
    let whole = crawl(&site, plan.clone());
    let essence = |products: &[contract::ProductItem]| {
        let one =
            |product: &contract::ProductItem| (product.url.clone(), product.content_hash.clone());
        products.iter().map(one).collect::<BTreeMap<_, _>>()
    };
    let mut items_by_commit = vec![0];
    for commit in &whole.commits {
        let last = items_by_commit.last().copied().unwrap_or_default();
        items_by_commit.push(last + commit.totals().delivered as usize);
    }
    for cut in (0..whole.commits.len()).step_by(17) {
        let rest = go_on(&site, plan.clone(), &whole.commits[..cut]);
        assert_eq!(rest.units, whole.units, "cut at {cut}");
        let before = items_by_commit[cut];
        let urls: BTreeSet<_> = whole.urls()[..before].iter().copied().chain(rest.urls()).collect();
        assert_eq!(urls.len(), whole.urls().len(), "cut at {cut}");
        assert_eq!(rest.overlay, whole.overlay.clone(), "cut at {cut}");
    }
    assert_eq!(essence(&whole.products()).len(), whole.whole.len());
}

pub fn at_shop(shop: &Shop, options: Options) -> Plan {
    let start = format!("http://{}/", shop.host());
    Plan { mode: contract::Mode::Products, options, ..plan_from(&start) }
}

/// Every shop of the lab: its products once, and nothing else.
#[test]
fn shops_are_walked_through() {
    for shop in Shop::all().into_iter().filter(|shop| !shop.host().starts_with("holz")) {
        let truth = shop.shop_truth();
        let run = crawl(&of_shop(&shop), at_shop(&shop, Options::default()));
        let main = &truth.products[0].language;
        let products: Vec<_> =
            truth.products.iter().filter(|product| product.language == *main).collect();
        let mut owner = BTreeMap::new();
        for (number, product) in products.iter().enumerate() {
            for path in product.also_at.iter().chain([&product.path]) {
                owner.insert(path.as_str(), number);
            }
        }
        let (mut met, mut strangers) = (BTreeSet::new(), 0);
        let origin = format!("http://{}", shop.host());
        for url in run.urls() {
            let path = &url[origin.len()..];
            let Some(number) = owner.get(path) else {
                let kind = truth.pages.get(path).copied();
                strangers += usize::from(kind != Some(PageKind::Product));
                continue;
            };
            assert!(met.insert(number), "{url} is delivered twice");
        }
        // How well pages are read is measured elsewhere: here a few may be mistaken.
        assert!(strangers * 100 <= products.len() * 5, "{origin}: {strangers} are no products");
        assert!(
            met.len() * 100 >= products.len() * 95,
            "{origin}: {} of {}",
            met.len(),
            products.len()
        );
        assert_eq!(run.units, run.whole.len() as u64);
    }
}

#[test]
fn prices_on_request_stay_hidden_unless_they_are_collected() {
    let shop = Shop::named("normteil.lab.test").expect("a shop");
    let site = of_shop(&shop);
    let types = |options: Options| {
        let run = crawl(&site, at_shop(&shop, options));
        let products = run.products();
        let count = |kind| products.iter().filter(|product| product.price_type == kind).count();
        assert!(
            products
                .iter()
                .filter(|product| product.price_type == PriceType::OnRequest)
                .all(|product| product.price.is_none())
        );
        (count(PriceType::OnRequest), count(PriceType::Hidden))
    };
    let (on_request, hidden) = types(Options::default());
    assert!(on_request > 4 && hidden == 0, "{on_request} {hidden}");
    let (still, collected) = types(Options { collect_hidden_prices: true, ..Options::default() });
    assert!(collected > 0 && still + collected == on_request, "{still} {collected}");
}

#[test]
fn contacts_are_stripped_unless_they_are_wanted() {
    let shop = Shop::named("normteil.lab.test").expect("a shop");
    let (site, truth) = (of_shop(&shop), shop.shop_truth());
    let leaks = |options: Options| {
        let run = crawl(&site, at_shop(&shop, options));
        let products = run.products();
        let leaks = truth.products.iter().filter(|product| {
            let record = products.iter().find(|record| record.url == product.url);
            let text = record.and_then(|record| record.description.as_deref()).unwrap_or_default();
            product.contacts.iter().any(|contact| text.contains(contact.as_str()))
        });
        leaks.count()
    };
    assert_eq!(leaks(Options::default()), 0);
    assert!(leaks(Options { suppress_contact: false, ..Options::default() }) > 5);
}
