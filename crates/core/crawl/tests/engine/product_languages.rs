//! One product in several languages and regions: one record, unless they are kept apart.

use std::collections::BTreeSet;

use contract::{Options, ProductItem};
use lab::Shop;

use crate::goods::{Good, HOME, at, list, seeking, seeking_with, versions};
use crate::products::at_shop;
use crate::script::{Answer, Run, Site, crawl, of_shop};

const LAMP: Good<'_> = Good::LAMP;
const LAMPE: Good<'_> = Good { name: "Sturmlampe", language: "de", ..LAMP };

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

/// The same lamp under `/de`, `/en` and `/fr`, linked in this order from a German start, each
/// with this head.
fn declared(order: &[&str], head: &str) -> Site {
    let lampe = Good { head, ..LAMPE };
    let lampade = Good { name: "Lampe tempête", language: "fr", head, ..LAMP };
    Site::of(&[
        (HOME, &list("de", order)),
        (&at("/lampe"), &lampe.html()),
        (&at("/lamp"), &Good { head, ..LAMP }.html()),
        (&at("/lampade"), &lampade.html()),
    ])
}

#[test]
fn declared_translations_are_one_record_in_the_language_of_the_start() {
    let head =
        versions(&[("de", "/lampe"), ("en", "/lamp"), ("fr", "/lampade"), ("x-default", "/lamp")]);
    for order in [["/lampe", "/lamp", "/lampade"], ["/lamp", "/lampade", "/lampe"]] {
        let run = crawl(&declared(&order, &head), seeking());
        assert_eq!(paths(&run), ["/lampe"], "{order:?}");
        assert_eq!(run.units, 1);
        let product = run.product(&at("/lampe"));
        assert_eq!(product.language.as_deref(), Some("de"));
        assert_eq!(alternates(&product), [("en", "/lamp"), ("fr", "/lampade")], "{order:?}");
    }
}

#[test]
fn a_translation_that_is_known_as_one_is_not_asked_for() {
    let head = versions(&[("de", "/lampe"), ("en", "/lamp")]);
    let run = crawl(&declared(&["/lampe"], &head), seeking());
    assert_eq!(run.pages_asked(), [HOME, &at("/lampe")]);
    assert!(run.left_out().contains(&(at("/lamp").as_str(), "language")));
    assert_eq!(alternates(&run.product(&at("/lampe"))), [("en", "/lamp")]);
}

#[test]
fn the_language_that_is_preferred_wins() {
    let head = versions(&[("de", "/lampe"), ("en", "/lamp"), ("fr", "/lampade")]);
    let site = declared(&["/lampe", "/lamp", "/lampade"], &head);
    let run = crawl(&site, seeking_with(wanting("fr")));
    assert_eq!(paths(&run), ["/lampade"]);
    let product = run.product(&at("/lampade"));
    assert_eq!(alternates(&product), [("de", "/lampe"), ("en", "/lamp")]);
}

#[test]
fn translations_that_nobody_declares_are_known_by_their_number() {
    for order in [["/lampe", "/lamp", "/lampade"], ["/lampade", "/lamp", "/lampe"]] {
        let run = crawl(&declared(&order, ""), seeking());
        assert_eq!((paths(&run), run.units), (vec!["/lampe"], 1), "{order:?}");
        let product = run.product(&at("/lampe"));
        assert_eq!(alternates(&product), [("en", "/lamp"), ("fr", "/lampade")], "{order:?}");
        assert!(run.left_out().contains(&(at("/lamp").as_str(), "language")));
    }
}

#[test]
fn every_language_is_kept_where_that_was_asked_for() {
    let head = versions(&[("de", "/lampe"), ("en", "/lamp"), ("fr", "/lampade")]);
    // A translation that names another as its canonical page is kept as well.
    let lying = format!("{head}<link rel=canonical href=/lampe>");
    for head in [head.as_str(), "", &lying] {
        let site = declared(&["/lampe", "/lamp", "/lampade"], head);
        let run = crawl(&site, seeking_with(every()));
        assert_eq!(paths(&run), ["/lamp", "/lampade", "/lampe"], "{head}");
        assert_eq!(run.units, 3);
        assert!(run.products().iter().all(|product| product.alternates.is_empty()));
        assert_eq!(run.product(&at("/lampade")).language.as_deref(), Some("fr"));
    }
}

/// One lamp in Austria, Switzerland and Britain; declared, or known by its number alone.
fn regions(head: &str) -> Site {
    let here = |language| Good { language, head, ..LAMPE }.html();
    Site::of(&[
        (HOME, &list("de-AT", &["/at/l", "/ch/l", "/uk/l"])),
        (&at("/at/l"), &here("de-AT")),
        (&at("/ch/l"), &Good { name: "Sturmlaterne", language: "de-CH", head, ..LAMP }.html()),
        (&at("/uk/l"), &Good { language: "en-GB", head, ..LAMP }.html()),
    ])
}

