//! Domains that the operator does not crawl.

/// The list of blocked domains. A domain covers itself and its subdomains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockedDomains(Vec<String>);

impl BlockedDomains {
    /// Parses names as people write them: `Example.com`, `*.example.com`, `www.example.com.`.
    pub fn new<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> Self {
        let tidy = |name: T| {
            let name = name.as_ref().trim().trim_start_matches("*.").trim_end_matches('.');
            name.strip_prefix("www.").unwrap_or(name).to_lowercase()
        };
        Self(names.into_iter().map(tidy).filter(|name| !name.is_empty()).collect())
    }

    /// All entries in normalised form.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The entry that covers `host`.
    #[must_use]
    pub fn entry_for(&self, host: &str) -> Option<&str> {
        self.0.iter().map(String::as_str).find(|blocked| {
            let end = host.len().checked_sub(blocked.len());
            end.and_then(|end| host.split_at_checked(end)).is_some_and(|(before, tail)| {
                tail.eq_ignore_ascii_case(blocked) && (before.is_empty() || before.ends_with('.'))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocked_domain_covers_its_subdomains() {
        let blocked =
            BlockedDomains::new(["Blocked.example", "*.other.example.", " ", "www.x.test"]);
        for host in ["blocked.example", "shop.Blocked.example", "other.example", "x.test"] {
            assert!(blocked.entry_for(host).is_some(), "{host}");
        }
        for host in ["notblocked.example", "example", "", "blocked.example.com"] {
            assert_eq!(blocked.entry_for(host), None, "{host}");
        }
    }
}
