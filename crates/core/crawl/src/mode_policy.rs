//! The properties of a mode that the engine depends on, as plain data: loops over links read them
//! without a call of the mode.

use contract::{LinkType, Scope};

use crate::crawl_plan::CrawlPlan;

/// The properties of a mode that do not change during a run.
#[derive(Debug, Clone, Copy)]
pub struct ModePolicy {
    /// Whether each content is delivered once, under one URL and in one language. Such a mode
    /// delivers pages only.
    pub deduplicates: bool,
    /// Whether the translations of a page are one item, unless languages are delivered separately.
    pub merges_translations: bool,
    /// Whether sitemaps are read even if no option requests them, with the values of their entries
    /// and the images of pages.
    pub reads_sitemap_data: bool,
    /// Whether links are delivered that were found but not requested.
    pub delivers_recorded_links: bool,
    /// Whether only pages are delivered that a search engine may index.
    pub indexable_only: bool,
    /// Whether the path of a file names a kind that the mode reads as a page.
    pub reads_as_page: fn(path: &str) -> bool,
}

impl ModePolicy {
    /// The policy of an inventory: every URL is an item.
    pub const INVENTORY: Self = Self {
        deduplicates: false,
        merges_translations: false,
        reads_sitemap_data: false,
        delivers_recorded_links: true,
        indexable_only: false,
        reads_as_page: |_| false,
    };

    /// The policy of a mode that delivers the content of pages, each once.
    pub const CONTENT: Self =
        Self { deduplicates: true, delivers_recorded_links: false, ..Self::INVENTORY };

    /// The plan without options that have no effect in the mode: a mode that delivers the content
    /// of pages delivers nothing else.
    pub(crate) fn restrict(&self, mut plan: CrawlPlan) -> CrawlPlan {
        if self.deduplicates {
            plan.scope = Scope {
                include_external: false,
                include_broken: false,
                include_images: false,
                include_files: false,
                ..plan.scope
            };
        }
        plan
    }

    /// The kind of content that a path suggests.
    pub(crate) fn expected_kind(&self, path: &str) -> LinkType {
        match document::expected_kind(path) {
            LinkType::File if (self.reads_as_page)(path) => LinkType::Page,
            kind => kind,
        }
    }

    /// Whether the site's sitemaps are read and their URLs join the run.
    pub(crate) fn reads_sitemaps(&self, plan: &CrawlPlan) -> bool {
        let requested = self.reads_sitemap_data
            || plan.options.sitemap_first
            || plan.scope.include_sitemap
            || plan.scope.include_orphan;
        requested && !plan.scope.one_page
    }

    /// Whether the image links of pages are collected.
    pub(crate) fn reads_images(&self, plan: &CrawlPlan) -> bool {
        let wanted = plan.scope.include_images || plan.scope.include_files;
        (wanted && !plan.is_listed()) || self.reads_sitemap_data
    }
}
