//! Accounts and their balances.

use contract::{AccountId, AuditAction, Credits, LedgerId, Millis, SessionId};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use crate::credential::{hash_password, verify_password};
use crate::{AuditRecord, PasswordError, Store, StoreError, random, session};

/// A new account.
#[derive(Clone)]
pub struct NewAccount {
    pub email: String,
    pub password: String,
    pub credits: Credits,
    /// Whether it may see and do what concerns all accounts.
    pub admin: bool,
}

impl std::fmt::Debug for NewAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewAccount").field("email", &self.email).finish_non_exhaustive()
    }
}

/// An account as it is stored, without its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRecord {
    pub id: AccountId,
    pub email: String,
    pub admin: bool,
    pub balance: Credits,
    pub reserved: Credits,
    pub created_at: Millis,
    /// Since when it can do nothing.
    pub suspended_at: Option<Millis>,
}

/// An account whose password was right a moment ago.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub account: AccountId,
    /// The hash that the password was checked against.
    pub(crate) password_hash: String,
}

impl std::fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignedIn").field("account", &self.account).finish_non_exhaustive()
    }
}

impl AccountRecord {
    /// What it has to spend.
    #[must_use]
    pub fn available(&self) -> Credits {
        self.balance.minus(self.reserved).unwrap_or(Credits::ZERO)
    }
}

const INSERT: &str = "INSERT INTO accounts \
    (id, email, password_hash, admin, balance, reserved, created_at) \
    VALUES ($1, $2, $3, $4, 0, 0, $5) ON CONFLICT (email) DO NOTHING";
/// The columns of an account, of those that are not deleted.
macro_rules! accounts {
    ($rest:literal) => {
        concat!(
            "SELECT id, email, admin, balance, reserved, created_at, suspended_at \
             FROM accounts WHERE deleted_at IS NULL",
            $rest
        )
    };
}
const BY_ID: &str = accounts!(" AND id = $1");
const BY_EMAIL: &str = accounts!(" AND email = $1");
const ALL: &str = accounts!(" ORDER BY id");
const PASSWORD_BY_ID: &str =
    "SELECT password_hash FROM accounts WHERE id = $1 AND deleted_at IS NULL";
const SET_PASSWORD: &str =
    "UPDATE accounts SET password_hash = $2 WHERE id = $1 AND deleted_at IS NULL";
const COUNT: &str = "SELECT COUNT(*) FROM accounts";
const PASSWORD: &str = "SELECT id, password_hash FROM accounts WHERE email = $1";
const CREDIT: &str = "UPDATE accounts SET balance = balance + $2 WHERE id = $1 \
    AND balance <= 9000000000000000000 - $2";
const GRANT_LINE: &str = "INSERT INTO ledger \
    (id, account_id, kind, amount, units, day, at) VALUES ($1, $2, 'grant', $3, 0, $4, $5)";

impl Store {
    /// Creates an account with a granted balance; `None` when the e-mail is taken.
    ///
    /// # Errors
    /// [`PasswordError`] inside when the password cannot be used, [`StoreError`] outside.
    pub async fn create_account(
        &self,
        new: NewAccount,
        now: Millis,
    ) -> Result<Result<Option<AccountRecord>, PasswordError>, StoreError> {
        let password = new.password.clone();
        let hash = match blocking(move || hash_password(&password)).await? {
            Ok(hash) => hash,
            Err(refused) => return Ok(Err(refused)),
        };
        let id = AccountId::new(now, random());
        let email = normal_email(&new.email);
        let mut tx = self.begin().await?;
        let inserted = sqlx::query(INSERT)
            .bind(id.as_str())
            .bind(&email)
            .bind(hash)
            .bind(i64::from(new.admin))
            .bind(now.0)
            .execute(&mut *tx)
            .await?;
        if inserted.rows_affected() == 0 {
            return Ok(Ok(None));
        }
        self.append_audit(&mut tx, AuditRecord::of(&id, AuditAction::AccountCreated).at(now))
            .await?;
        if new.credits > Credits::ZERO {
            credit(&mut tx, &id, new.credits, now).await?;
            self.append_audit(&mut tx, granted(&id, new.credits, now)).await?;
        }
        tx.commit().await?;
        Ok(Ok(self.account(&id).await?))
    }

