//! Runs in mode `products`.

use std::collections::{BTreeMap, BTreeSet};

use contract::{ErrorCode, Item, JobError, Options, PriceType, Scope};
use crawl::{Action, Capabilities, CrawlPlan};
use job::RunEnding;
use lab::{PageKind, Shop};

use crate::harness::{Answer, Run, Site, lab_shop, plan, plan_from};
use crate::shop_pages::{HOME, ShopProduct, at, crawl, list, plan_with, resume};

const LAMP: ShopProduct<'_> = ShopProduct::LAMP;

fn paths(run: &Run) -> Vec<&str> {
    let mut paths: Vec<_> =
        run.urls().into_iter().map(|url| &url["https://site.test".len()..]).collect();
    paths.sort_unstable();
    paths
}

fn lamp(number: usize) -> String {
    let (name, sku) = (format!("Lamp No. {number}"), format!("LMP-{number}"));
    ShopProduct { name: &name, sku: &sku, ..LAMP }.html()
}

/// A shop whose lists have two pages, which differ by a query.
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
fn list_pages_are_followed_and_products_delivered() {
    let run = crawl(&shop(8), plan());
    let expected: Vec<String> = (0..8).map(|n| format!("/p/{n}")).collect();
    assert_eq!(paths(&run), expected);
    assert_eq!(run.units, 8);
    assert!(run.whole.iter().all(|item| matches!(item, Item::Product(_))));
    let skipped_with_reasons = run.skipped_with_reasons();
    for path in ["/", "/lamps", "/lamps?page=2", "/about"] {
        let url = at(path);
        assert!(
            skipped_with_reasons.contains(&(url.as_str(), "no_product")),
            "{path} in {skipped_with_reasons:?}"
        );
    }
    assert!(!run.pages_requested().contains(&at("/lamps?sort=price").as_str()), "the same again");
    let product = run.product(&at("/p/3"));
    assert_eq!((product.name.as_str(), product.product_id.as_str()), ("Lamp No. 3", "LMP-3"));
    assert_eq!(product.price.as_deref(), Some("19.90"));
    assert_eq!(product.language.as_deref(), Some("en"));
    assert!(product.alternates.is_empty());
}

#[test]
fn product_is_delivered_once_under_any_url() {
    let canonical = |path: &str| format!("<link rel=canonical href={path}>");
    let at_home = |good: ShopProduct<'_>, head: &str| ShopProduct { head, ..good }.html();
    let rack = ShopProduct { name: "Towel rack", sku: "R-1", ..LAMP };
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
        (&at("/bath/towel-rack"), &ShopProduct { body: "<p>More.</p>", ..rack }.html()),
    ]);
    let run = crawl(&site, plan());
    assert_eq!(paths(&run), ["/lamp", "/racks/towel-rack"]);
    assert_eq!(run.units, 2, "the others are free");
    for path in ["/sale/lamp", "/bath/towel-rack"] {
        assert!(run.skipped_with_reasons().contains(&(at(path).as_str(), "duplicate")), "{path}");
    }
}

