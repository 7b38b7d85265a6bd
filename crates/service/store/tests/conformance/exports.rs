//! Files that may be taken away once.

use std::time::Duration;

use contract::{ExportFormat, JobId};
use futures_util::future::join_all;
use store::{Exported, SecretKey, Store, StoreSettings};

use crate::bench::{Bench, NOW, new_job};
use crate::on_both;

on_both!(
    a_ticket_is_good_once,
    one_of_many_takes_it,
    its_time_runs_out,
    only_what_we_signed_is_known,
    what_came_to_nothing_can_be_taken_again,
    tickets_go_with_their_job_and_with_time,
);

const VALID: Duration = Duration::from_secs(900);

async fn job(bench: &Bench) -> JobId {
    let account = bench.account("a@x.org", 10).await;
    bench.create(&new_job(&account, "example.com")).await.accepted.job_id
}

async fn ticket(bench: &Bench, job: &JobId) -> String {
    let (format, table) = (ExportFormat::Csv, Some("people"));
    let made = bench.store.create_export(job, format, table, NOW, NOW.plus(VALID)).await;
    made.expect("it answers").expect("the job exists").reveal().to_owned()
}

async fn seen(bench: &Bench, ticket: &str) -> Exported {
    bench.store.export(ticket, NOW).await.expect("it answers")
}

async fn ready(bench: &Bench, ticket: &str) -> contract::ExportId {
    match seen(bench, ticket).await {
        Exported::Ready { id, .. } => id,
        other => panic!("{other:?}"),
    }
}

async fn a_ticket_is_good_once(bench: Bench) {
    let job = job(&bench).await;
    let ticket = ticket(&bench, &job).await;
    let id = ready(&bench, &ticket).await;
    let table = Some("people".to_owned());
    let expected = Exported::Ready { id: id.clone(), job, format: ExportFormat::Csv, table };
    assert_eq!(seen(&bench, &ticket).await, expected, "looking uses nothing up");
    assert!(bench.store.take_export(&id, NOW).await.expect("it answers"));
    assert_eq!(seen(&bench, &ticket).await, Exported::Used);
    assert!(!bench.store.take_export(&id, NOW).await.expect("it answers"));
}

async fn one_of_many_takes_it(bench: Bench) {
    let job = job(&bench).await;
    let ticket = ticket(&bench, &job).await;
    let id = ready(&bench, &ticket).await;
    let tries = join_all((0..10).map(|_| bench.store.take_export(&id, NOW))).await;
    let taken = tries.into_iter().filter(|taken| *taken.as_ref().expect("it answers")).count();
    assert_eq!(taken, 1);
}

async fn its_time_runs_out(bench: Bench) {
    let job = job(&bench).await;
    let ticket = ticket(&bench, &job).await;
    let id = ready(&bench, &ticket).await;
    let late = NOW.plus(VALID);
    assert_eq!(bench.store.export(&ticket, late).await.expect("it answers"), Exported::Expired);
    assert!(!bench.store.take_export(&id, late).await.expect("it answers"));
}

async fn only_what_we_signed_is_known(bench: Bench) {
    let job = job(&bench).await;
    let (one, two) = (ticket(&bench, &job).await, ticket(&bench, &job).await);
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
        assert_eq!(seen(&bench, wrong).await, Exported::Altered, "{wrong}");
    }
    let secret_key = Some(SecretKey::new("another key"));
    let settings = StoreSettings { secret_key, ..bench.settings.clone() };
    let other = Store::new(settings).expect("an address of a database");
    other.prepare().await.expect("the tables are there");
    assert_eq!(other.export(&one, NOW).await.expect("it answers"), Exported::Altered);
}

async fn what_came_to_nothing_can_be_taken_again(bench: Bench) {
    let job = job(&bench).await;
    let ticket = ticket(&bench, &job).await;
    let id = ready(&bench, &ticket).await;
    assert!(bench.store.take_export(&id, NOW).await.expect("it answers"));
    bench.store.give_back_export(&id).await.expect("it answers");
    assert!(bench.store.take_export(&id, NOW).await.expect("it answers"));
}

async fn tickets_go_with_their_job_and_with_time(bench: Bench) {
    let job = job(&bench).await;
    let ticket = ticket(&bench, &job).await;
    let keep = Duration::from_secs(30 * 24 * 60 * 60);
    let after = NOW.plus(VALID + Duration::from_secs(60 * 60));
    bench.store.purge(keep, after).await.expect("it answers");
    let id = ready(&bench, &ticket).await;
    assert!(bench.store.take_export(&id, NOW).await.expect("it answers"));
    bench.store.purge(keep, after).await.expect("it answers");
    assert_eq!(seen(&bench, &ticket).await, Exported::Used, "it is still told why");
    let next_day = after.plus(Duration::from_secs(24 * 60 * 60));
    bench.store.purge(keep, next_day).await.expect("it answers");
    assert_eq!(seen(&bench, &ticket).await, Exported::Expired, "and then that it is gone");
}
