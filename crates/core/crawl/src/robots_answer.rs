//! Asking an origin for its robots.txt, and what its answer says. How often it is asked again,
//! and what its silence means, is up to whoever asks.

use std::time::Duration;

use journal::Cause;
use urls::{CanonicalUrl, Robots};

use crate::reading::{AnswerHead, Content, Reading};
use crate::{Means, Purpose, Study, Task};

/// Redirects of a robots.txt that are followed.
const HOPS: u8 = 5;

/// What an origin said when it was asked for its rules.
#[derive(Debug, PartialEq)]
pub(crate) enum RobotsAnswer {
    Rules(Robots),
    /// They are kept elsewhere.
    Moved(CanonicalUrl),
    /// Not now; its own wish for when.
    NotNow(Cause, Option<Duration>),
    /// Nothing was said.
    Silent(Cause),
}

impl RobotsAnswer {
    pub fn of(task: &Task, result: Result<Reading, Cause>) -> Self {
        let Reading { head, content, .. } = match result {
            Ok(reading) => reading,
            Err(cause) => return Self::Silent(cause),
        };
        match (content, head) {
            (Content::Robots(rules), _) => Self::Rules(rules),
            (_, AnswerHead { status: 300..400, location, .. }) => {
                let next = location.and_then(|location| task.url.join(&location).ok());
                next.map_or_else(|| Self::Rules(Robots::allow_all()), Self::Moved)
            }
            (_, AnswerHead { status: 429, retry_after, .. }) => {
                Self::NotNow(Cause::RateLimited, retry_after)
            }
            (_, AnswerHead { status: 500.., retry_after, .. }) => {
                Self::NotNow(Cause::RobotsUnavailable, retry_after)
            }
            // No rules are to be had: as if there were none.
            _ => Self::Rules(Robots::allow_all()),
        }
    }
}

/// The first question.
pub(crate) fn ask(origin: &str, visit: Option<u32>) -> Option<Task> {
    let url = CanonicalUrl::parse(&format!("{origin}/robots.txt")).ok()?;
    let purpose = Purpose::Robots { origin: origin.to_owned(), hops: 0 };
    let study = Study::default();
    Some(Task { url, purpose, visit, gap: None, means: Means::Plain, study })
}

/// The question again, where its answer has moved to; none when it has moved too often.
pub(crate) fn follow(task: &Task, url: CanonicalUrl) -> Option<Task> {
    match &task.purpose {
        Purpose::Robots { origin, hops } if *hops < HOPS => {
            let purpose = Purpose::Robots { origin: origin.clone(), hops: hops + 1 };
            Some(Task { url, purpose, ..task.clone() })
        }
        _ => None,
    }
}
