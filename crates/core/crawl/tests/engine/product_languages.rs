//! One product in several languages and regions is one item, unless they are delivered separately.

use std::collections::BTreeSet;

use contract::{Options, ProductItem};
use lab::Shop;

use crate::harness::{Answer, Run, Site, lab_shop, plan};
use crate::products::at_shop;
use crate::shop_pages::{HOME, ShopProduct, at, crawl, list, plan_with, versions};

const LAMP: ShopProduct<'_> = ShopProduct::LAMP;
const LAMPE: ShopProduct<'_> = ShopProduct { name: "Sturmlampe", language: "de", ..LAMP };

fn paths(run: &Run) -> Vec<&str> {
    let mut paths: Vec<_> =
        run.urls().into_iter().map(|url| &url["https://site.test".len()..]).collect();
    paths.sort_unstable();
    paths
}

fn alternates(product: &ProductItem) -> Vec<(&str, &str)> {
    let mut alternates: Vec<_> = product
        .alternates
        .iter()
        .map(|one| (one.lang.as_str(), one.url.trim_start_matches("https://site.test")))
        .collect();
    alternates.sort_unstable();
    alternates
}

fn wanting(tag: &str) -> Options {
    Options { preferred_language: Some(tag.to_owned()), ..Options::default() }
}

fn apart() -> Options {
    Options { region_aware: true, ..Options::default() }
}

fn every() -> Options {
    Options { all_languages: true, ..Options::default() }
}

/// The same lamp under `/de`, `/en` and `/fr`, linked in this order from a German start page, each
/// with this head.
fn declared(order: &[&str], head: &str) -> Site {
    let lampe = ShopProduct { head, ..LAMPE };
    let lampade = ShopProduct { name: "Lampe tempête", language: "fr", head, ..LAMP };
    Site::of(&[
        (HOME, &list("de", order)),
        (&at("/lampe"), &lampe.html()),
        (&at("/lamp"), &ShopProduct { head, ..LAMP }.html()),
        (&at("/lampade"), &lampade.html()),
    ])
}

#[test]
fn declared_translations_are_one_item_in_the_language_of_the_start_page() {
    let head =
        versions(&[("de", "/lampe"), ("en", "/lamp"), ("fr", "/lampade"), ("x-default", "/lamp")]);
    for order in [["/lampe", "/lamp", "/lampade"], ["/lamp", "/lampade", "/lampe"]] {
        let run = crawl(&declared(&order, &head), plan());
        assert_eq!(paths(&run), ["/lampe"], "{order:?}");
        assert_eq!(run.units, 1);
        let product = run.product(&at("/lampe"));
        assert_eq!(product.language.as_deref(), Some("de"));
        assert_eq!(alternates(&product), [("en", "/lamp"), ("fr", "/lampade")], "{order:?}");
    }
}

#[test]
fn declared_translation_is_not_fetched() {
    let head = versions(&[("de", "/lampe"), ("en", "/lamp")]);
    let run = crawl(&declared(&["/lampe"], &head), plan());
    assert_eq!(run.pages_requested(), [HOME, &at("/lampe")]);
    assert!(run.skipped_with_reasons().contains(&(at("/lamp").as_str(), "language")));
    assert_eq!(alternates(&run.product(&at("/lampe"))), [("en", "/lamp")]);
}

#[test]
fn preferred_language_is_delivered() {
    let head = versions(&[("de", "/lampe"), ("en", "/lamp"), ("fr", "/lampade")]);
    let site = declared(&["/lampe", "/lamp", "/lampade"], &head);
    let run = crawl(&site, plan_with(wanting("fr")));
    assert_eq!(paths(&run), ["/lampade"]);
    let product = run.product(&at("/lampade"));
    assert_eq!(alternates(&product), [("de", "/lampe"), ("en", "/lamp")]);
}

