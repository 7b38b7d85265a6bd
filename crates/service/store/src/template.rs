//! Extraction templates of sites: learned by a run, stored with its commit, used by the next run
//! over the site.

use contract::Millis;
use journal::{Commit, Fact, Step};

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::{Result, Store};

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
pub(crate) async fn store_learned(tx: &mut Tx, commit: &Commit, now: Millis) -> Result<()> {
    let mut stored: Vec<&str> = Vec::new();
    for step in commit.steps.iter().rev() {
        let Step::Learned(Fact::Template { site, template, learned: true }) = step else {
            continue;
        };
        if stored.contains(&site.as_str()) {
            continue;
        }
        stored.push(site);
        sql!(UPSERT; site, template, now).run(tx).await?;
    }
    Ok(())
}

impl Store {
    /// The template of a site, if one was learned.
    pub async fn template(&self, site: &str) -> Result<Option<Vec<u8>>> {
        Ok(scalar!(READ; site).fetch_optional(self.reader()?).await?)
    }

    /// All templates in the order of their sites.
    pub async fn templates(&self) -> Result<Vec<SiteTemplate>> {
        let mut templates: Vec<SiteTemplate> = Vec::new();
        loop {
            let after = templates.last().map_or("", |last| last.site.as_str());
            let rows = sql!(LIST; after).fetch_all(self.reader()?).await?;
            if rows.is_empty() {
                return Ok(templates);
            }
            for row in &rows {
                templates.push(read_row!(row => SiteTemplate { site, version, body, learned_at }));
            }
        }
    }

    /// Deletes the template of a site, so that the next run learns a new one. False when there is
    /// none.
    pub async fn delete_template(&self, site: &str) -> Result<bool> {
        let mut tx = self.begin().await?;
        let deleted = sql!(DELETE; site).run(&mut tx).await?;
        tx.commit().await?;
        Ok(deleted > 0)
    }
}
