//! Detects parked domains and default pages of hosts, by sentences on pages with little text.

use super::page_view::PageView;
use text::vocabulary::TermList;

/// Maximum visible text of a parked page, in bytes.
const MAX_TEXT: usize = 2_500;

static SENTENCES: TermList = phrase_list!("parked/sentences.txt");

static UNFINISHED: TermList = phrase_list!("parked/unfinished.txt");

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
    // A company that builds or sells its site still shows its address.
    if !(says(&SENTENCES) || says(&UNFINISHED)) || !super::address::read(page).is_empty() {
        return false;
    }
    let has_number =
        page.phones.iter().any(|phone| phone.evidence != super::phone::PhoneEvidence::Shape);
    says(&SENTENCES) || (!has_number && page.mails.is_empty())
}
