//! E-mail addresses in plain texts.

use proptest::prelude::*;

use super::*;

fn all(text: &str) -> Vec<String> {
    let found = MailboxScanner::new(text).mailboxes(MailboxCandidate::has_known_ending);
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
    assert_eq!(all("@firma.de a@b logo@2x.png (a) b.de"), Vec::<String>::new());
}

#[test]
fn top_level_domains_are_known() {
    for label in ["de", "com", "versicherung", "test", "xn--p1ai"] {
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
