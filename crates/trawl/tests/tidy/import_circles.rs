//! Files of a crate do not import each other in a circle.
//!
//! The test reads the text of the sources: `use` declarations and paths in the code, with re-exports
//! resolved to the file that declares the name. A file may use its parent modules: a folder is one
//! unit with the file beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::workspace::{crates, rust_files};

/// Maximum re-exports that are followed to the declaration of a name.
const MAX_REEXPORTS: usize = 8;

/// The position of a module in its crate; empty for `lib.rs`.
type ModulePath = Vec<String>;

#[derive(Debug, Default)]
struct ModuleSource {
    imports: Vec<Import>,
    /// The paths in the code, outside of `use` declarations.
    paths: Vec<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Import {
    path: Vec<String>,
    /// The name under which it is imported.
    name: String,
    is_public: bool,
}

/// The modules of a crate with the files that they import.
#[derive(Debug, Default)]
struct CrateModules(BTreeMap<ModulePath, ModuleSource>);

impl CrateModules {
    fn read(src: &Path) -> Self {
        let mut modules = Self::default();
        for file in rust_files(src) {
            let inside = file.strip_prefix(src).expect("a file of the crate").with_extension("");
            let mut path: ModulePath =
                inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if path.iter().any(|part| part == "tests" || part == "main") {
                continue;
            }
            path.pop_if(|last| last == "lib");
            let text = fs::read_to_string(&file).expect("text");
            modules.0.insert(path, ModuleSource::parse(&text));
        }
        modules
    }

    /// The files that a file imports, without itself and its parents.
    fn imports_of(&self, at: &ModulePath) -> BTreeSet<&ModulePath> {
        let source = &self.0[at];
        let declared = source.imports.iter().filter(|import| !import.is_public);
        let used = declared.map(|import| &import.path).chain(&source.paths);
        let files = used.filter_map(|path| {
            let (from, names) = self.absolute(at, path, MAX_REEXPORTS)?;
            self.declaring(from, names, MAX_REEXPORTS)
        });
        files.filter(|file| !at.starts_with(file)).collect()
    }

    /// The module that a path starts from, and the rest of the path; `None` for other crates.
    fn absolute(
        &self,
        at: &ModulePath,
        path: &[String],
        left: usize,
    ) -> Option<(ModulePath, Vec<String>)> {
        let (first, rest) = path.split_first()?;
        let child = || at.iter().chain([first]).cloned().collect::<ModulePath>();
        match first.as_str() {
            "crate" => Some((ModulePath::new(), rest.to_vec())),
            "self" => Some((at.clone(), rest.to_vec())),
            "super" => {
                let supers = path.iter().take_while(|name| *name == "super").count();
                let parent = at.get(..at.len().checked_sub(supers)?)?;
                Some((parent.to_vec(), path[supers..].to_vec()))
            }
            _ if self.0.contains_key(&child()) => Some((child(), rest.to_vec())),
            // A module that a `use` declaration has imported.
            _ => {
                let import = self.0[at].imports.iter().find(|import| import.name == *first)?;
                let (from, mut names) = self.absolute(at, &import.path, left.checked_sub(1)?)?;
                names.extend_from_slice(rest);
                Some((from, names))
            }
        }
    }

