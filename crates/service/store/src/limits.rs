//! Limits and budgets of keys and connected applications.
//!
//! Every statement that spends or reserves credits of an account does the same to the budget of the
//! job's creator, in the same transaction. Rows are locked in the order account, budget. An
//! exhausted budget makes the statement update no row.

use std::net::IpAddr;
use std::str::FromStr;

use contract::{AccountId, Creator, CredentialLimits, Credits, Millis, Mode, OauthScope};
use sqlx::any::AnyRow;
use urls::is_within;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, sql};
use crate::{Result, StoreError};

/// A change of limits. `None` keeps the current value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitChange {
    pub scopes: Option<Vec<OauthScope>>,
    pub expires_at: Option<Option<Millis>>,
    /// CIDR networks, validated by the caller; an empty list allows every network.
    pub networks: Option<Vec<String>>,
    pub modes: Option<Vec<Mode>>,
    pub daily_credits: Option<Option<Credits>>,
    pub total_credits: Option<Option<Credits>>,
}

/// The columns of `credential_limits`, joined as `l` to its key or grant.
macro_rules! limit_columns {
    () => {
        "l.scopes AS limit_scopes, l.expires_at AS limit_expires_at, l.networks, l.modes, \
         l.daily_credits, l.total_credits, l.spent, l.spent_today, l.spent_day"
    };
}
pub(crate) use limit_columns;

/// Inserted with the credential, and when an application is connected.
const INSERT: &str = "INSERT INTO credential_limits (account_id, holder, scopes, networks, \
    modes, spent, spent_today, spent_day, reserved) VALUES ($1, $2, '', '', '', 0, 0, '', 0) \
    ON CONFLICT (account_id, holder) DO NOTHING";
/// A new connection of an application starts with unspent budgets and without limits.
const RESET: &str = "UPDATE credential_limits SET scopes = '', expires_at = NULL, networks = '', \
    modes = '', daily_credits = NULL, total_credits = NULL, spent = 0, spent_today = 0 \
    WHERE account_id = $1 AND holder = $2";
const CHANGE: &str = "UPDATE credential_limits SET scopes = COALESCE($3, scopes), \
    expires_at = CASE WHEN $4 = 1 THEN $5 ELSE expires_at END, \
    networks = COALESCE($6, networks), modes = COALESCE($7, modes), \
    daily_credits = CASE WHEN $8 = 1 THEN $9 ELSE daily_credits END, \
    total_credits = CASE WHEN $10 = 1 THEN $11 ELSE total_credits END \
    WHERE account_id = $1 AND holder = $2";

const REMAINING: &str = "SELECT daily_credits, total_credits, spent, reserved, \
    CASE WHEN spent_day = $3 THEN spent_today ELSE 0 END AS today FROM credential_limits \
    WHERE account_id = $1 AND holder = $2";
/// Charges the budget, if it suffices: $3 credits are spent, $4 are reserved (negative: released).
const CHARGE: &str = "UPDATE credential_limits SET spent = spent + $3, reserved = reserved + $4, \
    spent_today = CASE WHEN spent_day = $5 THEN spent_today ELSE 0 END + $3, spent_day = $5 \
    WHERE account_id = $1 AND holder = $2 \
    AND (total_credits IS NULL OR spent + reserved + $3 + $4 <= total_credits) \
    AND (daily_credits IS NULL OR CASE WHEN spent_day = $5 THEN spent_today ELSE 0 END \
    + reserved + $3 + $4 <= daily_credits)";
const RELEASE: &str = "UPDATE credential_limits SET reserved = reserved - $3 \
    WHERE account_id = $1 AND holder = $2";

const LIMITS: &str = concat!(
    "SELECT ",
    limit_columns!(),
    " FROM credential_limits l WHERE l.account_id = $1 AND l.holder = $2"
);

/// Why the limits of the creator of a schedule forbid a run now, as a message for the owner; `None`
/// when they allow it. `run` is its mode and the address that the schedule was written from. Limits
/// may have changed since the schedule was created. The budget is checked when the job is created.
pub(crate) async fn schedule_obstacle(
    tx: &mut Tx,
    account: &AccountId,
    creator: &Creator,
    run: (Mode, Option<IpAddr>),
    now: Millis,
) -> Result<Option<String>> {
    let (mode, address) = run;
    let row = sql!(LIMITS; account, creator).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    let (limits, scopes) = (read(&row, now)?, scopes(&row)?);
    let why = if let Some(expired) = limits.expires_at.filter(|at| *at <= now) {
        format!("expired at {expired}")
    } else if !scopes.is_empty() && !scopes.contains(&OauthScope::JobsWrite) {
        format!("lacks the scope {}", OauthScope::JobsWrite)
    } else if !limits.admits(mode) {
        format!("may not start jobs of mode {mode}")
    } else if !limits.networks.is_empty()
        && !address.is_some_and(|ip| is_within(ip, &limits.networks))
    {
        "may not be used from the address that the schedule was written from".to_owned()
    } else {
        return Ok(None);
    };
    Ok(Some(format!(
        "the credential of this schedule, {creator}, {why}; change its limits, or write the request \
         of the schedule again with another credential"
    )))
}