#[test]
fn regions_are_one_unless_they_are_kept_apart() {
    let head = versions(&[("de-AT", "/at/l"), ("de-CH", "/ch/l"), ("en-GB", "/uk/l")]);
    for head in [head.as_str(), ""] {
        for options in [Options::default(), wanting("de"), wanting("de-AT")] {
            let run = crawl(&regions(head), seeking_with(options.clone()));
            assert_eq!(paths(&run), ["/at/l"], "{options:?} {head}");
            let product = run.product(&at("/at/l"));
            assert_eq!(alternates(&product), [("de-CH", "/ch/l"), ("en-GB", "/uk/l")], "{head}");
        }
        for options in [apart(), Options { region_aware: true, ..wanting("de") }] {
            let run = crawl(&regions(head), seeking_with(options.clone()));
            assert_eq!(paths(&run), ["/at/l", "/ch/l"], "{options:?} {head}");
        }
        let one = Options { region_aware: true, ..wanting("de-CH") };
        assert_eq!(paths(&crawl(&regions(head), seeking_with(one))), ["/ch/l"], "{head}");
        let run = crawl(&regions(head), seeking_with(every()));
        assert_eq!(run.units, 3, "{head}");
    }
    let run = crawl(&regions(&head), seeking_with(apart()));
    assert_eq!(alternates(&run.product(&at("/at/l"))), [("en-GB", "/uk/l")]);
    assert_eq!(alternates(&run.product(&at("/ch/l"))), [("en-GB", "/uk/l")]);
}

/// The region that comes first in the list is met last.
#[test]
fn the_region_of_the_start_wins_whatever_is_met_first() {
    let head = versions(&[("de-CH", "/ch/l"), ("de-AT", "/at/l")]);
    let good = |language| Answer::Html(Good { language, head: &head, ..LAMPE }.html());
    let site = Site::of(&[(HOME, &list("de-AT", &["/ch/l"]))])
        .with(&at("/ch/l"), good("de-CH"))
        .with(&at("/at/l"), good("de-AT"));
    let run = crawl(&site, seeking());
    assert_eq!(paths(&run), ["/at/l"]);
    assert_eq!(alternates(&run.product(&at("/at/l"))), [("de-CH", "/ch/l")]);
}

#[test]
fn unmarked_addresses_leak_from_the_default_language() {
    let page = |language, name, sku| Good { language, name, sku, ..LAMP }.html();
    let site = Site::of(&[
        (HOME, &list("de", &["/en/", "/lamp", "/en/rack"])),
        (&at("/en/"), &list("en", &["/lamp", "/en/rack"])),
        // It says that it is English, and stands among the German pages.
        (&at("/lamp"), &page("en", "Lamp", "L-1")),
        (&at("/en/rack"), &page("en", "Rack", "R-1")),
    ]);
    assert_eq!(paths(&crawl(&site, seeking_with(wanting("en")))), ["/en/rack", "/lamp"]);
    let strict = Options { strict_default_language: true, ..wanting("en") };
    assert_eq!(paths(&crawl(&site, seeking_with(strict))), ["/en/rack"]);
}

#[test]
fn folders_of_languages_tell_translations_that_are_not_asked_for() {
    let good = |language, name| Good { language, name, sku: "", ..LAMP }.html();
    let site = Site::of(&[
        (HOME, &list("de", &["/de/", "/en/"])),
        (&at("/de/"), &list("de", &["/de/p/7"])),
        (&at("/en/"), &list("en", &["/en/p/7", "/en/p/8"])),
        (&at("/de/p/7"), &good("de", "Lampe")),
        (&at("/en/p/7"), &good("en", "Lamp")),
        (&at("/en/p/8"), &good("en", "Rack")),
    ]);
    let run = crawl(&site, seeking());
    assert_eq!(paths(&run), ["/de/p/7"]);
    assert!(!run.pages_asked().contains(&at("/en/p/7").as_str()));
    assert_eq!(alternates(&run.product(&at("/de/p/7"))), [("en", "/en/p/7")]);
}

/// What a page calls its translations is what its record says.
#[test]
fn shops_in_several_languages_sell_everything_once() {
    for host in ["holzwurm.lab.test", "murmelberg.lab.test"] {
        let shop = Shop::named(host).expect("a shop");
        let (site, truth) = (of_shop(&shop), shop.shop_truth());
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
            let told: BTreeSet<_> = product
                .iter()
                .flat_map(|product| &product.alternates)
                .map(|one| (one.lang.clone(), one.url.clone()))
                .collect();
            let said: BTreeSet<_> =
                record.alternates.iter().map(|one| (one.lang.clone(), one.url.clone())).collect();
            assert!(said.is_subset(&told), "{}: {said:?}, not {told:?}", record.url);
            complete += usize::from(said == told);
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
    let run = crawl(&of_shop(&shop), at_shop(&shop, apart()));
    assert!((57..=60).contains(&run.whole.len()), "two regions: {}", run.whole.len());
}
