//! Rules of naming and wording: unique type names, plain words in messages, comments and
//! documentation, no doc comments that only repeat a name. Each test reports all findings at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::client_texts::literals;
use crate::workspace::{crates, files_of, root, rust_files, shown};

/// Words and phrases that messages, comments and documentation avoid, because they hide who does
/// what.
const BANNED_WORDS: &[&str] = &[
    "whoever",
    "nobody",
    "somebody",
    "told",
    "tells",
    "stands",
    "comes to",
    "what came of",
    "of its own",
    "so many",
    "by itself",
    "lets go",
    "in two hands",
    "no more",
];

/// Phrases that contain a banned one and are plain English.
const ALLOWED_PHRASES: &[&str] =
    // The last one is a user of Unix.
    &["no more than", "stands for", "= \"nobody\""];

/// Layers whose literals are vocabularies of crawled pages instead of messages.
const VOCABULARIES: &[&str] = &["modes", "testing"];

/// Minimum characters of a doc comment: shorter ones repeat the name of the item.
const DOC_COMMENT_CHARS: usize = 22;

/// Fails with all findings, one per line.
fn report(findings: &[String], rule: &str) {
    assert!(findings.is_empty(), "{} times {rule}:\n{}", findings.len(), findings.join("\n"));
}

/// The sources of all crates, without the files of their unit tests.
fn sources() -> Vec<(String, PathBuf)> {
    let is_test = |file: &Path| {
        let in_folder = file.components().any(|part| part.as_os_str() == "tests");
        in_folder || file.file_name().is_some_and(|name| name == "tests.rs")
    };
    crates()
        .into_iter()
        .flat_map(|package| {
            let files = rust_files(&package.folder.join("src"));
            files.into_iter().map(move |file| (package.layer.clone(), file))
        })
        .filter(|(_, file)| !is_test(file.strip_prefix(root()).unwrap_or(file)))
        .collect()
}

/// The text of a source without its unit tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("text");
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned()
}

/// The name of the type that a line declares. Local aliases of types may repeat.
fn declared_type(line: &str) -> Option<&str> {
    let is_nested = line.starts_with(' ');
    let line = line.trim_start();
    let rest = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let keywords = ["struct ", "enum ", "trait ", "union ", "type "];
    let keywords = &keywords[..keywords.len() - usize::from(is_nested)];
    let rest = keywords.iter().find_map(|keyword| rest.strip_prefix(keyword))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    // `struct $name` within a macro has no name.
    (end > 0).then(|| &rest[..end])
}

#[test]
fn type_names_are_declared_once_in_the_workspace() {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, file) in sources() {
        for name in code(&file).lines().filter_map(declared_type) {
            declared.entry(name.to_owned()).or_default().push(shown(&file));
        }
    }
    assert!(declared.len() > 500, "the sources are read");
    let twice = declared.into_iter().filter(|(_, files)| files.len() > 1);
    let findings: Vec<_> =
        twice.map(|(name, files)| format!("{name}: {}", files.join(" "))).collect();
    report(&findings, "a type name is declared more than once");
}

