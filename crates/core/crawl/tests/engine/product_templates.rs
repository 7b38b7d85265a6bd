//! The extraction template of a site: learned while its pages are read, a fact of the log, and
//! used for the pages that come after it.

use std::any::Any;

use contract::{Mode, Options};
use crawl::{CrawlPlan, Engine, FetchTask};
use journal::{Commit, Fact, Step};
use lab::Shop;
use products::{ExtractionTemplate, ProductExtractor};

use crate::harness::{Run, lab_shop, replay, start};
use crate::products::at_shop;
use crate::shop_pages::{crawl, resume};

/// The template versions in a log, and whether the run learned them.
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

/// The extractor of a page request.
fn extractor(task: &FetchTask) -> Option<&ProductExtractor> {
    let extractor: &dyn Any = task.extract.extractor.as_deref()?;
    extractor.downcast_ref()
}

/// The template that a page was read with.
fn current_template(run: &Run, at: usize) -> Option<ExtractionTemplate> {
    let mut pages = run.requests.iter().filter_map(|(task, _)| extractor(task));
    pages.nth(at)?.template().cloned()
}

fn last_in_force(run: &Run) -> Option<ExtractionTemplate> {
    let mut pages = run.requests.iter().rev().filter_map(|(task, _)| extractor(task));
    pages.next()?.template().cloned()
}

/// A shop in which every second product page has no structured data.
fn half_bare() -> Shop {
    Shop::named("ironridge.lab.test").expect("a shop").stripped()
}

#[test]
fn learned_template_is_used_for_later_pages() {
    let shop = half_bare();
    let run = crawl(&lab_shop(&shop), at_shop(&shop, Options::default()));
    let versions = versions(&run.commits);
    assert!(!versions.is_empty() && versions.len() < 10, "{} versions", versions.len());
    assert!(versions.iter().all(|(_, learned)| *learned));
    assert_eq!(current_template(&run, 0), None);
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
fn resumed_run_reads_with_the_current_template() {
    let shop = half_bare();
    let (site, plan) = (lab_shop(&shop), at_shop(&shop, Options::default()));
    let whole = crawl(&site, plan.clone());
    let is_version = |commit: &Commit| !versions(std::slice::from_ref(commit)).is_empty();
    let first = whole.commits.iter().position(is_version).expect("a version");
    let (kept, _) = versions(&whole.commits[..=first])[0].clone();
    let rest = resume(&site, plan, &whole.commits[..=first]);
    assert_eq!(current_template(&rest, 0), ExtractionTemplate::decode(&kept));
    assert_eq!(rest.units, whole.units);
}

#[test]
fn run_starts_with_the_template_of_an_earlier_run() {
    let shop = half_bare();
    let (site, plan) = (lab_shop(&shop), at_shop(&shop, Options::default()));
    let earlier = crawl(&site, plan.clone());
    let (kept, _) = versions(&earlier.commits).pop().expect("a version");
    let mut begun = start(Mode::Products, plan.clone());
    assert!(begun.wants_learned_data());
    begun.begin_with_learned_data(kept.clone());
    assert!(!begun.wants_learned_data());
    let first = begun.take_pending().commit;
    assert_eq!(versions(std::slice::from_ref(&first)), [(kept.clone(), false)]);
    let run = resume(&site, plan.clone(), &[first]);
    assert_eq!(
        current_template(&run, 0),
        ExtractionTemplate::decode(&kept),
        "from the first page on"
    );
    let id = ExtractionTemplate::decode(&kept).expect("a template").id();
    let products = run.products();
    let ids: Vec<_> = products.iter().filter_map(|product| product.template_id.as_ref()).collect();
    assert!(!ids.is_empty() && ids.iter().all(|other| **other == id), "{ids:?} beside {id}");
    // A started run ignores templates, and so does an unreadable template.
    let mut late = replay(Mode::Products, plan.clone(), &earlier.commits);
    late.begin_with_learned_data(kept);
    assert!(late.take_pending().commit.is_empty());
    let mut fresh = start(Mode::Products, plan);
    fresh.take_pending();
    fresh.begin_with_learned_data(b"\xffnonsense".to_vec());
    assert!(fresh.take_pending().commit.is_empty());
}

#[test]
fn template_is_neither_learned_nor_used_without_the_option() {
    let shop = half_bare();
    let options = Options { use_template_extraction: false, ..Options::default() };
    let plan: CrawlPlan = at_shop(&shop, options);
    let site = lab_shop(&shop);
    let run = crawl(&site, plan.clone());
    assert_eq!(versions(&run.commits), []);
    assert_eq!(last_in_force(&run), None);
    assert!(run.products().iter().all(|product| product.template_id.is_none()));
    let taught = crawl(&site, at_shop(&shop, Options::default()));
    let (kept, _) = versions(&taught.commits).pop().expect("a version");
    let mut fresh = start(Mode::Products, plan);
    fresh.take_pending();
    fresh.begin_with_learned_data(kept);
    assert!(fresh.take_pending().commit.is_empty());
}
