//! Sign-in throttling, sessions, devices and passwords.

use std::time::Duration;

use contract::{AuditAction, Millis};
use store::{AuditFilter, PageRequest, PasswordError, SessionClient, SignInAttempt, SignInGate};

use crate::harness::{Harness, NOW};
use crate::on_both;

on_both!(
    network_has_five_attempts_a_minute_over_all_nodes,
    one_network_cannot_lock_the_owner_out,
    many_networks_delay_unknown_devices_and_not_known_ones,
    device_token_of_another_account_does_not_skip_the_delay,
    attempts_expire_after_an_hour,
    refused_sign_ins_do_not_fill_the_audit_log,
    sessions_are_listed_and_revoked_one_by_one,
    account_has_at_most_a_hundred_sessions,
    devices_used_once_are_deleted_first,
    new_password_ends_all_other_sessions_and_devices,
    password_changed_after_its_verification_opens_no_session,
    rejection_of_an_unknown_email_commits_too,
    sign_in_link_opens_one_session_within_a_day,
);

const EMAIL: &str = "ada@example.com";

fn at(seconds: u64) -> Millis {
    NOW.plus(Duration::from_secs(seconds))
}

fn attempt(network: &str, device: Option<&str>) -> SignInAttempt {
    SignInAttempt {
        email: EMAIL.to_owned(),
        network: Some(network.to_owned()),
        device: device.map(str::to_owned),
    }
}

async fn gate(harness: &Harness, network: &str, device: Option<&str>, now: Millis) -> SignInGate {
    let attempt = attempt(network, device);
    harness.store.admit_sign_in(&attempt, 5, now).await.expect("it answers")
}

fn is_open(gate: SignInGate) -> bool {
    matches!(gate, SignInGate::Open { .. })
}

async fn network_has_five_attempts_a_minute_over_all_nodes(harness: Harness) {
    let other = harness.other_node().await;
    for n in 1..=5 {
        let node = if n % 2 == 0 { &harness.store } else { &other };
        let gate = node.admit_sign_in(&attempt("9.9.9.9", None), 5, NOW).await;
        assert_eq!(gate.expect("it answers"), SignInGate::Open { attempts: n });
    }
    let wait = SignInGate::Wait { wait: Duration::from_secs(12) };
    assert_eq!(gate(&harness, "9.9.9.9", None, NOW).await, wait);
    assert!(is_open(gate(&harness, "9.9.9.8", None, NOW).await), "another network");
    assert!(is_open(gate(&harness, "9.9.9.9", None, at(12)).await), "one came back");
    assert!(!is_open(gate(&harness, "9.9.9.9", None, at(12)).await));
}

async fn one_network_cannot_lock_the_owner_out(harness: Harness) {
    harness.account(EMAIL, 0).await;
    // Five wrong passwords a minute, for an hour.
    let mut tried = 0;
    for second in 0..3_600 {
        tried += u32::from(is_open(gate(&harness, "9.9.9.9", None, at(second)).await));
    }
    assert!(tried >= 300, "the attacker does try: {tried}");
    assert!(is_open(gate(&harness, "203.0.113.7", None, at(3_600)).await), "on a new device, too");
}

async fn many_networks_delay_unknown_devices_and_not_known_ones(harness: Harness) {
    let account = harness.account(EMAIL, 0).await;
    let device = harness.store.open_session(&account, NOW).await.expect("it answers").device;
    for network in 0..30 {
        gate(&harness, &format!("198.51.100.{network}"), None, at(network)).await;
    }
    let refused = gate(&harness, "203.0.113.7", None, at(30)).await;
    let SignInGate::Wait { wait } = refused else { panic!("{refused:?}") };
    assert!(wait <= Duration::from_secs(300), "{wait:?}");
    assert!(is_open(gate(&harness, "203.0.113.7", device.as_deref(), at(30)).await));
    // Attempts from the same network do not matter either.
    for _ in 0..9 {
        gate(&harness, "192.0.2.1", None, at(4_000)).await;
    }
    assert!(is_open(gate(&harness, "192.0.2.1", device.as_deref(), at(4_000)).await));
    // A stolen device token has a limited number of attempts.
    for _ in 0..4 {
        gate(&harness, "192.0.2.1", device.as_deref(), at(4_000)).await;
    }
    assert!(!is_open(gate(&harness, "192.0.2.1", device.as_deref(), at(4_000)).await));
}

async fn device_token_of_another_account_does_not_skip_the_delay(harness: Harness) {
    harness.account(EMAIL, 0).await;
    let mallory = harness.account("mallory@example.com", 0).await;
    let device = harness.store.open_session(&mallory, NOW).await.expect("it answers").device;
    for network in 0..30 {
        gate(&harness, &format!("198.51.100.{network}"), None, at(network)).await;
    }
    for token in [device.as_deref(), Some("dev_guessed"), Some("")] {
        assert!(!is_open(gate(&harness, "203.0.113.7", token, at(30)).await), "{token:?}");
    }
}

