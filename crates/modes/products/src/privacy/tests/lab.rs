//! The descriptions of the lab's shops.

use lab::Shop;

use super::super::without_contacts;

#[test]
fn no_contact_of_the_lab_survives_and_every_code_does() {
    let (mut same, mut all, mut leaked, mut lost, mut contacts, mut codes) = (0, 0, 0, 0, 0, 0);
    for shop in Shop::all() {
        for product in shop.shop_truth().products {
            let (Some(with), Some(without)) =
                (&product.description_with_contacts, &product.description)
            else {
                continue;
            };
            let cleaned = without_contacts(with);
            all += 1;
            same += usize::from(cleaned == *without);
            contacts += product.contacts.len();
            codes += product.codes.len();
            let left: Vec<_> = product.contacts.iter().filter(|c| cleaned.contains(*c)).collect();
            let gone: Vec<_> = product.codes.iter().filter(|c| !cleaned.contains(*c)).collect();
            if cleaned != *without {
                println!("--- {} {left:?} {gone:?}\n{with}\n=>\n{cleaned}", product.path);
            }
            leaked += left.len();
            lost += gone.len();
        }
    }
    println!(
        "{same} of {all} texts are as they should be; {leaked} of {contacts} contacts leaked, {lost} of {codes} codes lost"
    );
    assert_eq!((leaked, lost), (0, 0));
    assert!(same * 100 >= all * 99, "{same} of {all}");
}
