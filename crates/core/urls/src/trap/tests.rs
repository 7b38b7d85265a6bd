use proptest::prelude::*;

use super::*;

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("https://example.com{path}")).unwrap()
}

fn watch() -> TrapWatch {
    TrapWatch::new(TrapRule::in_year(2026))
}

/// How many of the URLs are admitted, and why the last of the others was skipped.
fn offer(
    watch: &mut TrapWatch,
    paths: impl IntoIterator<Item = String>,
) -> (usize, Option<SkipReason>) {
    let (mut admitted, mut reason) = (0, None);
    for path in paths {
        match watch.offer(&url(&path)) {
            Ok(()) => admitted += 1,
            Err(why) => reason = Some(why),
        }
    }
    (admitted, reason)
}

#[test]
fn traps_are_detected_in_a_single_url() {
    for (path, reason) in [
        ("/a/".repeat(40), Some(SkipReason::PathTooDeep)),
        ("/".repeat(40), Some(SkipReason::PathTooDeep)),
        ("/a/a/a/a".to_owned(), Some(SkipReason::RepeatingSegments)),
        ("/x/a/y/a/z/a/w/a".to_owned(), Some(SkipReason::RepeatingSegments)),
        ("/a/b/a/b/a/b".to_owned(), Some(SkipReason::RepeatingSegments)),
        ("/x/a/b/c/a/b/c/a/b/c/y".to_owned(), Some(SkipReason::RepeatingSegments)),
        ("/(S(lit3py55t21z5v55vlm25s55))/a.aspx".to_owned(), Some(SkipReason::SessionId)),
        ("/docs/docs/docs".to_owned(), None),
        ("/docs/docs/api/docs".to_owned(), None),
        ("/a/b/a/b/a".to_owned(), None),
        ("/2024/05/a-post".to_owned(), None),
        ("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20".to_owned(), None),
        ("/".to_owned(), None),
    ] {
        assert_eq!(watch().judge(&url(&path)).err(), reason, "{path}");
    }
    let strict = TrapRule { url_bytes: 30, ..TrapRule::default() };
    assert_eq!(strict.judge(&url("/0123456789abcdef")), Err(SkipReason::UrlTooLong));
}

#[test]
fn calendar_pages_are_limited() {
    let months = |from: u16| {
        (from..from + 100)
            .flat_map(|year| (1..=12).map(move |month| format!("/calendar/{year}/{month:02}")))
    };
    let (admitted, reason) = offer(&mut watch(), months(2020));
    assert_eq!((admitted, reason), (10 * 12, Some(SkipReason::Calendar)));
    let (admitted, reason) = offer(&mut watch(), months(1850));
    assert_eq!((admitted, reason), (400, Some(SkipReason::Calendar)));
    let days = (1..=28)
        .flat_map(|day| (1990..2030).map(move |year| format!("/events?date={year}-05-{day:02}")));
    assert_eq!(offer(&mut watch(), days), (400, Some(SkipReason::Calendar)));
    for path in
        ["/cal?month=5&year=2044", "/cal/2044-05-01/", "/2044/5/1", "/events/2044/05/month/"]
    {
        assert_eq!(watch().judge(&url(path)), Err(SkipReason::Calendar), "{path}");
    }
}

#[test]
fn blogs_archives_and_prices_are_no_calendars() {
    let posts = (2004..=2026).flat_map(|year| {
        (1..=12).flat_map(move |month| {
            (1..=28).flat_map(move |day| {
                let day = format!("/{year}/{month:02}/{day:02}");
                [format!("{day}/"), format!("{day}/a-post-about-something")]
            })
        })
    });
    assert_eq!(offer(&mut watch(), posts), (23 * 12 * 28 * 2, None));
    for path in [
        "/events/2044/05/the-party",
        "/products/2044",
        "/items/9999/5/x",
        "/from/3000/to/12",
        "/topic/4021/3",
        "/topic/1200/12/2",
    ] {
        assert_eq!(watch().judge(&url(path)), Ok(()), "{path}");
    }
}

