//! `trawl template`: learned templates of product pages.

use products::ExtractionTemplate;
use serde_json::json;

use super::{Exit, open_store, print_json};
use crate::cli::{GlobalArgs, TemplateCommand};
use crate::exit::fail;
use crate::printing::outln;

pub async fn run(global: &GlobalArgs, command: TemplateCommand) -> anyhow::Result<Exit> {
    let (store, _) = open_store(global).await?;
    match command {
        TemplateCommand::List { json } => {
            let kept = store.templates().await?;
            // A template of an unknown version is listed and not used.
            let id = |body: &[u8]| ExtractionTemplate::decode(body).map(|template| template.id());
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
        TemplateCommand::Forget { site } => {
            if store.delete_template(&site).await? {
                outln!("deleted; the next run on {site} learns a new template");
                return Ok(Exit::Done);
            }
            fail!(Nothing, "there is no template for {site}; `trawl template list` shows all")
        }
    }
}
