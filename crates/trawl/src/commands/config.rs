//! `trawl config`: shows the settings with their origins.

use serde_json::json;

use super::{Exit, layers, print_json};
use crate::cli::{ConfigArgs, GlobalArgs};
use crate::printing::{outln, print};
use crate::settings::{Layers, Settings};

pub fn run(global: &GlobalArgs, args: &ConfigArgs) -> anyhow::Result<Exit> {
    if args.default {
        print(format_args!("{}", Layers::default_file()));
        return Ok(Exit::Done);
    }
    let layers = layers(global, &[])?;
    if args.json {
        let rows: Vec<_> = layers
            .shown()
            .map(|(key, value, origin)| json!({"key": key, "value": value, "from": origin.to_string()}))
            .collect();
        print_json(&rows)?;
    } else {
        let (mut names, mut values) = (0, 0);
        for (key, value, _) in layers.shown() {
            names = names.max(key.len());
            values = values.max(value.chars().count().min(60));
        }
        for (key, value, origin) in layers.shown() {
            outln!("{key:names$}  {value:values$}  {origin}");
        }
    }
    // Check after printing: an invalid value is easier to find among the others.
    Settings::of(&layers)?;
    Ok(Exit::Done)
}
