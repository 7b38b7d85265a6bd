//! Filters of items: conditions on the columns that an [`ItemSchema`] declares as filters.
//!
//! `filter[status_code]=404` compares for equality, `filter[price][gte]=10` with an operator. Values
//! of one column and operator that are given several times are alternatives; all other conditions
//! must hold together. A column with a list matches if any member of the list does. A searched text
//! is contained in any column of texts.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{
    ColumnFilter, ColumnKind, ExportColumn, FieldError, ItemSchema, Millis, comma_list,
    unknown_field,
};

/// Maximum conditions of a filter.
const MAX_CONDITIONS: usize = 20;
/// Maximum characters of a value.
const MAX_VALUE_CHARS: usize = 2_048;
/// Maximum characters of a searched text.
const MAX_SEARCH_CHARS: usize = 200;

crate::plain_string_enum! {
    /// How a condition compares the values of a column.
    pub enum FilterOperator {
        /// Equal to one of the given values.
        Eq = "eq",
        /// Equal to none of the given values; also true without a value.
        Ne = "ne",
        /// Greater than the given value.
        Gt = "gt",
        /// Greater than or equal to the given value.
        Gte = "gte",
        /// Less than the given value.
        Lt = "lt",
        /// Less than or equal to the given value.
        Lte = "lte",
        /// Whether there is a value at all.
        Exists = "exists",
    }
}

/// Conditions that an item must meet; without any, all items do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemFilter {
    conditions: Vec<FilterCondition>,
    search: Option<TextSearch>,
    /// The conditions as text, the same for the same parameters in any order.
    canonical: String,
}

/// A text that a column of the item must contain, in lower case.
#[derive(Debug, Clone, PartialEq)]
struct TextSearch {
    columns: Vec<&'static ExportColumn>,
    text: String,
}

#[derive(Debug, Clone, PartialEq)]
struct FilterCondition {
    column: &'static ExportColumn,
    operator: FilterOperator,
    /// Alternatives for `eq` and `ne`, one value for the others.
    operands: Vec<FilterOperand>,
}

#[derive(Debug, Clone, PartialEq)]
enum FilterOperand {
    Text(String),
    /// A language range in lower case.
    Language(String),
    Number(f64),
    Truth(bool),
    Moment(Millis),
}

