//! The nodes of an installation: their heartbeats, the difference of their clocks, and whether the
//! database has answered without interruption.

use std::time::{Duration, Instant};

use contract::{Clock, Millis};
use parking_lot::Mutex;

use crate::columns::{ExecuteIn, scalar, sql};
use crate::{NodeName, Result, Store};

/// A larger difference between the clocks of a node and of the database is reported.
pub const CLOCK_TOLERANCE: Duration = Duration::from_secs(5);

const BEAT: &str = "INSERT INTO nodes (name, seen_at, free_slots, clock_ahead) \
    VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, \
    free_slots = excluded.free_slots, clock_ahead = excluded.clock_ahead";
const DESCRIBE: &str = "UPDATE nodes SET version = $2, slots = $3, browser = $4 WHERE name = $1";
const FORGET: &str = "DELETE FROM nodes WHERE name = $1";
/// Nodes that ended without a shutdown, on the database's clock.
pub(crate) const FORGET_OLD: &str =
    "DELETE FROM nodes WHERE seen_at <= (SELECT MAX(seen_at) FROM nodes) - 86400000";

/// How far a clock is ahead of the database's, in milliseconds; negative if it is behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockDifference(pub i64);

impl ClockDifference {
    /// The difference that the duration of the query between the two readings does not explain.
    fn between(before: Millis, database: Millis, after: Millis) -> Self {
        Self(if database < before {
            before.0 - database.0
        } else if database > after {
            after.0 - database.0
        } else {
            0
        })
    }

    /// Whether it is more than [`CLOCK_TOLERANCE`].
    #[must_use]
    pub fn is_excessive(self) -> bool {
        u128::from(self.0.unsigned_abs()) > CLOCK_TOLERANCE.as_millis()
    }
}

/// Whether the database has answered this node without interruption. After an interruption the
/// leases of healthy nodes may have expired as well: they get time to renew them before another node
/// takes them over.
#[derive(Debug, Default)]
pub(crate) struct DatabaseContact(Mutex<ContactTimes>);

#[derive(Debug, Default)]
struct ContactTimes {
    last: Option<Instant>,
    /// First answer after an interruption.
    resumed: Option<Instant>,
}

impl DatabaseContact {
    /// Notes an answer. Nodes with leases of `lease` ask every quarter of it.
    pub fn answered(&self, lease: Duration, now: Instant) {
        let mut times = self.0.lock();
        if times.last.is_some_and(|last| now.duration_since(last) > lease / 2) {
            times.resumed = Some(now);
        }
        times.last = Some(now);
    }

    /// Whether expired leases of other nodes can be taken over.
    pub fn is_steady(&self, lease: Duration, now: Instant) -> bool {
        let times = self.0.lock();
        let has_recovered =
            times.resumed.is_none_or(|resumed| now.duration_since(resumed) >= lease / 2);
        has_recovered && times.last.is_none_or(|last| now.duration_since(last) <= lease)
    }
}

/// What the operator sees of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeDescription {
    /// The release that it runs.
    pub version: String,
    /// Shards that it runs at most.
    pub slots: usize,
    pub has_browser: bool,
}

impl Store {
    /// Registers the node, or renews its entry, with the number of shards that it could claim.
    /// Returns the difference of its clock.
    pub async fn heartbeat(
        &self,
        node: &NodeName,
        free_slots: usize,
        lease: Duration,
        clock: &dyn Clock,
    ) -> Result<ClockDifference> {
        let mut tx = self.begin_upkeep().await?;
        let before = clock.now();
        let database: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let difference = ClockDifference::between(before, Millis(database), clock.now());
        sql!(BEAT; node, database, free_slots, difference.0).run(&mut tx).await?;
        tx.commit().await?;
        self.inner.contact.answered(lease, Instant::now());
        Ok(difference)
    }

    /// Notes what the operator sees of a registered node; false if it is not registered.
    pub async fn describe_node(
        &self,
        node: &NodeName,
        description: &NodeDescription,
    ) -> Result<bool> {
        let NodeDescription { version, slots, has_browser } = description;
        let browser = i64::from(*has_browser);
        let described = self.execute(sql!(DESCRIBE; node, version, *slots, browser)).await?;
        Ok(described > 0)
    }

    /// How far the clock of this process is ahead of the database's.
    pub async fn clock_difference(&self, clock: &dyn Clock) -> Result<ClockDifference> {
        let before = clock.now();
        let database = self.database_clock().await?;
        Ok(ClockDifference::between(before, database, clock.now()))
    }

    /// Removes the entry of a node that shuts down.
    pub async fn forget_node(&self, node: &NodeName) -> Result<()> {
        self.execute(sql!(FORGET; node)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_of_the_query_is_no_clock_difference() {
        let between = |before, database, after| {
            ClockDifference::between(Millis(before), Millis(database), Millis(after)).0
        };
        assert_eq!(between(1_000, 1_500, 9_000), 0, "a slow answer");
        assert_eq!(between(9_000, 1_000, 9_010), 8_000, "ahead");
        assert_eq!(between(1_000, 9_000, 1_010), -7_990, "behind");
        assert!(ClockDifference(5_001).is_excessive() && ClockDifference(-5_001).is_excessive());
        assert!(!ClockDifference(5_000).is_excessive());
    }

    #[test]
    fn leases_are_not_taken_over_until_others_had_time_to_renew_after_an_interruption() {
        let (contact, lease) = (DatabaseContact::default(), Duration::from_secs(10));
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(contact.is_steady(lease, at(0)), "at the start");
        contact.answered(lease, at(0));
        contact.answered(lease, at(3));
        assert!(contact.is_steady(lease, at(5)));
        assert!(!contact.is_steady(lease, at(14)), "no answer for longer than a lease");
        contact.answered(lease, at(40));
        assert!(!contact.is_steady(lease, at(41)), "the others renew now");
        contact.answered(lease, at(43));
        assert!(contact.is_steady(lease, at(45)));
    }
}
