//! What a browser does with a page: waits, actions and a picture.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::BodyFields;
use crate::string_enum::string_enum;

/// Maximum actions of a page.
pub const MAX_ACTIONS: usize = 20;

/// Maximum characters of a selector.
const SELECTOR_CHARS: usize = 500;

/// Maximum bytes of a text to type.
const TEXT_BYTES: usize = 10_000;

/// Longest wait in milliseconds.
const WAIT_MS: u64 = 60_000;

/// Largest distance of a scroll in pixels.
const PIXELS: i64 = 100_000;

/// The names of keys; any other key is a single character.
pub const KEY_NAMES: &[&str] = &[
    "Enter",
    "Tab",
    "Escape",
    "Backspace",
    "Delete",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "PageUp",
    "PageDown",
    "Home",
    "End",
];

string_enum! {
    /// Whether a browser renders the page.
    pub enum RenderChoice {
        /// If the page is empty without JavaScript.
        Auto = "auto",
        /// Every page, whatever it contains.
        Always = "always",
        /// The response of the site is read as it is.
        Never = "never",
    }
}

#[expect(clippy::derivable_impls, reason = "the enum is made by a macro")]
impl Default for RenderChoice {
    fn default() -> Self {
        Self::Auto
    }
}

impl RenderChoice {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

string_enum! {
    /// The part of a page that its picture shows.
    pub enum ScreenshotArea {
        /// The whole page, up to 12,000 pixels of its height.
        FullPage = "full_page",
        /// What a visitor sees without scrolling.
        Viewport = "viewport",
    }
}

#[expect(clippy::derivable_impls, reason = "the enum is made by a macro")]
impl Default for ScreenshotArea {
    fn default() -> Self {
        Self::FullPage
    }
}

impl ScreenshotArea {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_full_page(&self) -> bool {
        *self == Self::FullPage
    }
}

string_enum! {
    /// The screen on which a browser renders pages.
    pub enum PageDevice {
        /// A window of 1,280 × 1,024 pixels.
        Desktop = "desktop",
        /// The screen of a phone with touch, 390 × 844 pixels. The `User-Agent` stays the same.
        Mobile = "mobile",
    }
}

#[expect(clippy::derivable_impls, reason = "the enum is made by a macro")]
impl Default for PageDevice {
    fn default() -> Self {
        Self::Desktop
    }
}

impl PageDevice {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_desktop(&self) -> bool {
        *self == Self::Desktop
    }
}

/// What is waited for before a page is read: an element, or a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum PageWait {
    /// A CSS selector of at most 500 characters: until an element matches it.
    Selector(String),
    /// Milliseconds, at most 60,000.
    Milliseconds(u64),
}

string_enum! {
    /// The kind of an action.
    pub enum PageActionType {
        /// Clicks the first element that `selector` matches.
        Click = "click",
        /// Types `text` into the first element that `selector` matches, or into the one that has the
        /// focus.
        Type = "type",
        /// Presses `key` in the element that has the focus.
        Press = "press",
        /// Scrolls to the first element that `selector` matches, by `pixels`, or to the end of the
        /// page.
        Scroll = "scroll",
        /// Waits for the first element that `selector` matches, or for `milliseconds`.
        Wait = "wait",
    }
}

/// What the browser does in a page before it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageAction {
    #[serde(rename = "type")]
    pub kind: PageActionType,
    /// A CSS selector. Required for `click`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub selector: Option<String>,
    /// Required for `type`, and only there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 10000)]
    pub text: Option<String>,
    /// Required for `press`, and only there: a character, or the name of a key such as `Enter`,
    /// `Tab`, `Escape` or `ArrowDown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 20)]
    pub key: Option<String>,
    /// `scroll` only: a distance, negative upwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -100000, maximum = 100000)]
    pub pixels: Option<i64>,
    /// `wait` only: the time to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 60000)]
    pub milliseconds: Option<u64>,
}