#[test]
fn facet_combinations_are_limited_and_lists_are_not() {
    let filters = |n: u32| {
        format!(
            "/shop?brand={}&colour={}&size={}&sort={}",
            n % 7,
            n / 7 % 7,
            n / 49 % 5,
            n / 245 % 4
        )
    };
    let (admitted, reason) = offer(&mut watch(), (0..980).map(filters));
    assert!((50..90).contains(&admitted), "{admitted}");
    assert_eq!(reason, Some(SkipReason::Facets));
    // An admitted URL stays admitted.
    let mut seen = watch();
    let kept: Vec<_> =
        (0..980).map(filters).filter(|path| seen.offer(&url(path)).is_ok()).collect();
    assert!(kept.iter().all(|path| seen.judge(&url(path)).is_ok()));
    for list in [
        (1..=400).map(|page| format!("/blog?page={page}")).collect::<Vec<_>>(),
        (1..=400).map(|page| format!("/shop?colour=red&page={page}&size=m")).collect(),
        (1..=400).map(|topic| format!("/viewtopic.php?f={}&t={topic}", topic % 9)).collect(),
        (0..400).map(|n| format!("/topic?f=1&start={}&t={}", n % 4 * 20, n / 4)).collect(),
        (1..=400).map(|id| format!("/index.php?id={id}")).collect(),
    ] {
        assert_eq!(offer(&mut watch(), list), (400, None));
    }
}

#[test]
fn pattern_with_only_duplicates_is_exhausted() {
    let mut seen = watch();
    seen.learn(&url("/old/item-0"), false);
    for n in 1..=25 {
        assert_eq!(seen.judge(&url("/old/item-99")), Ok(()));
        seen.learn(&url(&format!("/old/item-{n}")), true);
    }
    assert_eq!(seen.judge(&url("/old/item-99")), Err(SkipReason::PatternExhausted));
    assert_eq!(seen.judge_again(&url("/old/item-99")), Err(SkipReason::PatternExhausted));
    assert_eq!(seen.judge(&url("/old/other")), Ok(()), "its folder has not given enough");
    assert_eq!(seen.judge(&url("/new/item-99")), Ok(()));
    // Names without numbers: detected by the folder.
    for n in 0..201_u8 {
        let name = format!("{}{}", char::from(b'a' + n % 26), char::from(b'a' + n / 26));
        seen.learn(&url(&format!("/soft/{name}")), n > 0);
    }
    assert_eq!(seen.judge(&url("/soft/anything")), Err(SkipReason::PatternExhausted));
    assert_eq!(seen.judge(&url("/soft/deeper/page")), Ok(()));
}

#[test]
fn pattern_with_new_pages_is_not_exhausted() {
    let mut seen = watch();
    for n in 0..5_000 {
        seen.learn(&url(&format!("/p/{n}")), n % 10 != 0);
    }
    assert_eq!(seen.judge(&url("/p/6000")), Ok(()));
}

#[test]
fn state_is_serialized_and_bounded() {
    let mut seen = TrapWatch::new(TrapRule { patterns: 50, ..TrapRule::default() });
    for n in 0_u32..2_000 {
        let letters: String = n.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
        let page = url(&format!("/{letters}/2024/05?a=1&b={n}"));
        let _ = seen.offer(&page);
        seen.learn(&page, true);
        let _ = seen.offer(&url(&format!("/{letters}/calendar/2024/05")));
    }
    let text = serde_json::to_string(&seen).unwrap();
    assert!(text.len() < 200_000, "{}", text.len());
    assert_eq!(serde_json::from_str::<TrapWatch>(&text).unwrap(), seen);
    assert_eq!(serde_json::to_string(&SkipReason::PathTooDeep).unwrap(), "\"path_too_deep\"");
    assert_eq!(SkipReason::PatternExhausted.to_string(), "pattern_exhausted");
}

proptest! {
    #[test]
    fn checking_a_url_is_deterministic(paths in proptest::collection::vec("(/[a-z0-9-]{0,6}){1,8}(\\?[a-z0-9=&-]{0,12})?", 1..30)) {
        let (mut one, mut two) = (watch(), watch());
        for path in &paths {
            let Ok(page) = CanonicalUrl::parse(&format!("https://example.com{path}")) else { continue };
            prop_assert_eq!(one.judge(&page), one.judge(&page));
            prop_assert_eq!(one.offer(&page), two.offer(&page));
            one.learn(&page, path.len() % 2 == 0);
            two.learn(&page, path.len() % 2 == 0);
        }
        prop_assert_eq!(one, two);
    }
}
