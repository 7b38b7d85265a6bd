//! Variables of the environment with the prefix of settings that are no settings.

/// Maximum warnings about unknown variables.
pub const MAX_WARNINGS: usize = 20;

/// Maximum edit distance of a suggestion.
const MAX_DISTANCE: usize = 3;

/// Variables that commands read and that are no settings.
const OF_COMMANDS: [&str; 3] = ["TRAWL_CONFIG", "TRAWL_KEY", "TRAWL_URL"];

/// The starts of names that Kubernetes sets for a service named `trawl`, and those of the tests and
/// scripts of the repository.
const OF_OTHERS: [&str; 8] = [
    "TRAWL_PORT",
    "TRAWL_SERVICE_",
    "TRAWL_TEST_",
    "TRAWL_BENCH_",
    "TRAWL_BIN",
    "TRAWL_PROGRAM",
    "TRAWL_PYTHON_TOOLS",
    "TRAWL_SIM_",
];

/// Whether a variable is no setting, but known.
pub fn is_known(name: &str) -> bool {
    OF_COMMANDS.contains(&name) || OF_OTHERS.iter().any(|start| name.starts_with(start))
}

/// A warning about an unknown variable, with the nearest known name. Its value may be a secret and
/// is not shown.
pub fn warning(name: &str, settings: impl Iterator<Item = String>) -> String {
    let known = settings.chain(OF_COMMANDS.map(str::to_owned));
    let nearest = known
        .map(|known| (strsim::damerau_levenshtein(&known, name), known))
        .min()
        .filter(|(distance, _)| *distance <= MAX_DISTANCE);
    match nearest {
        Some((_, known)) => {
            format!("the environment variable {name} is unknown; did you mean {known}?")
        }
        None => format!(
            "the environment variable {name} is unknown and has no effect; `trawl config` lists all \
             settings"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Layers;

    fn warnings(names: &[&str]) -> Vec<String> {
        let pairs = names.iter().map(|name| ((*name).to_owned(), "hush".to_owned()));
        let layers = Layers::gather(None, pairs, &[]).expect("no file to go wrong");
        layers.warnings().collect()
    }

    #[test]
    fn unknown_variables_are_reported_with_the_nearest_name() {
        let warnings = warnings(&["TRAWL_LISTN", "TRAWL_FLY_TO_THE_MOON", "TRAWL_KEYY", "OTHER"]);
        let [far, key, listen] = warnings.as_slice() else { panic!("{warnings:?}") };
        assert!(listen.ends_with("TRAWL_LISTN is unknown; did you mean TRAWL_LISTEN?"), "{listen}");
        assert!(key.contains("did you mean TRAWL_KEY"), "{key}");
        assert!(far.contains("`trawl config`"), "{far}");
        assert!(!warnings.concat().contains("hush"), "values may be secrets");
    }

    #[test]
    fn known_variables_are_not_reported() {
        let names = ["TRAWL_LISTEN", "TRAWL_URL", "TRAWL_PORT_8080_TCP", "TRAWL_SERVICE_HOST"];
        assert_eq!(warnings(&names), Vec::<String>::new());
    }

    #[test]
    fn warnings_are_limited() {
        let names: Vec<_> = (0..50).map(|number| format!("TRAWL_UNKNOWN_NAME_{number}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        assert_eq!(warnings(&names).len(), super::MAX_WARNINGS);
    }
}
