//! Costs of one crawler over several rounds, and their ratio to another.

use crate::mb;
use crate::measured::Cost;

/// The rounds of one crawler.
pub struct Series {
    name: String,
    rounds: Vec<Round>,
}

struct Round {
    cost: Cost,
    /// CPU-seconds per 1,000 pages.
    a_thousand: f64,
}

impl Series {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), rounds: Vec::new() }
    }

    /// Adds a round with this number of pages.
    pub fn add(&mut self, pages: usize, cost: Cost) {
        let a_thousand = cost.cpu * 1_000.0 / pages.max(1) as f64;
        self.rounds.push(Round { cost, a_thousand });
    }

    pub fn costs(&self) -> impl Iterator<Item = &Cost> {
        self.rounds.iter().map(|round| &round.cost)
    }

    /// CPU-seconds per 1,000 pages in the median round.
    pub fn per_thousand_pages(&self) -> f64 {
        self.median_round().a_thousand
    }

    /// The median ratio to `other` within the same round: CPU speed varies over minutes, but both
    /// crawlers of a round feel it.
    pub fn against(&self, other: &Self) -> f64 {
        let pairs = self.rounds.iter().zip(&other.rounds);
        let mut ratios: Vec<f64> =
            pairs.map(|(own, other)| own.a_thousand / other.a_thousand).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }

    /// Prints a line with the ratio to a named crawler.
    pub fn print(&self, against: Option<(&str, f64)>) {
        let Round { cost, a_thousand } = self.median_round();
        print!(
            "{:<28} {a_thousand:.4} CPU-s per 1,000 pages (user {:.2} system {:.2} s, {:.1} s, {:.0} MB)",
            self.name,
            cost.user,
            cost.cpu - cost.user,
            cost.wall.as_secs_f64(),
            mb(cost.peak_bytes)
        );
        match against {
            Some((other, ratio)) => println!("  {ratio:.2} × {other}"),
            None => println!(),
        }
    }

    fn median_round(&self) -> &Round {
        let mut rounds: Vec<&Round> = self.rounds.iter().collect();
        rounds.sort_by(|a, b| a.a_thousand.total_cmp(&b.a_thousand));
        rounds[rounds.len() / 2]
    }
}
