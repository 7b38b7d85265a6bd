//! Reads the members of a JSON object and collects all errors.

use std::fmt::Display;

use serde_json::{Map, Value};

use crate::FieldError;

/// Minimum Jaro-Winkler similarity of a suggested name.
const MIN_SIMILARITY: f64 = 0.75;

/// Maximum length of a label, in characters.
const MAX_LABEL_CHARS: usize = 100;

/// A JSON object with the errors found so far. Members that were not read are unknown. Null is
/// treated as absent.
#[derive(Debug)]
pub struct BodyFields<'v> {
    members: &'v Map<String, Value>,
    path: String,
    known: Vec<&'static str>,
    /// Names that clients may expect here, and the paths of the members that have them.
    elsewhere: Vec<(&'static str, &'static str)>,
    errors: Vec<FieldError>,
}

impl<'v> BodyFields<'v> {
    /// The members of a body, which must be an object.
    ///
    /// # Errors
    /// [`FieldError`] if the body is not an object.
    pub fn of(body: &'v Value) -> Result<Self, FieldError> {
        match body {
            Value::Object(members) => Ok(Self::at(members, String::new())),
            other => {
                Err(FieldError::new("body", format!("must be an object, not {}", kind(other))))
            }
        }
    }

    fn at(members: &'v Map<String, Value>, path: String) -> Self {
        Self { members, path, known: Vec::new(), elsewhere: Vec::new(), errors: Vec::new() }
    }

