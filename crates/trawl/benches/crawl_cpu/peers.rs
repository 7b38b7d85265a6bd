//! Other crawlers on the same site, from the environment: one `NAME = COMMAND` per line; the
//! command gets the URL, the number of connections and the output file.

use std::process::Command;
use std::time::Duration;

use crate::CONNECTIONS;
use crate::measured::measure;
use crate::series::Series;
use crate::site::{Judged, Served};

/// Crawlers that take longer run one round.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Peer {
    command: String,
    series: Series,
    judged: Judged,
}

impl Peer {
    pub fn all() -> Vec<Self> {
        let named = std::env::var("TRAWL_BENCH_PEERS").unwrap_or_default();
        let peers = named.lines().filter_map(|line| line.split_once(" = "));
        peers
            .map(|(name, command)| Self {
                command: command.to_owned(),
                series: Series::new(name),
                judged: Judged::default(),
            })
            .collect()
    }

    /// One round on the site. Only pages that it found count.
    pub fn run(&mut self, site: &Served) {
        if self.series.costs().any(|cost| cost.wall > PATIENCE) {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let mut words = self.command.split_whitespace();
        let mut peer = Command::new(words.next().expect("a program"));
        let cost = measure(peer.args(words).arg(&site.url).arg(CONNECTIONS.to_string()).arg(&out));
        self.judged = site.judge(&out);
        self.series.add(self.judged.found, cost);
    }

    pub fn print(&self, trawl: &Series, site: &Served) {
        self.series.print(Some(("trawl crawl", self.series.against(trawl))));
        println!(
            "    found {} of {}, {} again, {} that are none; rounds: {}",
            self.judged.found,
            site.pages,
            self.judged.again,
            self.judged.wrong,
            self.series.costs().count()
        );
    }
}
