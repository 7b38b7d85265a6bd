//! OptOuts and erasure: who is meant.

use clap::{Args, Subcommand};
use privacy::OptOut;

/// Who objects: one of them.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct Whom {
    /// A mailbox, with its sub-addresses: ada+news@… is ada@…
    #[arg(long, value_name = "ADDRESS", value_parser = OptOut::email)]
    email: Option<OptOut>,
    /// A domain, with everything below it
    #[arg(long, value_name = "DOMAIN", value_parser = OptOut::domain)]
    domain: Option<OptOut>,
    /// A person's full name, however it is written elsewhere
    #[arg(long, value_name = "NAME", value_parser = OptOut::name)]
    name: Option<OptOut>,
}

impl Whom {
    /// The objection.
    pub fn objection(&self) -> Option<&OptOut> {
        self.email.as_ref().or(self.domain.as_ref()).or(self.name.as_ref())
    }
}

#[derive(Debug, Subcommand)]
pub enum ObjectionCommand {
    /// Lists the objections, oldest first; people by a hint alone
    List {
        /// For programs
        #[arg(long)]
        json: bool,
    },
    /// Adds one: every run of every account heeds it from now on
    Add {
        #[command(flatten)]
        whom: Whom,
    },
    /// Withdraws one
    Remove {
        #[command(flatten)]
        whom: Whom,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Works beside a running server. Stopped half-way, it is begun again and \
    comes to the same end. Results keep their numbers: a record loses what is erased, and the \
    record of a whole domain stays as an empty one. docs/contacts.md tells what is looked \
    through.\n\nExamples:\n  \
    trawl erase --email ada@example.com --dry-run\n  \
    trawl erase --name 'Ada Lovelace'\n  \
    trawl erase --domain example.com")]
pub struct Erase {
    #[command(flatten)]
    pub whom: Whom,
    /// Only tell what would be changed
    #[arg(long)]
    pub dry_run: bool,
    /// For programs
    #[arg(long)]
    pub json: bool,
}
