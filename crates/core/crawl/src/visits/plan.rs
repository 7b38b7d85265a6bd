//! What a run over domains is to do: everything that it goes by and that does not change.

use std::time::Duration;

use privacy::Denylist;
use urls::CanonicalUrl;

use crate::Equipment;

/// What a visit begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// A domain, without `www.`.
    Domain(String),
    /// An address: the visit begins there and nowhere else.
    Url(CanonicalUrl),
}

impl Asked {
    /// The domain that the record is about.
    #[must_use]
    pub fn domain(&self) -> &str {
        match self {
            Self::Domain(domain) => domain,
            Self::Url(url) => url.bare_host(),
        }
    }

    /// What is visited, as text.
    fn text(&self) -> String {
        match self {
            Self::Domain(domain) => domain.clone(),
            Self::Url(url) => url.to_string(),
        }
    }

    /// Where its home page may be, the likeliest first.
    pub(crate) fn doors(&self) -> Vec<CanonicalUrl> {
        match self {
            Self::Url(url) => vec![url.clone()],
            Self::Domain(domain) => {
                let doors =
                    [("https", ""), ("https", "www."), ("http", ""), ("http", "www.")].into_iter();
                let texts = doors.map(|(scheme, www)| format!("{scheme}://{www}{domain}/"));
                texts.filter_map(|text| CanonicalUrl::parse(&text).ok()).collect()
            }
        }
    }
}

impl VisitPlan {
    /// What the client wrote for the domain at this place.
    pub(crate) fn input(&self, place: u32) -> Option<String> {
        let place = place as usize;
        let visited = || self.asked.get(place).map(Asked::text);
        self.inputs.get(place).cloned().or_else(visited)
    }
}

/// The plan of a run over domains.
#[derive(Debug, Clone)]
pub struct VisitPlan {
    /// What is visited. The place of each in this list is its name in the log.
    pub asked: Vec<Asked>,
    /// What the client wrote for each of them, in the same order; where one is missing, it is
    /// what is visited.
    pub inputs: Vec<String>,
    /// Whether these are fewer than were asked for: a sample.
    pub sampled: bool,
    /// Visits under way at a time. As many again may be under way that are slow.
    pub at_a_time: usize,
    /// Pages of one domain that are asked for.
    pub pages: u32,
    /// How long a visit may take, from its first request on.
    pub budget: Duration,
    /// Hosts that are not visited, and what no record may hold.
    pub denylist: Denylist,
    /// Whether the run goes by the protected tier: to domains that were set aside.
    pub protected: bool,
    /// Whether protected domains are set aside. When they are not, they are blocked.
    pub escalates: bool,
    pub equipment: Equipment,
}

impl VisitPlan {
    /// A plan with the defaults of the service.
    #[must_use]
    pub fn new(asked: Vec<Asked>) -> Self {
        Self {
            asked,
            inputs: Vec::new(),
            sampled: false,
            at_a_time: 48,
            pages: 25,
            budget: Duration::from_secs(60),
            denylist: Denylist::default(),
            protected: false,
            escalates: false,
            equipment: Equipment::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_has_four_doors_and_an_address_one() {
        let doors =
            |asked: Asked| asked.doors().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            doors(Asked::Domain("firm.test".to_owned())),
            [
                "https://firm.test/",
                "https://www.firm.test/",
                "http://firm.test/",
                "http://www.firm.test/"
            ]
        );
        let url = CanonicalUrl::parse("http://www.firm.test:8080/de/").expect("a URL");
        let asked = Asked::Url(url);
        assert_eq!(asked.domain(), "firm.test");
        assert_eq!(doors(asked), ["http://www.firm.test:8080/de/"]);
    }
}
