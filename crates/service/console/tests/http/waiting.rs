//! What a run waits for, with its price in words.

use std::time::Duration;

use contract::Credits;
use job::{JobCommand, Tier};
use store::NodeName;

use crate::house::House;

#[tokio::test]
async fn a_higher_rate_is_agreed_to_in_words() {
    let house = House::open().await;
    let mut new = fixture::new_job(&house.account, "walled.example");
    // A ceiling under the rate: the answer raises it.
    new.draft.on_protected = Some(contract::OnProtected::Auto);
    new.draft.ceiling = Some(Credits(3));
    house.store.create_job(&new, fixture::NOW).await.expect("the database answers");
    let lease = house.store.claim(&NodeName::random(), Duration::from_secs(60), fixture::NOW).await;
    let lease = lease.expect("the database answers").expect("a free shard");
    let wall = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    for command in [JobCommand::Start, JobCommand::LearnTier(wall)] {
        house.store.report(&lease, &command, fixture::NOW).await.expect("it fits");
    }
    let run = format!("/runs/{}", lease.job);
    let page = house.page(&run).await;
    for words in [
        "behind bot protection (cloudflare_challenge)",
        "From here each URL costs 5 credits instead of 1 credit.",
        "Your ceiling of 3 a URL becomes 5.",
        "Go on at 5 credits a URL",
        "name=\"max_credit_per_unit\" value=\"5\"",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let refused = house.post(&format!("{run}/confirm"), "continue_batch=true").await;
    assert_eq!(refused.status(), 409);
    assert!(refused.text().await.expect("text").contains("role=\"alert\""));
    let agreed = house.post(&format!("{run}/confirm"), "max_credit_per_unit=5").await;
    assert_eq!(agreed.status(), 303);
    assert!(!house.page(&run).await.contains("Go on at"));
}
