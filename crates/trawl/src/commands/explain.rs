//! `trawl explain`: what a code means and what to do, from the table that the server's page about
//! errors is made of.

use contract::{ErrorCode, ErrorGuide, ProblemCode};

use super::Exit;
use crate::cli::Explain;
use crate::printing::outln;

/// How far a mistyped word may be from the one that was meant.
const NEAR: usize = 4;

pub fn run(args: &Explain) -> Exit {
    let Some(wanted) = &args.code else {
        list();
        return Exit::Done;
    };
    let answer = wanted.parse::<ProblemCode>().ok().map(|code| ("Error answers", code.guide()));
    let job = wanted.parse::<ErrorCode>().ok().map(|code| ("Errors of jobs", code.guide()));
    let found: Vec<_> = answer.into_iter().chain(job).collect();
    if found.is_empty() {
        let near = words().min_by_key(|word| strsim::levenshtein(word, wanted));
        let near = near.filter(|word| strsim::levenshtein(word, wanted) <= NEAR);
        let hint = near.map_or_else(
            || "`trawl explain` lists them".to_owned(),
            |near| format!("is it {near}?"),
        );
        eprintln!("trawl: there is no code {wanted:?}; {hint}");
        return Exit::Nothing;
    }
    for (list, ErrorGuide { meaning, remedy }) in found {
        outln!("{wanted} ({list})\n\n  {meaning}\n\n  What to do: {remedy}\n");
    }
    Exit::Done
}

fn words() -> impl Iterator<Item = &'static str> {
    let problems = ProblemCode::ALL.iter().map(|code| code.as_str());
    problems.chain(ErrorCode::ALL.iter().map(|code| code.as_str()))
}

fn list() {
    let width = words().map(str::len).max().unwrap_or(0);
    outln!("Error answers (code):\n");
    for code in ProblemCode::ALL {
        outln!("  {:width$}  {}", code.as_str(), code.guide().meaning);
    }
    outln!("\nErrors of jobs (error.code):\n");
    for code in ErrorCode::ALL {
        outln!("  {:width$}  {}", code.as_str(), code.guide().meaning);
    }
}