    /// Adds credits; `None` when there is no such account or it would hold too much.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn grant(
        &self,
        email: &str,
        amount: Credits,
        now: Millis,
    ) -> Result<Option<AccountRecord>, StoreError> {
        let Some(account) = self.account_by_email(email).await? else { return Ok(None) };
        let mut tx = self.begin().await?;
        if !credit(&mut tx, &account.id, amount, now).await? {
            return Ok(None);
        }
        self.append_audit(&mut tx, granted(&account.id, amount, now)).await?;
        tx.commit().await?;
        self.account(&account.id).await
    }

    /// The account.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn account(&self, id: &AccountId) -> Result<Option<AccountRecord>, StoreError> {
        let row = sqlx::query(BY_ID).bind(id.as_str()).fetch_optional(self.reader()?).await?;
        row.as_ref().map(read).transpose()
    }

    /// The account with this e-mail.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn account_by_email(&self, email: &str) -> Result<Option<AccountRecord>, StoreError> {
        let email = normal_email(email);
        let row = sqlx::query(BY_EMAIL).bind(email).fetch_optional(self.reader()?).await?;
        row.as_ref().map(read).transpose()
    }

    /// Every account, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn accounts(&self) -> Result<Vec<AccountRecord>, StoreError> {
        sqlx::query(ALL).fetch_all(self.reader()?).await?.iter().map(read).collect()
    }

    /// Whether there is no account yet.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn is_new(&self) -> Result<bool, StoreError> {
        let count: i64 = sqlx::query_scalar(COUNT).fetch_one(self.reader()?).await?;
        Ok(count == 0)
    }

    /// The account whose e-mail and password these are. An unknown e-mail takes as
    /// long as a wrong password, so that the answer's time tells nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn sign_in(
        &self,
        email: &str,
        password: &str,
    ) -> Result<Option<SignedIn>, StoreError> {
        let row =
            sqlx::query(PASSWORD).bind(normal_email(email)).fetch_optional(self.reader()?).await?;
        let (id, hash) = match &row {
            Some(row) => (Some(account_id(row, "id")?), row.try_get::<String, _>("password_hash")?),
            None => (None, NOBODY.to_owned()),
        };
        let (password, password_hash) = (password.to_owned(), hash.clone());
        let right = blocking(move || verify_password(&password, &hash)).await?;
        Ok(id.filter(|_| right).map(|account| SignedIn { account, password_hash }))
    }

    /// Whether this is the account's password.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn is_password(&self, id: &AccountId, password: &str) -> Result<bool, StoreError> {
        let hash: Option<String> = sqlx::query_scalar(PASSWORD_BY_ID)
            .bind(id.as_str())
            .fetch_optional(self.reader()?)
            .await?;
        let Some(hash) = hash else { return Ok(false) };
        let password = password.to_owned();
        blocking(move || verify_password(&password, &hash)).await
    }

    /// Sets a new password, ends every session of the account but `keep` and forgets the devices
    /// of the others. Returns how many sessions ended; `None` when there is no such account.
    ///
    /// # Errors
    /// [`PasswordError`] inside when the password cannot be used, [`StoreError`] outside.
    pub async fn set_password(
        &self,
        id: &AccountId,
        password: &str,
        keep: Option<&SessionId>,
        now: Millis,
    ) -> Result<Result<Option<u64>, PasswordError>, StoreError> {
        let password = password.to_owned();
        let hash = match blocking(move || hash_password(&password)).await? {
            Ok(hash) => hash,
            Err(refused) => return Ok(Err(refused)),
        };
        let mut tx = self.begin().await?;
        let set = sqlx::query(SET_PASSWORD).bind(id.as_str()).bind(hash).execute(&mut *tx).await?;
        if set.rows_affected() == 0 {
            return Ok(Ok(None));
        }
        let ended = session::end_all(&mut tx, id, keep).await?;
        let record = AuditRecord::of(id, AuditAction::PasswordChanged)
            .detail("sessions_ended", ended)
            .at(now);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(Ok(Some(ended)))
    }
}

/// The hash of a password that nobody knows, for e-mails that nobody has.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXRoaW5nIHNhbHR5$\
                      TzqwX7oV0Zy2bW0R8pN7zQYBb2vJp1mD5n3wz8mQG9k";

/// The audit entry of credits that were added.
pub(crate) fn granted(id: &AccountId, amount: Credits, now: Millis) -> AuditRecord {
    AuditRecord::of(id, AuditAction::CreditsGranted).detail("credits", amount.0).at(now)
}

/// Adds to a balance with its ledger line; false when it would hold too much.
pub(crate) async fn credit(
    tx: &mut Transaction<'static, Any>,
    id: &AccountId,
    amount: Credits,
    now: Millis,
) -> Result<bool, StoreError> {
    let updated = sqlx::query(CREDIT).bind(id.as_str()).bind(amount.0).execute(&mut **tx).await?;
    if updated.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query(GRANT_LINE)
        .bind(LedgerId::new(now, random()).as_str())
        .bind(id.as_str())
        .bind(amount.0)
        .bind(now.day())
        .bind(now.0)
        .execute(&mut **tx)
        .await?;
    Ok(true)
}

/// One spelling for one mailbox, as far as that is safe to say.
pub(crate) fn normal_email(email: &str) -> String {
    email.trim().to_lowercase()
}

pub(crate) fn account_id(row: &AnyRow, column: &str) -> Result<AccountId, StoreError> {
    let text: String = row.try_get(column)?;
    text.parse().map_err(|_| StoreError::Damaged(format!("{column} is no account: {text}")))
}

fn read(row: &AnyRow) -> Result<AccountRecord, StoreError> {
    Ok(AccountRecord {
        id: account_id(row, "id")?,
        email: row.try_get("email")?,
        admin: row.try_get::<i64, _>("admin")? != 0,
        balance: Credits(row.try_get("balance")?),
        reserved: Credits(row.try_get("reserved")?),
        created_at: Millis(row.try_get("created_at")?),
        suspended_at: row.try_get::<Option<i64>, _>("suspended_at")?.map(Millis),
    })
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| StoreError::Unavailable("the process is shutting down".to_owned()))
}
