//! The options of `POST /v1/pages` as flags of `trawl read`, made from the same list as those of runs.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use contract::PageOptions;

use super::crawl_flags::{flag, read};

/// The values of the flags.
#[derive(Debug, Clone)]
pub struct PageFlags(pub PageOptions);

impl Args for PageFlags {
    fn augment_args(command: Command) -> Command {
        command.next_help_heading("Options").args(PageOptions::FIELDS.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PageFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        read(PageOptions::FIELDS, matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
