//! The limits of keys and connected applications, and the budgets that their jobs are charged to.
//!
//! Every statement that spends or reserves credits of an account does the same to the budget of
//! the job's creator, in the same transaction and after the account's row: rows are locked in
//! the order account, budget. A budget that is used up makes the statement update no row.

use contract::{AccountId, Creator, CredentialLimits, Credits, Millis, Mode, OauthScope};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};
use urls::is_within;

use crate::{StandingOrder, StoreError};

/// A change of limits. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitChange {
    pub scopes: Option<Vec<OauthScope>>,
    pub expires_at: Option<Option<Millis>>,
    /// CIDR networks, checked by the caller; an empty list for every network.
    pub networks: Option<Vec<String>>,
    pub modes: Option<Vec<Mode>>,
    pub daily_credits: Option<Option<Credits>>,
    pub total_credits: Option<Option<Credits>>,
}

/// The columns of a row of limits, joined as `l` to the key or grant they belong to.
macro_rules! limit_columns {
    () => {
        "l.scopes AS limit_scopes, l.expires_at AS limit_expires_at, l.networks, l.modes, \
         l.daily_credits, l.total_credits, l.spent, l.spent_today, l.spent_day"
    };
}
pub(crate) use limit_columns;

/// The row of limits exists from the creation of the credential on.
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

const LEFT: &str = "SELECT daily_credits, total_credits, spent, reserved, \
    CASE WHEN spent_day = $3 THEN spent_today ELSE 0 END AS today FROM credential_limits \
    WHERE account_id = $1 AND holder = $2";
/// Moves credits into the budget's books, if they are within it: $3 are spent, $4 are reserved
/// besides (less than zero: given back).
const BOOK: &str = "UPDATE credential_limits SET spent = spent + $3, reserved = reserved + $4, \
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

