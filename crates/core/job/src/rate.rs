//! What a unit costs.

use contract::{Credits, Mode};

/// How a site is reached, and so which rate applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tier {
    /// The site answers plain requests.
    Normal,
    /// The site is behind bot protection.
    Protected {
        /// What gave it away, as `cloudflare_challenge`.
        marker: String,
    },
}

/// The credits per unit of each mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateCard {
    pub links: Credits,
    pub sitemap: Credits,
    pub products: Credits,
    pub markdown: Credits,
    pub contacts: Credits,
    /// What the normal rate is multiplied by on a protected site.
    pub protected_factor: i64,
}

impl Default for RateCard {
    fn default() -> Self {
        Self {
            links: Credits(1),
            sitemap: Credits(1),
            products: Credits(5),
            markdown: Credits(2),
            contacts: Credits(10),
            protected_factor: 5,
        }
    }
}

impl RateCard {
    /// The rate of `mode` on a site that is not protected.
    #[must_use]
    pub fn normal(&self, mode: Mode) -> Credits {
        match mode {
            Mode::Links => self.links,
            Mode::Sitemap => self.sitemap,
            Mode::Products => self.products,
            Mode::Markdown => self.markdown,
            Mode::Contacts => self.contacts,
        }
    }

    /// The rate of `mode` on a protected site.
    #[must_use]
    pub fn protected(&self, mode: Mode) -> Credits {
        Credits(self.normal(mode).0.saturating_mul(self.protected_factor))
    }

    /// The rate of `mode` at `tier`.
    #[must_use]
    pub fn rate(&self, mode: Mode, tier: &Tier) -> Credits {
        match tier {
            Tier::Normal => self.normal(mode),
            Tier::Protected { .. } => self.protected(mode),
        }
    }
}
