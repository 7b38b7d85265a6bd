//! A survey: the first pages of a run, read for its price.
//!
//! [`PageService::survey`] drives a run of the request in memory, as [`PageService::read`] does for
//! a page, with a bound in pages and time. If the run ends within them, its units are what the run
//! costs. Otherwise they are a lower bound, and the number of pages of the sitemap helps to bound
//! the rest. Results are dropped. The protected tier is never used, since it costs money.

use std::time::Duration;

use async_trait::async_trait;
use contract::{ExpectedUnits, Mode, Options, PageId, Scope};
use crawl::{CrawlPlan, Engine as _, Pending};
use job::RunEnding;
use journal::Snapshot;
use privacy::Denylist;
use runner::{CommitLimits, CommitOutcome, RunOutcome, RunSignal, Sink, drive};
use tokio::sync::watch;
use tokio::time::sleep;
use urls::{CanonicalUrl, TrapRule};

use crate::PageService;

/// Maximum pages that a survey requests.
const MAX_PAGES: u64 = 40;

/// A run to be priced, for one account.
#[derive(Debug, Clone)]
pub struct SurveyCall {
    pub id: PageId,
    /// The account, which isolates browser state and shares of CPU.
    pub account: String,
    pub mode: Mode,
    pub url: CanonicalUrl,
    pub scope: Scope,
    pub options: Options,
    /// The units that limits of the request allow at most.
    pub max_units: Option<u64>,
    /// What earlier runs learned of the site, for modes that use it.
    pub learned: Option<Vec<u8>>,
    pub denylist: Denylist,
    /// Maximum time of the survey.
    pub within: Duration,
}

/// The first pages of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SiteSurvey {
    /// Units that the run would have charged.
    pub units: u64,
    /// Finished URLs, with and without a result.
    pub finished: u64,
    /// URLs of the site that are known.
    pub found: u64,
    /// Whether the run ended: it delivers these units and no others.
    pub is_complete: bool,
}

impl SiteSurvey {
    /// The units of the whole run. `listed` is the number of pages of its scope in sitemaps.
    #[must_use]
    pub fn expected_units(&self, mode: Mode, listed: Option<u64>) -> ExpectedUnits {
        if self.is_complete {
            return ExpectedUnits::exactly(self.units);
        }
        // Known URLs are as often worth a unit as those that were read, of which half are counted.
        // Shops show their lists before their products, and unlisted sites may be traps.
        let is_even = !mode.counts_products() && listed.is_some();
        let unread = self.found.saturating_sub(self.finished);
        let more = match self.finished {
            0 => 0,
            finished if is_even => unread.saturating_mul(self.units) / finished / 2,
            _ => 0,
        };
        let min = self.units.saturating_add(more);
        // A page is in the sitemap, or is linked; links that are not known yet lead mostly to
        // pages of the sitemap.
        let max = listed.map(|listed| listed.saturating_add(self.found).max(min));
        ExpectedUnits { likely: listed.map(|listed| listed.max(min)), min, max }
    }
}

/// The number of pages in the sitemaps of a site; `None` if there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListedPages {
    pub whole_site: Option<u64>,
    pub under_path: Option<u64>,
}

impl ListedPages {
    fn of_scope(self, scope: &Scope) -> Option<u64> {
        if scope.specific_route { self.under_path } else { self.whole_site }
    }
}

/// The units of a run, and of the same run with the other choice of `scope.specific_route`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SurveyedUnits {
    pub requested: ExpectedUnits,
    /// Below the path of the start URL; `None` if the run has no such choice.
    pub under_path: Option<ExpectedUnits>,
    /// Of the whole site; `None` if the run has no such choice.
    pub whole_site: Option<ExpectedUnits>,
}

/// Counts what a run commits.
#[derive(Debug, Default)]
struct SurveySink {
    survey: SiteSurvey,
}

#[async_trait]
impl Sink for SurveySink {
    async fn commit(&mut self, pending: Pending, _: Option<Snapshot>) -> CommitOutcome {
        let totals = pending.commit.totals();
        self.survey.units += totals.units;
        self.survey.finished += totals.finished;
        self.survey.found += totals.found;
        CommitOutcome::Stored
    }
}

impl PageService {
    /// The units that a run is expected to deliver; with `has_path_choice` also those of the other
    /// choice of `scope.specific_route`, at the same time. The site is not requested if its start
    /// page is not readable.
    pub async fn expected_units(
        &self,
        call: &SurveyCall,
        listed: ListedPages,
        is_readable: bool,
        has_path_choice: bool,
    ) -> SurveyedUnits {
        let mut other = call.clone();
        other.scope.specific_route = !call.scope.specific_route;
        let (requested, other) = tokio::join!(self.units_of(call, listed, is_readable), async {
            match has_path_choice {
                true => Some(self.units_of(&other, listed, is_readable).await),
                false => None,
            }
        });
        let Some(other) = other else {
            return SurveyedUnits { requested, ..SurveyedUnits::default() };
        };
        let (under_path, whole_site) = match call.scope.specific_route {
            true => (requested, other),
            false => (other, requested),
        };
        let (under_path, whole_site) = (Some(under_path), Some(whole_site));
        SurveyedUnits { requested, under_path, whole_site }
    }

