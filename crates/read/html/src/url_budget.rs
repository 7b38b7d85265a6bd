//! The budget for resolving the URLs of one page, in bytes processed.
//!
//! Resolving a URL costs time in proportion to its own length and the length of the base URL. A
//! page controls both, so the total cost would be their product; this budget keeps it proportional
//! to the page.

const PAGE_FACTOR: usize = 8;
const MIN_BYTES: usize = 1024 * 1024;
const MAX_BYTES: usize = 8 * MIN_BYTES;

/// Fixed cost of one URL, in addition to the lengths of the URL and its base.
const COST_PER_URL: usize = 128;

/// The bytes that the remaining URLs of a page may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlBudget(usize);

impl UrlBudget {
    /// The budget of a page of `bytes` bytes, clamped to `MIN_BYTES..=MAX_BYTES`.
    pub fn for_page(bytes: usize) -> Self {
        Self(bytes.saturating_mul(PAGE_FACTOR).clamp(MIN_BYTES, MAX_BYTES))
    }

    /// Spends the cost of resolving `url` against `base`. Returns `None` if the budget is too
    /// small, and for every call after that.
    pub fn spend(&mut self, base: &str, url: &str) -> Option<()> {
        let left = self.0.checked_sub(COST_PER_URL + base.len() + url.len());
        self.0 = left.unwrap_or_default();
        left.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_budget_stays_empty_after_the_first_refusal() {
        let mut budget = UrlBudget::for_page(0);
        let long = "a".repeat(MIN_BYTES - COST_PER_URL);
        assert_eq!(budget.spend("", &long), Some(()));
        assert_eq!(budget.spend("", ""), None);
        let mut budget = UrlBudget::for_page(usize::MAX);
        assert_eq!(budget.spend("", &"a".repeat(MAX_BYTES)), None);
        assert_eq!(budget.spend("", ""), None, "a refused URL empties the budget");
    }
}