/// Why the credential that wrote a schedule may not start its run now, in words for its owner;
/// `None` when it may. Limits may have changed since the schedule was written. The budget is
/// checked when the job is created.
pub(crate) async fn schedule_obstacle(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    order: &StandingOrder,
    now: Millis,
) -> Result<Option<String>, StoreError> {
    let Some(creator) = &order.creator else { return Ok(None) };
    let row = sqlx::query(LIMITS)
        .bind(account.as_str())
        .bind(creator.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let (limits, scopes) = (read(&row, now)?, scopes(&row)?);
    let mode = order.request.mode;
    let why = if let Some(expired) = limits.expires_at.filter(|at| *at <= now) {
        format!("expired at {expired}")
    } else if !scopes.is_empty() && !scopes.contains(&OauthScope::JobsWrite) {
        format!("lacks the scope {}", OauthScope::JobsWrite)
    } else if !limits.admits(mode) {
        format!("may not start jobs of mode {mode}")
    } else if !limits.networks.is_empty()
        && !order.address.is_some_and(|ip| is_within(ip, &limits.networks))
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

/// The limits of a credential, as far as they are set rather than spent.
pub(crate) async fn set(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    holder: &str,
) -> Result<CredentialLimits, StoreError> {
    let query = sqlx::query(LIMITS).bind(account.as_str()).bind(holder);
    let Some(row) = query.fetch_optional(&mut **tx).await? else {
        return Ok(CredentialLimits::default());
    };
    let zero = Credits::ZERO;
    Ok(CredentialLimits { credits_today: zero, credits_used: zero, ..read(&row, Millis(0))? })
}

/// What is left of the budget of a job's creator, reservations taken off; `None` without one.
/// Less than zero when the budget was lowered under what is spent and reserved.
pub(crate) async fn left(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    creator: Option<&Creator>,
    now: Millis,
) -> Result<Option<Credits>, StoreError> {
    let Some(creator) = creator else { return Ok(None) };
    let row = sqlx::query(LEFT)
        .bind(account.as_str())
        .bind(creator.as_str())
        .bind(now.day())
        .fetch_optional(&mut **tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let reserved: i64 = row.try_get("reserved")?;
    let mut left = None;
    for (limit, used) in [("daily_credits", "today"), ("total_credits", "spent")] {
        let Some(limit) = row.try_get::<Option<i64>, _>(limit)? else { continue };
        let used: i64 = row.try_get(used)?;
        let rest = limit.saturating_sub(used).saturating_sub(reserved);
        left = Some(left.map_or(rest, |other: i64| other.min(rest)));
    }
    Ok(left.map(Credits))
}

/// Books what a job of this creator spends and reserves. False when it is not within the budget:
/// then nothing was booked.
pub(crate) async fn book(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    creator: Option<&Creator>,
    (spent, reserved): (Credits, Credits),
    now: Millis,
) -> Result<bool, StoreError> {
    let Some(holder) = creator else { return Ok(true) };
    let booked = sqlx::query(BOOK)
        .bind(account.as_str())
        .bind(holder.as_str())
        .bind(spent.0)
        .bind(reserved.0)
        .bind(now.day())
        .execute(&mut **tx)
        .await?;
    // A creator without a row has no budget: its account was restored, or it is long gone.
    Ok(booked.rows_affected() == 1 || left(tx, account, creator, now).await?.is_none())
}

/// Gives back what was reserved of the creator's budget.
pub(crate) async fn release(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    creator: Option<&Creator>,
    amount: Credits,
) -> Result<(), StoreError> {
    let Some(creator) = creator else { return Ok(()) };
    sqlx::query(RELEASE)
        .bind(account.as_str())
        .bind(creator.as_str())
        .bind(amount.0)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Makes sure that the credential has its row. With `is_new`, earlier limits and spending are
/// forgotten.
pub(crate) async fn begin(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    holder: &str,
    is_new: bool,
) -> Result<(), StoreError> {
    for statement in [Some(INSERT), is_new.then_some(RESET)].into_iter().flatten() {
        sqlx::query(statement).bind(account.as_str()).bind(holder).execute(&mut **tx).await?;
    }
    Ok(())
}

/// Changes the limits of a credential. False when it has none.
pub(crate) async fn change(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    holder: &str,
    change: &LimitChange,
) -> Result<bool, StoreError> {
    let changed = sqlx::query(CHANGE)
        .bind(account.as_str())
        .bind(holder)
        .bind(change.scopes.as_deref().map(|all| joined(all.iter().map(|one| one.as_str()))))
        .bind(i64::from(change.expires_at.is_some()))
        .bind(change.expires_at.flatten().map(|at| at.0))
        .bind(change.networks.as_deref().map(|all| joined(all.iter().map(String::as_str))))
        .bind(change.modes.as_deref().map(|all| joined(all.iter().map(|mode| mode.as_str()))))
        .bind(i64::from(change.daily_credits.is_some()))
        .bind(change.daily_credits.flatten().map(|credits| credits.0))
        .bind(i64::from(change.total_credits.is_some()))
        .bind(change.total_credits.flatten().map(|credits| credits.0))
        .execute(&mut **tx)
        .await?;
    Ok(changed.rows_affected() == 1)
}

fn joined<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The limits of a row that has [`limit_columns`], as they are at `now`.
pub(crate) fn read(row: &AnyRow, now: Millis) -> Result<CredentialLimits, StoreError> {
    let is_today = row.try_get::<Option<String>, _>("spent_day")?.as_deref() == Some(&now.day());
    let today: Option<i64> = row.try_get("spent_today")?;
    let credits = |column| row.try_get::<Option<i64>, _>(column);
    Ok(CredentialLimits {
        expires_at: credits("limit_expires_at")?.map(Millis),
        networks: list(row, "networks", |word| Some(word.to_owned()))?,
        modes: list(row, "modes", |name| name.parse::<Mode>().ok())?,
        daily_credits: credits("daily_credits")?.map(Credits),
        total_credits: credits("total_credits")?.map(Credits),
        credits_today: Credits(today.filter(|_| is_today).unwrap_or(0)),
        credits_used: Credits(credits("spent")?.unwrap_or(0)),
    })
}

pub(crate) fn scopes(row: &AnyRow) -> Result<Vec<OauthScope>, StoreError> {
    list(row, "limit_scopes", |name| name.parse::<OauthScope>().ok())
}

fn list<T>(
    row: &AnyRow,
    column: &str,
    from_word: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let text = row.try_get::<Option<String>, _>(column)?.unwrap_or_default();
    let unknown = || StoreError::Damaged(format!("{column} has an unknown entry: {text}"));
    text.split_ascii_whitespace().map(|word| from_word(word).ok_or_else(unknown)).collect()
}
