//! Whether nobody lives at a domain: it is for sale, or shows what the host puts there.
//! Told only by plain words on a page that says little else.

use super::page_view::PageView;
use crate::vocabulary::TermList;

/// A page with more text than this is somebody's.
const MAX_TEXT: usize = 2_500;

/// Sentences of sellers, parking services, hosts and servers, in small letters.
static SENTENCES: TermList = phrase_list!("parked/sentences.txt");

/// What a site says that is not finished.
static UNFINISHED: TermList = phrase_list!("parked/unfinished.txt");

/// Whether it is the page of a domain that nobody lives at.
pub(crate) fn is_parked(page: &PageView<'_, '_>, title: &str) -> bool {
    let size: usize = page.lines.iter().map(|line| line.text.len()).sum();
    if size > MAX_TEXT {
        return false;
    }
    let mut text = title.to_lowercase();
    for line in &page.lines {
        text.push('\n');
        text.push_str(&line.text.to_lowercase());
    }
    let says = |list: &TermList| list.iter().any(|sentence| text.contains(sentence));
    // A firm that builds or sells its site still says where it is.
    if !(says(&SENTENCES) || says(&UNFINISHED)) || !super::address::read(page).is_empty() {
        return false;
    }
    let has_number =
        page.phones.iter().any(|phone| phone.evidence != super::phone::PhoneEvidence::Shape);
    says(&SENTENCES) || (!has_number && page.mails.is_empty())
}
