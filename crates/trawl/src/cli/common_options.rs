//! The command line as clap parses it. Each command shows the common options that it uses, in one
//! group; the others are accepted and hidden. So is what a command shares with another one without
//! taking it.

use clap::{Arg, Command, CommandFactory};

use super::Cli;

/// Commands that read neither settings nor a database.
const WITHOUT_SETTINGS: &[&str] = &["completions", "demo", "explain", "extract", "man"];

/// Commands that read settings, and never a database.
const WITHOUT_DATABASE: &[&str] =
    &["crawl", "estimate", "list", "login", "logout", "map", "mcp", "openapi", "read", "run"];

/// The options that select the database.
const OF_DATABASE: &[&str] = &["data", "database"];

/// The whole command line.
pub fn command() -> Command {
    let command = Cli::command();
    let common: Vec<Arg> =
        command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let hidden = |is_hidden: fn(&Arg) -> bool| -> Vec<Arg> {
        common.iter().filter(|arg| is_hidden(arg)).map(|arg| arg.clone().hide(true)).collect()
    };
    let all = hidden(|_| true);
    let of_database = hidden(|arg| OF_DATABASE.contains(&arg.get_id().as_str()));
    let hide = |command: Command, names: &[&'static str], args: &[Arg]| {
        names.iter().fold(command, |command, name| {
            command.mut_subcommand(*name, |one| one.args(args.to_vec()))
        })
    };
    let command = hide(hide(command, WITHOUT_SETTINGS, &all), WITHOUT_DATABASE, &of_database);
    // A schedule takes no uploaded list, which is kept for a week only.
    command.mut_subcommand("schedule", |schedule| {
        schedule.mut_subcommand("create", |create| {
            create.mut_arg("list_id", |list_id| list_id.hide(true))
        })
    })
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    fn help_of(name: &str) -> String {
        let mut command = command();
        command.build();
        let found = command.find_subcommand_mut(name).expect("a command");
        found.render_long_help().to_string()
    }

    #[test]
    fn command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn common_options_are_shown_once_where_they_are_used() {
        for name in ["serve", "job", "account"] {
            let help = help_of(name);
            let common = help.split("Common options:").nth(1).expect("a group");
            assert!(common.contains("--data") && common.contains("--config"), "{name}: {help}");
            assert_eq!(help.matches("--data <").count(), 1, "{name}: {help}");
        }
        for name in WITHOUT_SETTINGS {
            let help = help_of(name);
            assert!(!help.contains("--data") && !help.contains("--config"), "{name}: {help}");
        }
        for name in WITHOUT_DATABASE {
            let help = help_of(name);
            assert!(!help.contains("--database <") && help.contains("--config"), "{name}: {help}");
        }
    }

    #[test]
    fn schedules_do_not_show_uploaded_lists() {
        assert!(help_of("run").contains("--list-id"));
        let mut command = command();
        command.build();
        let schedule = command.find_subcommand_mut("schedule").expect("a command");
        let create = schedule.find_subcommand_mut("create").expect("a command");
        let help = create.render_long_help().to_string();
        assert!(help.contains("--urls") && !help.contains("--list-id"), "{help}");
    }

    #[test]
    fn hidden_common_options_are_accepted_before_and_after_the_command() {
        for words in [["trawl", "--data", "x", "demo"], ["trawl", "demo", "--data", "x"]] {
            let matches = command().try_get_matches_from(words).expect("valid");
            let cli = Cli::from_arg_matches(&matches).expect("valid");
            assert_eq!(cli.global.data.as_deref(), Some("x"), "{words:?}");
        }
    }

    #[test]
    fn server_flags_are_accepted_before_and_after_the_subcommand() {
        for words in [
            ["trawl", "job", "--url", "http://a.test", "list"],
            ["trawl", "job", "list", "--url", "http://a.test"],
        ] {
            let matches = command().try_get_matches_from(words).expect("valid");
            let cli = Cli::from_arg_matches(&matches).expect("valid");
            let crate::cli::CliCommand::Job(job) = cli.command else { panic!("a job command") };
            assert_eq!(job.server.url.as_deref(), Some("http://a.test"), "{words:?}");
        }
    }
}
