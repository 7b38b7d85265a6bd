//! How well and how fast products are read: precision and recall of every field over the
//! lab's shops, of pages told apart, and the time a product page takes.
//!
//!     cargo bench -p products --bench products [-- stripped|learned] [-- FIELD]
//!
//! With a field, what went wrong there is listed; with `stripped`, every second product page
//! has lost its data; with `learned`, those pages alone are read, by the template that the
//! others teach.

#[path = "../tests/products/scoring.rs"]
mod scoring;

use std::hint::black_box;
use std::time::{Duration, Instant};

use lab::{PageKind, Shop};
use products::ProductWishes;
use scoring::{Score, Tally, read, score, score_learned};

const ROUNDS: usize = 5;

const WISHES: ProductWishes =
    ProductWishes { suppress_contact: true, collect_hidden_prices: false, lessons: false };

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_asked = |word: &str| asked.iter().any(|asked| asked == word);
    let mut all = Score::default();
    for shop in Shop::all() {
        let score = match () {
            () if is_asked("learned") => score_learned(&shop, WISHES),
            () if is_asked("stripped") => score(&shop.stripped(), WISHES),
            () => score(&shop, WISHES),
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
    println!("\npages told apart   {}", both(all.pages));
    for (field, tally) in &all.fields {
        println!("{field:18} {}   of {}", both(*tally), tally.right + tally.missed);
    }
    let lessons = ProductWishes { lessons: true, ..WISHES };
    println!("{:?} a product page, {:?} with its lesson", time(WISHES), time(lessons));
}

fn both(tally: Tally) -> String {
    format!("{:.3}/{:.3}", tally.precision(), tally.recall())
}

/// The time that this process has had a processor, where the system tells it: others may be
/// at work beside us.
fn cpu() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The least time that a product page takes on average; the one of ten thousand forms is
/// no average page.
fn time(wishes: ProductWishes) -> Duration {
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
        let (started, used) = (Instant::now(), cpu());
        for (shop, path, html) in &pages {
            black_box(read(shop, path, html, wishes, None));
        }
        let taken = match (used, cpu()) {
            (Some(before), Some(after)) => after - before,
            _ => started.elapsed(),
        };
        taken / u32::try_from(pages.len()).expect("a few")
    };
    (0..ROUNDS).map(|_| round()).min().unwrap_or_default()
}
