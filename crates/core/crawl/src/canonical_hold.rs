//! Pages that name another page as the one to deliver: their canonical page, or the version in
//! the run's language. Such a page is held until its target is finished.
//!
//! Held pages are not part of the durable state: after a crash they are fetched again.

use std::collections::{HashMap, HashSet, VecDeque};

use journal::UrlId;

use crate::parsed_response::{ParsedResponse, ResponseContent};

/// Memory for the responses of held pages, in bytes. Pages beyond it are fetched again when they
/// are released.
const KEPT_BYTES: usize = 16 << 20;

/// The longest chain of canonical targets that is followed. A longer one is a mistake of the site.
const MAX_CHAIN: usize = 8;

/// A held page, with its response if that is kept in memory.
pub(crate) type HeldPage = (UrlId, Option<Box<ParsedResponse>>);

/// The held pages of a run.
#[derive(Debug, Default)]
pub(crate) struct CanonicalHold {
    /// Held pages by the target that they wait for.
    by_target: HashMap<UrlId, Vec<HeldPage>>,
    /// The target of each held page.
    target_of: HashMap<UrlId, UrlId>,
    kept_bytes: usize,
    /// Pages whose targets are finished, in that order.
    ready: VecDeque<HeldPage>,
    /// Pages that are not held again, whatever becomes of their targets.
    released: HashSet<UrlId>,
}

impl CanonicalHold {
    pub fn hold(&mut self, target: UrlId, id: UrlId, response: ParsedResponse) {
        let weight = weight(&response);
        let kept = (self.kept_bytes + weight <= KEPT_BYTES).then(|| Box::new(response));
        self.kept_bytes += if kept.is_some() { weight } else { 0 };
        self.by_target.entry(target).or_default().push((id, kept));
        self.target_of.insert(id, target);
    }

    /// Bytes of the kept responses.
    pub fn kept_bytes(&self) -> usize {
        self.kept_bytes
    }

    /// Whether a page waits for its target.
    pub fn is_held(&self, id: UrlId) -> bool {
        self.target_of.contains_key(&id)
    }

    /// Whether a page was released at the end of the run and is not held again.
    pub fn is_released(&self, id: UrlId) -> bool {
        self.released.contains(&id)
    }

    /// Whether the chain of targets from `target` leads to `id`, or is too long.
    pub fn leads_to(&self, target: UrlId, id: UrlId) -> bool {
        let mut chain = std::iter::successors(Some(target), |at| self.target_of.get(at).copied());
        chain.by_ref().take(MAX_CHAIN).any(|at| at == id) || chain.next().is_some()
    }

    /// Makes the pages ready that wait for a target, which is finished now.
    pub fn finish(&mut self, target: UrlId) {
        for (id, response) in self.by_target.remove(&target).unwrap_or_default() {
            self.target_of.remove(&id);
            self.ready.push_back((id, response));
        }
    }

    /// Makes all held pages ready, because nothing else is left to fetch. Returns whether there
    /// were any.
    pub fn release_all(&mut self) -> bool {
        let targets: Vec<_> = self.by_target.keys().copied().collect();
        self.released.extend(self.target_of.keys());
        targets.iter().for_each(|target| self.finish(*target));
        !targets.is_empty()
    }

    /// The next page whose target is finished.
    pub fn pop_ready(&mut self) -> Option<HeldPage> {
        let (id, response) = self.ready.pop_front()?;
        let weight = response.as_deref().map_or(0, weight);
        self.kept_bytes = self.kept_bytes.saturating_sub(weight);
        Some((id, response))
    }
}

/// Approximate memory of a response, in bytes.
fn weight(response: &ParsedResponse) -> usize {
    let links = match &response.content {
        ResponseContent::Page(page) => page.links.len(),
        _ => 0,
    };
    let extracted = response.extracted.as_ref().map_or(0, |content| content.bytes());
    let kept = response.kept.as_ref().map_or(0, |kept| kept.memory_bytes());
    2_000 + 200 * links + extracted + kept
}
