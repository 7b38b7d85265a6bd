//! Approximate memory of items, by which a run limits what waits for a commit.

use super::{ContactItem, Item, LinkItem, MarkdownItem, ProductItem};

impl Item {
    /// Approximate memory, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Link(link) => of_link(link),
            Self::Sitemap(item) => {
                let images = item.images.iter().map(|url| url.len() + 24);
                let alternates = item.alternates.iter();
                let alternates = alternates.map(|other| other.lang.len() + other.url.len() + 48);
                of_link(&item.link) + images.chain(alternates).sum::<usize>()
            }
            Self::Markdown(page) => of_page(page),
            Self::Product(product) => of_product(product),
            Self::Contact(record) => of_record(record),
        }
    }
}

fn of_link(link: &LinkItem) -> usize {
    let texts = [&link.title, &link.description, &link.h1, &link.found_on, &link.anchor];
    700 + link.url.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
}

fn of_page(page: &MarkdownItem) -> usize {
    let links = page.links.iter().map(|link| link.url.len() + link.text.len() + 24);
    let images = page.images.iter().map(|image| image.url.len() + 32);
    let headings = page.headings.iter().map(|heading| heading.text.len() + 48);
    700 + page.markdown.len() + links.chain(images).chain(headings).sum::<usize>()
}

fn of_product(product: &ProductItem) -> usize {
    let attributes = product.attributes.iter().map(|row| row.name.len() + row.value.len() + 24);
    let features = product.features.iter().map(|feature| feature.len() + 4);
    let images = product.images.iter().map(|image| image.url.len() + 32);
    let lists = attributes.chain(features).chain(images).sum::<usize>();
    let description = product.description.as_ref().map_or(0, String::len);
    2_000 + description + lists + 400 * product.variants.len()
}

fn of_record(record: &ContactItem) -> usize {
    // All kinds of values take about the same memory with their sources.
    let values = record.emails.len()
        + record.phones.len()
        + record.addresses.len()
        + record.socials.len()
        + 3 * record.people.len();
    700 + 200 * values + record.company.sources.len() * 80
}
