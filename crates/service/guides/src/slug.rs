//! Anchors of headings, as code hosts make them: a link within the repository works in both places.

use std::collections::HashMap;

/// Makes the anchors of one page, each of them once.
#[derive(Debug, Default)]
pub(crate) struct Slugs {
    used: HashMap<String, usize>,
}

impl Slugs {
    /// The anchor of a heading with this text.
    pub fn of(&mut self, heading: &str) -> String {
        self.unique(slug(heading))
    }

    /// An anchor that is given; a repeated one gets a number.
    pub fn unique(&mut self, anchor: String) -> String {
        let before = self.used.entry(anchor.clone()).or_default();
        *before += 1;
        if *before == 1 { anchor } else { format!("{anchor}-{}", *before - 1) }
    }
}

/// Letters, digits, `-` and `_` in lower case; a space becomes `-`, other signs are dropped.
pub(crate) fn slug(heading: &str) -> String {
    let kept = |sign: char| match sign {
        ' ' => Some('-'),
        '-' | '_' => Some(sign),
        _ => sign.is_alphanumeric().then_some(sign),
    };
    heading.to_lowercase().chars().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_code_hosts() {
        for (heading, expected) in [
            ("A client of the API", "a-client-of-the-api"),
            ("`POST /v1/jobs`: start", "post-v1jobs-start"),
            ("job_id, 2 of 3", "job_id-2-of-3"),
            ("Größe – wie?", "größe--wie"),
        ] {
            assert_eq!(slug(heading), expected);
        }
        let mut slugs = Slugs::default();
        let anchors = ["Example", "Example", "Other"].map(|heading| slugs.of(heading));
        assert_eq!(anchors, ["example", "example-1", "other"]);
    }
}
