//! Host names of the built-in sample sites, which are served without network and free of charge.

/// Whether the host is a built-in sample site. `.test` is reserved (RFC 6761): no public site
/// has such a name.
#[must_use]
pub fn is_sample_host(host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    matches!(host, "shop.lab.test" | "docs.lab.test" | "wall.lab.test" | "slow.lab.test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_built_in_names_are_sample_hosts() {
        assert!(is_sample_host("shop.lab.test") && is_sample_host("www.docs.lab.test"));
        for other in ["lab.test", "a.shop.lab.test", "shop.lab.test.org", "shop.lab"] {
            assert!(!is_sample_host(other), "{other}");
        }
    }
}