/// The configured limits of a credential, without what is spent.
pub(crate) async fn configured(
    tx: &mut Tx,
    account: &AccountId,
    holder: &str,
) -> Result<CredentialLimits> {
    let Some(row) = sql!(LIMITS; account, holder).fetch_optional(&mut **tx).await? else {
        return Ok(CredentialLimits::default());
    };
    let zero = Credits::ZERO;
    Ok(CredentialLimits { credits_today: zero, credits_used: zero, ..read(&row, Millis(0))? })
}

/// The remaining budget of a job's creator, without reserved credits; `None` without a budget.
/// Negative when the budget was lowered below what is spent and reserved.
pub(crate) async fn remaining(
    tx: &mut Tx,
    account: &AccountId,
    creator: Option<&Creator>,
    now: Millis,
) -> Result<Option<Credits>> {
    let Some(creator) = creator else { return Ok(None) };
    let row = sql!(REMAINING; account, creator, now.day()).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    let reserved: i64 = row.read("reserved")?;
    let mut remaining = None;
    for (limit, used) in [("daily_credits", "today"), ("total_credits", "spent")] {
        let Some(limit) = row.read::<Option<i64>>(limit)? else { continue };
        let used: i64 = row.read(used)?;
        let rest = limit.saturating_sub(used).saturating_sub(reserved);
        remaining = Some(remaining.map_or(rest, |other: i64| other.min(rest)));
    }
    Ok(remaining.map(Credits))
}

/// Charges what a job spends and reserves to the budget of its creator. False when the budget does
/// not suffice: then nothing was charged.
pub(crate) async fn charge(
    tx: &mut Tx,
    account: &AccountId,
    creator: Option<&Creator>,
    (spent, reserved): (Credits, Credits),
    now: Millis,
) -> Result<bool> {
    let Some(holder) = creator else { return Ok(true) };
    let charged = sql!(CHARGE; account, holder, spent, reserved, now.day()).run(tx).await?;
    // A creator without a row was deleted and has no budget.
    Ok(charged == 1 || remaining(tx, account, creator, now).await?.is_none())
}

/// Releases reserved credits of the creator's budget.
pub(crate) async fn release(
    tx: &mut Tx,
    account: &AccountId,
    creator: Option<&Creator>,
    amount: Credits,
) -> Result<()> {
    let Some(creator) = creator else { return Ok(()) };
    sql!(RELEASE; account, creator, amount).run(tx).await.map(drop)
}

/// Inserts the row of a credential if it is missing. With `is_new`, earlier limits and spending are
/// reset.
pub(crate) async fn ensure(
    tx: &mut Tx,
    account: &AccountId,
    holder: &str,
    is_new: bool,
) -> Result<()> {
    for statement in [Some(INSERT), is_new.then_some(RESET)].into_iter().flatten() {
        sql!(statement; account, holder).run(tx).await?;
    }
    Ok(())
}

/// Changes the limits of a credential. False when it has no row.
pub(crate) async fn change(
    tx: &mut Tx,
    account: &AccountId,
    holder: &str,
    change: &LimitChange,
) -> Result<bool> {
    let changed = sql!(CHANGE; account, holder,
        change.scopes.as_deref().map(|all| joined(all.iter().map(|one| one.as_str()))),
        change.expires_at.is_some(), change.expires_at.flatten(),
        change.networks.as_deref().map(|all| joined(all.iter().map(String::as_str))),
        change.modes.as_deref().map(|all| joined(all.iter().map(|mode| mode.as_str()))),
        change.daily_credits.is_some(), change.daily_credits.flatten(),
        change.total_credits.is_some(), change.total_credits.flatten())
    .run(tx)
    .await?;
    Ok(changed == 1)
}

fn joined<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The limits of a row that has [`limit_columns`], as they are at `now`.
pub(crate) fn read(row: &AnyRow, now: Millis) -> Result<CredentialLimits> {
    let is_today = row.read::<Option<String>>("spent_day")?.as_deref() == Some(&now.day());
    let today: Option<Credits> = row.read("spent_today")?;
    let spent: Option<Credits> = row.read("spent")?;
    Ok(read_row!(row => CredentialLimits {
        expires_at = "limit_expires_at", daily_credits, total_credits;
        networks: list(row, "networks")?,
        modes: list(row, "modes")?,
        credits_today: today.filter(|_| is_today).unwrap_or(Credits::ZERO),
        credits_used: spent.unwrap_or(Credits::ZERO),
    }))
}

pub(crate) fn scopes(row: &AnyRow) -> Result<Vec<OauthScope>> {
    list(row, "limit_scopes")
}

fn list<T: FromStr>(row: &AnyRow, column: &str) -> Result<Vec<T>> {
    let text = row.read::<Option<String>>(column)?.unwrap_or_default();
    let unknown = |_| StoreError::Damaged(format!("{column} has an unknown entry: {text}"));
    text.split_ascii_whitespace().map(|word| word.parse().map_err(unknown)).collect()
}