impl PageAction {
    /// Reads an action; `None` if it is invalid.
    pub(crate) fn read(fields: &mut BodyFields<'_>) -> Option<Self> {
        use PageActionType::{Click, Press, Scroll, Type, Wait};
        let kind = fields.one_of("type", PageActionType::ALL);
        fields.require("type");
        let selector = read_selector(fields, "selector");
        let text = fields.text("text").map(str::to_owned);
        if text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES) {
            fields.wrong("text", format!("must not be longer than {TEXT_BYTES} bytes"));
        }
        let key = fields.text("key").map(str::to_owned);
        if key.as_deref().is_some_and(|key| !is_key(key)) {
            let names = crate::comma_list(KEY_NAMES);
            fields.wrong("key", format!("must be a single character or one of {names}"));
        }
        let pixels = fields.integer("pixels", -PIXELS);
        if pixels.is_some_and(|pixels| pixels > PIXELS) {
            fields.wrong("pixels", format!("must be at most {PIXELS}"));
        }
        let milliseconds = read_milliseconds(fields, "milliseconds");
        let kind = kind?;
        for (member, of) in [
            ("selector", &[Click, Type, Scroll, Wait][..]),
            ("text", &[Type]),
            ("key", &[Press]),
            ("pixels", &[Scroll]),
            ("milliseconds", &[Wait]),
        ] {
            if fields.given(member) && !of.contains(&kind) {
                fields.wrong(member, format!("does not belong to an action of type {kind}"));
            }
        }
        match kind {
            Click => fields.require("selector"),
            Type => fields.require("text"),
            Press => fields.require("key"),
            Scroll if selector.is_some() && pixels.is_some() => {
                fields.wrong("pixels", "must not be given together with selector");
            }
            Wait if selector.is_some() == milliseconds.is_some() => {
                fields.wrong("milliseconds", "give either selector or milliseconds");
            }
            Scroll | Wait => {}
        }
        Some(Self { kind, selector, text, key, pixels, milliseconds })
    }
}

impl PageWait {
    /// Reads a selector or milliseconds.
    pub(crate) fn read(fields: &mut BodyFields<'_>, name: &'static str) -> Option<Self> {
        match fields.value(name)? {
            serde_json::Value::String(_) => read_selector(fields, name).map(Self::Selector),
            serde_json::Value::Number(_) => read_milliseconds(fields, name).map(Self::Milliseconds),
            _ => {
                fields.wrong(name, "must be a CSS selector or a number of milliseconds");
                None
            }
        }
    }
}

fn read_selector(fields: &mut BodyFields<'_>, name: &'static str) -> Option<String> {
    let selector = fields.text(name)?;
    if selector.trim().is_empty() || selector.chars().count() > SELECTOR_CHARS {
        let message = format!("must be a CSS selector of 1 to {SELECTOR_CHARS} characters");
        fields.wrong(name, message);
    }
    Some(selector.to_owned())
}

fn read_milliseconds(fields: &mut BodyFields<'_>, name: &'static str) -> Option<u64> {
    let milliseconds = fields.integer(name, 0).and_then(|ms| u64::try_from(ms).ok());
    if milliseconds.is_some_and(|ms| ms > WAIT_MS) {
        fields.wrong(name, format!("must be at most {WAIT_MS} milliseconds"));
    }
    milliseconds
}

fn is_key(key: &str) -> bool {
    KEY_NAMES.contains(&key) || (key.chars().count() == 1 && !key.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(action: &Value) -> Result<PageAction, Vec<String>> {
        let mut fields = BodyFields::of(action).expect("an object");
        let read = PageAction::read(&mut fields);
        let errors = fields.finish();
        match read {
            Some(action) if errors.is_empty() => Ok(action),
            _ => Err(errors.into_iter().map(|error| error.field).collect()),
        }
    }

    #[test]
    fn reader_and_serde_agree_on_actions() {
        for action in [
            json!({"type": "click", "selector": "#more"}),
            json!({"type": "type", "selector": "input", "text": "anchor"}),
            json!({"type": "type", "text": "anchor"}),
            json!({"type": "press", "key": "Enter"}),
            json!({"type": "press", "key": "é"}),
            json!({"type": "scroll"}),
            json!({"type": "scroll", "pixels": -300}),
            json!({"type": "wait", "milliseconds": 0}),
            json!({"type": "wait", "selector": ".done"}),
        ] {
            let read = read(&action).unwrap_or_else(|wrong| panic!("{action}: {wrong:?}"));
            assert_eq!(serde_json::to_value(&read).expect("JSON"), action);
            assert_eq!(serde_json::from_value::<PageAction>(action).expect("serde"), read);
        }
    }

    #[test]
    fn incomplete_and_mixed_actions_are_errors() {
        for (action, wrong) in [
            (json!({}), "type"),
            (json!({"type": "hover"}), "type"),
            (json!({"type": "click"}), "selector"),
            (json!({"type": "click", "selector": " "}), "selector"),
            (json!({"type": "click", "selector": "a".repeat(501)}), "selector"),
            (json!({"type": "click", "selector": "a", "text": "b"}), "text"),
            (json!({"type": "type", "selector": "a"}), "text"),
            (json!({"type": "press", "key": "Return"}), "key"),
            (json!({"type": "scroll", "selector": "a", "pixels": 1}), "pixels"),
            (json!({"type": "wait"}), "milliseconds"),
            (json!({"type": "wait", "milliseconds": 60_001}), "milliseconds"),
            (json!({"type": "wait", "selector": "a", "milliseconds": 1}), "milliseconds"),
            (json!({"type": "scroll", "by": 1}), "by"),
        ] {
            assert_eq!(read(&action), Err(vec![wrong.to_owned()]), "{action}");
        }
    }
}
