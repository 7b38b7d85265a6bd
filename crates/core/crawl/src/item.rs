//! Approximate memory of items that wait for their commit.

use contract::{ContactItem, Item, ProductItem};

/// Approximate memory of an item, in bytes.
pub(crate) fn weight(item: &Item) -> usize {
    let (link, lists) = match item {
        Item::Link(link) => (&**link, 0),
        Item::Sitemap(item) => {
            let images = item.images.iter().map(|url| url.len() + 24);
            let alternates = item.alternates.iter();
            let alternates = alternates.map(|other| other.lang.len() + other.url.len() + 48);
            (&item.link, images.chain(alternates).sum::<usize>())
        }
        Item::Markdown(page) => {
            let links = page.links.iter().map(|link| link.url.len() + link.text.len() + 24);
            let images = page.images.iter().map(|image| image.url.len() + 32);
            let headings = page.headings.iter().map(|heading| heading.text.len() + 48);
            let lists = links.chain(images).chain(headings).sum::<usize>();
            return 700 + page.markdown.len() + lists;
        }
        Item::Product(product) => return weight_of_product(product),
        Item::Contact(company) => return weight_of_company(company),
    };
    let texts = [&link.title, &link.description, &link.h1, &link.found_on, &link.anchor];
    700 + lists + link.url.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
}

fn weight_of_company(company: &ContactItem) -> usize {
    // All kinds of values take about the same memory with their sources.
    let values = company.emails.len()
        + company.phones.len()
        + company.addresses.len()
        + company.socials.len()
        + 3 * company.people.len();
    700 + 200 * values + company.company.sources.len() * 80
}

fn weight_of_product(product: &ProductItem) -> usize {
    let attributes = product.attributes.iter().map(|row| row.name.len() + row.value.len() + 24);
    let features = product.features.iter().map(|feature| feature.len() + 4);
    let images = product.images.iter().map(|image| image.url.len() + 32);
    let lists = attributes.chain(features).chain(images).sum::<usize>();
    let description = product.description.as_ref().map_or(0, String::len);
    2_000 + description + lists + 400 * product.variants.len()
}