/// As in many shops: lists link to products below their collection, and each such page declares the
/// plain product page as canonical, which nothing else links to.
#[test]
fn pages_with_a_canonical_product_are_no_trap() {
    let products = 60;
    let links: Vec<String> =
        (0..products).map(|n| format!("/collections/all/products/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let mut site = Site::of(&[(HOME, &list("en", &links))]);
    for n in 0..products {
        let (name, sku) = (format!("Lamp No. {n}"), format!("LMP-{n}"));
        let head = format!("<link rel=canonical href=/products/{n}>");
        let html = ShopProduct { name: &name, sku: &sku, head: &head, ..LAMP }.html();
        for path in [format!("/products/{n}"), format!("/collections/all/products/{n}")] {
            site = site.with(&at(&path), Answer::Html(html.clone()));
        }
    }
    let run = crawl(&site, plan());
    assert_eq!(run.units, products);
    assert!(paths(&run).iter().all(|path| path.starts_with("/products/")));
}

#[test]
fn same_number_with_two_names_is_two_products() {
    let site = Site::of(&[
        (HOME, &list("en", &["/a", "/b"])),
        (&at("/a"), &ShopProduct { name: "Red lamp", ..LAMP }.html()),
        (&at("/b"), &ShopProduct { name: "Blue lamp", ..LAMP }.html()),
    ]);
    assert_eq!(paths(&crawl(&site, plan())), ["/a", "/b"]);
}

#[test]
fn products_that_differ_only_by_query_are_found() {
    let site = Site::of(&[(HOME, &list("en", &["/list.php?group=1"]))]);
    let site = site.with(
        &at("/list.php?group=1"),
        Answer::Html(list("en", &["/item.php?id=1", "/item.php?id=2", "/item.php?id=3"])),
    );
    let site = (1..4)
        .fold(site, |site, n| site.with(&at(&format!("/item.php?id={n}")), Answer::Html(lamp(n))));
    assert_eq!(crawl(&site, plan()).units, 3);
}

#[test]
fn sample_and_batch_limits_apply_to_products() {
    let run = crawl(&shop(12), CrawlPlan { batch_ends_at: Some(5), ..plan() });
    assert_eq!((run.units, &run.end), (5, &Action::ReachBoundary));
    let run = crawl(&shop(12), CrawlPlan { max_pages: Some(4), ..plan() });
    assert!(run.whole.len() < 4, "lists are pages as well");
    let options = Options { sample_size: Some(3), ..Options::default() };
    let run = crawl(&shop(12), plan_with(options));
    assert_eq!((run.units, &run.end), (3, &Action::Finish(RunEnding::Sampled)));
}

#[test]
fn files_are_skipped_whatever_the_options() {
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
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(paths(&run), ["/lamp"]);
    assert_eq!(run.units, 1);
}

#[test]
fn single_page_without_product_is_no_data() {
    let scope = Scope { one_page: true, ..Scope::default() };
    let start = |path: &str| CrawlPlan { scope: scope.clone(), ..plan_from(&at(path)) };
    let run = crawl(&shop(2), start("/p/1"));
    assert_eq!(paths(&run), ["/p/1"]);
    let run = crawl(&shop(2), start("/lamps"));
    let Action::Finish(RunEnding::Nothing(JobError { code, message, .. })) = run.end else {
        panic!("{:?}", run.end)
    };
    assert_eq!(code, ErrorCode::NoData);
    assert!(message.contains("product"), "{message}");
}

#[test]
fn only_empty_shells_are_rendered() {
    let site = Site::of(&[(HOME, &list("en", &["/app", "/lamp"])), (&at("/lamp"), &LAMP.html())])
        .with(&at("/app"), Answer::Shell(lamp(7)));
    let capabilities = Capabilities { browser: true, ..Capabilities::default() };
    let run = crawl(&site, CrawlPlan { capabilities, ..plan() });
    assert_eq!(paths(&run), ["/app", "/lamp"]);
    let rendered =
        run.requests.iter().filter(|(task, _)| task.fetch_via == crawl::FetchVia::Browser);
    let rendered: Vec<_> = rendered.map(|(task, _)| task.url.path()).collect();
    assert_eq!(rendered, ["/app"]);
}

/// Filters that can be combined: every list links to itself with one more filter.
#[test]
fn facet_urls_are_bounded() {
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
    let run = crawl(&site, plan());
    assert_eq!(paths(&run), ["/p/1", "/p/2"]);
    let requested = run.pages_requested().len();
    assert!(requested < 150, "{requested} of {} lists", lists.len());
    assert!(run.skipped_with_reasons().iter().any(|(_, reason)| *reason == "facets"));
}

/// A run that is interrupted at any commit delivers the same items in the end, each once.
#[test]
fn run_resumed_at_any_commit_delivers_the_same() {
    let shop = Shop::named("murmelberg.lab.test").expect("a shop");
    let (site, plan) = (lab_shop(&shop), at_shop(&shop, Options::default()));
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
        let rest = resume(&site, plan.clone(), &whole.commits[..cut]);
        assert_eq!(rest.units, whole.units, "cut at {cut}");
        let before = items_by_commit[cut];
        let urls: BTreeSet<_> = whole.urls()[..before].iter().copied().chain(rest.urls()).collect();
        assert_eq!(urls.len(), whole.urls().len(), "cut at {cut}");
        assert_eq!(rest.overlay, whole.overlay.clone(), "cut at {cut}");
    }
    assert_eq!(essence(&whole.products()).len(), whole.whole.len());
}

pub fn at_shop(shop: &Shop, options: Options) -> CrawlPlan {
    let start = format!("http://{}/", shop.host());
    CrawlPlan { options, ..plan_from(&start) }
}

/// Every shop of the lab delivers its products once, and nothing else.
#[test]
fn shops_deliver_all_products_and_nothing_else() {
    for shop in Shop::all().into_iter().filter(|shop| !shop.host().starts_with("holz")) {
        let truth = shop.shop_truth();
        let run = crawl(&lab_shop(&shop), at_shop(&shop, Options::default()));
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
        // Extraction quality is measured elsewhere; a few mistakes are accepted here.
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
fn hidden_prices_are_collected_only_on_request() {
    let shop = Shop::named("normteil.lab.test").expect("a shop");
    let site = lab_shop(&shop);
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
fn contacts_are_removed_unless_requested() {
    let shop = Shop::named("normteil.lab.test").expect("a shop");
    let (site, truth) = (lab_shop(&shop), shop.shop_truth());
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
