//! Checks of the database for an operator.

use store::{KeyState, SecretKey, Store};

use crate::harness::Harness;
use crate::on_both;

on_both!(diagnosis_reports_schema_rights_and_key_without_a_change);

async fn diagnosis_reports_schema_rights_and_key_without_a_change(harness: Harness) {
    let mut settings = harness.settings.clone();
    settings.secret_key = Some(SecretKey::new("a key of the service, with 32 characters"));
    let store = Store::new(settings.clone()).expect("an address of a database");
    let before = store.diagnose().await.expect("it answers");
    assert_eq!((before.schema, &before.write_error), (before.newest_schema, &None));
    store.prepare().await.expect("it is prepared");
    store.verify_secret_key().await.expect("a first key");
    let found = store.diagnose().await.expect("it answers");
    assert_eq!(found.secret_key, KeyState::Matches);
    // The table of the check was rolled back, so that it can be created again.
    assert_eq!(store.diagnose().await.expect("it answers"), found);

    settings.secret_key = Some(SecretKey::new("another key, with more than 32 characters"));
    let other = Store::new(settings.clone()).expect("an address of a database");
    assert_eq!(other.diagnose().await.expect("it answers").secret_key, KeyState::Differs);
    assert_eq!(store.diagnose().await.expect("it answers"), found, "the key was not replaced");
    settings.secret_key = None;
    let none = Store::new(settings).expect("an address of a database");
    assert_eq!(none.diagnose().await.expect("it answers").secret_key, KeyState::Missing);
}
