//! `trawl explain`: meaning and remedy of an error code, from the same table as the API's error
//! page.

use contract::{ErrorCode, ErrorGuide, ProblemCode};

use super::Exit;
use crate::cli::ExplainArgs;
use crate::exit::fail;
use crate::printing::outln;

/// Maximum edit distance for the suggestion of a code.
const MAX_DISTANCE: usize = 4;

pub fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let Some(wanted) = &args.code else {
        list();
        return Ok(Exit::Done);
    };
    let answer = wanted.parse::<ProblemCode>().ok().map(|code| ("API errors", code.guide()));
    let job = wanted.parse::<ErrorCode>().ok().map(|code| ("job errors", code.guide()));
    let found: Vec<_> = answer.into_iter().chain(job).collect();
    if found.is_empty() {
        let near = codes().min_by_key(|word| strsim::levenshtein(word, wanted));
        let near = near.filter(|word| strsim::levenshtein(word, wanted) <= MAX_DISTANCE);
        let hint = near.map_or_else(
            || "`trawl explain` lists all codes".to_owned(),
            |near| format!("did you mean {near}?"),
        );
        fail!(Nothing, "there is no code {wanted:?}; {hint}");
    }
    for (list, ErrorGuide { meaning, remedy }) in found {
        outln!("{wanted} ({list})\n\n  {meaning}\n\n  Remedy: {remedy}\n");
    }
    Ok(Exit::Done)
}

fn codes() -> impl Iterator<Item = &'static str> {
    let problems = ProblemCode::ALL.iter().map(|code| code.as_str());
    problems.chain(ErrorCode::ALL.iter().map(|code| code.as_str()))
}

fn list() {
    let width = codes().map(str::len).max().unwrap_or(0);
    outln!("API errors (code):\n");
    for code in ProblemCode::ALL {
        outln!("  {:width$}  {}", code.as_str(), code.guide().meaning);
    }
    outln!("\nJob errors (error.code):\n");
    for code in ErrorCode::ALL {
        outln!("  {:width$}  {}", code.as_str(), code.guide().meaning);
    }
}