#[test]
fn undeclared_translations_are_matched_by_product_number() {
    for order in [["/lampe", "/lamp", "/lampade"], ["/lampade", "/lamp", "/lampe"]] {
        let run = crawl(&declared(&order, ""), plan());
        assert_eq!((paths(&run), run.units), (vec!["/lampe"], 1), "{order:?}");
        let product = run.product(&at("/lampe"));
        assert_eq!(alternates(&product), [("en", "/lamp"), ("fr", "/lampade")], "{order:?}");
        assert!(run.skipped_with_reasons().contains(&(at("/lamp").as_str(), "language")));
    }
}

#[test]
fn all_languages_delivers_every_language() {
    let head = versions(&[("de", "/lampe"), ("en", "/lamp"), ("fr", "/lampade")]);
    // A translation that declares another one as its canonical page is delivered as well.
    let lying = format!("{head}<link rel=canonical href=/lampe>");
    for head in [head.as_str(), "", &lying] {
        let site = declared(&["/lampe", "/lamp", "/lampade"], head);
        let run = crawl(&site, plan_with(every()));
        assert_eq!(paths(&run), ["/lamp", "/lampade", "/lampe"], "{head}");
        assert_eq!(run.units, 3);
        assert!(run.products().iter().all(|product| product.alternates.is_empty()));
        assert_eq!(run.product(&at("/lampade")).language.as_deref(), Some("fr"));
    }
}

/// One lamp in Austria, Switzerland and Britain, declared or matched by its number.
fn regions(head: &str) -> Site {
    let here = |language| ShopProduct { language, head, ..LAMPE }.html();
    Site::of(&[
        (HOME, &list("de-AT", &["/at/l", "/ch/l", "/uk/l"])),
        (&at("/at/l"), &here("de-AT")),
        (
            &at("/ch/l"),
            &ShopProduct { name: "Sturmlaterne", language: "de-CH", head, ..LAMP }.html(),
        ),
        (&at("/uk/l"), &ShopProduct { language: "en-GB", head, ..LAMP }.html()),
    ])
}

#[test]
fn regions_are_merged_unless_region_aware() {
    let head = versions(&[("de-AT", "/at/l"), ("de-CH", "/ch/l"), ("en-GB", "/uk/l")]);
    for head in [head.as_str(), ""] {
        for options in [Options::default(), wanting("de"), wanting("de-AT")] {
            let run = crawl(&regions(head), plan_with(options.clone()));
            assert_eq!(paths(&run), ["/at/l"], "{options:?} {head}");
            let product = run.product(&at("/at/l"));
            assert_eq!(alternates(&product), [("de-CH", "/ch/l"), ("en-GB", "/uk/l")], "{head}");
        }
        for options in [apart(), Options { region_aware: true, ..wanting("de") }] {
            let run = crawl(&regions(head), plan_with(options.clone()));
            assert_eq!(paths(&run), ["/at/l", "/ch/l"], "{options:?} {head}");
        }
        let one = Options { region_aware: true, ..wanting("de-CH") };
        assert_eq!(paths(&crawl(&regions(head), plan_with(one))), ["/ch/l"], "{head}");
        let run = crawl(&regions(head), plan_with(every()));
        assert_eq!(run.units, 3, "{head}");
    }
    let run = crawl(&regions(&head), plan_with(apart()));
    assert_eq!(alternates(&run.product(&at("/at/l"))), [("en-GB", "/uk/l")]);
    assert_eq!(alternates(&run.product(&at("/ch/l"))), [("en-GB", "/uk/l")]);
}

/// The region that comes first in the list is found last.
#[test]
fn region_of_the_start_page_is_delivered_in_any_order() {
    let head = versions(&[("de-CH", "/ch/l"), ("de-AT", "/at/l")]);
    let good = |language| Answer::Html(ShopProduct { language, head: &head, ..LAMPE }.html());
    let site = Site::of(&[(HOME, &list("de-AT", &["/ch/l"]))])
        .with(&at("/ch/l"), good("de-CH"))
        .with(&at("/at/l"), good("de-AT"));
    let run = crawl(&site, plan());
    assert_eq!(paths(&run), ["/at/l"]);
    assert_eq!(alternates(&run.product(&at("/at/l"))), [("de-CH", "/ch/l")]);
}

