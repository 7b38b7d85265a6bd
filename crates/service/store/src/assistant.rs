//! Permissions of MCP assistants in an account.

use contract::{AccountId, AuditAction};

use crate::columns::{ExecuteIn, scalar, sql};
use crate::{AuditRecord, Result, Store};

const READ: &str = "SELECT assistant_legal_basis FROM accounts WHERE id = $1";
const SET: &str = "UPDATE accounts SET assistant_legal_basis = $2 WHERE id = $1 \
    AND assistant_legal_basis <> $2";

impl Store {
    /// Whether assistants may accept the legal basis of a `contacts` run without asking the owner.
    pub async fn assistants_may_accept_legal_basis(&self, account: &AccountId) -> Result<bool> {
        let allowed: Option<i64> = scalar!(READ; account).fetch_optional(self.reader()?).await?;
        Ok(allowed.is_some_and(|allowed| allowed != 0))
    }

    /// Sets whether assistants may accept the legal basis of a `contacts` run.
    pub async fn set_assistants_may_accept_legal_basis(
        &self,
        account: &AccountId,
        allowed: bool,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        if sql!(SET; account, allowed).run(&mut tx).await? == 0 {
            return Ok(());
        }
        let record = AuditRecord::of(account, AuditAction::SettingsChanged)
            .object("setting", "assistants_may_accept_legal_basis")
            .detail("enabled", allowed);
        self.commit_audited(tx, record).await
    }
}
