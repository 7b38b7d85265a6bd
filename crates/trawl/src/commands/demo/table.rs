//! Items as a text table that fits on a screen.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use contract::{Item, SkipReason, SkippedUrl};

use crate::printing::{counted, or_dash};

/// Maximum rows of a table.
const ROWS: usize = 12;

/// Maximum characters of a cell.
const WIDEST: usize = 44;

/// How the items of a mode are printed.
pub struct DemoTable {
    head: &'static [&'static str],
    row: fn(&Item) -> Vec<String>,
    /// Singular and plural of an item.
    noun: (&'static str, &'static str),
}

pub const LINKS: DemoTable = DemoTable {
    head: &["url", "status", "depth", "inlinks", "title"],
    row: link_row,
    noun: ("URL", "URLs"),
};

pub const SITEMAP: DemoTable = DemoTable {
    head: &["url", "lastmod", "languages", "images", "orphan"],
    row: sitemap_row,
    noun: ("URL", "URLs"),
};

pub const MARKDOWN: DemoTable = DemoTable {
    head: &["url", "title", "words", "kept", "text"],
    row: markdown_row,
    noun: ("page", "pages"),
};

pub const PRODUCTS: DemoTable = DemoTable {
    head: &["url", "name", "price", "availability", "also in", "source"],
    row: product_row,
    noun: ("product", "products"),
};

pub const CONTACTS: DemoTable = DemoTable {
    head: &["domain", "status", "company", "e-mail", "phone", "people"],
    row: contact_row,
    noun: ("record", "records"),
};

/// A table of the first items, and the number of all.
pub fn items(table: &DemoTable, items: &[Item]) -> String {
    let head: Vec<_> = table.head.iter().map(|cell| (*cell).to_owned()).collect();
    let rows = items.iter().take(ROWS).map(table.row);
    let mut text = aligned(std::iter::once(head).chain(rows).collect());
    if items.len() > ROWS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "… and {} more", items.len() - ROWS);
    }
    let is_broken = |item: &&Item| item.link().is_some_and(|link| link.broken);
    let broken = items.iter().filter(is_broken).count();
    let broken = if broken > 0 { format!(", {broken} of them broken") } else { String::new() };
    let delivered = counted(items.len() as u64, table.noun.0, table.noun.1);
    let _ = writeln!(text, "\n{delivered} delivered{broken}.");
    text
}

/// The number of skipped URLs for each reason.
pub fn skipped(skipped: &[SkippedUrl]) -> String {
    let mut reasons: BTreeMap<SkipReason, usize> = BTreeMap::new();
    for skipped in skipped {
        *reasons.entry(skipped.reason).or_default() += 1;
    }
    let reasons: Vec<_> =
        reasons.into_iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    if reasons.is_empty() { String::new() } else { format!("Skipped: {}.\n", reasons.join(", ")) }
}

fn link_row(item: &Item) -> Vec<String> {
    let Some(link) = item.link() else { return vec![path(item.url())] };
    vec![
        path(&link.url),
        or_dash(link.status_code),
        or_dash(link.depth),
        link.inlinks.to_string(),
        or_dash(link.title.as_ref()),
    ]
}

fn sitemap_row(item: &Item) -> Vec<String> {
    let Item::Sitemap(item) = item else { return link_row(item) };
    let languages: Vec<_> = item.alternates.iter().map(|other| other.lang.as_str()).collect();
    vec![
        path(&item.link.url),
        or_dash(item.lastmod.as_ref()),
        if languages.is_empty() { "-".to_owned() } else { languages.join(" ") },
        item.images.len().to_string(),
        if item.link.orphan { "yes" } else { "" }.to_owned(),
    ]
}

fn markdown_row(item: &Item) -> Vec<String> {
    let Item::Markdown(page) = item else { return link_row(item) };
    vec![
        path(&page.url),
        or_dash(page.title.as_ref()),
        page.word_count.to_string(),
        format!("{:.0} %", page.extraction.kept_ratio * 100.0),
        page.markdown.split_whitespace().take(12).collect::<Vec<_>>().join(" "),
    ]
}

fn product_row(item: &Item) -> Vec<String> {
    let Item::Product(product) = item else { return link_row(item) };
    let languages: Vec<_> = product.alternates.iter().map(|other| other.lang.as_str()).collect();
    let price = match (&product.price, &product.currency) {
        (Some(price), Some(currency)) => format!("{price} {currency}"),
        (Some(price), None) => price.clone(),
        (None, _) => product.price_type.to_string(),
    };
    vec![
        path(&product.url),
        product.name.clone(),
        price,
        product.availability.to_string(),
        if languages.is_empty() { "-".to_owned() } else { languages.join(" ") },
        or_dash(product.provenance.get("price")),
    ]
}

fn contact_row(item: &Item) -> Vec<String> {
    let Item::Contact(record) = item else { return link_row(item) };
    let company = &record.company;
    vec![
        record.domain.clone(),
        record.status.to_string(),
        or_dash(company.legal_name.as_ref().or(company.name.as_ref())),
        or_dash(record.emails.first().map(|mail| &mail.value)),
        or_dash(record.phones.first().map(|phone| phone.e164.as_ref().unwrap_or(&phone.raw))),
        record.people.len().to_string(),
    ]
}

/// The path of a URL. All rows have the same host.
fn path(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..]).to_owned()
}

fn aligned(rows: Vec<Vec<String>>) -> String {
    let cut = |cell: String| cell.chars().take(WIDEST).collect::<String>();
    let rows: Vec<Vec<String>> =
        rows.into_iter().map(|row| row.into_iter().map(cut).collect()).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_columns_are_aligned_and_long_cells_are_cut() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let long = "x".repeat(99);
        let text = aligned(vec![row(&["a", "bb", "c"]), row(&["größer", "", &long])]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "a       bb  c");
        assert_eq!(lines[1], format!("größer      {}", "x".repeat(WIDEST)));
    }
}