/// The first banned phrase in a text, at word boundaries.
fn banned(text: &str) -> Option<&'static str> {
    let mut plain = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    for allowed in ALLOWED_PHRASES {
        plain = plain.replace(allowed, "");
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '@');
    BANNED_WORDS.iter().copied().find(|phrase| {
        plain.match_indices(phrase).any(|(at, _)| {
            let before = plain[..at].chars().next_back();
            let after = plain[at + phrase.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    })
}

/// Phrases that texts for clients had and that engineers do not use: in messages and pages, and in
/// the documentation. Lower case.
const OLD_PHRASES: &[&str] = &[
    "account to begin with",
    "is not right",
    "what do you want?",
    "what belongs to it",
    "belongs into a",
    "a record a domain",
    "part of it that you want",
    "nothing that it links to",
    "pages of their own",
    "or not at all; free",
    "links where there is none",
    "stands here",
    "looking costs",
    "done with",
    "being fetched",
    "as it was asked for",
    "what was paid for",
    "made by blocks",
    "sources agree",
    "represents the company",
    "held against",
    "as they were.",
    "hold it against",
    "that every program reads",
    "know it by",
    "trying things out",
    "deliver to it",
    "a clock starts",
    "start nothing yet",
    "make the schedule",
    "may wait besides",
    "items a page",
    "a download link lives",
    "blocked and objected",
    "parts at work",
    "holds anything",
    "a valid credential is required",
    "waits for the confirm operation",
    "came to nothing",
    "taking results away",
    "being told",
    "by an assistant.",
    "empty purse",
    "the house",
    "that did not work",
];

/// The first old phrase in a text.
fn old_phrase(text: &str) -> Option<&'static str> {
    let plain = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    OLD_PHRASES.iter().copied().find(|phrase| plain.contains(phrase))
}

#[test]
fn client_texts_use_the_words_of_engineers() {
    const LAYERS: &[&str] = &["core", "service", "trawl"];
    let mut findings = Vec::new();
    for (_, file) in sources().iter().filter(|(layer, _)| LAYERS.contains(&layer.as_str())) {
        let code = code(file);
        let texts = literals(&code).into_iter().filter(|text| is_message(text.text));
        for text in texts.filter(|text| !text.is_logged) {
            if let Some(phrase) = old_phrase(&text.text.replace("\\\n", " ")) {
                findings.push(format!("{}:{}: {phrase}", shown(file), text.line));
            }
        }
    }
    for page in documentation() {
        let text = fs::read_to_string(&page).expect("text");
        // The list of changes names what was wrong.
        if page.ends_with("CHANGELOG.md") {
            continue;
        }
        for (line, text) in (1..).zip(text.lines()) {
            if let Some(phrase) = old_phrase(text) {
                findings.push(format!("{}:{line}: {phrase}", shown(&page)));
            }
        }
    }
    report(&findings, "a text for clients has a phrase that engineers do not use");
    assert_eq!(old_phrase("Oh: That did\nnot work."), Some("that did not work"));
    assert_eq!(old_phrase("Page not found"), None);
}

/// Whether a literal is a sentence or a part of one: names and keys have one word.
fn is_message(text: &str) -> bool {
    text.trim().contains(' ')
}

#[test]
fn messages_and_documentation_use_plain_words() {
    let mut findings = Vec::new();
    for (layer, file) in sources() {
        if VOCABULARIES.contains(&layer.as_str()) {
            continue;
        }
        let code = code(&file);
        for literal in literals(&code).iter().filter(|literal| is_message(literal.text)) {
            // A backslash at the end of a line continues the text on the next one.
            if let Some(phrase) = banned(&literal.text.replace("\\\n", " ").replace("\\n", " ")) {
                findings.push(format!("{}:{}: {phrase}", shown(&file), literal.line));
            }
        }
    }
    for page in documentation() {
        let text = fs::read_to_string(&page).expect("text");
        for (line, text) in (1..).zip(text.lines()) {
            if let Some(phrase) = banned(text) {
                findings.push(format!("{}:{line}: {phrase}", shown(&page)));
            }
        }
    }
    report(&findings, "a message or page uses a word that hides who does what");
}

/// The pages of documentation: at the root, in `docs/`, and of examples, integrations and SDKs.
fn documentation() -> Vec<PathBuf> {
    let folders = ["docs", "examples", "integrations", "sdk", "training"];
    let mut pages: Vec<_> =
        folders.iter().flat_map(|folder| files_of(&root().join(folder), "md")).collect();
    let at_root = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    pages.extend(at_root.map(|name| root().join(name)));
    // The settings are documented in their file of defaults.
    pages.push(root().join("crates/trawl/settings.toml"));
    assert!(pages.len() > 40, "the documentation is read");
    pages
}

/// Comments with the line that they start on: consecutive lines that start with `marker` are one.
fn comments(text: &str, marker: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut follows = false;
    for (line, text) in (1..).zip(text.lines()) {
        let comment = text.trim().strip_prefix(marker).map(|text| text.trim_matches(['/', '!']));
        match (comment, found.last_mut()) {
            (Some(comment), Some((_, last))) if follows => {
                last.push(' ');
                last.push_str(comment.trim());
            }
            (Some(comment), _) => found.push((line, comment.trim().to_owned())),
            (None, _) => {}
        }
        follows = comment.is_some();
    }
    found
}

/// The name of a function, as words.
fn function_name(line: &str) -> Option<String> {
    let (before, rest) = line.trim().split_once("fn ")?;
    let is_item = before.split_whitespace().all(|word| {
        word.starts_with("pub") || matches!(word, "async" | "const" | "unsafe" | "extern")
    });
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    is_item.then(|| rest[..end].replace('_', " "))
}

#[test]
fn comments_and_function_names_use_plain_words() {
    let mut findings = Vec::new();
    let mut check = |file: &Path, marker: &str| {
        let text = fs::read_to_string(file).expect("text");
        let shown = shown(file);
        let comments = comments(&text, marker);
        let names = (1..).zip(text.lines());
        let names = names.filter_map(|(line, text)| Some((line, function_name(text)?)));
        for (line, text) in comments.into_iter().chain(names) {
            if let Some(phrase) = banned(&text) {
                findings.push(format!("{shown}:{line}: {phrase}"));
            }
        }
    };
    for package in crates() {
        for part in ["src", "tests", "benches"] {
            rust_files(&package.folder.join(part)).iter().for_each(|file| check(file, "//"));
        }
        files_of(&package.folder.join("src"), "sql").iter().for_each(|file| check(file, "--"));
        for extension in ["js", "mjs", "css"] {
            files_of(&package.folder, extension).iter().for_each(|file| check(file, "//"));
        }
        files_of(&package.folder, "py").iter().for_each(|file| check(file, "#"));
    }
    for folder in ["training", "bench", "sdk", "integrations"] {
        files_of(&root().join(folder), "py").iter().for_each(|file| check(file, "#"));
    }
    for folder in ["examples", "fuzz/targets"] {
        rust_files(&root().join(folder)).iter().for_each(|file| check(file, "//"));
    }
    report(&findings, "a comment or a function name uses a word that hides who does what");
}

#[test]
fn comments_and_function_names_are_read() {
    let code = "//! Two lines\n//! of text.\nfn a() {}\n    // Another one.\n";
    let found = comments(code, "//");
    assert_eq!(found, [(1, "Two lines of text.".to_owned()), (4, "Another one.".to_owned())]);
    assert_eq!(function_name("    pub(crate) async fn is_told<T>(x: T) {"), Some("is told".into()));
    assert_eq!(function_name("// The fn of(x) makes it."), None);
}

#[test]
fn banned_words_are_found_at_word_boundaries() {
    for (text, expected) in [
        ("Nobody is signed in", Some("nobody")),
        ("runs by itself.", Some("by itself")),
        ("there are no more", Some("no more")),
        ("no more than five", None),
        ("a shop that sells, untold stories", None),
        ("nobody@example.com", None),
        ("the run stops", None),
    ] {
        assert_eq!(banned(text), expected, "{text}");
    }
}

/// Doc comments of fewer than `DOC_COMMENT_CHARS` characters, with their line.
fn short_doc_comments(code: &str) -> Vec<(usize, String)> {
    let comment = |line: &str| line.trim().strip_prefix("///").map(|text| text.trim().to_owned());
    let lines: Vec<_> = code.lines().map(comment).collect();
    let is_comment =
        |at: Option<usize>| at.and_then(|at| lines.get(at)).is_some_and(Option::is_some);
    let mut found = Vec::new();
    for (at, text) in lines.iter().enumerate() {
        let is_alone = !is_comment(at.checked_sub(1)) && !is_comment(at.checked_add(1));
        if let Some(text) = text.as_ref().filter(|_| is_alone)
            && text.chars().count() < DOC_COMMENT_CHARS
        {
            found.push((at + 1, text.clone()));
        }
    }
    found
}

#[test]
fn doc_comments_say_more_than_the_name() {
    let mut findings = Vec::new();
    for package in crates() {
        for part in ["src", "tests", "benches"] {
            for file in rust_files(&package.folder.join(part)) {
                let text = fs::read_to_string(&file).expect("text");
                let short = short_doc_comments(&text).into_iter();
                findings
                    .extend(short.map(|(line, text)| format!("{}:{line}: {text}", shown(&file))));
            }
        }
    }
    report(&findings, &format!("a doc comment has fewer than {DOC_COMMENT_CHARS} characters"));
}

#[test]
fn short_doc_comments_are_found() {
    let code = "/// The file.\nstruct A;\n    /// Two lines\n    /// of text.\n    b: u8,\n\
                /// A comment that is long enough.\nfn c() {}\n// Not documentation.\n";
    assert_eq!(short_doc_comments(code), [(1, "The file.".to_owned())]);
    assert_eq!(declared_type("pub(crate) struct Name<'a> {"), Some("Name"));
    assert_eq!(declared_type("    struct Local;"), Some("Local"));
    assert_eq!(declared_type("    type Item = u8;"), None);
    assert_eq!(declared_type("pub type Alias = u8;"), Some("Alias"));
}
