//! Accounts: creation, sign-in, passwords and granted credits.

use contract::{AccountId, AuditAction, Credits, LedgerId, Millis, SessionId};
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::credential::{hash_password, verify_password};
use crate::{AuditRecord, PasswordError, Result, SignedIn, Store, StoreError, random, session};

#[derive(Clone)]
pub struct NewAccount {
    pub email: String,
    pub password: String,
    pub credits: Credits,
    /// Whether it has access to the administration of all accounts.
    pub admin: bool,
}

runtime::partial_debug!(NewAccount, email);

/// An account as it is stored, without its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRecord {
    pub id: AccountId,
    pub email: String,
    pub admin: bool,
    pub balance: Credits,
    pub reserved: Credits,
    pub created_at: Millis,
    /// Set while the account is suspended.
    pub suspended_at: Option<Millis>,
}

impl AccountRecord {
    /// Credits that are not reserved.
    #[must_use]
    pub fn available(&self) -> Credits {
        self.balance.minus(self.reserved).unwrap_or(Credits::ZERO)
    }
}

const INSERT: &str = "INSERT INTO accounts \
    (id, email, password_hash, admin, balance, reserved, created_at) \
    VALUES ($1, $2, $3, $4, 0, 0, $5) ON CONFLICT (email) DO NOTHING";
/// Selects accounts that are not deleted.
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
pub(crate) const SET_PASSWORD: &str =
    "UPDATE accounts SET password_hash = $2 WHERE id = $1 AND deleted_at IS NULL";
const COUNT: &str = "SELECT COUNT(*) FROM accounts";
const PASSWORD: &str = "SELECT id, password_hash FROM accounts WHERE email = $1";
const CREDIT: &str = "UPDATE accounts SET balance = balance + $2 WHERE id = $1 \
    AND balance <= 9000000000000000000 - $2";
const GRANT_LINE: &str = "INSERT INTO ledger \
    (id, account_id, kind, amount, units, day, at) VALUES ($1, $2, 'grant', $3, 0, $4, $5)";

