//! The filter of a run by path: `scope.include_paths` and `scope.exclude_paths`.

use contract::{PathPattern, Scope, path_patterns};

/// The patterns of a scope, compiled.
#[derive(Debug, Clone, Default)]
pub struct PathFilter {
    include: Vec<PathPattern>,
    exclude: Vec<PathPattern>,
}

/// Why a path does not pass a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilteredBy<'f> {
    /// This pattern of `exclude_paths` matches.
    Excluded(&'f str),
    /// No pattern of `include_paths` matches.
    NotIncluded,
}

impl PathFilter {
    #[must_use]
    pub fn new(scope: &Scope) -> Self {
        Self {
            include: path_patterns(&scope.include_paths),
            exclude: path_patterns(&scope.exclude_paths),
        }
    }

    /// Whether the filter has no pattern, so that everything passes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Checks a canonical path with its query. `exclude_paths` take precedence. The value is the
    /// pattern of `include_paths` that matches, if there are any.
    ///
    /// # Errors
    /// [`FilteredBy`] if it does not pass.
    pub fn check(&self, path_and_query: &str) -> Result<Option<&str>, FilteredBy<'_>> {
        let matching = |patterns: &'_ [PathPattern]| {
            patterns.iter().position(|pattern| pattern.matches(path_and_query))
        };
        if let Some(pattern) = matching(&self.exclude).and_then(|at| self.exclude.get(at)) {
            return Err(FilteredBy::Excluded(pattern.as_str()));
        }
        if self.include.is_empty() {
            return Ok(None);
        }
        match matching(&self.include).and_then(|at| self.include.get(at)) {
            Some(pattern) => Ok(Some(pattern.as_str())),
            None => Err(FilteredBy::NotIncluded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluded_paths_take_precedence_over_included_ones() {
        let patterns = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let filter = PathFilter::new(&Scope {
            include_paths: patterns(&["/blog/**", "re:^/news"]),
            exclude_paths: patterns(&["/blog/tag/**"]),
            ..Scope::default()
        });
        assert_eq!(filter.check("/blog/a"), Ok(Some("/blog/**")));
        assert_eq!(filter.check("/newsroom?a=1"), Ok(Some("re:^/news")));
        assert_eq!(filter.check("/blog/tag/a"), Err(FilteredBy::Excluded("/blog/tag/**")));
        assert_eq!(filter.check("/"), Err(FilteredBy::NotIncluded));
        assert!(!filter.is_empty());
        let none = PathFilter::new(&Scope::default());
        assert!(none.is_empty() && none.check("/any") == Ok(None));
    }
}
