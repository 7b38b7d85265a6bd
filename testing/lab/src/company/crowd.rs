//! Many small sites of one make, for a benchmark.

use std::time::Duration;

use super::Company;
use super::outcome::Outcome;
use super::plan::{self, Imprint, Make, Plan, TeamAt, TeamForm};

/// How long a page of a slow one takes.
const SLOW: Duration = Duration::from_secs(5);

/// The member of this number: one in ten is dead or slow.
pub(super) fn member(number: usize) -> Company {
    let host = format!("crowd-{number:05}.test");
    if number % 10 == 9 {
        let outcome = match number / 10 % 5 {
            0 => Outcome::Refused,
            1 => Outcome::Silent,
            2 => Outcome::Failing,
            3 => Outcome::Unknown,
            _ => return Company { pause: SLOW, ..small(number, &host) },
        };
        return Company::of_outcome(&host, &outcome);
    }
    small(number, &host)
}

fn small(number: usize, host: &str) -> Company {
    const SYLLABLES: [&str; 10] =
        ["Or", "Tal", "Vin", "Hel", "Mar", "Kos", "Bre", "Lun", "Dor", "Fen"];
    let part = |at: usize| SYLLABLES[number / 10_usize.pow(at as u32) % 10];
    let name = format!("{}{}{}", part(2), part(1).to_lowercase(), part(0).to_lowercase());
    let plan = Plan {
        seed: 10_000 + number as u64,
        form: "GmbH",
        make: Make::Hand,
        team: plan::team(TeamAt::Nowhere, TeamForm::List, 1, 0),
        imprint: Imprint::Own,
        others: 2,
        ..plan::USUAL
    };
    Company::of_plan(&plan, host, &name, &format!("{name} GmbH"))
}
