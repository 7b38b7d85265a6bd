//! What the addresses of a page may cost to resolve, in bytes gone through: so much for each
//! byte of the page, within bounds. Every address is held against the base, which a page can
//! make long; without an end to it, time would go with the product of the two.

const FOR_EACH_BYTE: usize = 8;
const AT_LEAST: usize = 1024 * 1024;
const AT_MOST: usize = 8 * AT_LEAST;

/// What an address costs besides its length and that of the base.
const COST: usize = 128;

/// What is left for the addresses to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressWork(usize);

impl AddressWork {
    /// For the addresses of a page of so many bytes.
    pub fn of_page(bytes: usize) -> Self {
        Self(bytes.saturating_mul(FOR_EACH_BYTE).clamp(AT_LEAST, AT_MOST))
    }

    /// Pays for an address and the base that it is held against; none when too little is left,
    /// and from then on nothing is.
    pub fn pay(&mut self, base: &str, address: &str) -> Option<()> {
        let left = self.0.checked_sub(COST + base.len() + address.len());
        self.0 = left.unwrap_or_default();
        left.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_stays_spent() {
        let mut work = AddressWork::of_page(0);
        let long = "a".repeat(AT_LEAST - COST);
        assert_eq!(work.pay("", &long), Some(()));
        assert_eq!(work.pay("", ""), None);
        let mut work = AddressWork::of_page(usize::MAX);
        assert_eq!(work.pay("", &"a".repeat(AT_MOST)), None);
        assert_eq!(work.pay("", ""), None, "one that is too dear ends it");
    }
}
