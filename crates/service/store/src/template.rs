//! The templates of sites: learned by runs, kept in the transaction of the commit that tells
//! of them, and begun with by the next run over the site.

use contract::Millis;
use journal::{Commit, Fact, Step};
use sqlx::{Any, Row, Transaction};

use crate::job_row::count;
use crate::{Store, StoreError};

/// A template that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteTemplate {
    /// The site, as `example.com` or `example.com:8080`.
    pub site: String,
    /// How often it was learned.
    pub version: u64,
    /// The template, as runs write and read it.
    pub body: Vec<u8>,
    pub learned_at: Millis,
}

const KEEP: &str = "INSERT INTO templates (site, version, body, learned_at) VALUES ($1, 1, $2, $3) \
    ON CONFLICT (site) DO UPDATE SET version = templates.version + 1, body = excluded.body, \
    learned_at = excluded.learned_at";
const READ: &str = "SELECT body FROM templates WHERE site = $1";
const LIST: &str = "SELECT site, version, body, learned_at FROM templates \
    WHERE site > $1 ORDER BY site LIMIT 256";
const FORGET: &str = "DELETE FROM templates WHERE site = $1";

/// Keeps the last version that a commit learned of each site.
pub(crate) async fn keep(
    tx: &mut Transaction<'static, Any>,
    commit: &Commit,
    now: Millis,
) -> Result<(), StoreError> {
    let mut kept: Vec<&str> = Vec::new();
    for step in commit.steps.iter().rev() {
        let Step::Learned(Fact::Template { site, template, learned: true }) = step else {
            continue;
        };
        if kept.contains(&site.as_str()) {
            continue;
        }
        kept.push(site);
        let query = sqlx::query(KEEP).bind(site).bind(template.clone()).bind(now.0);
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

impl Store {
    /// The template of a site, if a run has learned one.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn template(&self, site: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(sqlx::query_scalar(READ).bind(site).fetch_optional(self.reader()?).await?)
    }

    /// All templates, by site.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn templates(&self) -> Result<Vec<SiteTemplate>, StoreError> {
        let mut templates: Vec<SiteTemplate> = Vec::new();
        loop {
            let after = templates.last().map_or("", |last| last.site.as_str());
            let rows = sqlx::query(LIST).bind(after).fetch_all(self.reader()?).await?;
            if rows.is_empty() {
                return Ok(templates);
            }
            for row in &rows {
                templates.push(SiteTemplate {
                    site: row.try_get("site")?,
                    version: count(row, "version")?,
                    body: row.try_get("body")?,
                    learned_at: Millis(row.try_get("learned_at")?),
                });
            }
        }
    }

    /// Forgets the template of a site: the next run over it begins without one. False when
    /// there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn forget_template(&self, site: &str) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let forgotten = sqlx::query(FORGET).bind(site).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(forgotten.rows_affected() > 0)
    }
}
