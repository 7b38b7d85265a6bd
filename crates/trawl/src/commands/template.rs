//! `trawl template`: what runs have learned about the product pages of sites.

use products::Template;
use serde_json::json;

use super::{Exit, open_store, print_json};
use crate::cli::{self, Place};
use crate::printing::outln;

pub async fn run(place: &Place, command: cli::Template) -> anyhow::Result<Exit> {
    let (store, _) = open_store(place).await?;
    match command {
        cli::Template::List { json } => {
            let kept = store.templates().await?;
            // One that this release does not read is there, and is not used.
            let id = |body: &[u8]| Template::decode(body).map(|template| template.id());
            if json {
                let lines: Vec<_> = kept
                    .iter()
                    .map(|one| {
                        json!({"site": one.site, "template_id": id(&one.body),
                            "version": one.version, "bytes": one.body.len(),
                            "learned_at": one.learned_at})
                    })
                    .collect();
                print_json(&lines)?;
                return Ok(Exit::Done);
            }
            for one in &kept {
                let id = id(&one.body).unwrap_or_else(|| "unreadable".to_owned());
                outln!(
                    "{}  {id}  version {}  {} bytes  {}",
                    one.site,
                    one.version,
                    one.body.len(),
                    one.learned_at
                );
            }
            Ok(Exit::Done)
        }
        cli::Template::Forget { site } => {
            if store.delete_template(&site).await? {
                outln!("forgotten; the next run over {site} learns anew");
                return Ok(Exit::Done);
            }
            eprintln!("trawl: there is no template of {site}; `trawl template list` shows all");
            Ok(Exit::Nothing)
        }
    }
}
