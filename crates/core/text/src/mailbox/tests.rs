//! E-mail addresses in plain texts.

use proptest::prelude::*;

use super::*;

fn all(text: &str) -> Vec<String> {
    let is_sure = |mailbox: &MailboxCandidate| {
        mailbox.at_sign != AtSign::Marked && !mailbox.follows_dots && mailbox.has_known_ending()
    };
    let found = MailboxScanner::new(text).mailboxes(is_sure);
    found.into_iter().map(|mailbox| mailbox.value).collect()
}

#[test]
fn obfuscated_addresses_are_decoded() {
    for text in [
        "info@firma.test",
        "info [at] firma [dot] test",
        "i n f o @ f i r m a . t e s t",
        "info @ firma . test",
        "info((at))firma.test",
        "info_at_firma.test",
        "info@firma.testTel",
        "info@firma.test . It is",
        "info@firma.test電話",
    ] {
        assert_eq!(all(text), ["info@firma.test"], "{text}");
    }
    assert_eq!(all("max (dot) muster (at) firma.de"), ["max.muster@firma.de"]);
    assert_eq!(all("a@b.de, c@d.co.uk"), ["a@b.de", "c@d.co.uk"]);
    assert_eq!(all("max@firmaд.test"), ["max@firmaд.test"]);
    assert_eq!(all("@firma.de a@b logo@2x.png (a) b.de"), Vec::<String>::new());
}

#[test]
fn doubtful_spellings_have_their_own_kind() {
    for (text, value, at_sign) in [
        ("max_affe_firma.de", "max@firma.de", AtSign::Marked),
        ("max (a) firma.de", "max@firma.de", AtSign::Marked),
        ("max(a)firma.de", "max@firma.de", AtSign::Bracketed),
        ("ivan собака firma.ru", "ivan@firma.ru", AtSign::Noun),
        ("anna At firma.de", "anna@firma.de", AtSign::UpperCase),
        ("anna at firma.de", "anna@firma.de", AtSign::Everyday),
    ] {
        let found = MailboxScanner::new(text).mailboxes(|_| true);
        let found: Vec<_> = found.iter().map(|one| (one.value.as_str(), one.at_sign)).collect();
        assert_eq!(found, [(value, at_sign)], "{text}");
        assert!(may_occur_in(&text.to_lowercase()), "{text}");
    }
    let first = |text: &str| MailboxScanner::new(text).mailboxes(|_| true).remove(0);
    assert!(first("uns...max@firma.de").follows_dots);
    assert!(first("max at firma . de").has_spaced_dot);
    assert!(first("look at this point in time").is_sentence());
    assert!(!first("max at firma punkt de").is_sentence());
}

#[test]
fn texts_without_at_signs_are_not_scanned() {
    for text in ["solid oak (oiled) - made in a small workshop", "size_40 [new] | 12 * 4 cm"] {
        assert!(!may_occur_in(text), "{text}");
    }
}

#[test]
fn top_level_domains_are_known() {
    for label in ["de", "com", "versicherung", "test", "xn--p1ai", "za", "np"] {
        assert!(is_top_level_domain(label), "{label}");
    }
    for label in ["png", "html", "firma", ""] {
        assert!(!is_top_level_domain(label), "{label}");
    }
}

proptest! {
    #[test]
    fn any_text_yields_valid_positions(text in "(\\PC|@|\\.|[a-z] | at |\\(dot\\)|[A-Za-z]{1,4}){0,40}") {
        let scanner = MailboxScanner::new(&text);
        let mut last = 0;
        for mailbox in scanner.mailboxes(|_| true) {
            prop_assert!(last <= mailbox.span.start && mailbox.span.start < mailbox.span.end);
            last = mailbox.span.end;
        }
        prop_assert!(last <= text.chars().count());
    }
}