async fn attempts_expire_after_an_hour(harness: Harness) {
    harness.account(EMAIL, 0).await;
    for network in 0..30 {
        gate(&harness, &format!("198.51.100.{network}"), None, NOW).await;
    }
    assert!(!is_open(gate(&harness, "203.0.113.7", None, NOW).await));
    harness.store.clear_sign_ins(&attempt("203.0.113.7", None)).await.expect("it answers");
    assert!(is_open(gate(&harness, "203.0.113.7", None, NOW).await), "after a success");
    for network in 0..30 {
        gate(&harness, &format!("198.51.100.{network}"), None, NOW).await;
    }
    harness.store.purge(Duration::from_secs(1), at(3_600)).await.expect("it answers");
    assert_eq!(gate(&harness, "198.51.100.1", None, NOW).await, SignInGate::Open { attempts: 1 });
}

async fn refused_sign_ins_do_not_fill_the_audit_log(harness: Harness) {
    let account = harness.account(EMAIL, 0).await;
    for attempts in 1..=1_000 {
        harness.store.record_refused_sign_in(EMAIL, attempts, NOW).await.expect("it answers");
    }
    harness.store.record_refused_sign_in("nobody@x.org", 1, NOW).await.expect("it answers");
    let filter =
        AuditFilter { action: Some(AuditAction::SessionRefused), ..AuditFilter::default() };
    let page = PageRequest { number: 1, size: 1_000 };
    let (entries, _) = harness.store.audit_entries(&filter, page).await.expect("it answers");
    assert_eq!(entries.len(), 10, "1, 2, 4, … 512");
    assert!(entries.iter().all(|entry| entry.account_id.as_ref() == Some(&account)));
}

async fn sessions_are_listed_and_revoked_one_by_one(harness: Harness) {
    let store = &harness.store;
    let (ada, bob) = (harness.account(EMAIL, 0).await, harness.account("b@x.org", 0).await);
    let client = SessionClient {
        address: Some("203.0.113.7".parse().expect("an address")),
        user_agent: Some("Browser/1 ".repeat(100)),
        device: None,
    };
    let first = store.open_session_from(&ada, &client, NOW).await.expect("it answers");
    let second = store.open_session(&ada, at(5)).await.expect("it answers");
    store.open_session(&bob, NOW).await.expect("it answers");
    let caller = store.authenticate_session(&second.token, at(70)).await.expect("it answers");
    let caller = caller.expect("known").session;
    let listed = store.sessions(&ada, Some(&caller), at(70)).await.expect("it answers");
    assert_eq!(listed.len(), 2, "bob's is not among them");
    assert_eq!((&listed[0].id, listed[0].current, listed[1].current), (&caller, true, false));
    assert_eq!(listed[0].last_used_at, Some(at(70)));
    assert_eq!(listed[1].address.as_deref(), Some("203.0.113.7"));
    assert_eq!(listed[1].user_agent.as_ref().map(String::len), Some(200), "cut");
    assert!(!format!("{listed:?}").contains(&first.token));

    let id = listed[1].id.clone();
    assert!(!store.revoke_session(&bob, &id).await.expect("it answers"), "not bob's");
    assert!(store.revoke_session(&ada, &id).await.expect("it answers"));
    assert!(!store.revoke_session(&ada, &id).await.expect("it answers"));
    let over = store.authenticate_session(&first.token, at(70)).await.expect("it answers");
    assert_eq!(over, None);
    assert_eq!(store.end_sessions(&ada).await.expect("it answers"), 1);
    let over = store.authenticate_session(&second.token, at(70)).await.expect("it answers");
    assert_eq!(over, None);
    let bobs = store.sessions(&bob, None, at(70)).await.expect("it answers");
    assert_eq!(bobs.len(), 1, "bob stays signed in");
}

async fn account_has_at_most_a_hundred_sessions(harness: Harness) {
    let account = harness.account(EMAIL, 0).await;
    let first = harness.store.open_session(&account, NOW).await.expect("it answers").token;
    for second in 1..=100 {
        harness.store.open_session(&account, at(second)).await.expect("it answers");
    }
    let listed = harness.store.sessions(&account, None, at(200)).await.expect("it answers");
    assert_eq!(listed.len(), 100);
    let oldest = harness.store.authenticate_session(&first, at(200)).await.expect("it answers");
    assert_eq!(oldest, None, "the oldest has ended");
}

async fn devices_used_once_are_deleted_first(harness: Harness) {
    let account = harness.account(EMAIL, 0).await;
    let mine = harness.store.open_session(&account, NOW).await.expect("it answers").device;
    let client = SessionClient { device: mine.clone(), ..SessionClient::default() };
    let again =
        harness.store.open_session_from(&account, &client, at(1)).await.expect("it answers");
    assert_eq!(again.device, mine, "a known device keeps its token");
    // A script that signs in repeatedly without its token.
    let mut last = None;
    for second in 2..=60 {
        last = harness.store.open_session(&account, at(second)).await.expect("it answers").device;
    }
    for network in 0..30 {
        gate(&harness, &format!("198.51.100.{network}"), None, at(100)).await;
    }
    assert!(is_open(gate(&harness, "203.0.113.7", mine.as_deref(), at(100)).await));
    assert!(is_open(gate(&harness, "203.0.113.7", last.as_deref(), at(100)).await));
}

