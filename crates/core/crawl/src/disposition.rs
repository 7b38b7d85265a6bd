//! The disposition of a finished URL: delivered as an item, skipped with a reason, or not reported.

use contract::{LinkType, SkipReason};
use journal::{Cause, Outcome, UrlRole};

use crate::crawl_mode::ContentPresence;
use crate::crawl_plan::CrawlPlan;
use crate::mode_policy::ModePolicy;
use crate::url_collector::check_wanted;

/// What happens to a finished URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disposition {
    /// Delivered as an item that costs this number of units.
    Delivered { units: u32 },
    /// Reported as skipped with this reason.
    Skipped(SkipReason),
    /// Neither delivered nor listed as skipped: sitemaps, and the redirect of a one-page run.
    Unreported,
}

/// Everything that the disposition of a URL depends on.
pub(crate) struct FinishedUrl<'a> {
    pub role: UrlRole,
    pub outcome: &'a Outcome,
    /// The kind of its content, or the expected kind.
    pub kind: LinkType,
    /// Whether it is in an accepted language.
    pub language_accepted: bool,
    /// Whether a search engine would index it; `None` if it is not a page.
    pub indexable: Option<bool>,
    /// Why a delivered page replaces it.
    pub duplicate_reason: Option<SkipReason>,
    /// Whether the page has what the mode delivers.
    pub content_presence: ContentPresence,
    /// Whether `include_paths` or `exclude_paths` leave it out: a start page that is fetched for its
    /// links.
    pub excluded: bool,
    /// Whether it is more than `max_depth` clicks from the start.
    pub too_deep: bool,
}

impl Disposition {
    pub fn of(plan: &CrawlPlan, policy: &ModePolicy, finished: &FinishedUrl<'_>) -> Self {
        match (finished.outcome, finished.role) {
            (Outcome::Skipped(reason), _) => Self::Skipped(*reason),
            (_, UrlRole::External) => Self::Delivered { units: 0 },
            (_, UrlRole::Sitemap | UrlRole::SitemapGuess) => {
                Self::of_sitemap(plan, policy, finished)
            }
            // A single page is known by the URL that was requested, wherever it redirects.
            (Outcome::Redirected { to: Some(_), .. }, _) if plan.scope.one_page => Self::Unreported,
            (Outcome::Redirected { .. } | Outcome::Answered(300..400), _) => {
                // A 3xx without a target is a redirect that leads nowhere, not a failure.
                Self::Skipped(SkipReason::Redirect)
            }
            (Outcome::Answered(200..300), _) if finished.excluded => {
                Self::Skipped(SkipReason::Excluded)
            }
            (Outcome::Answered(200..300), _) => Self::of_success(plan, policy, finished),
            (Outcome::Answered(_) | Outcome::Failed(_), _) => Self::of_failure(plan, finished),
            (Outcome::NotRequested, _) if finished.too_deep => {
                Self::Skipped(SkipReason::DepthLimit)
            }
            (Outcome::NotRequested, _) if policy.delivers_recorded_links => {
                Self::Delivered { units: 0 }
            }
            (Outcome::NotRequested, _) => Self::Skipped(SkipReason::NotFollowed),
        }
    }

    fn of_success(plan: &CrawlPlan, policy: &ModePolicy, finished: &FinishedUrl<'_>) -> Self {
        let verdict = match (finished.kind, finished.duplicate_reason, finished.content_presence) {
            (LinkType::Page, ..) if !finished.language_accepted => Err(SkipReason::Language),
            (LinkType::Page, _, ContentPresence::SoftNotFound) => Err(SkipReason::Broken),
            (LinkType::Page, Some(reason), _) => Err(reason),
            (LinkType::Page, _, ContentPresence::Absent(reason)) => Err(reason),
            (LinkType::Page, ..) if policy.indexable_only && finished.indexable == Some(false) => {
                Err(SkipReason::NotIndexable)
            }
            (kind, ..) => check_wanted(plan, kind),
        };
        match verdict {
            Ok(()) => Self::Delivered { units: 1 },
            Err(reason) => Self::Skipped(reason),
        }
    }

    fn of_failure(plan: &CrawlPlan, finished: &FinishedUrl<'_>) -> Self {
        if plan.scope.include_broken && !finished.excluded {
            return Self::Delivered { units: 0 };
        }
        Self::Skipped(match finished.outcome {
            Outcome::Failed(Cause::Robots | Cause::RobotsUnavailable) => SkipReason::Robots,
            Outcome::Failed(Cause::TooComplex) => SkipReason::TooComplex,
            Outcome::Failed(Cause::Protected | Cause::RateLimited)
            | Outcome::Answered(401 | 403 | 429 | 451) => SkipReason::Blocked,
            _ => SkipReason::Broken,
        })
    }

    /// Sitemap files are delivered if that was requested.
    fn of_sitemap(plan: &CrawlPlan, policy: &ModePolicy, finished: &FinishedUrl<'_>) -> Self {
        let is_sitemap = finished.kind != LinkType::Page;
        match (finished.outcome, finished.role) {
            (Outcome::Answered(200..300), _)
                if plan.scope.include_sitemap && is_sitemap && !policy.deduplicates =>
            {
                Self::Delivered { units: 1 }
            }
            (_, UrlRole::SitemapGuess) | (Outcome::Answered(200..400), _) => Self::Unreported,
            (Outcome::Redirected { .. }, _) => Self::Skipped(SkipReason::Redirect),
            _ => Self::of_failure(plan, finished),
        }
    }
}
