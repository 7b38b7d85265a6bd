//! The plan of a run together with the policy of its mode.

use std::ops::Deref;

use contract::{LinkType, Scope};

use crate::crawl_plan::CrawlPlan;
use crate::mode_policy::ModePolicy;

/// A plan whose options fit its mode.
#[derive(Debug)]
pub(crate) struct ModePlan {
    plan: CrawlPlan,
    pub policy: ModePolicy,
}

impl Deref for ModePlan {
    type Target = CrawlPlan;

    fn deref(&self) -> &CrawlPlan {
        &self.plan
    }
}

impl ModePlan {
    /// Disables options that have no effect in the mode: a mode that delivers the content of pages
    /// delivers nothing else.
    pub fn new(mut plan: CrawlPlan, policy: ModePolicy) -> Self {
        if policy.deduplicates {
            plan.scope = Scope {
                include_external: false,
                include_broken: false,
                include_images: false,
                include_files: false,
                ..plan.scope
            };
        }
        Self { plan, policy }
    }

    /// The kind of content that a path suggests.
    pub fn expected_kind(&self, path: &str) -> LinkType {
        match document::expected_kind(path) {
            LinkType::File if (self.policy.reads_as_page)(path) => LinkType::Page,
            kind => kind,
        }
    }

    /// Whether the site's sitemaps are read and their URLs join the run.
    pub fn reads_sitemaps(&self) -> bool {
        let requested = self.policy.reads_sitemap_data
            || self.options.sitemap_first
            || self.scope.include_sitemap
            || self.scope.include_orphan;
        requested && !self.scope.one_page
    }

    /// Whether the image links of pages are collected.
    pub fn reads_images(&self) -> bool {
        self.scope.include_images || self.scope.include_files || self.policy.reads_sitemap_data
    }
}
