//! Redaction of the descriptions of the lab's shops.

use lab::Shop;

use super::super::redact_contacts;

#[test]
fn lab_descriptions_lose_all_contacts_and_keep_all_codes() {
    let (mut same, mut all, mut leaked, mut lost, mut contacts, mut codes) = (0, 0, 0, 0, 0, 0);
    for shop in Shop::all() {
        for product in shop.shop_truth().products {
            let (Some(with), Some(without)) =
                (&product.description_with_contacts, &product.description)
            else {
                continue;
            };
            let redacted = redact_contacts(with);
            all += 1;
            same += usize::from(redacted == *without);
            contacts += product.contacts.len();
            codes += product.codes.len();
            let remaining: Vec<_> =
                product.contacts.iter().filter(|c| redacted.contains(*c)).collect();
            let missing: Vec<_> = product.codes.iter().filter(|c| !redacted.contains(*c)).collect();
            if redacted != *without {
                println!("--- {} {remaining:?} {missing:?}\n{with}\n=>\n{redacted}", product.path);
            }
            leaked += remaining.len();
            lost += missing.len();
        }
    }
    println!(
        "{same} of {all} texts are redacted as expected; {leaked} of {contacts} contacts leaked, {lost} of {codes} codes lost"
    );
    assert_eq!((leaked, lost), (0, 0));
    assert!(same * 100 >= all * 99, "{same} of {all}");
}