    async fn units_of(
        &self,
        call: &SurveyCall,
        listed: ListedPages,
        is_readable: bool,
    ) -> ExpectedUnits {
        let listed = listed.of_scope(&call.scope);
        let units = match is_readable {
            true => self.survey(call).await.expected_units(call.mode, listed),
            // The sitemap of a site can be readable without its start page.
            false => ExpectedUnits { likely: listed, min: 0, max: None },
        };
        units.limited_to(call.max_units)
    }

    /// Reads the first pages of a run to price it. A site that gives no usable response within the
    /// time is not an error: its survey is not complete.
    pub async fn survey(&self, call: &SurveyCall) -> SiteSurvey {
        let own_limit = call.options.max_pages;
        let plan = CrawlPlan {
            max_pages: Some(own_limit.map_or(MAX_PAGES, |own| own.min(MAX_PAGES))),
            ..self.survey_plan(call)
        };
        let Ok(mut run) = registry::site_crawl(call.mode, plan) else {
            return SiteSurvey::default();
        };
        if let Some(learned) = call.learned.clone() {
            run.begin_with_learned_data(learned);
        }
        let fetcher = self.fetcher.for_run(&call.account, call.id.as_str());
        let (stop, stopped) = watch::channel(RunSignal::Continue);
        let sink = SurveySink::default();
        let run = drive(run, &fetcher, sink, CommitLimits::default(), stopped);
        tokio::pin!(run);
        let (run, sink, outcome) = tokio::select! {
            ended = &mut run => ended,
            () = sleep(call.within) => {
                // Pages that were read are committed, and requests are cancelled.
                let _: Result<(), _> = stop.send(RunSignal::Shutdown);
                run.await
            }
        };
        let progress = run.progress();
        let is_limit_own = own_limit.is_some_and(|own| own <= MAX_PAGES);
        let is_complete = match outcome {
            RunOutcome::Finished(ending) => match ending {
                RunEnding::Complete
                | RunEnding::Partial { .. }
                | RunEnding::Sampled
                | RunEnding::CreditLimit => true,
                RunEnding::PageLimit => is_limit_own,
                // Nothing was delivered, perhaps because the limit of the survey was reached.
                RunEnding::Nothing(_) => is_limit_own || progress.done >= progress.known,
            },
            RunOutcome::BatchBoundary
            | RunOutcome::Protected(_)
            | RunOutcome::OutOfCredits
            | RunOutcome::Shutdown
            | RunOutcome::Evicted
            | RunOutcome::Abandoned
            | RunOutcome::Failed(_) => false,
        };
        SiteSurvey { is_complete, ..sink.survey }
    }

    fn survey_plan(&self, call: &SurveyCall) -> CrawlPlan {
        let all = self.fetcher.capabilities();
        CrawlPlan {
            scope: call.scope.clone(),
            options: call.options.clone(),
            max_units: call.max_units,
            traps: TrapRule::in_year(self.fetcher.clock().now().year()),
            // The survey ends at the first protected page that a run would ask about.
            escalates: all.tier,
            capabilities: all,
            retries: self.retries,
            denylist: call.denylist.clone(),
            ..CrawlPlan::new(call.url.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: SiteSurvey = SiteSurvey { units: 30, finished: 40, found: 140, is_complete: false };

    #[test]
    fn complete_survey_is_exact() {
        let all = SiteSurvey { is_complete: true, ..PART };
        let units = all.expected_units(Mode::Markdown, Some(500));
        assert_eq!(units, ExpectedUnits::exactly(30));
    }

    #[test]
    fn sitemap_bounds_the_pages_that_were_not_read() {
        let units = PART.expected_units(Mode::Links, Some(500));
        assert_eq!(units, ExpectedUnits { likely: Some(500), min: 67, max: Some(640) });
        let shop = PART.expected_units(Mode::Products, Some(500));
        assert_eq!((shop.min, shop.max), (30, Some(640)));
        let unlisted = PART.expected_units(Mode::Links, None);
        assert_eq!(unlisted, ExpectedUnits { likely: None, min: 30, max: None });
    }

    #[test]
    fn survey_without_a_page_is_unknown() {
        let nothing = SiteSurvey::default().expected_units(Mode::Links, None);
        assert_eq!(nothing, ExpectedUnits { likely: None, min: 0, max: None });
    }
}
