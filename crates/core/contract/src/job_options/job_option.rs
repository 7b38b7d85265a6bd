//! The description of an option, from which clients make flags, forms and tool schemas.

use crate::{BodyFields, Mode, Options, Scope};

/// An option of a job, for clients that offer it: flags, forms, tool schemas.
#[derive(Debug, Clone, Copy)]
pub struct JobOption {
    /// The member of the request: `scope.one_page`.
    pub path: &'static str,
    pub kind: OptionKind,
    /// The modes in which the option has an effect; it is accepted in all.
    pub modes: &'static [Mode],
    /// The description in the OpenAPI document. The other texts are the same unless they are given.
    pub description: &'static str,
    /// The label in a form of the console.
    pub label: &'static str,
    /// The hint beside the label.
    pub hint: &'static str,
    /// The help text of the flag of `trawl crawl`.
    pub flag: &'static str,
    /// The description for assistants, in the MCP tool `start_run`.
    pub tool: &'static str,
}

/// The values that an option takes.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    Switch {
        default: bool,
    },
    /// One word of a closed list.
    Choice {
        values: &'static [&'static str],
        default: &'static str,
    },
    /// An integer from 1 up to `max`.
    Count {
        max: Option<u64>,
    },
    /// A text for which `error` returns nothing.
    Text {
        error: fn(&str) -> Option<String>,
        /// The name of the value in the help of a command.
        placeholder: &'static str,
    },
    /// Texts, at most `max` of them, in which `errors` finds none.
    List {
        /// The errors of a list, each with the index of its entry.
        errors: fn(&[&str]) -> Vec<(usize, String)>,
        max: usize,
        /// The name of an entry in the help of a command.
        placeholder: &'static str,
    },
}

/// Names of options in the APIs of other crawl services.
const FOREIGN_NAMES: [(&str, &str); 4] = [
    ("limit", "options.sample_size"),
    ("max_items", "options.sample_size"),
    ("max_discovery_depth", "options.max_depth"),
    ("max_total_charge_usd", "options.max_credits"),
];

impl JobOption {
    /// Suggests options for unknown members beside `scope` and `options`, where clients of other
    /// services expect them.
    pub(crate) fn suggest(fields: &mut BodyFields<'_>) {
        for option in Self::all() {
            fields.suggest(option.name(), option.path);
        }
        for (name, path) in FOREIGN_NAMES {
            fields.suggest(name, path);
        }
    }

    pub(super) const fn new(
        path: &'static str,
        kind: OptionKind,
        modes: &'static [Mode],
        description: &'static str,
        label: &'static str,
    ) -> Self {
        let (hint, flag, tool) = (description, description, description);
        Self { path, kind, modes, description, label, hint, flag, tool }
    }

    pub(super) const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    pub(super) const fn flag(self, flag: &'static str) -> Self {
        Self { flag, ..self }
    }

    pub(super) const fn tool(self, tool: &'static str) -> Self {
        Self { tool, ..self }
    }

    /// The options of `scope` and of `options`.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Scope::FIELDS.iter().chain(Options::FIELDS)
    }

    /// The name within its object: `one_page`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.split_once('.').map_or(self.path, |(_, name)| name)
    }

    #[must_use]
    pub fn is_switch(&self) -> bool {
        matches!(self.kind, OptionKind::Switch { .. })
    }
}

/// Reads a list of texts; reports the errors of its entries.
pub(super) fn read_list(
    fields: &mut BodyFields<'_>,
    name: &'static str,
    max: usize,
    errors: fn(&[&str]) -> Vec<(usize, String)>,
) -> Vec<String> {
    let entries = fields.text_list(name, max).unwrap_or_default();
    let (indexes, texts): (Vec<usize>, Vec<&str>) = entries.into_iter().unzip();
    for (at, message) in errors(&texts) {
        let index = indexes.get(at).copied().unwrap_or(at);
        fields.wrong(&format!("{name}[{index}]"), message);
    }
    texts.into_iter().map(str::to_owned).collect()
}
