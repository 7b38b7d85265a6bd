//! Quality and speed of product extraction: precision and recall of every field and of the page
//! classification over the lab shops, and the CPU time per product page.
//!
//!     cargo bench -p products --bench products [-- stripped|learned] [-- FIELD]
//!
//! With a field, its errors are listed. With `stripped`, every second product page has no
//! structured data. With `learned`, only those pages are read, by the template of the others.

#[path = "../tests/products/scoring.rs"]
mod scoring;

use std::hint::black_box;
use std::time::{Duration, Instant};

use lab::{PageKind, Shop};
use products::ProductOptions;
use scoring::{Score, Tally, read, score, score_learned};

const ROUNDS: usize = 5;

const OPTIONS: ProductOptions = ProductOptions {
    suppress_contact: true,
    collect_hidden_prices: false,
    template_examples: false,
};

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_asked = |word: &str| asked.iter().any(|asked| asked == word);
    let mut all = Score::default();
    for shop in Shop::all() {
        let score = match () {
            () if is_asked("learned") => score_learned(&shop, OPTIONS),
            () if is_asked("stripped") => score(&shop.stripped(), OPTIONS),
            () => score(&shop, OPTIONS),
        };
        let weak: Vec<String> = score
            .fields
            .iter()
            .filter(|(_, tally)| tally.precision().min(tally.recall()) < 0.97)
            .map(|(field, tally)| format!("{field} {}", both(*tally)))
            .collect();
        println!("{:24} pages {} | {}", shop.host(), both(score.pages), weak.join(", "));
        for (field, miss) in &score.misses {
            if is_asked(field) || is_asked(shop.host()) {
                println!("   {field}: {miss}");
            }
        }
        all.add(&score);
    }
    println!("\npage class         {}", both(all.pages));
    for (field, tally) in &all.fields {
        println!("{field:18} {}   of {}", both(*tally), tally.right + tally.missed);
    }
    let examples = ProductOptions { template_examples: true, ..OPTIONS };
    println!("{:?} per product page, {:?} with a template example", time(OPTIONS), time(examples));
}

/// Precision and recall as text.
fn both(tally: Tally) -> String {
    format!("{:.3}/{:.3}", tally.precision(), tally.recall())
}

/// The CPU time of this process, if the system reports it. Other processes may run beside it.
fn cpu_time() -> Option<Duration> {
    let schedstat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    schedstat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The average time per product page in the fastest round. The page with ten thousand variants is
/// left out.
fn time(options: ProductOptions) -> Duration {
    let mut pages = Vec::new();
    for shop in Shop::all() {
        let truth = shop.shop_truth();
        let products = shop
            .pages()
            .filter(|(path, html)| truth.pages[path] == PageKind::Product && html.len() < 500_000);
        pages.extend(products.take(30).map(|(path, html)| (shop.clone(), path, html)));
    }
    let bytes: usize = pages.iter().map(|(_, _, html)| html.len()).sum();
    println!("\n{} product pages of {} bytes", pages.len(), bytes / pages.len());
    let round = || {
        let (started, used) = (Instant::now(), cpu_time());
        for (shop, path, html) in &pages {
            black_box(read(shop, path, html, options, None));
        }
        let taken = match (used, cpu_time()) {
            (Some(before), Some(after)) => after - before,
            _ => started.elapsed(),
        };
        taken / u32::try_from(pages.len()).expect("a few")
    };
    (0..ROUNDS).map(|_| round()).min().unwrap_or_default()
}
