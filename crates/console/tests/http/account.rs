//! The pages of the account.

use crate::house::House;

#[tokio::test]
async fn what_is_shown_once_is_shown_once() {
    let house = House::open().await;
    let made = house.post("/account/keys", "name=%3Cb%3Enightly&source=direct").await;
    let page = made.text().await.expect("text");
    let (_, rest) = page.split_once("id=\"secret\">").expect("the secret");
    let secret = rest.split('<').next().expect("its end").to_owned();
    assert!(secret.starts_with("key_live_") && page.contains("&lt;b&gt;nightly"), "{page}");
    assert!(!house.page("/account/keys").await.contains(&secret));
}

#[tokio::test]
async fn what_the_api_refuses_stands_at_its_field() {
    let house = House::open().await;
    let name = format!("name={}", "x".repeat(101));
    for (path, fields, field) in [
        ("/account/keys", name.as_str(), "name-error"),
        ("/account/webhooks", "url=https%3A%2F%2F127.0.0.1%2F&all=on", "url-error"),
        ("/account/auto-top-up", "enabled=on&threshold=many", "threshold-error"),
    ] {
        let answer = house.post(path, fields).await;
        assert_eq!(answer.status(), 422, "{path}");
        let page = answer.text().await.expect("text");
        assert!(page.contains(&format!("id=\"{field}\"")), "{path}: {page}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_there() {
    let house = House::open().await;
    for path in [
        "/account/keys/1/revoke",
        "/account/keys/key_00000000000000000000000000000000/revoke",
        "/account/applications/..%2F..%2Fsession/disconnect",
        "/account/applications/app_00000000000000000000000000000000/disconnect",
        "/account/webhooks/1/remove",
        "/account/webhooks/whk_00000000000000000000000000000000/test",
    ] {
        assert_eq!(house.post(path, "").await.status(), 404, "{path}");
    }
    assert_eq!(house.get("/account/webhooks/1").await.status(), 404);
}

#[tokio::test]
async fn the_ledger_shows_what_came_in() {
    let house = House::open().await;
    let page = house.page("/account/ledger").await;
    assert!(page.contains("Credits came in") && page.contains("+100,000"), "{page}");
    assert!(house.page("/account/ledger?page=9").await.contains("No credits have come"));
    let account = house.page("/account").await;
    assert!(account.contains("100,000") && account.contains("Auto top-up"), "{account}");
}