#[test]
fn unmarked_urls_are_in_the_default_language() {
    let page = |language, name, sku| ShopProduct { language, name, sku, ..LAMP }.html();
    let site = Site::of(&[
        (HOME, &list("de", &["/en/", "/lamp", "/en/rack"])),
        (&at("/en/"), &list("en", &["/lamp", "/en/rack"])),
        // It declares English although it is among the German pages.
        (&at("/lamp"), &page("en", "Lamp", "L-1")),
        (&at("/en/rack"), &page("en", "Rack", "R-1")),
    ]);
    assert_eq!(paths(&crawl(&site, plan_with(wanting("en")))), ["/en/rack", "/lamp"]);
    let strict = Options { strict_default_language: true, ..wanting("en") };
    assert_eq!(paths(&crawl(&site, plan_with(strict))), ["/en/rack"]);
}

#[test]
fn unfetched_translations_are_listed_by_language_folder() {
    let good = |language, name| ShopProduct { language, name, sku: "", ..LAMP }.html();
    let site = Site::of(&[
        (HOME, &list("de", &["/de/", "/en/"])),
        (&at("/de/"), &list("de", &["/de/p/7"])),
        (&at("/en/"), &list("en", &["/en/p/7", "/en/p/8"])),
        (&at("/de/p/7"), &good("de", "Lampe")),
        (&at("/en/p/7"), &good("en", "Lamp")),
        (&at("/en/p/8"), &good("en", "Rack")),
    ]);
    let run = crawl(&site, plan());
    assert_eq!(paths(&run), ["/de/p/7"]);
    assert!(!run.pages_requested().contains(&at("/en/p/7").as_str()));
    assert_eq!(alternates(&run.product(&at("/de/p/7"))), [("en", "/en/p/7")]);
}

/// The translations of an item are those that its page declares.
#[test]
fn multilingual_shops_deliver_each_product_once() {
    for host in ["holzwurm.lab.test", "murmelberg.lab.test"] {
        let shop = Shop::named(host).expect("a shop");
        let (site, truth) = (lab_shop(&shop), shop.shop_truth());
        let main = truth.products[0].language.clone();
        let mut expected: BTreeSet<_> = BTreeSet::new();
        for product in truth.products.iter().filter(|product| product.language == main) {
            expected.insert(product.url.as_str());
        }
        let run = crawl(&site, at_shop(&shop, Options::default()));
        let urls: BTreeSet<_> = run.urls().into_iter().collect();
        assert_eq!(urls.len(), run.whole.len(), "{host}");
        assert!(urls.is_subset(&expected), "{host}: {:?}", urls.difference(&expected));
        assert!(urls.len() * 100 >= expected.len() * 95, "{host}: {}", urls.len());
        let mut complete = 0;
        for record in run.products() {
            let product = truth.products.iter().find(|product| product.url == record.url);
            let listed: BTreeSet<_> = product
                .iter()
                .flat_map(|product| &product.alternates)
                .map(|one| (one.lang.clone(), one.url.clone()))
                .collect();
            let said: BTreeSet<_> =
                record.alternates.iter().map(|one| (one.lang.clone(), one.url.clone())).collect();
            assert!(said.is_subset(&listed), "{}: {said:?}, not {listed:?}", record.url);
            complete += usize::from(said == listed);
        }
        assert!(
            complete * 100 >= run.whole.len() * 60,
            "{host}: {complete} of {}",
            run.whole.len()
        );
        let all = crawl(&site, at_shop(&shop, every()));
        assert!(all.whole.len() * 100 >= truth.products.len() * 95, "{host}: {}", all.whole.len());
        assert_eq!(all.units, all.whole.len() as u64);
    }
    let shop = Shop::named("holzwurm.lab.test").expect("a shop");
    let run = crawl(&lab_shop(&shop), at_shop(&shop, apart()));
    assert!((57..=60).contains(&run.whole.len()), "two regions: {}", run.whole.len());
}
