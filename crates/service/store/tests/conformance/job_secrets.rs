//! Secrets of jobs: encrypted, kept with the session while the job lives, erased at its end.

use contract::{HIDDEN, SecretText, SiteAccess};
use job::{JobCommand, RunEnding};
use store::{NewJob, StoredCookie, StoredSession};

use crate::harness::{Harness, NOW, new_job};
use crate::on_both;

on_both!(
    secrets_are_erased_when_the_job_ends,
    session_is_kept_for_the_holder_of_the_lease,
    deleted_job_leaves_no_secrets,
);

fn access() -> SiteAccess {
    SiteAccess { bearer: Some(SecretText::new("s3cret")), ..SiteAccess::default() }
}

fn with_secrets(mut new: NewJob) -> NewJob {
    new.access = access();
    new.draft.access = new.access.hidden();
    new
}

async fn secrets_are_erased_when_the_job_ends(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    for (host, end) in
        [("a.example", JobCommand::Finish(RunEnding::Complete)), ("b.example", JobCommand::Abort)]
    {
        let new = with_secrets(new_job(&account, host));
        let id = new.draft.id.clone();
        harness.create(&new).await;
        let lease = harness.claim().await.expect("a shard");
        harness.start(&lease).await;
        let kept = harness.store.job_secrets(&id).await.expect("it answers").expect("secrets");
        assert_eq!((kept.access, kept.session), (access(), None));
        let job = harness.store.job(&id).await.expect("it answers").expect("a job");
        assert_eq!(job.access.bearer, Some(SecretText::new(HIDDEN)));
        match end {
            JobCommand::Abort => drop(harness.store.abort(&account, &id, NOW).await.expect("it")),
            end => drop(harness.store.report(&lease, &end, NOW).await.expect("it ends")),
        }
        assert_eq!(harness.store.job_secrets(&id).await.expect("it answers"), None);
    }
}

async fn session_is_kept_for_the_holder_of_the_lease(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let new = with_secrets(new_job(&account, "a.example"));
    harness.create(&new).await;
    let lease = harness.claim().await.expect("a shard");
    harness.start(&lease).await;
    let cookie = StoredCookie {
        name: "id".to_owned(),
        value: SecretText::new("s3cret"),
        path: "/".to_owned(),
    };
    let session = StoredSession { cookies: vec![cookie], logins: 2 };
    harness.store.keep_session(&lease, &session).await.expect("it is kept");
    let mut stale = lease.clone();
    stale.epoch -= 1;
    harness.store.keep_session(&stale, &StoredSession::default()).await.expect("it answers");
    let kept = harness.store.job_secrets(&new.draft.id).await.expect("it answers").expect("it");
    assert_eq!(kept.session, Some(session.clone()), "a stale holder changes nothing");
    harness.store.abort(&account, &new.draft.id, NOW).await.expect("it ends");
    harness.store.keep_session(&lease, &session).await.expect("it answers");
    let kept = harness.store.job_secrets(&new.draft.id).await.expect("it answers");
    assert_eq!(kept, None, "a session after the end is not stored");
}

async fn deleted_job_leaves_no_secrets(harness: Harness) {
    let account = harness.account("a@x.org", 100).await;
    let new = with_secrets(new_job(&account, "a.example"));
    harness.create(&new).await;
    harness.store.abort(&account, &new.draft.id, NOW).await.expect("it ends");
    harness.store.delete_job(&account, &new.draft.id, NOW).await.expect("it is deleted");
    assert_eq!(harness.store.job_secrets(&new.draft.id).await.expect("it answers"), None);
}
