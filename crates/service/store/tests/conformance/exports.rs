//! Export tickets: single use, expiry, signature.

use std::time::Duration;

use contract::{ExportFormat, JobId};
use futures_util::future::join_all;
use store::{ExportPart, ExportTicketState, SecretKey, Store, StoreSettings};

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(
    export_ticket_is_used_once,
    concurrent_downloads_claim_a_ticket_once,
    export_ticket_expires,
    altered_export_ticket_is_invalid,
    released_export_ticket_can_be_claimed_again,
    export_tickets_are_purged_with_their_job_and_by_age,
);

const VALID: Duration = Duration::from_secs(900);

async fn job(harness: &Harness) -> JobId {
    let account = harness.account("a@x.org", 10).await;
    harness.create(&new_job(&account, "example.com")).await.accepted.job_id
}

async fn ticket(harness: &Harness, job: &JobId) -> String {
    let part = ExportPart { table: Some("people"), filter: Some("{}") };
    let expires_at = NOW.plus(VALID);
    let made = harness.store.create_export(job, ExportFormat::Csv, part, NOW, expires_at).await;
    made.expect("it answers").expect("the job exists").reveal().to_owned()
}

async fn seen(harness: &Harness, ticket: &str) -> ExportTicketState {
    harness.store.export(ticket, NOW).await.expect("it answers")
}

async fn ready(harness: &Harness, ticket: &str) -> contract::ExportId {
    match seen(harness, ticket).await {
        ExportTicketState::Ready { id, .. } => id,
        other => panic!("{other:?}"),
    }
}

async fn export_ticket_is_used_once(harness: Harness) {
    let job = job(&harness).await;
    let ticket = ticket(&harness, &job).await;
    let id = ready(&harness, &ticket).await;
    let (table, filter) = (Some("people".to_owned()), Some("{}".to_owned()));
    let format = ExportFormat::Csv;
    let expected = ExportTicketState::Ready { id: id.clone(), job, format, table, filter };
    assert_eq!(seen(&harness, &ticket).await, expected, "looking uses nothing up");
    assert!(harness.store.claim_export(&id, NOW).await.expect("it answers"));
    assert_eq!(seen(&harness, &ticket).await, ExportTicketState::Used);
    assert!(!harness.store.claim_export(&id, NOW).await.expect("it answers"));
}

async fn concurrent_downloads_claim_a_ticket_once(harness: Harness) {
    let job = job(&harness).await;
    let ticket = ticket(&harness, &job).await;
    let id = ready(&harness, &ticket).await;
    let tries = join_all((0..10).map(|_| harness.store.claim_export(&id, NOW))).await;
    let taken = tries.into_iter().filter(|taken| *taken.as_ref().expect("it answers")).count();
    assert_eq!(taken, 1);
}

async fn export_ticket_expires(harness: Harness) {
    let job = job(&harness).await;
    let ticket = ticket(&harness, &job).await;
    let id = ready(&harness, &ticket).await;
    let late = NOW.plus(VALID);
    assert_eq!(
        harness.store.export(&ticket, late).await.expect("it answers"),
        ExportTicketState::Expired
    );
    assert!(!harness.store.claim_export(&id, late).await.expect("it answers"));
}

async fn altered_export_ticket_is_invalid(harness: Harness) {
    let job = job(&harness).await;
    let (one, two) = (ticket(&harness, &job).await, ticket(&harness, &job).await);
    let (id, signature) = one.split_once('.').expect("both parts");
    let (other_id, _) = two.split_once('.').expect("both parts");
    for wrong in [
        "",
        ".",
        "x",
        id,
        &format!("{id}."),
        &format!("{other_id}.{signature}"),
        &format!("{id}.{}", signature.to_uppercase()),
        &one[..one.len() - 2],
    ] {
        assert_eq!(seen(&harness, wrong).await, ExportTicketState::Invalid, "{wrong}");
    }
    let secret_key = Some(SecretKey::new("another key"));
    let settings = StoreSettings { secret_key, ..harness.settings.clone() };
    let other = Store::new(settings).expect("an address of a database");
    other.prepare().await.expect("the tables are there");
    assert_eq!(other.export(&one, NOW).await.expect("it answers"), ExportTicketState::Invalid);
}

async fn released_export_ticket_can_be_claimed_again(harness: Harness) {
    let job = job(&harness).await;
    let ticket = ticket(&harness, &job).await;
    let id = ready(&harness, &ticket).await;
    assert!(harness.store.claim_export(&id, NOW).await.expect("it answers"));
    harness.store.release_export(&id).await.expect("it answers");
    assert!(harness.store.claim_export(&id, NOW).await.expect("it answers"));
}

async fn export_tickets_are_purged_with_their_job_and_by_age(harness: Harness) {
    let job = job(&harness).await;
    let ticket = ticket(&harness, &job).await;
    let keep = Duration::from_secs(30 * 24 * 60 * 60);
    let after = NOW.plus(VALID + Duration::from_secs(60 * 60));
    harness.store.purge(keep, after).await.expect("it answers");
    let id = ready(&harness, &ticket).await;
    assert!(harness.store.claim_export(&id, NOW).await.expect("it answers"));
    harness.store.purge(keep, after).await.expect("it answers");
    assert_eq!(seen(&harness, &ticket).await, ExportTicketState::Used, "still known as used");
    let next_day = after.plus(Duration::from_secs(24 * 60 * 60));
    harness.store.purge(keep, next_day).await.expect("it answers");
    assert_eq!(seen(&harness, &ticket).await, ExportTicketState::Expired, "then as expired");
}
