use super::*;
use crate::discovered_url::{SitemapMetadata, UrlRole, Via};

fn page(id: u32, units: u32) -> Step {
    let url = format!("https://example.com/{id}");
    Step::Finished(Finished {
        found: vec![DiscoveredUrl::page(url, Via::Link, Some("next".into()))],
        linked: vec![UrlId(id + 1)],
        content: Some(u64::from(id)),
        delivered: units > 0,
        units,
        skipped: 2,
        ..Finished::bare(UrlId(id), Outcome::Answered(200))
    })
}

#[test]
fn commit_survives_encoding() {
    let commit = Commit {
        steps: vec![
            Step::Learned(Fact::SiteMoved { to: "https://example.org/".to_owned() }),
            Step::Learned(Fact::Template {
                site: "example.com".to_owned(),
                template: vec![0, 7, 255],
                learned: true,
            }),
            page(0, 1),
        ],
    };
    let bytes = commit.encode().expect("it encodes");
    assert_eq!(Commit::decode(&bytes).expect("it decodes"), commit);
    let totals =
        Totals { found: 1, finished: 1, identified: 0, delivered: 1, units: 1, skipped: 2 };
    assert_eq!(commit.totals(), totals);
}

#[test]
fn damaged_bytes_and_unknown_versions_are_different_errors() {
    let mut bytes = Commit { steps: vec![page(0, 1)] }.encode().expect("it encodes");
    assert!(matches!(Commit::decode(&[]), Err(JournalError::Damaged(_))));
    assert!(matches!(Commit::decode(&bytes[..bytes.len() - 1]), Err(JournalError::Damaged(_))));
    bytes[1] = 9;
    assert!(matches!(Commit::decode(&bytes), Err(JournalError::UnknownVersion { found: 9, .. })));
}

#[test]
fn trimmed_commit_is_the_longest_paid_prefix() {
    let whole = Commit { steps: vec![page(0, 1), page(1, 0), page(2, 1), page(3, 0), page(4, 1)] };
    for (units, steps, items) in [(0, 0, 0), (1, 2, 1), (2, 4, 2), (3, 5, 3), (9, 5, 3)] {
        let mut commit = whole.clone();
        let kept = RetainedCounts { items, skipped: 2 * steps };
        assert_eq!(commit.trim_to(units), kept, "left at {units} units");
        assert_eq!(commit.steps, whole.steps[..steps], "steps left at {units} units");
    }
}

#[test]
fn totals_count_the_units_of_domains() {
    let visited = |place, units| Step::Visited(Visited { domain_index: place, pages: 3, units });
    let aside = Step::SetAside { domain_index: 3, marker: "cloudflare_challenge".to_owned() };
    let steps = vec![visited(0, 1), visited(1, 0), aside, visited(2, 1)];
    let mut commit = Commit { steps };
    let totals = Totals { found: 9, finished: 3, delivered: 3, units: 2, ..Totals::default() };
    assert_eq!(commit.totals(), totals);
    let bytes = commit.encode().expect("it encodes");
    assert_eq!(Commit::decode(&bytes).expect("it decodes"), commit);
    assert_eq!(commit.trim_to(1), RetainedCounts { items: 2, skipped: 0 });
    assert_eq!(commit.steps.len(), 3, "the unpaid domain is cut off");
}

#[test]
fn bytes_of_a_step_count_all_contributions_of_a_page() {
    let bare = Finished::bare(UrlId(0), Outcome::Answered(200));
    let least = Step::Finished(bare.clone()).bytes();
    let text = "x".repeat(1_000);
    let metadata = SitemapMetadata { images: vec![text.clone(); 10], ..SitemapMetadata::default() };
    let anchor = || Some(text.as_str().into());
    let filled = [
        Finished {
            found: vec![DiscoveredUrl::page(text.clone(), Via::Link, None)],
            ..bare.clone()
        },
        Finished {
            found: vec![DiscoveredUrl::page(String::new(), Via::Link, anchor())],
            ..bare.clone()
        },
        Finished {
            rediscovered: vec![Rediscovery { id: UrlId(1), via: Via::Link, anchor: anchor() }],
            ..bare.clone()
        },
        Finished { linked: vec![UrlId(1); 250], ..bare.clone() },
        Finished { refused: vec![1; 125], ..bare.clone() },
        Finished {
            listed: vec![ListedUrl { id: UrlId(1), metadata: Some(metadata.into()) }],
            ..bare
        },
    ];
    for finished in filled {
        let bytes = Step::Finished(finished.clone()).bytes();
        assert!(bytes >= least + 1_000, "{bytes} bytes for {finished:?}");
    }
    let seeded = Step::Seeded(vec![DiscoveredUrl::page(text.clone(), Via::Start, None)]);
    assert!(seeded.bytes() >= 1_000);
    let template = vec![0; 1_000];
    let learned = Fact::Template { site: String::new(), template, learned: true };
    assert!(Step::Learned(learned).bytes() >= 1_000);
}

#[test]
fn only_urls_of_the_site_count_as_found() {
    let roles =
        [UrlRole::Page, UrlRole::File, UrlRole::External, UrlRole::Sitemap, UrlRole::SitemapGuess];
    let found = roles
        .map(|role| DiscoveredUrl { role, ..DiscoveredUrl::page("u".to_owned(), Via::Link, None) })
        .to_vec();
    let commit = Commit { steps: vec![Step::Seeded(found)] };
    assert_eq!(commit.totals().found, 2);
}