impl ItemFilter {
    /// Reads conditions: the name of each is a column, optionally with an operator as in
    /// `price[gte]`.
    ///
    /// # Errors
    /// A [`FieldError`] of `filter[…]` for each invalid condition.
    pub fn parse<'p>(
        schema: &ItemSchema,
        given: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Result<Self, Vec<FieldError>> {
        let (mut conditions, mut errors) = (Vec::<FilterCondition>::new(), Vec::new());
        let mut texts = Vec::new();
        for (number, (name, value)) in given.into_iter().enumerate() {
            if number >= MAX_CONDITIONS {
                let message = format!("at most {MAX_CONDITIONS} conditions are accepted");
                errors.push(FieldError::new("filter", message));
                break;
            }
            match condition(schema, name, value) {
                Ok((column, operator, operand)) => {
                    texts.push(format!("{}[{operator}]={value}", column.name));
                    let same = conditions.iter_mut().find(|condition| {
                        condition.column == column && condition.operator == operator
                    });
                    let is_alternative =
                        matches!(operator, FilterOperator::Eq | FilterOperator::Ne);
                    match same {
                        Some(same) if is_alternative => same.operands.push(operand),
                        Some(_) => errors.push(error_of(name, "is given twice".to_owned())),
                        None => {
                            let operands = vec![operand];
                            conditions.push(FilterCondition { column, operator, operands });
                        }
                    }
                }
                Err(message) => errors.push(error_of(name, message)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        texts.sort();
        texts.dedup();
        Ok(Self { conditions, search: None, canonical: texts.join("\n") })
    }

    /// The same filter, for items that contain a text in one of their text columns, in upper or
    /// lower case.
    ///
    /// # Errors
    /// A [`FieldError`] of `q` if the text is empty or too long.
    pub fn containing(mut self, schema: &ItemSchema, text: &str) -> Result<Self, FieldError> {
        let text = text.trim().to_lowercase();
        if text.is_empty() || text.chars().count() > MAX_SEARCH_CHARS {
            let message = format!("must have 1 to {MAX_SEARCH_CHARS} characters");
            return Err(FieldError::new("q", message));
        }
        // Writing to a String cannot fail.
        let _ = write!(self.canonical, "\nq={text}");
        let columns = schema.item_columns().iter();
        let columns = columns.filter(|column| column.kind == ColumnKind::Text).collect();
        self.search = Some(TextSearch { columns, text });
        Ok(self)
    }

    /// Whether every item matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.search.is_none()
    }

    /// The conditions as one text: equal filters have equal texts.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Whether the item meets all conditions.
    #[must_use]
    pub fn matches(&self, item: &Value) -> bool {
        self.conditions.iter().all(|condition| condition.is_met(item))
            && self.search.as_ref().is_none_or(|search| search.is_met(item))
    }
}

impl TextSearch {
    fn is_met(&self, item: &Value) -> bool {
        self.columns.iter().any(|column| {
            let mut found = Found::default();
            found.search(item, column.path, &mut |value| {
                value.as_str().is_some_and(|value| value.to_lowercase().contains(&self.text))
            });
            found.is_match
        })
    }
}

fn error_of(name: &str, message: String) -> FieldError {
    let name: String = name.chars().take(100).collect();
    let (column, rest) = name.split_once('[').unwrap_or((&name, ""));
    let mut field = format!("filter[{column}]");
    if !rest.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(field, "[{rest}");
    }
    FieldError::new(field, message)
}

/// A condition, or what is wrong with it.
fn condition(
    schema: &ItemSchema,
    name: &str,
    value: &str,
) -> Result<(&'static ExportColumn, FilterOperator, FilterOperand), String> {
    let (column, operator) = match name.split_once('[') {
        None => (name, FilterOperator::Eq),
        Some((column, rest)) => {
            let operator = rest.strip_suffix(']').and_then(|operator| operator.parse().ok());
            let operators = comma_list(FilterOperator::NAMES);
            (column, operator.ok_or_else(|| format!("the operators are {operators}"))?)
        }
    };
    let Some(column) = schema.filter_columns().find(|known| known.name == column) else {
        let names: Vec<_> = schema.filter_columns().map(|column| column.name).collect();
        let nearest = unknown_field(column, names.iter().copied()).message;
        let nearest = nearest.strip_prefix("is not known").unwrap_or_default();
        return Err(format!("is no column that filters this mode{nearest}"));
    };
    if value.chars().count() > MAX_VALUE_CHARS {
        return Err(format!("must have at most {MAX_VALUE_CHARS} characters"));
    }
    match operator {
        FilterOperator::Exists => {
            let operand = truth(value).ok_or("must be true or false")?;
            Ok((column, operator, operand))
        }
        FilterOperator::Gt | FilterOperator::Gte | FilterOperator::Lt | FilterOperator::Lte
            if !column.kind.is_ordered() =>
        {
            Err(format!("has no order: use filter[{}]=…, or [ne] or [exists]", column.name))
        }
        FilterOperator::Eq
        | FilterOperator::Ne
        | FilterOperator::Gt
        | FilterOperator::Gte
        | FilterOperator::Lt
        | FilterOperator::Lte => Ok((column, operator, operand(column, value)?)),
    }
}

fn truth(value: &str) -> Option<FilterOperand> {
    value.parse().ok().map(FilterOperand::Truth)
}

/// The value of a parameter as a value of the column.
fn operand(column: &ExportColumn, value: &str) -> Result<FilterOperand, String> {
    if value.is_empty() {
        let name = column.name;
        return Err(format!("is empty; filter[{name}][exists]=false finds items without a value"));
    }
    match column.filter {
        Some(ColumnFilter::OneOf(allowed)) if !allowed.contains(&value) => {
            return Err(format!("must be one of {}", comma_list(allowed)));
        }
        Some(ColumnFilter::Language) => {
            return Ok(FilterOperand::Language(value.to_ascii_lowercase()));
        }
        Some(ColumnFilter::OneOf(_) | ColumnFilter::Values) | None => {}
    }
    match column.kind {
        ColumnKind::Text => Ok(FilterOperand::Text(value.to_owned())),
        ColumnKind::Truth => truth(value).ok_or_else(|| "must be true or false".to_owned()),
        ColumnKind::Integer => {
            let number = value.parse::<i64>().ok().and_then(|_| number(value));
            let message = "must be an integer; for several values give the parameter several times";
            number.map(FilterOperand::Number).ok_or_else(|| message.to_owned())
        }
        ColumnKind::Real | ColumnKind::Decimal => {
            let message = "must be a number, as 10 or 19.90";
            number(value).map(FilterOperand::Number).ok_or_else(|| message.to_owned())
        }
        ColumnKind::Moment => {
            // A `+` of a time zone that was not encoded arrives as a space.
            let moment = Millis::parse_w3c(&value.replace(' ', "+"));
            let message = "must be a date, as 2026-11-15, or an ISO 8601 date-time";
            moment.map(FilterOperand::Moment).ok_or_else(|| message.to_owned())
        }
    }
}

fn number(text: &str) -> Option<f64> {
    // Not `inf`, `nan` or `1e9`, which Rust reads as numbers.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    text.parse::<f64>().ok().filter(|_| plain)
}

impl FilterCondition {
    fn is_met(&self, item: &Value) -> bool {
        let mut found = Found::default();
        let path = self.column.path;
        match self.operator {
            FilterOperator::Exists => {
                found.search(item, path, &mut |_| false);
                self.operands.contains(&FilterOperand::Truth(found.has_value))
            }
            FilterOperator::Ne => {
                found.search(item, path, &mut |value| self.accepts(value));
                !found.is_match
            }
            FilterOperator::Eq
            | FilterOperator::Gt
            | FilterOperator::Gte
            | FilterOperator::Lt
            | FilterOperator::Lte => {
                found.search(item, path, &mut |value| self.accepts(value));
                found.is_match
            }
        }
    }

