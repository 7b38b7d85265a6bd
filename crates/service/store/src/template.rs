//! Extraction templates of sites: learned by a run, stored with its commit, used by the next run
//! over the site.

use contract::Millis;
use journal::{Commit, Fact, Step};
use sqlx::{Any, Row, Transaction};

use crate::columns::count;
use crate::{Store, StoreError};

/// A stored extraction template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteTemplate {
    /// Host and, if not the default, port: `example.com` or `example.com:8080`.
    pub site: String,
    /// Increases each time a template of the site is learned.
    pub version: u64,
    /// The template in the format of the products mode.
    pub body: Vec<u8>,
    pub learned_at: Millis,
}

const UPSERT: &str = "INSERT INTO templates (site, version, body, learned_at) VALUES ($1, 1, $2, $3) \
    ON CONFLICT (site) DO UPDATE SET version = templates.version + 1, body = excluded.body, \
    learned_at = excluded.learned_at";
const READ: &str = "SELECT body FROM templates WHERE site = $1";
const LIST: &str = "SELECT site, version, body, learned_at FROM templates \
    WHERE site > $1 ORDER BY site LIMIT 256";
const DELETE: &str = "DELETE FROM templates WHERE site = $1";

/// Stores the last template that a commit learned for each site.
pub(crate) async fn store_learned(
    tx: &mut Transaction<'static, Any>,
    commit: &Commit,
    now: Millis,
) -> Result<(), StoreError> {
    let mut stored: Vec<&str> = Vec::new();
    for step in commit.steps.iter().rev() {
        let Step::Learned(Fact::Template { site, template, learned: true }) = step else {
            continue;
        };
        if stored.contains(&site.as_str()) {
            continue;
        }
        stored.push(site);
        let query = sqlx::query(UPSERT).bind(site).bind(template.clone()).bind(now.0);
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

impl Store {
    /// The template of a site, if one was learned.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn template(&self, site: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(sqlx::query_scalar(READ).bind(site).fetch_optional(self.reader()?).await?)
    }

    /// All templates in the order of their sites.
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

    /// Deletes the template of a site, so that the next run learns a new one. False when there is
    /// none.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn delete_template(&self, site: &str) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let deleted = sqlx::query(DELETE).bind(site).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(deleted.rows_affected() > 0)
    }
}
