//! Leases on hosts for pages that are read at once.
//!
//! They share the rows of runs: a host belongs to one node, for its runs and its pages. A page counts
//! itself in the row, so that the end of a run does not release the host under it. Its lease is short
//! and renewed, so that the host of a killed node is soon free.

use std::time::Duration;

use contract::Millis;

use crate::columns::{ExecuteIn, scalar, sql};
use crate::lease::RELEASE_HOST;
use crate::{NodeName, Result, Store};

pub(crate) const ENTER: &str = "INSERT INTO host_leases (host, owner, lease_until, pages) \
    VALUES ($1, $2, $3, 1) ON CONFLICT (host) DO UPDATE SET \
    pages = CASE WHEN host_leases.owner = excluded.owner THEN host_leases.pages + 1 ELSE 1 END, \
    lease_until = CASE WHEN host_leases.owner = excluded.owner \
        AND host_leases.lease_until > excluded.lease_until \
        THEN host_leases.lease_until ELSE excluded.lease_until END, \
    owner = excluded.owner \
    WHERE host_leases.owner = excluded.owner OR host_leases.lease_until <= $4";
const STAY: &str = "UPDATE host_leases SET lease_until = $3 \
    WHERE host = $1 AND owner = $2 AND pages > 0 AND lease_until < $3";
const LEAVE: &str = "UPDATE host_leases SET pages = pages - 1 \
    WHERE host = $1 AND owner = $2 AND pages > 0";

impl Store {
    /// Leases a host for a page of this node; false while another node has it.
    pub async fn enter_host(&self, node: &NodeName, host: &str, within: Duration) -> Result<bool> {
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let until = Millis(clock).plus(within).0;
        let entered = sql!(ENTER; host, node, until, clock).run(&mut tx).await?;
        tx.commit().await?;
        Ok(entered == 1)
    }

    /// Renews the lease of the pages of this node on a host.
    pub async fn stay_on_host(&self, node: &NodeName, host: &str, within: Duration) -> Result<()> {
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        sql!(STAY; host, node, Millis(clock).plus(within).0).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Ends the lease of a page, and releases the host unless a run or another page of the node needs
    /// it.
    pub async fn leave_host(&self, node: &NodeName, host: &str) -> Result<()> {
        let mut tx = self.begin().await?;
        sql!(LEAVE; host, node).run(&mut tx).await?;
        sql!(RELEASE_HOST; host, node).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }
}
