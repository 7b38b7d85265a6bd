//! Arguments of `trawl opt-out` and `trawl erase`.

use clap::{Args, Subcommand};
use privacy::OptOut;

/// Subject of an opt-out: exactly one of the flags.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct OptOutSubject {
    /// Mailbox, including sub-addresses: ada+news@… equals ada@…
    #[arg(long, value_name = "ADDRESS", value_parser = OptOut::email)]
    email: Option<OptOut>,
    /// Domain, including all subdomains
    #[arg(long, value_name = "DOMAIN", value_parser = OptOut::domain)]
    domain: Option<OptOut>,
    /// Full name of a person, in any order and spelling of case
    #[arg(long, value_name = "NAME", value_parser = OptOut::name)]
    name: Option<OptOut>,
}

impl OptOutSubject {
    pub fn opt_out(&self) -> Option<&OptOut> {
        self.email.as_ref().or(self.domain.as_ref()).or(self.name.as_ref())
    }
}

#[derive(Debug, Subcommand)]
pub enum OptOutCommand {
    /// Lists the opt-outs, oldest first; people are shown as a hint only
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Adds an opt-out; it applies to all runs of all accounts
    Add {
        #[command(flatten)]
        subject: OptOutSubject,
    },
    /// Removes an opt-out from the list
    Remove {
        #[command(flatten)]
        subject: OptOutSubject,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Works while a server runs. An interrupted erasure can be repeated and gives the \
    same result. Results keep their numbers: a record loses the erased values, and the record of an \
    erased domain stays as an empty one. docs/contacts.md lists what is searched.\n\nExamples:\n  \
    trawl erase --email ada@example.com --dry-run\n  \
    trawl erase --name 'Ada Lovelace'\n  \
    trawl erase --domain example.com"
)]
pub struct EraseArgs {
    #[command(flatten)]
    pub subject: OptOutSubject,
    /// Only report what would be erased
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}
