//! Accuracy per field on the generated companies, and CPU time per page.

#[path = "../tests/contacts/scoring.rs"]
mod scoring;

use std::hint::black_box;
use std::time::Instant;

use lab::Company;
use scoring::AccuracyReport;
use urls::CanonicalUrl;

fn main() {
    let companies = Company::all();
    let report = AccuracyReport::of(&companies);
    println!("{:<16} {:>9} {:>7} {:>7}", "field", "precision", "recall", "F1");
    for (field, score) in &report.fields {
        println!(
            "{field:<16} {:>9.3} {:>7.3} {:>7.3}",
            score.precision(),
            score.recall(),
            score.f1()
        );
    }
    println!("values of others: {}", report.foreign.len());
    for fault in report.differences.iter().chain(&report.foreign) {
        println!("  {fault}");
    }
    let pages: Vec<(CanonicalUrl, String)> = companies
        .iter()
        .flat_map(|company| {
            let host = company.host().to_owned();
            company.pages().collect::<Vec<_>>().into_iter().filter_map(move |(path, text)| {
                Some((CanonicalUrl::parse(&format!("http://{host}{path}")).ok()?, text))
            })
        })
        .collect();
    let bytes: usize = pages.iter().map(|(_, text)| text.len()).sum();
    // The first round warms up the caches.
    let mut best = f64::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        for (url, text) in &pages {
            black_box(scoring::read(text, url));
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let count = pages.len().max(1);
    println!(
        "{} pages read in {} visits; {count} pages of {} bytes: {:.3} ms a page",
        report.pages,
        companies.len(),
        bytes / count,
        best * 1_000.0 / count as f64
    );
}
