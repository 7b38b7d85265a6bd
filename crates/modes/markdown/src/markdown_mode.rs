//! Mode `markdown` in a site crawl: each text once, read with the repeated blocks of the site.

use std::sync::Arc;

use contract::{Item, Millis, SkipReason};
use crawl::{
    AnyContent, ContentPresence, ContentRecording, CrawlMode, CrawlPlan, FinishedPage, ModePolicy,
    PageExtractor, PageVerdict, RunState, content_hash,
};
use journal::{Fact, JournalError, Snapshot, Step};
use page::Page;

use crate::content_selectors::ContentSelectors;
use crate::extractor::{MarkdownContent, MarkdownExtractor};
use crate::markdown_page::MarkdownPage;
use crate::markdown_style::MarkdownStyle;
use crate::plain_text::names_plain_text;
use crate::repeated::RepeatedBlocks;
use crate::repeated_block_counter::RepeatedBlockCounter;

/// Mode `markdown` with its state in the run.
#[derive(Debug, Default)]
pub struct MarkdownMode {
    /// The current version of the repeated blocks, and the number of pages read for it. Durable.
    blocks: Vec<(u64, u8)>,
    pages: u32,
    /// Reads pages with the current version.
    extractor: Arc<MarkdownExtractor>,
    /// Counts blocks for the next version.
    counter: RepeatedBlockCounter,
    style: MarkdownStyle,
    selectors: ContentSelectors,
}

impl MarkdownMode {
    fn set_version(&mut self, pages: u32, blocks: Vec<(u64, u8)>) {
        (self.pages, self.blocks) = (pages, blocks);
        self.update_extractor();
    }

    /// Sets the extractor to the current version of the repeated blocks.
    fn update_extractor(&mut self) {
        let repeated = RepeatedBlocks::new(self.blocks.iter().copied());
        let extractor = MarkdownExtractor::new(repeated, self.style);
        self.extractor = Arc::new(extractor.with_selectors(self.selectors.clone()));
    }
}

impl CrawlMode for MarkdownMode {
    fn policy(&self) -> ModePolicy {
        ModePolicy { reads_as_page: names_plain_text, ..ModePolicy::CONTENT }
    }

    fn begin(&mut self, plan: &CrawlPlan) {
        let contract::Options { main_content, links, .. } = plan.options;
        let style = MarkdownStyle { main_content, links };
        let selectors = ContentSelectors::of(&plan.options);
        if self.style != style || self.selectors != selectors {
            (self.style, self.selectors) = (style, selectors);
            self.update_extractor();
        }
        self.counter = RepeatedBlockCounter::after(self.pages);
    }

    fn extractor(&self) -> Option<Arc<dyn PageExtractor>> {
        Some(self.extractor.clone())
    }

    fn examine(
        &self,
        finished: &FinishedPage<'_>,
        page: &Page,
        content: Option<&AnyContent>,
    ) -> PageVerdict {
        let text = content.and_then(MarkdownContent::of_page);
        let text = text.and_then(|content| content.text.as_deref());
        let (words, hash) = match text {
            Some(text) => (text.word_count, &text.content_hash),
            None => (page.word_count, &page.content_hash),
        };
        let content = content_hash(words, hash);
        let same_text = || {
            let (state, hash) = (finished.state, content?);
            let folder = state.delivered_folder(finished.id, hash);
            Some((folder.or_else(|| state.first_with(hash))?, SkipReason::Duplicate))
        };
        PageVerdict {
            content,
            presence: presence(page, text),
            duplicate: finished.canonical.or_else(same_text),
            recording: ContentRecording::DeliveredOrKnown,
            identity: None,
        }
    }

    fn item(
        &self,
        finished: &FinishedPage<'_>,
        content: Option<&mut AnyContent>,
        _hash: Option<u64>,
        now: Millis,
    ) -> Option<Item> {
        let page = finished.page()?;
        // Moved, not copied: the text becomes the item.
        let text = MarkdownContent::of_page_mut(content?)?.text.take()?;
        Some(Item::Markdown(Box::new(text.into_item(page, finished.fetch_context(now)))))
    }

    fn learn(&mut self, content: &mut AnyContent, delivered: bool) -> Option<Fact> {
        let blocks = std::mem::take(&mut MarkdownContent::of_page_mut(content)?.blocks);
        if !delivered || blocks.is_empty() {
            return None;
        }
        self.counter.record_page(blocks)
    }

    fn apply(&mut self, step: &Step) {
        if let Step::Learned(Fact::RepeatedBlocks { pages, blocks }) = step {
            self.set_version(*pages, blocks.clone());
        }
    }

    fn snapshot(&self, state: &RunState) -> Result<Snapshot, JournalError> {
        state.snapshot(&(&self.blocks, self.pages, OTHER_MODES))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<RunState, JournalError> {
        let (state, stored) = RunState::restore(snapshot)?;
        let (blocks, pages, others): (Vec<(u64, u8)>, u32, [u8; 7]) = stored;
        if others != OTHER_MODES {
            return Err(JournalError::Damaged("state of another mode".to_owned()));
        }
        self.set_version(pages, blocks);
        Ok(state)
    }
}

/// The place of the other modes in a snapshot, after that of this mode.
const OTHER_MODES: [u8; 7] = [0; 7];

fn presence(page: &Page, text: Option<&MarkdownPage>) -> ContentPresence {
    match text {
        Some(text) if page::is_soft_404(page, text.word_count) => ContentPresence::SoftNotFound,
        Some(text) if text.word_count > 0 && !text.markdown.trim().is_empty() => {
            ContentPresence::Present
        }
        _ => ContentPresence::Absent(SkipReason::NoText),
    }
}

#[cfg(test)]
mod tests {
    use golden::GoldenFolder;
    use journal::PayloadType;
    use urls::TrapRule;

    use super::*;

    #[test]
    fn golden_snapshots_restore_the_repeated_blocks() {
        let mut mode = MarkdownMode::default();
        let blocks = vec![(7, 255), (11, 128)];
        mode.apply(&Step::Learned(Fact::RepeatedBlocks { pages: 10, blocks: blocks.clone() }));
        let snapshot = mode.snapshot(&RunState::new(TrapRule::default())).expect("it encodes");
        let snapshot = snapshot.parts().collect::<Vec<_>>().concat();
        let folder = GoldenFolder::of(env!("CARGO_MANIFEST_DIR"));
        for version in 2..=PayloadType::SiteSnapshot.version() {
            let stored = folder.read_or_write(&format!("snapshot.v{version}.bin"), &snapshot);
            for stored in [stored, snapshot.clone()] {
                let mut restored = MarkdownMode::default();
                restored.restore(&Snapshot::join(vec![stored])).expect("it decodes");
                assert_eq!((restored.pages, &restored.blocks), (10, &blocks));
                let repeated = RepeatedBlocks::new(blocks.clone());
                assert_eq!(*restored.extractor.repeated_blocks(), repeated);
            }
        }
    }
}
