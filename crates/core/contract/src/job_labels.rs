//! Name and tags of a job, for its owner.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Name and tags of a job. No run depends on them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JobLabels {
    pub name: Option<String>,
    pub tags: Vec<String>,
}

impl JobLabels {
    /// Maximum characters of a name.
    pub const MAX_NAME_CHARS: usize = 100;
    /// Maximum number of tags.
    pub const MAX_TAGS: usize = 10;
    /// Maximum characters of a tag.
    pub const MAX_TAG_CHARS: usize = 40;

    /// What is wrong with a name, if anything.
    #[must_use]
    pub fn wrong_name(name: &str) -> Option<String> {
        let is_valid = name.chars().count() <= Self::MAX_NAME_CHARS && is_plain(name);
        let message = || {
            format!("must have at most {} characters, without line breaks", Self::MAX_NAME_CHARS)
        };
        (!is_valid).then(message)
    }

    /// What is wrong with a tag, if anything.
    #[must_use]
    pub fn wrong_tag(tag: &str) -> Option<String> {
        let chars = tag.chars().count();
        let is_valid = (1..=Self::MAX_TAG_CHARS).contains(&chars)
            && is_plain(tag)
            && !tag.contains(',')
            && tag.trim() == tag;
        let message = || {
            format!(
                "must have 1 to {} characters, without commas and line breaks",
                Self::MAX_TAG_CHARS
            )
        };
        (!is_valid).then(message)
    }
}

fn is_plain(text: &str) -> bool {
    !text.contains(char::is_control)
}

/// The body that changes a job. Omitted members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[serde(deny_unknown_fields)]
pub struct ChangeJob {
    /// A name for lists; an empty text removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        max_length = 100,
        example = "Shop before the relaunch",
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub name: Option<String>,
    /// Tags, by which lists are filtered; an empty list removes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 10, example = json!(["shop"]))]
    pub tags: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tags_are_short_lines() {
        assert_eq!(JobLabels::wrong_name("Shop, before the relaunch"), None);
        assert_eq!(JobLabels::wrong_tag("shop 2"), None);
        for name in ["a\nb", "\0", &"x".repeat(101)] {
            assert!(JobLabels::wrong_name(name).is_some(), "{name:?}");
        }
        for tag in ["", " a", "a,b", "a\nb", &"x".repeat(41)] {
            assert!(JobLabels::wrong_tag(tag).is_some(), "{tag:?}");
        }
    }
}
