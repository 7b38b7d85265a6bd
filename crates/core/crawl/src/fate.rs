//! What becomes of a URL that is done with: an item, or a line among what was left out.

use contract::{LinkType, Mode, SkipReason};
use journal::{Cause, Outcome, Role};

use crate::Plan;
use crate::finder::wanted;

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// An item that costs so many units.
    Delivered {
        /// The units.
        units: u32,
    },
    /// It is reported with this reason.
    LeftOut(SkipReason),
    /// Nobody would ask for it.
    Silent,
}

/// What the fate of a URL depends on.
pub(crate) struct Ended<'a> {
    pub role: Role,
    pub outcome: &'a Outcome,
    /// What it turned out to be, or is expected to be.
    pub kind: LinkType,
    /// Whether it is in the language that was asked for.
    pub suits: bool,
    /// Whether a search engine would index it; unknown for what is no page.
    pub indexable: Option<bool>,
    /// Why another page that was delivered stands for it.
    pub stood_for: Option<SkipReason>,
    /// What there is on a page of what is delivered: its text, or its product.
    pub substance: Substance,
}

/// What there is on a page of what the run delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Substance {
    /// It was not asked for.
    Unasked,
    /// There is none.
    None,
    /// It says that there is no such page.
    Missing,
    /// There is something to deliver.
    Some,
}

impl Fate {
    pub fn of(plan: &Plan, ended: &Ended<'_>) -> Self {
        match (ended.outcome, ended.role) {
            (Outcome::Skipped(reason), _) => Self::LeftOut(*reason),
            (_, Role::External) => Self::Delivered { units: 0 },
            (_, Role::Sitemap | Role::SitemapGuess) => Self::of_sitemap(plan, ended),
            // One page is known by the address that was given, wherever it leads.
            (Outcome::Redirected { to: Some(_), .. }, _) if plan.scope.one_page => Self::Silent,
            (Outcome::Redirected { .. } | Outcome::Answered(300..400), _) => {
                // A 3xx without a place to go to is a redirect that leads nowhere, not a
                // failure.
                Self::LeftOut(SkipReason::Redirect)
            }
            (Outcome::Answered(200..300), _) => Self::of_success(plan, ended),
            (Outcome::Answered(_) | Outcome::Failed(_), _) => Self::of_failure(plan, ended),
            // Nobody knows whether it could be indexed, or what it says.
            (Outcome::Unasked, _) if plan.mode == Mode::Sitemap || plan.delivers_once() => {
                Self::LeftOut(SkipReason::NotFollowed)
            }
            (Outcome::Unasked, _) => Self::Delivered { units: 0 },
        }
    }

    fn of_success(plan: &Plan, ended: &Ended<'_>) -> Self {
        let verdict = match (ended.kind, ended.stood_for, ended.substance) {
            (LinkType::Page, ..) if !ended.suits => Err(SkipReason::Language),
            (LinkType::Page, _, Substance::Missing) => Err(SkipReason::Broken),
            (LinkType::Page, Some(reason), _) => Err(reason),
            (LinkType::Page, _, Substance::None) if plan.seeks_products() => {
                Err(SkipReason::NoProduct)
            }
            (LinkType::Page, _, Substance::None) => Err(SkipReason::NoText),
            (LinkType::Page, ..)
                if plan.mode == Mode::Sitemap && ended.indexable == Some(false) =>
            {
                Err(SkipReason::NotIndexable)
            }
            (kind, ..) => wanted(plan, kind),
        };
        match verdict {
            Ok(()) => Self::Delivered { units: 1 },
            Err(reason) => Self::LeftOut(reason),
        }
    }

    fn of_failure(plan: &Plan, ended: &Ended<'_>) -> Self {
        if plan.scope.include_broken {
            return Self::Delivered { units: 0 };
        }
        Self::LeftOut(match ended.outcome {
            Outcome::Failed(Cause::Robots | Cause::RobotsUnavailable) => SkipReason::Robots,
            Outcome::Failed(Cause::TooComplex) => SkipReason::TooComplex,
            Outcome::Failed(Cause::Protected | Cause::RateLimited)
            | Outcome::Answered(401 | 403 | 429 | 451) => SkipReason::Blocked,
            _ => SkipReason::Broken,
        })
    }

    /// The files themselves are listed where that was asked for.
    fn of_sitemap(plan: &Plan, ended: &Ended<'_>) -> Self {
        let is_sitemap = ended.kind != LinkType::Page;
        match (ended.outcome, ended.role) {
            (Outcome::Answered(200..300), _)
                if plan.scope.include_sitemap && is_sitemap && !plan.delivers_once() =>
            {
                Self::Delivered { units: 1 }
            }
            (_, Role::SitemapGuess) | (Outcome::Answered(200..400), _) => Self::Silent,
            (Outcome::Redirected { .. }, _) => Self::LeftOut(SkipReason::Redirect),
            _ => Self::of_failure(plan, ended),
        }
    }
}
