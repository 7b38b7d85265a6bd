//! The prompt of a run that waits for confirmation.

use std::time::Duration;

use contract::Credits;
use job::{JobCommand, Tier};
use store::NodeName;

use crate::harness::{ConsoleServer, EMAIL};

#[tokio::test]
async fn protected_rate_is_shown_and_confirmed() {
    let server = ConsoleServer::start().await;
    let mut new = fixture::new_job(&server.account, "walled.example");
    // A maximum below the rate: the confirmation raises it.
    new.draft.on_protected = Some(contract::OnProtected::Auto);
    new.draft.ceiling = Some(Credits(3));
    server.store.create_job(&new, fixture::NOW).await.expect("the database answers");
    let lease =
        server.store.claim(&NodeName::random(), Duration::from_secs(60), fixture::NOW).await;
    let lease = lease.expect("the database answers").expect("a free shard");
    let wall = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    for command in [JobCommand::Start, JobCommand::LearnTier(wall)] {
        server.store.report(&lease, &command, fixture::NOW).await.expect("it fits");
    }
    let run = format!("/runs/{}", lease.job);
    let page = server.page(&run).await;
    for words in [
        "behind bot protection (cloudflare_challenge)",
        "Each further URL costs 5 credits instead of 1 credit.",
        "Your maximum of 3 per URL becomes 5.",
        "Continue at 5 credits per URL",
        "name=\"max_credit_per_unit\" value=\"5\"",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let refused = server.post(&format!("{run}/confirm"), "continue_batch=true").await;
    assert_eq!(refused.status(), 409);
    assert!(refused.text().await.expect("text").contains("role=\"alert\""));
    let agreed = server.post(&format!("{run}/confirm"), "max_credit_per_unit=5").await;
    assert_eq!(agreed.status(), 303);
    assert!(!server.page(&run).await.contains("Continue at"));
}

#[tokio::test]
async fn run_without_credits_is_continued_when_there_are_some() {
    let server = ConsoleServer::with_credits(1).await;
    let new = fixture::new_job(&server.account, "paid.example");
    let lease = fixture::running(&server.store, &new).await;
    let exhausted = JobCommand::ExhaustCredits;
    server.store.report(&lease, &exhausted, fixture::NOW).await.expect("it fits");
    // The last credit is reserved for another run.
    fixture::running(&server.store, &fixture::new_job(&server.account, "other.example")).await;
    let run = format!("/runs/{}", lease.job);
    let page = server.page(&run).await;
    assert!(page.contains("Add credits first") && !page.contains("Continue at"), "{page}");
    assert!(page.contains("href=\"/top-up\""), "{page}");
    let grant = server.store.grant(EMAIL, Credits(1), fixture::NOW).await;
    grant.expect("the database answers");
    let page = server.page(&run).await;
    assert!(page.contains("Continue at 1 credit per URL"), "{page}");
}