impl Store {
    /// Creates an account with granted credits; `None` when the e-mail address is in use.
    ///
    /// # Errors
    /// The inner [`PasswordError`] when the password is rejected, [`StoreError`] when the database
    /// fails.
    pub async fn create_account(
        &self,
        new: NewAccount,
        now: Millis,
    ) -> Result<Result<Option<AccountRecord>, PasswordError>> {
        let password = new.password.clone();
        let hash = match blocking(move || hash_password(&password)).await? {
            Ok(hash) => hash,
            Err(refused) => return Ok(Err(refused)),
        };
        let id = AccountId::new(now, random());
        let email = normal_email(&new.email);
        let mut tx = self.begin().await?;
        if sql!(INSERT; id, email, hash, new.admin, now).run(&mut tx).await? == 0 {
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

    /// Grants credits; `None` when there is no such account or its balance would overflow.
    pub async fn grant(
        &self,
        email: &str,
        amount: Credits,
        now: Millis,
    ) -> Result<Option<AccountRecord>> {
        let Some(account) = self.account_by_email(email).await? else { return Ok(None) };
        let mut tx = self.begin().await?;
        if !credit(&mut tx, &account.id, amount, now).await? {
            return Ok(None);
        }
        self.commit_audited(tx, granted(&account.id, amount, now)).await?;
        self.account(&account.id).await
    }

    /// The account with this id, unless it is deleted.
    pub async fn account(&self, id: &AccountId) -> Result<Option<AccountRecord>> {
        self.fetch_optional(sql!(BY_ID; id), read).await
    }

    /// The account with this e-mail address.
    pub async fn account_by_email(&self, email: &str) -> Result<Option<AccountRecord>> {
        let email = normal_email(email);
        self.fetch_optional(sql!(BY_EMAIL; email), read).await
    }

    /// All accounts, oldest first.
    pub async fn accounts(&self) -> Result<Vec<AccountRecord>> {
        self.fetch_all(sql!(ALL), read).await
    }

    /// Whether the database has no account yet.
    pub async fn is_new(&self) -> Result<bool> {
        let count: i64 = scalar!(COUNT).fetch_one(self.reader()?).await?;
        Ok(count == 0)
    }

    /// Verifies e-mail address and password. An unknown address takes as long as a wrong password,
    /// so that the response time does not reveal which addresses have accounts.
    pub async fn sign_in(&self, email: &str, password: &str) -> Result<Option<SignedIn>> {
        let row = sql!(PASSWORD; normal_email(email)).fetch_optional(self.reader()?).await?;
        let (id, hash) = match &row {
            Some(row) => (Some(row.read("id")?), row.read::<String>("password_hash")?),
            None => (None, DUMMY_HASH.to_owned()),
        };
        let (password, password_hash) = (password.to_owned(), hash.clone());
        let right = blocking(move || verify_password(&password, &hash)).await?;
        Ok(id.filter(|_| right).map(|account| SignedIn { account, password_hash }))
    }

    /// Whether the password of the account is `password`.
    pub async fn is_password(&self, id: &AccountId, password: &str) -> Result<bool> {
        let hash: Option<String> =
            scalar!(PASSWORD_BY_ID; id).fetch_optional(self.reader()?).await?;
        let Some(hash) = hash else { return Ok(false) };
        let password = password.to_owned();
        blocking(move || verify_password(&password, &hash)).await
    }

    /// Sets a new password, ends all sessions of the account except `keep`, and removes their
    /// devices. Returns the number of ended sessions; `None` when there is no such account.
    ///
    /// # Errors
    /// The inner [`PasswordError`] when the password is rejected, [`StoreError`] when the database
    /// fails.
    pub async fn set_password(
        &self,
        id: &AccountId,
        password: &str,
        keep: Option<&SessionId>,
        now: Millis,
    ) -> Result<Result<Option<u64>, PasswordError>> {
        let password = password.to_owned();
        let hash = match blocking(move || hash_password(&password)).await? {
            Ok(hash) => hash,
            Err(refused) => return Ok(Err(refused)),
        };
        let mut tx = self.begin().await?;
        if sql!(SET_PASSWORD; id, hash).run(&mut tx).await? == 0 {
            return Ok(Ok(None));
        }
        let ended = session::end_all(&mut tx, id, keep).await?;
        let record = AuditRecord::of(id, AuditAction::PasswordChanged)
            .detail("sessions_ended", ended)
            .at(now);
        self.commit_audited(tx, record).await?;
        Ok(Ok(Some(ended)))
    }
}

/// Verified instead of an account's hash when the e-mail address is unknown.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXRoaW5nIHNhbHR5$\
                          TzqwX7oV0Zy2bW0R8pN7zQYBb2vJp1mD5n3wz8mQG9k";

/// The audit entry for granted credits.
pub(crate) fn granted(id: &AccountId, amount: Credits, now: Millis) -> AuditRecord {
    AuditRecord::of(id, AuditAction::CreditsGranted).detail("credits", amount.0).at(now)
}

/// Adds credits and their ledger line; false when the balance would overflow.
pub(crate) async fn credit(
    tx: &mut Tx,
    id: &AccountId,
    amount: Credits,
    now: Millis,
) -> Result<bool> {
    if sql!(CREDIT; id, amount).run(tx).await? == 0 {
        return Ok(false);
    }
    sql!(GRANT_LINE; LedgerId::new(now, random()), id, amount, now.day(), now).run(tx).await?;
    Ok(true)
}

/// The address without surrounding space and in lower case.
pub(crate) fn normal_email(email: &str) -> String {
    email.trim().to_lowercase()
}

fn read(row: &AnyRow) -> Result<AccountRecord> {
    Ok(read_row!(row => AccountRecord {
        id, email, admin, balance, reserved, created_at, suspended_at,
    }))
}

/// Runs CPU-heavy work off the async runtime.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| StoreError::Unavailable("the process is shutting down".to_owned()))
}