    /// Whether one value of the column fits one of the operands.
    fn accepts(&self, value: &Value) -> bool {
        self.operands.iter().any(|operand| match operand {
            FilterOperand::Text(text) => value.as_str() == Some(text),
            FilterOperand::Language(range) => {
                value.as_str().is_some_and(|tag| is_in_range(&tag.to_ascii_lowercase(), range))
            }
            FilterOperand::Truth(truth) => value.as_bool() == Some(*truth),
            FilterOperand::Number(wanted) => {
                let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
                number.is_some_and(|number| self.compares(number.partial_cmp(wanted)))
            }
            FilterOperand::Moment(wanted) => {
                let moment = value.as_str().and_then(Millis::parse_w3c);
                moment.is_some_and(|moment| self.compares(Some(moment.cmp(wanted))))
            }
        })
    }

    /// Whether a value with this order to the operand is accepted.
    fn compares(&self, order: Option<std::cmp::Ordering>) -> bool {
        order.is_some_and(|order| match self.operator {
            FilterOperator::Eq | FilterOperator::Ne | FilterOperator::Exists => order.is_eq(),
            FilterOperator::Gt => order.is_gt(),
            FilterOperator::Gte => order.is_ge(),
            FilterOperator::Lt => order.is_lt(),
            FilterOperator::Lte => order.is_le(),
        })
    }
}

/// Basic filtering of RFC 4647: the range is the tag, or its first subtags. Both in lower case.
fn is_in_range(tag: &str, range: &str) -> bool {
    tag.strip_prefix(range).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// What the values at a path of an item contain.
#[derive(Default)]
struct Found {
    has_value: bool,
    is_match: bool,
}

impl Found {
    /// Visits the values at a path, those of all members of lists on it.
    fn search(&mut self, value: &Value, path: &[&str], accepts: &mut impl FnMut(&Value) -> bool) {
        match (value, path) {
            (Value::Array(members), _) => {
                members.iter().for_each(|member| self.search(member, path, accepts));
            }
            (Value::Object(members), [name, rest @ ..]) => {
                if let Some(member) = members.get(*name) {
                    self.search(member, rest, accepts);
                }
            }
            (Value::Null, _) | (_, [_, ..]) => {}
            (value, []) => {
                self.has_value |= value.as_str().is_none_or(|text| !text.is_empty());
                self.is_match |= accepts(value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
