//! The template of a site: learned while its pages are read, a fact of the log, in force for
//! the pages that come after it.

use contract::Options;
use crawl::{Crawl, Engine, Plan};
use journal::{Commit, Fact, Step};
use lab::Shop;
use products::ExtractionTemplate;

use crate::products::at_shop;
use crate::script::{Run, crawl, go_on, of_shop};

/// The versions that a log tells of, and whether they were learned by its run.
fn versions(commits: &[Commit]) -> Vec<(Vec<u8>, bool)> {
    let steps = commits.iter().flat_map(|commit| &commit.steps);
    steps
        .filter_map(|step| match step {
            Step::Learned(Fact::Template { site, template, learned }) => {
                assert!(site.ends_with(".lab.test"), "{site}");
                Some((template.clone(), *learned))
            }
            _ => None,
        })
        .collect()
}

/// The template that a page was read with.
fn in_force(run: &Run, at: usize) -> Option<ExtractionTemplate> {
    let pages = run.asked.iter().filter_map(|(task, _)| task.study.product.as_ref());
    pages.into_iter().nth(at)?.template.as_deref().cloned()
}

fn last_in_force(run: &Run) -> Option<ExtractionTemplate> {
    let mut pages = run.asked.iter().rev().filter_map(|(task, _)| task.study.product.as_ref());
    pages.next()?.template.as_deref().cloned()
}

/// Every second product page of it has no structured data.
fn half_bare() -> Shop {
    Shop::named("ironridge.lab.test").expect("a shop").stripped()
}

#[test]
fn a_template_is_learned_and_used_for_the_pages_that_come_after_it() {
    let shop = half_bare();
    let run = crawl(&of_shop(&shop), at_shop(&shop, Options::default()));
    let versions = versions(&run.commits);
    assert!(!versions.is_empty() && versions.len() < 10, "{} versions", versions.len());
    assert!(versions.iter().all(|(_, learned)| *learned));
    assert_eq!(in_force(&run, 0), None);
    let last = ExtractionTemplate::decode(&versions[versions.len() - 1].0).expect("it is read");
    assert_eq!(last_in_force(&run), Some(last));
    let ids: Vec<_> = versions
        .iter()
        .filter_map(|(kept, _)| ExtractionTemplate::decode(kept).map(|template| template.id()))
        .collect();
    let by_template: Vec<_> =
        run.products().into_iter().filter_map(|product| product.template_id).collect();
    assert!(!by_template.is_empty(), "it had a say");
    assert!(by_template.iter().all(|id| ids.contains(id)), "{by_template:?} of {ids:?}");
}

#[test]
fn a_run_that_goes_on_reads_with_the_version_in_force() {
    let shop = half_bare();
    let (site, plan) = (of_shop(&shop), at_shop(&shop, Options::default()));
    let whole = crawl(&site, plan.clone());
    let is_version = |commit: &Commit| !versions(std::slice::from_ref(commit)).is_empty();
    let first = whole.commits.iter().position(is_version).expect("a version");
    let (kept, _) = versions(&whole.commits[..=first])[0].clone();
    let rest = go_on(&site, plan, &whole.commits[..=first]);
    assert_eq!(in_force(&rest, 0), ExtractionTemplate::decode(&kept));
    assert_eq!(rest.units, whole.units);
}

#[test]
fn a_run_begins_with_what_an_earlier_one_learned() {
    let shop = half_bare();
    let (site, plan) = (of_shop(&shop), at_shop(&shop, Options::default()));
    let earlier = crawl(&site, plan.clone());
    let (kept, _) = versions(&earlier.commits).pop().expect("a version");
    let mut begun = Crawl::new(plan.clone());
    assert!(begun.wants_template());
    begun.begin_with_template(kept.clone());
    assert!(!begun.wants_template());
    let first = begun.take_pending().commit;
    assert_eq!(versions(std::slice::from_ref(&first)), [(kept.clone(), false)]);
    let run = go_on(&site, plan.clone(), &[first]);
    assert_eq!(in_force(&run, 0), ExtractionTemplate::decode(&kept), "from the first page on");
    let id = ExtractionTemplate::decode(&kept).expect("a template").id();
    let products = run.products();
    let ids: Vec<_> = products.iter().filter_map(|product| product.template_id.as_ref()).collect();
    assert!(!ids.is_empty() && ids.iter().all(|other| **other == id), "{ids:?} beside {id}");
    // Nobody begins twice, or with what cannot be read.
    let mut late = Crawl::replay(plan.clone(), None, &earlier.commits).expect("it replays");
    late.begin_with_template(kept);
    assert!(late.take_pending().commit.is_empty());
    let mut fresh = Crawl::new(plan);
    fresh.take_pending();
    fresh.begin_with_template(b"\xffnonsense".to_vec());
    assert!(fresh.take_pending().commit.is_empty());
}

#[test]
fn without_the_wish_none_is_learned_and_none_is_used() {
    let shop = half_bare();
    let options = Options { use_template_extraction: false, ..Options::default() };
    let plan: Plan = at_shop(&shop, options);
    let site = of_shop(&shop);
    let run = crawl(&site, plan.clone());
    assert_eq!(versions(&run.commits), []);
    assert_eq!(last_in_force(&run), None);
    assert!(run.products().iter().all(|product| product.template_id.is_none()));
    let taught = crawl(&site, at_shop(&shop, Options::default()));
    let (kept, _) = versions(&taught.commits).pop().expect("a version");
    let mut fresh = Crawl::new(plan);
    fresh.take_pending();
    fresh.begin_with_template(kept);
    assert!(fresh.take_pending().commit.is_empty());
}
