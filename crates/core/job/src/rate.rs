//! Credits per unit, by mode and tier.

use contract::{Credits, Mode};

/// The tier of a site, which decides the rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tier {
    /// The site answers ordinary requests.
    Normal,
    /// The site is behind bot protection; `marker` names it, as `cloudflare_challenge`.
    Protected { marker: String },
}

/// The credits per unit of each mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateCard {
    pub links: Credits,
    pub sitemap: Credits,
    pub products: Credits,
    pub markdown: Credits,
    pub contacts: Credits,
    /// Factor of the rates on protected sites.
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
}