async fn password_changed_after_its_verification_opens_no_session(harness: Harness) {
    let store = &harness.store;
    let account = harness.account(EMAIL, 0).await;
    let client = SessionClient::default();
    let checked = async |password: &str| {
        store.sign_in(EMAIL, password).await.expect("it answers").expect("the right one")
    };
    let old = checked("correct horse").await;
    assert!(!format!("{old:?}").contains("argon2"), "{old:?}");
    let opened = store.open_session_for(&old, &client, NOW).await.expect("it answers");
    assert!(opened.is_some());
    let set = store.set_password(&account, "battery staple", None, NOW).await;
    set.expect("it answers").expect("a good one");
    let opened = store.open_session_for(&old, &client, NOW).await.expect("it answers");
    assert_eq!(opened, None);
    let new = checked("battery staple").await;
    let opened = store.open_session_for(&new, &client, NOW).await.expect("it answers");
    assert!(opened.is_some());
    assert_eq!(store.sessions(&account, None, NOW).await.expect("it answers").len(), 1);
}

/// A commit takes most of the time of a rejection: without one the response time would reveal that
/// there is no such account.
async fn rejection_of_an_unknown_email_commits_too(harness: Harness) {
    // PostgreSQL has no such counter, and the statements are the same.
    if harness.folder.is_none() {
        return;
    }
    harness.account(EMAIL, 0).await;
    let pool = sqlx::AnyPool::connect(&harness.settings.url).await.expect("it connects");
    let mut connection = pool.acquire().await.expect("a connection");
    for email in [EMAIL, "unknown@example.com"] {
        let attempt = SignInAttempt { email: email.to_owned(), ..attempt("192.0.2.1", None) };
        harness.store.admit_sign_in(&attempt, 5, NOW).await.expect("it answers");
        let mut versions = Vec::new();
        for _ in 0..2 {
            // Changes with each commit of another connection.
            let version: i64 = sqlx::query_scalar("PRAGMA data_version")
                .fetch_one(&mut *connection)
                .await
                .expect("a number");
            versions.push(version);
            harness.store.record_refused_sign_in(email, 1, NOW).await.expect("it answers");
        }
        assert_ne!(versions[0], versions[1], "{email}");
    }
}

async fn new_password_ends_all_other_sessions_and_devices(harness: Harness) {
    let store = &harness.store;
    let account = harness.account(EMAIL, 0).await;
    let mine = store.open_session(&account, NOW).await.expect("it answers");
    let other = store.open_session(&account, NOW).await.expect("it answers");
    let current = store.authenticate_session(&mine.token, NOW).await.expect("it answers");
    let current = current.expect("known").session;
    let short = store.set_password(&account, "short", Some(&current), NOW).await;
    assert!(matches!(short.expect("it answers"), Err(PasswordError::Length)));
    let set = store.set_password(&account, "battery staple", Some(&current), NOW).await;
    assert_eq!(set.expect("it answers").expect("a good one"), Some(1));
    assert!(store.is_password(&account, "battery staple").await.expect("it answers"));
    assert!(!store.is_password(&account, "correct horse").await.expect("it answers"));
    assert_eq!(store.sign_in(EMAIL, "correct horse").await.expect("it answers"), None);
    for (session, stays) in [(&mine, true), (&other, false)] {
        let known = store.authenticate_session(&session.token, NOW).await.expect("it answers");
        assert_eq!(known.is_some(), stays);
        for network in 0..30 {
            gate(&harness, &format!("198.51.100.{network}"), None, NOW).await;
        }
        let passes = is_open(gate(&harness, "192.0.2.1", session.device.as_deref(), NOW).await);
        assert_eq!(passes, stays, "the device of a session that ended is unknown");
    }
    // A reset by the operator ends all sessions.
    let set = store.set_password(&account, "correct horse", None, NOW).await;
    assert_eq!(set.expect("it answers").expect("a good one"), Some(1));
    assert_eq!(store.authenticate_session(&mine.token, NOW).await.expect("it answers"), None);
}

async fn sign_in_link_opens_one_session_within_a_day(harness: Harness) {
    let (store, account) = (&harness.store, harness.account(EMAIL, 1).await);
    let client = SessionClient::default();
    let link = store.create_sign_in_link(&account, NOW).await.expect("it answers");
    let session = store.redeem_sign_in_link(link.reveal(), &client, at(60)).await;
    let session = session.expect("it answers").expect("a session");
    let caller = store.authenticate_session(&session.token, at(60)).await.expect("it answers");
    assert_eq!(caller.expect("a caller").account, account);
    let again = store.redeem_sign_in_link(link.reveal(), &client, at(61)).await;
    assert_eq!(again.expect("it answers"), None, "it was used");
    let late = store.create_sign_in_link(&account, NOW).await.expect("it answers");
    let expired = store.redeem_sign_in_link(late.reveal(), &client, at(24 * 3_600)).await;
    assert_eq!(expired.expect("it answers"), None);
    let other = store.redeem_sign_in_link(&session.token, &client, at(60)).await;
    assert_eq!(other.expect("it answers"), None, "a session is no link");
}