    /// The member, if it is present and not null.
    fn get(&mut self, name: &'static str) -> Option<&'v Value> {
        self.known.push(name);
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// The raw value of a member.
    pub fn value(&mut self, name: &'static str) -> Option<&'v Value> {
        self.get(name)
    }

    /// Whether the member is present and not null, valid or not.
    pub fn given(&self, name: &str) -> bool {
        self.members.get(name).is_some_and(|value| !value.is_null())
    }

    /// Whether the member is null or an empty list, which removes a value in a change.
    pub fn is_cleared(&mut self, name: &'static str) -> bool {
        self.known.push(name);
        match self.members.get(name) {
            Some(Value::Null) => true,
            Some(Value::Array(entries)) => entries.is_empty(),
            Some(_) | None => false,
        }
    }

    /// Adds an error of a member.
    pub fn wrong(&mut self, name: &str, message: impl Into<String>) {
        let field = self.name(name);
        self.errors.push(FieldError::new(field, message));
    }

    /// Adds an error if a required member is absent.
    pub fn require(&mut self, name: &str) {
        match self.members.get(name) {
            // An invalid value is reported when it is read.
            Some(value) if !value.is_null() => {}
            Some(_) => self.wrong(name, "is required and must not be null"),
            None => self.wrong(name, "is required"),
        }
    }

    pub fn text(&mut self, name: &'static str) -> Option<&'v str> {
        match self.get(name)? {
            Value::String(text) => self.clean(name, text),
            other => self.expected(name, "a string", other),
        }
    }

    /// The member `name`: a label of 1 to 100 characters.
    pub fn label(&mut self) -> Option<String> {
        let label = self.text("name")?.trim();
        if label.is_empty() || label.chars().count() > MAX_LABEL_CHARS {
            self.wrong("name", format!("must have from 1 to {MAX_LABEL_CHARS} characters"));
        } else if label.chars().any(char::is_control) {
            self.wrong("name", "must not contain control characters");
        }
        Some(label.to_owned())
    }

    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        match self.get(name)? {
            Value::Bool(flag) => Some(*flag),
            other => self.expected(name, "true or false", other),
        }
    }

    /// An integer from `least` up.
    pub fn integer(&mut self, name: &'static str, least: i64) -> Option<i64> {
        let value = self.get(name)?;
        let Value::Number(number) = value else {
            return self.expected(name, "an integer", value);
        };
        match number.as_i64().or_else(|| number.as_f64().and_then(whole)) {
            Some(integer) if integer >= least => Some(integer),
            Some(_) => self.refuse(name, format!("must be at least {least}")),
            None if number.as_f64().is_some_and(|number| number.fract() != 0.0) => {
                self.refuse(name, "must be an integer, not a fraction".to_owned())
            }
            None => self.refuse(name, "is out of range".to_owned()),
        }
    }

    /// An integer from 1 up to `most`.
    pub fn count(&mut self, name: &'static str, most: Option<u64>) -> Option<u64> {
        let count = self.integer(name, 1).and_then(|count| u64::try_from(count).ok())?;
        match most {
            Some(most) if count > most => self.refuse(name, format!("must be at most {most}")),
            Some(_) | None => Some(count),
        }
    }

    /// A value of the list `all`.
    pub fn one_of<T: Copy + Display>(&mut self, name: &'static str, all: &[T]) -> Option<T> {
        let value = self.get(name)?;
        let Value::String(text) = value else {
            return self.expected(name, "a string", value);
        };
        let found = all.iter().copied().find(|word| word.to_string() == *text);
        if found.is_none() {
            self.wrong(name, format!("must be one of {}", comma_list(all)));
        }
        found
    }

    /// A list of 1 to `most` strings, each with its index.
    pub fn texts(&mut self, name: &'static str, most: usize) -> Option<Vec<(usize, &'v str)>> {
        let value = self.get(name)?;
        if value.as_array().is_some_and(Vec::is_empty) {
            return self.refuse(name, format!("must have from 1 to {most} entries, not 0"));
        }
        self.text_list(name, most)
    }

    /// A list of up to `most` strings, each with its index.
    pub fn text_list(&mut self, name: &'static str, most: usize) -> Option<Vec<(usize, &'v str)>> {
        let value = self.get(name)?;
        let Value::Array(entries) = value else {
            return self.expected(name, "an array of strings", value);
        };
        if entries.len() > most {
            let message = format!("must have from 1 to {most} entries, not {}", entries.len());
            return self.refuse(name, message);
        }
        let mut texts = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let at = format!("{name}[{index}]");
            match entry {
                Value::String(text) => {
                    texts.extend(self.clean(&at, text).map(|text| (index, text)))
                }
                other => {
                    let _: Option<()> = self.expected(&at, "a string", other);
                }
            }
        }
        Some(texts)
    }

    /// An object; its unknown members are errors.
    pub fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut BodyFields<'v>) -> T,
    ) -> Option<T> {
        let value = self.get(name)?;
        let Value::Object(members) = value else {
            return self.expected(name, "an object", value);
        };
        let mut inside = BodyFields::at(members, self.name(name));
        let result = read(&mut inside);
        inside.report_unknown();
        self.errors.append(&mut inside.errors);
        Some(result)
    }

    /// A list of up to `most` objects; their unknown members are errors.
    pub fn objects<T>(
        &mut self,
        name: &'static str,
        most: usize,
        mut read: impl FnMut(&mut BodyFields<'v>) -> T,
    ) -> Option<Vec<T>> {
        let value = self.get(name)?;
        let Value::Array(entries) = value else {
            return self.expected(name, "an array of objects", value);
        };
        if entries.len() > most {
            let message = format!("must have at most {most} entries, not {}", entries.len());
            return self.refuse(name, message);
        }
        let mut objects = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let at = format!("{name}[{index}]");
            let Value::Object(members) = entry else {
                let _: Option<()> = self.expected(&at, "an object", entry);
                continue;
            };
            let mut inside = BodyFields::at(members, self.name(&at));
            objects.push(read(&mut inside));
            inside.report_unknown();
            self.errors.append(&mut inside.errors);
        }
        Some(objects)
    }

    /// An object that may have any further members.
    pub fn free_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut BodyFields<'v>, &'v Map<String, Value>) -> T,
    ) -> Option<T> {
        let value = self.get(name)?;
        let Value::Object(members) = value else {
            return self.expected(name, "an object", value);
        };
        if holds_nul(value) {
            return self.refuse(name, NUL.to_owned());
        }
        let mut inside = BodyFields::at(members, self.name(name));
        let result = read(&mut inside, members);
        self.errors.append(&mut inside.errors);
        Some(result)
    }

    /// Names the member at `path` in the error of an unknown member with this name, in any spelling.
    pub fn suggest(&mut self, name: &'static str, path: &'static str) {
        self.elsewhere.push((name, path));
    }

    /// All errors, including those of unknown members.
    pub fn finish(mut self) -> Vec<FieldError> {
        self.report_unknown();
        self.errors
    }

    fn report_unknown(&mut self) {
        for name in self.members.keys() {
            if self.known.contains(&name.as_str()) {
                continue;
            }
            let elsewhere = self.elsewhere.iter().find(|(known, _)| is_spelling_of(name, known));
            let error = match elsewhere {
                Some((_, path)) => {
                    FieldError::new(name, format!("is not known; did you mean {path}?"))
                }
                None => unknown_field(name, self.known.iter().copied()),
            };
            self.errors.push(FieldError::new(self.name(&error.field), error.message));
        }
    }

    fn name(&self, member: &str) -> String {
        if self.path.is_empty() { member.to_owned() } else { format!("{}.{member}", self.path) }
    }

    fn clean(&mut self, name: &str, text: &'v str) -> Option<&'v str> {
        // PostgreSQL cannot store U+0000.
        if text.contains('\0') { self.refuse(name, NUL.to_owned()) } else { Some(text) }
    }

    fn expected<T>(&mut self, name: &str, what: &str, found: &Value) -> Option<T> {
        self.refuse(name, format!("must be {what}, not {}", kind(found)))
    }

    fn refuse<T>(&mut self, name: &str, message: String) -> Option<T> {
        self.wrong(name, message);
        None
    }
}

/// Whether a name is another one in lower case and without underscores: `maxPages` is `max_pages`.
fn is_spelling_of(name: &str, known: &str) -> bool {
    let letters = |text: &str| text.replace('_', "").to_ascii_lowercase();
    letters(name) == letters(known)
}

/// The error of an unknown name, with the most similar known one.
pub fn unknown_field<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> FieldError {
    let nearest = known
        .map(|known| (strsim::jaro_winkler(known, name), known))
        .filter(|(likeness, _)| *likeness >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let message = match nearest {
        Some((_, known)) => format!("is not known; did you mean {known}?"),
        None => "is not known".to_owned(),
    };
    FieldError::new(name.chars().take(100).collect::<String>(), message)
}

const NUL: &str = "must not contain the character U+0000";

/// The values of a list for a message, separated by commas.
pub fn comma_list<T: Display>(all: &[T]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// `3.0` and `3e0` are integers in JSON; beyond 2^53 they are not exact.
fn whole(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    exact.then_some(number as i64)
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => {
            members.iter().any(|(name, member)| name.contains('\0') || holds_nul(member))
        }
    }
}
