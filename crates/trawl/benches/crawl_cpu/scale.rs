//! What a page costs in a site of many pages, and how much memory a known URL takes.

use crate::measured::measure;
use crate::site::{Served, Shape};
use crate::{ROUNDS, crawl, job, line, mb};

/// What a run may hold: this, and for each known URL so much and its length.
const ALLOWED: usize = 100_000_000;
const ALLOWED_A_URL: usize = 150;

/// One round suffices beyond: chance evens out over so many pages.
const MANY: usize = 20_000;

/// Cost and memory of a page at several sizes, the first being what others are held against.
/// `by_job` has the server do it instead of `trawl crawl`.
pub fn run(sizes: &[usize], shape: Shape, by_job: bool) {
    let way = if by_job { "a job of the server" } else { "trawl crawl" };
    println!("pages of {shape}, by {way}");
    let mut first: Option<(f64, usize, u64)> = None;
    for &pages in sizes {
        let site = Served::start(pages, shape);
        let rounds = if pages > MANY { 1 } else { ROUNDS };
        let costs: Vec<_> = (0..rounds)
            .map(|_| {
                site.checked(way, |out| match by_job {
                    true => job::run(&site.url, out),
                    false => measure(&mut crawl("links", &site.url, out)),
                })
            })
            .collect();
        let peak = costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or_default();
        let against = first.map(|(cost, ..)| ("first", cost));
        let cost = line(&format!("{pages} pages"), pages, costs, against);
        let urls = site.url_bytes();
        let allowed = (ALLOWED + ALLOWED_A_URL * pages + urls) as u64;
        println!(
            "    memory {:.0} MB of {:.0} MB allowed ({:.2}); {pages} of {pages} pages found",
            mb(peak),
            mb(allowed),
            peak as f64 / allowed as f64
        );
        if let Some((_, few, less)) = first {
            let a_url = peak.saturating_sub(less) as f64 / pages.abs_diff(few).max(1) as f64;
            let text = urls as f64 / pages as f64;
            println!("    {:.0} bytes a URL beyond the first and beyond its text", a_url - text);
        }
        first.get_or_insert((cost, pages, peak));
    }
}