    /// The file that declares the name of a path.
    fn declaring(
        &self,
        mut at: ModulePath,
        names: Vec<String>,
        left: usize,
    ) -> Option<&ModulePath> {
        let mut names = names.into_iter().peekable();
        while let Some(name) = names.peek() {
            at.push(name.clone());
            if !self.0.contains_key(&at) {
                at.pop();
                break;
            }
            names.next();
        }
        let (file, source) = self.0.get_key_value(&at)?;
        let Some(name) = names.next() else { return Some(file) };
        let Some(import) = source.imports.iter().find(|import| import.name == name) else {
            return Some(file);
        };
        let left = left.checked_sub(1)?;
        let (from, mut path) = self.absolute(&at, &import.path, left)?;
        path.extend(names);
        self.declaring(from, path, left)
    }
}

impl ModuleSource {
    fn parse(text: &str) -> Self {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code = code.lines().map(|line| line.split("//").next().unwrap_or_default());
        let mut source = Self::default();
        let mut declaration = String::new();
        let mut rest = String::new();
        let mut is_public = false;
        for line in code {
            let trimmed = line.trim();
            if declaration.is_empty() {
                let Some((visibility, tree)) = use_declaration(trimmed) else {
                    rest.push_str(line);
                    rest.push('\n');
                    continue;
                };
                is_public = visibility;
                declaration.push_str(tree);
            } else {
                declaration.push_str(trimmed);
            }
            if let Some((tree, _)) = declaration.split_once(';') {
                let leaves = leaves(tree).into_iter();
                source.imports.extend(leaves.map(|(path, name)| Import { path, name, is_public }));
                declaration.clear();
            }
        }
        source.paths = paths(&rest);
        source
    }
}

/// Whether a `use` declaration that starts on this line is a re-export, and its tree.
fn use_declaration(line: &str) -> Option<(bool, &str)> {
    if let Some(tree) = line.strip_prefix("use ") {
        return Some((false, tree));
    }
    let rest = line.strip_prefix("pub")?;
    let rest = if rest.starts_with('(') { rest.split_once(')')?.1 } else { rest };
    Some((true, rest.strip_prefix(" use ")?))
}

/// The paths of the tree of a `use` declaration with the names that they introduce.
fn leaves(tree: &str) -> Vec<(Vec<String>, String)> {
    let tree = tree.trim();
    let Some((prefix, group)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(p, a)| (p, Some(a)));
        let mut path: Vec<_> = path.split("::").map(|name| name.trim().to_owned()).collect();
        // `self` in a group names the module of the group.
        if path.len() > 1 {
            path.pop_if(|last| last == "self");
        }
        let name = alias.map(|alias| alias.trim().to_owned()).or_else(|| path.last().cloned());
        let name = name.filter(|name| !name.is_empty());
        return name.map(|name| (path, name)).into_iter().collect();
    };
    let mut members = vec![String::new()];
    let mut depth = 0_usize;
    for c in group.strip_suffix('}').unwrap_or(group).chars() {
        match c {
            ',' if depth == 0 => {
                members.push(String::new());
                continue;
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        members.last_mut().expect("never empty").push(c);
    }
    let members = members.iter().filter(|member| !member.trim().is_empty());
    members.flat_map(|member| leaves(&format!("{prefix}{}", member.trim()))).collect()
}

/// The paths of two and more names in code.
fn paths(code: &str) -> Vec<Vec<String>> {
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let mut found = Vec::new();
    let mut before = "";
    for word in code.split(|c: char| !is_path(c)).filter(|word| !word.is_empty()) {
        // `pub(in crate::module)` is a visibility.
        if word.contains("::") && before != "in" {
            let names = word.split("::").filter(|name| !name.is_empty());
            found.push(names.map(str::to_owned).collect());
        }
        before = word;
    }
    found
}

/// A circle of imports: the modules in order.
fn circle(imports: &BTreeMap<&ModulePath, BTreeSet<&ModulePath>>) -> Option<Vec<String>> {
    let mut left: BTreeSet<&ModulePath> = imports.keys().copied().collect();
    // Removes files that import only removed files, until none is left or all are in circles or
    // import one.
    loop {
        let imports_left = |at: &&ModulePath| imports[at].iter().any(|used| left.contains(used));
        let kept: BTreeSet<_> = left.iter().copied().filter(imports_left).collect();
        if kept.len() == left.len() {
            break;
        }
        left = kept;
    }
    let mut walked: Vec<&ModulePath> = vec![left.first()?];
    loop {
        let at = walked.last()?;
        let next = imports[at].iter().find(|used| left.contains(*used))?;
        if let Some(start) = walked.iter().position(|seen| seen == next) {
            walked.push(next);
            return Some(walked[start..].iter().map(|path| path.join("/")).collect());
        }
        walked.push(next);
    }
}

#[test]
fn files_of_a_crate_do_not_import_each_other_in_a_circle() {
    let mut findings = Vec::new();
    let mut read = 0;
    for package in crates() {
        let modules = CrateModules::read(&package.folder.join("src"));
        let imports: BTreeMap<_, _> =
            modules.0.keys().map(|path| (path, modules.imports_of(path))).collect();
        read += imports.values().map(BTreeSet::len).sum::<usize>();
        if let Some(circle) = circle(&imports) {
            findings.push(format!("{}: {}", package.name, circle.join(" -> ")));
        }
    }
    assert!(read > 1_000, "the imports are read");
    assert!(findings.is_empty(), "files import each other in a circle:\n{}", findings.join("\n"));
}

#[test]
fn imports_are_resolved_to_the_declaring_file() {
    let module = |path: &str, text: &str| {
        let path = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        (path, ModuleSource::parse(text))
    };
    let modules = CrateModules(BTreeMap::from([
        module("", "mod a;\npub use a::{\n    inner::Thing,\n    inner as renamed,\n};\n"),
        module("a", "pub(crate) mod inner;\nuse super::b;\nfn f() { b::call() }\n"),
        module("a/inner", "//! Uses `crate::b`.\nuse super::Parent;\npub struct Thing;\n"),
        module("b", "use crate::Thing;\npub(in crate::a) fn call() { std::mem::drop(1) }\n"),
        module("c", "use crate::renamed;\nfn g() -> renamed::Thing { crate::b::call() }\n"),
    ]));
    let used = |path: &str| {
        let path = path.split('/').map(str::to_owned).collect();
        let imports = modules.imports_of(&path).into_iter();
        imports.map(|path| path.join("/")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(used("a"), "b");
    assert_eq!(used("a/inner"), "", "parents do not count");
    assert_eq!(used("b"), "a/inner", "through the re-export of lib.rs");
    assert_eq!(used("c"), "a/inner b");
    let imports = modules.0.keys().map(|path| (path, modules.imports_of(path))).collect();
    assert_eq!(circle(&imports), None);
    let mut closed: BTreeMap<_, _> = imports;
    let (b, inner) = (vec!["b".to_owned()], vec!["a".to_owned(), "inner".to_owned()]);
    closed.get_mut(&inner).expect("a module").insert(&b);
    let expected = ["b", "a/inner", "b"].map(str::to_owned).to_vec();
    assert_eq!(circle(&closed), Some(expected));
}
