//! Cost of a page in a large site, and memory per known URL.

use crate::series::Series;
use crate::site::{Served, Shape};
use crate::{ROUNDS, job, mb};

/// Memory goal: this constant, plus this much per known URL and its length.
const ALLOWED: usize = 100_000_000;
const ALLOWED_A_URL: usize = 150;

/// One round is enough for large sites.
const MANY: usize = 20_000;

/// Cost and memory of a page at several sizes; the first is the baseline. `by_job` measures the
/// server instead of `trawl crawl`.
pub fn run(sizes: &[usize], shape: Shape, by_job: bool) {
    let way = if by_job { "a job of the server" } else { "trawl crawl" };
    println!("by {way}");
    let mut first: Option<(f64, usize, u64)> = None;
    for &pages in sizes {
        let site = Served::generated(pages, shape);
        let rounds = if pages > MANY { 1 } else { ROUNDS };
        let mut series = Series::new(&format!("{pages} pages"));
        for _ in 0..rounds {
            let cost = match by_job {
                true => site.checked(way, |out| job::run(&site.url, out)),
                false => site.crawled("links"),
            };
            series.add(pages, cost);
        }
        let peak = series.costs().map(|cost| cost.peak_bytes).max().unwrap_or_default();
        let cost = series.per_thousand_pages();
        series.print(first.map(|(less, ..)| ("first", cost / less)));
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
