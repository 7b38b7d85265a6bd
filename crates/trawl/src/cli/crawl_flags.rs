//! `scope` and `options` of a crawl as command-line flags. They are made from the options of a job
//! request ([`JobOption`]) and named as in the API.

use clap::builder::RangedU64ValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use contract::{JobOption, OptionKind, Options, Scope};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The values of the flags.
#[derive(Debug, Clone)]
pub struct CrawlFlags {
    pub scope: Scope,
    pub options: Options,
}

impl Args for CrawlFlags {
    fn augment_args(command: Command) -> Command {
        command
            .next_help_heading("Scope")
            .args(Scope::FIELDS.iter().map(flag))
            .next_help_heading("Options")
            .args(Options::FIELDS.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for CrawlFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { scope: read(Scope::FIELDS, matches)?, options: read(Options::FIELDS, matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag of an option; its name in the API is accepted too.
fn flag(option: &JobOption) -> Arg {
    let name = option.name();
    let flag = Arg::new(name).long(name.replace('_', "-")).help(option.flag.trim_end_matches('.'));
    let flag = if name.contains('_') { flag.alias(name) } else { flag };
    match option.kind {
        OptionKind::Switch { default: false } => flag.action(ArgAction::SetTrue),
        OptionKind::Switch { default: true } => {
            flag.value_name("BOOL").value_parser(value_parser!(bool)).default_value("true")
        }
        OptionKind::Count { max } => {
            let count: RangedU64ValueParser = value_parser!(u64);
            let count = match max {
                Some(max) => count.range(1..=max),
                None => count.range(1..),
            };
            flag.value_name("N").value_parser(count)
        }
        OptionKind::Text { error, placeholder } => flag
            .value_name(placeholder)
            .value_parser(move |text: &str| error(text).map_or(Ok(text.to_owned()), Err)),
    }
}

/// The values of a group of options, as its type in the API.
fn read<T: DeserializeOwned>(
    options: &[JobOption],
    matches: &ArgMatches,
) -> Result<T, clap::Error> {
    let given = |option: &JobOption| Some((option.name().to_owned(), value(option, matches)?));
    let values: Map<String, Value> = options.iter().filter_map(given).collect();
    serde_json::from_value(Value::Object(values))
        .map_err(|error| clap::Error::raw(ErrorKind::ValueValidation, error))
}

fn value(option: &JobOption, matches: &ArgMatches) -> Option<Value> {
    let name = option.name();
    match option.kind {
        OptionKind::Switch { .. } => matches.get_one::<bool>(name).map(|on| json!(on)),
        OptionKind::Count { .. } => matches.get_one::<u64>(name).map(|count| json!(count)),
        OptionKind::Text { .. } => matches.get_one::<String>(name).map(|text| json!(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(flags: &[&str]) -> Result<CrawlFlags, clap::Error> {
        let command = CrawlFlags::augment_args(Command::new("crawl").no_binary_name(true));
        CrawlFlags::from_arg_matches(&command.try_get_matches_from(flags)?)
    }

    #[test]
    fn flags_have_the_defaults_of_the_api() {
        let CrawlFlags { scope, options } = parsed(&[]).expect("no flag is required");
        assert_eq!((scope, options), (Scope::default(), Options::default()));
    }

    #[test]
    fn flags_set_the_options_that_they_name() {
        let flags = ["--one-page", "--include_broken", "--discovery", "false"];
        let more = ["--sample-size", "7", "--preferred_language", "pt-BR"];
        let CrawlFlags { scope, options } = parsed(&[flags, more].concat()).expect("valid flags");
        assert_eq!(scope, Scope { one_page: true, include_broken: true, ..Scope::default() });
        let expected = Options {
            discovery: false,
            sample_size: Some(7),
            preferred_language: Some("pt-BR".to_owned()),
            ..Options::default()
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn invalid_values_are_rejected_with_the_message_of_the_api() {
        for flags in [["--sample-size", "0"], ["--discovery", "no"]] {
            assert!(parsed(&flags).is_err(), "{flags:?}");
        }
        let error = parsed(&["--preferred-language", "english"]).expect_err("no language");
        assert!(error.to_string().contains("must be a language tag, as en or pt-BR"), "{error}");
    }
}
