//! `scope` and `options` of a crawl as command-line flags. They are made from the options of a job
//! request ([`JobOption`]) and named as in the API.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use contract::{JobOption, OptionKind, Options, Scope};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use urls::CanonicalUrl;

/// The values of the flags.
#[derive(Debug, Clone)]
pub struct CrawlFlags {
    pub scope: Scope,
    pub options: Options,
    /// Whether the whole site is crawled although the start URL has a path.
    pub whole_site: bool,
}

/// The flag that crawls a whole site although the start URL has a path.
const WHOLE_SITE: &str = "whole_site";

impl CrawlFlags {
    /// The flags with the scope of a run from `start`: below the path of a URL that has one, unless
    /// the flags say otherwise.
    #[must_use]
    pub fn starting_at(self, start: &CanonicalUrl) -> Self {
        let has_path = start.path() != "/" && !self.scope.one_page;
        let specific_route = self.scope.specific_route || (has_path && !self.whole_site);
        Self { scope: Scope { specific_route, ..self.scope }, ..self }
    }
}

impl Args for CrawlFlags {
    fn augment_args(command: Command) -> Command {
        command
            .next_help_heading("Scope")
            .args(offered(Scope::FIELDS).map(flag))
            .arg(
                Arg::new(WHOLE_SITE)
                    .long("whole-site")
                    .alias(WHOLE_SITE)
                    .action(ArgAction::SetTrue)
                    .conflicts_with("specific_route")
                    .help("The whole site, although the start URL has a path; otherwise only below it"),
            )
            .next_help_heading("Options")
            .args(offered(Options::FIELDS).map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for CrawlFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let whole_site = matches.get_flag(WHOLE_SITE);
        let (scope, options) = (read(Scope::FIELDS, matches)?, read(Options::FIELDS, matches)?);
        Ok(Self { scope, options, whole_site })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Options that the command declares itself as flags: `--concurrency` and `--delay` set the pace of
/// the program, which a client of a service can only lower.
const OWN_FLAGS: [&str; 2] = ["concurrency", "delay_ms"];

fn offered(options: &'static [JobOption]) -> impl Iterator<Item = &'static JobOption> {
    options.iter().filter(|option| !OWN_FLAGS.contains(&option.name()))
}

/// The flag of an option; its name in the API is accepted too.
pub(super) fn flag(option: &JobOption) -> Arg {
    let name = option.name();
    let flag = Arg::new(name).long(name.replace('_', "-")).help(option.flag.trim_end_matches('.'));
    let flag = if name.contains('_') { flag.alias(name) } else { flag };
    match option.kind {
        OptionKind::Switch { default: false } => flag.action(ArgAction::SetTrue),
        OptionKind::Switch { default: true } => {
            flag.value_name("BOOL").value_parser(value_parser!(bool)).default_value("true")
        }
        OptionKind::Choice { values, default } => flag
            .value_name("HOW")
            .value_parser(PossibleValuesParser::new(values))
            .default_value(default),
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
        OptionKind::List { errors, placeholder, .. } => flag
            .value_name(placeholder)
            .action(ArgAction::Append)
            .value_parser(move |text: &str| match errors(&[text]).pop() {
                Some((_, message)) => Err(message),
                None => Ok(text.to_owned()),
            }),
    }
}

/// The values of a group of options, as its type in the API.
pub(super) fn read<T: DeserializeOwned>(
    options: &'static [JobOption],
    matches: &ArgMatches,
) -> Result<T, clap::Error> {
    offered(options).try_for_each(|option| check_list(option, matches))?;
    let given =
        |option: &'static JobOption| Some((option.name().to_owned(), value(option, matches)?));
    let values: Map<String, Value> = offered(options).filter_map(given).collect();
    serde_json::from_value(Value::Object(values))
        .map_err(|error| clap::Error::raw(ErrorKind::ValueValidation, error))
}

/// Checks the entries of a list together; each was checked by the parser of the flag.
fn check_list(option: &JobOption, matches: &ArgMatches) -> Result<(), clap::Error> {
    let OptionKind::List { errors, max, .. } = option.kind else { return Ok(()) };
    let texts = matches.get_many::<String>(option.name()).into_iter().flatten();
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    let message = match errors(&texts).pop() {
        Some((_, message)) => message,
        None if texts.len() > max => format!("must be given at most {max} times"),
        None => return Ok(()),
    };
    let flag = option.name().replace('_', "-");
    Err(clap::Error::raw(ErrorKind::ValueValidation, format!("--{flag} {message}\n")))
}

fn value(option: &JobOption, matches: &ArgMatches) -> Option<Value> {
    let name = option.name();
    match option.kind {
        OptionKind::Switch { .. } => matches.get_one::<bool>(name).map(|on| json!(on)),
        OptionKind::Count { .. } => matches.get_one::<u64>(name).map(|count| json!(count)),
        OptionKind::Choice { .. } | OptionKind::Text { .. } => {
            matches.get_one::<String>(name).map(|text| json!(text))
        }
        OptionKind::List { .. } => {
            let texts = matches.get_many::<String>(name)?;
            Some(json!(texts.collect::<Vec<_>>()))
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::MarkdownLinks;

    use super::*;

    fn parsed(flags: &[&str]) -> Result<CrawlFlags, clap::Error> {
        let command = CrawlFlags::augment_args(Command::new("crawl").no_binary_name(true));
        CrawlFlags::from_arg_matches(&command.try_get_matches_from(flags)?)
    }

    #[test]
    fn start_url_with_a_path_stands_for_what_is_below_it() {
        let docs = CanonicalUrl::parse("https://a.example/docs/").expect("a URL");
        let home = CanonicalUrl::parse("https://a.example").expect("a URL");
        let route = |flags: &[&str], start: &CanonicalUrl| {
            parsed(flags).expect("valid flags").starting_at(start).scope.specific_route
        };
        assert!(route(&[], &docs) && !route(&[], &home));
        assert!(!route(&["--whole-site"], &docs) && !route(&["--one-page"], &docs));
        assert!(route(&["--specific-route"], &docs));
        assert!(parsed(&["--specific-route", "--whole-site"]).is_err());
    }

    #[test]
    fn flags_have_the_defaults_of_the_api() {
        let CrawlFlags { scope, options, .. } = parsed(&[]).expect("no flag is required");
        assert_eq!((scope, options), (Scope::default(), Options::default()));
    }

    #[test]
    fn flags_set_the_options_that_they_name() {
        let flags = ["--one-page", "--include_broken", "--discovery", "false"];
        let more = ["--sample-size", "7", "--preferred_language", "pt-BR", "--links", "none"];
        let CrawlFlags { scope, options, .. } =
            parsed(&[&flags[..], &more].concat()).expect("valid flags");
        assert_eq!(scope, Scope { one_page: true, include_broken: true, ..Scope::default() });
        let expected = Options {
            discovery: false,
            sample_size: Some(7),
            preferred_language: Some("pt-BR".to_owned()),
            links: MarkdownLinks::None,
            ..Options::default()
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn flag_of_a_list_is_repeated() {
        let flags = ["--include-paths", "/blog/**", "--include_paths", r"re:^/p/\d+$"];
        let CrawlFlags { scope, .. } = parsed(&flags).expect("valid flags");
        assert_eq!(scope.include_paths, ["/blog/**", r"re:^/p/\d+$"]);
        let error = parsed(&["--exclude-paths", "re:(a"]).expect_err("an unclosed group");
        assert!(error.to_string().contains("is invalid at character 4: unclosed group"), "{error}");
    }

    #[test]
    fn invalid_values_are_rejected_with_the_message_of_the_api() {
        for flags in [["--sample-size", "0"], ["--discovery", "no"], ["--links", "many"]] {
            assert!(parsed(&flags).is_err(), "{flags:?}");
        }
        let error = parsed(&["--preferred-language", "english"]).expect_err("no language");
        assert!(error.to_string().contains("must be a language tag, as en or pt-BR"), "{error}");
    }
}
