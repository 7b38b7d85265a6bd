//! What the page of results shows: columns, filters, order, and table, cards or JSON.

use contract::{ColumnFilter, ColumnKind, ExportColumn, Mode};

use crate::ListQuery;

/// The presentation of the results of a mode.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModeView {
    /// The columns of the table in their order; the first is the key of an item.
    columns: &'static [&'static str],
    /// Number of columns that are shown unless others are chosen.
    shown: usize,
    /// The member that is the title of an item.
    pub title: &'static [&'static str],
    /// Columns with a list of values to select from.
    facets: &'static [&'static str],
    /// Whether items can be selected by classes of the status.
    has_status: bool,
    /// Whether cards are offered, and shown first.
    pub has_cards: bool,
    /// Whether the page of an item shows its text.
    pub has_text: bool,
    /// Singular and plural of the items.
    pub things: (&'static str, &'static str),
}

const LINKS: ModeView = ModeView {
    columns: &[
        "url",
        "type",
        "status_code",
        "depth",
        "inlinks",
        "response_ms",
        "size_bytes",
        "content_type",
        "index_reason",
        "language",
        "word_count",
        "found_on",
        "canonical_url",
        "fetched_at",
    ],
    shown: 5,
    title: &["title"],
    facets: &["type"],
    has_status: true,
    has_cards: false,
    has_text: false,
    things: ("URL", "URLs"),
};

const SITEMAP: ModeView = ModeView {
    columns: &[
        "url",
        "lastmod",
        "changefreq",
        "priority",
        "alternates.lang",
        "images",
        "inlinks",
        "status_code",
        "depth",
        "response_ms",
        "size_bytes",
        "word_count",
        "sitemap_url",
        "fetched_at",
    ],
    shown: 7,
    ..LINKS
};

const MARKDOWN: ModeView = ModeView {
    columns: &[
        "url",
        "word_count",
        "token_estimate",
        "language",
        "extraction.warnings",
        "extraction.method",
        "extraction.kept_ratio",
        "status_code",
        "depth",
        "author",
        "published_at",
        "modified_at",
        "fetched_at",
    ],
    shown: 5,
    title: &["title"],
    facets: &["extraction.warnings"],
    has_status: false,
    has_cards: false,
    has_text: true,
    things: ("page", "pages"),
};

const PRODUCTS: ModeView = ModeView {
    columns: &[
        "url",
        "price",
        "currency",
        "availability",
        "brand",
        "category",
        "sku",
        "mpn",
        "gtin.value",
        "regular_price",
        "condition",
        "seller.name",
        "rating.value",
        "rating.count",
        "language",
        "confidence",
        "fetched_at",
    ],
    shown: 6,
    title: &["name"],
    facets: &["availability", "condition"],
    has_status: false,
    has_cards: true,
    has_text: false,
    things: ("product", "products"),
};

const CONTACTS: ModeView = ModeView {
    columns: &[
        "domain",
        "status",
        "emails.value",
        "phones.e164",
        "people.name",
        "addresses.raw",
        "company.legal_name",
        "company.vat_id",
        "socials.network",
        "language",
        "pages_checked",
        "fetched_at",
    ],
    shown: 5,
    title: &["company", "name"],
    facets: &["status"],
    has_status: false,
    has_cards: true,
    has_text: false,
    things: ("domain", "domains"),
};

impl ModeView {
    pub const fn of(mode: Mode) -> Self {
        match mode {
            Mode::Links => LINKS,
            Mode::Sitemap => SITEMAP,
            Mode::Markdown => MARKDOWN,
            Mode::Products => PRODUCTS,
            Mode::Contacts => CONTACTS,
        }
    }
}

/// The presentation of the shown results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewKind {
    Table,
    Cards,
    Json,
}

impl ViewKind {
    /// Its name in the query, and its title.
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Table => ("table", "Table"),
            Self::Cards => ("cards", "Cards"),
            Self::Json => ("json", "JSON"),
        }
    }
}

/// Classes of the status that select items.
pub(super) const STATUS_CLASSES: [&str; 5] = ["2xx", "3xx", "4xx", "5xx", "none"];

/// The requested view of the results.
#[derive(Debug)]
pub(super) struct ResultsView<'q> {
    pub mode: Mode,
    pub query: &'q ListQuery,
    pub kind: ViewKind,
    pub columns: Vec<&'static ExportColumn>,
    /// The column of the order, and whether it descends.
    pub sort: Option<(&'static ExportColumn, bool)>,
}

impl<'q> ResultsView<'q> {
    pub fn of(mode: Mode, query: &'q ListQuery) -> Self {
        let view = ModeView::of(mode);
        let kinds = Self::kinds(mode);
        let asked = query.get("view");
        let kind = kinds.iter().find(|kind| asked == Some(kind.names().0));
        let chosen: Vec<_> = query.all("col").collect();
        let names = view.columns.iter().enumerate().filter(|(place, name)| {
            *place == 0
                || if chosen.is_empty() { *place < view.shown } else { chosen.contains(name) }
        });
        let columns = names.filter_map(|(_, name)| column(mode, name)).collect();
        let sort = query.get("sort").and_then(|name| {
            // The names that earlier releases had in their links.
            let name = if name == "status" && view.has_status { "status_code" } else { name };
            column(mode, view.columns.iter().find(|known| **known == name)?)
        });
        let descends = query.get("order") == Some("desc");
        Self {
            mode,
            query,
            kind: kind.or(kinds.first()).copied().unwrap_or(ViewKind::Table),
            columns,
            sort: sort.map(|column| (column, descends)),
        }
    }

    /// The forms that the mode has, the usual one first.
    pub fn kinds(mode: Mode) -> &'static [ViewKind] {
        if ModeView::of(mode).has_cards {
            &[ViewKind::Cards, ViewKind::Table, ViewKind::Json]
        } else {
            &[ViewKind::Table, ViewKind::Json]
        }
    }

    /// All columns that can be shown.
    pub fn choices(&self) -> impl Iterator<Item = &'static ExportColumn> {
        let mode = self.mode;
        ModeView::of(mode).columns.iter().filter_map(move |name| column(mode, name))
    }

    /// The columns with a list of values, and their values.
    pub fn facets(&self) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        let mode = self.mode;
        ModeView::of(mode).facets.iter().filter_map(move |name| match column(mode, name)?.filter {
            Some(ColumnFilter::OneOf(values)) => Some((*name, values)),
            Some(ColumnFilter::Values | ColumnFilter::Language) | None => None,
        })
    }

    /// Whether items can be selected by classes of the status.
    pub fn has_status(&self) -> bool {
        ModeView::of(self.mode).has_status
    }

    /// The text that results must contain.
    pub fn text(&self) -> Option<&'q str> {
        self.query.get("q").map(str::trim).filter(|text| !text.is_empty())
    }

    /// The conditions of the selection, with names as in `status_code[gte]`.
    pub fn conditions(&self) -> Vec<(String, String)> {
        let mut conditions = Vec::new();
        let mut add =
            |name: &str, value: &str| conditions.push((name.to_owned(), value.to_owned()));
        let class = self.query.get("status").filter(|_| self.has_status());
        match class.and_then(|class| Some((class, class.strip_suffix("xx")?.parse::<u16>().ok()?)))
        {
            Some((class, hundred)) if STATUS_CLASSES.contains(&class) => {
                add("status_code[gte]", &(hundred * 100).to_string());
                add("status_code[lt]", &(hundred * 100 + 100).to_string());
            }
            _ if class == Some("none") => add("status_code[exists]", "false"),
            _ => {}
        }
        for (name, values) in self.facets() {
            if let Some(value) = self.query.get(name).filter(|value| values.contains(value)) {
                add(name, value);
            }
        }
        conditions
    }

    /// Whether all items are selected.
    pub fn selects_all(&self) -> bool {
        self.text().is_none() && self.conditions().is_empty()
    }

    /// Whether pages of the API can be shown unchanged.
    pub fn is_plain(&self) -> bool {
        self.selects_all() && self.sort.is_none()
    }

    /// The query of the API that selects the items.
    pub fn api_query(&self) -> ListQuery {
        let query = ListQuery::default().with("q", self.text().unwrap_or_default());
        self.conditions().iter().fold(query, |query, (name, value)| {
            let name = match name.split_once('[') {
                Some((column, operator)) => format!("filter[{column}][{operator}"),
                None => format!("filter[{name}]"),
            };
            query.with(&name, value)
        })
    }

    /// The query that orders by a column; a second click reverses the order.
    pub fn by(&self, column: &ExportColumn) -> ListQuery {
        let turns = self.sort.is_some_and(|(sorted, descends)| sorted == column && !descends);
        let order = if turns { "desc" } else { "asc" };
        self.query.with("page", "").with("sort", column.name).with("order", order)
    }

    /// The members of items that the table needs.
    pub fn fields(&self) -> String {
        let also: &[&str] = match self.mode {
            Mode::Links | Mode::Sitemap => {
                &["error", "external", "orphan", "indexable", "duplicate_of", "files"]
            }
            Mode::Markdown | Mode::Products => &["files"],
            Mode::Contacts => &[],
        };
        let columns = self.columns.iter().filter_map(|column| column.path.first().copied());
        let sorted = self.sort.and_then(|(column, _)| column.path.first().copied());
        let title = ModeView::of(self.mode).title.first().copied();
        let mut fields: Vec<&str> = Vec::new();
        for name in columns.chain(sorted).chain(title).chain(also.iter().copied()) {
            if !fields.contains(&name) {
                fields.push(name);
            }
        }
        fields.join(",")
    }
}

fn column(mode: Mode, name: &str) -> Option<&'static ExportColumn> {
    registry::item_schema(mode).item_columns().iter().find(|column| column.name == name)
}

/// The title of a column.
pub(super) fn heading(column: &ExportColumn) -> String {
    let known = match column.name {
        "url" => "URL",
        "status_code" => "Status",
        "response_ms" => "Time (ms)",
        "size_bytes" => "Bytes",
        "word_count" => "Words",
        "token_estimate" => "Tokens",
        "alternates.lang" => "Languages",
        "extraction.warnings" => "Warnings",
        "extraction.method" => "Extraction",
        "extraction.kept_ratio" => "Kept",
        "gtin.value" => "GTIN",
        "sku" => "SKU",
        "mpn" => "MPN",
        "seller.name" => "Seller",
        "rating.value" => "Rating",
        "rating.count" => "Reviews",
        "emails.value" => "E-mail",
        "phones.e164" => "Phone",
        "people.name" => "People",
        "addresses.raw" => "Address",
        "company.legal_name" => "Legal name",
        "company.vat_id" => "VAT",
        "socials.network" => "Profiles",
        "lastmod" => "Last modified",
        "changefreq" => "Change frequency",
        "fetched_at" => "Fetched",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let words = column.name.replace(['_', '.'], " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Whether the values are aligned as numbers.
pub(super) fn is_number(column: &ExportColumn) -> bool {
    !column.is_list
        && matches!(column.kind, ColumnKind::Integer | ColumnKind::Real | ColumnKind::Decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_facets_of_all_modes_are_known() {
        for mode in Mode::ALL {
            let query = ListQuery::default();
            let view = ResultsView::of(*mode, &query);
            let known = ModeView::of(*mode);
            assert_eq!(view.choices().count(), known.columns.len(), "{mode}");
            assert_eq!(view.facets().count(), known.facets.len(), "{mode}");
            assert_eq!(view.columns.len(), known.shown, "{mode}");
            let key = registry::item_schema(*mode).comparison.key;
            assert_eq!(known.columns[0], key, "{mode}");
            assert!(column(*mode, key).is_some_and(|column| column.filter.is_some()), "{mode}");
            assert!(view.is_plain() && view.api_query().on("").is_empty(), "{mode}");
        }
    }

    #[test]
    fn selection_becomes_conditions_of_the_api() {
        let query = ListQuery::parse("status=4xx&type=image&q=+lamp+&sort=inlinks&order=desc");
        let view = ResultsView::of(Mode::Links, &query);
        let expected = [("status_code[gte]", "400"), ("status_code[lt]", "500"), ("type", "image")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(view.conditions(), expected);
        assert_eq!(
            view.api_query().on(""),
            "?q=lamp&filter%5Bstatus_code%5D%5Bgte%5D=400&filter%5Bstatus_code%5D%5Blt%5D=500\
             &filter%5Btype%5D=image"
        );
        let (sorted, descends) = view.sort.expect("an order");
        assert!(sorted.name == "inlinks" && descends && !view.is_plain());
        assert!(view.by(sorted).on("").ends_with("sort=inlinks&order=asc"));
        let nothing = ListQuery::parse("status=9xx&type=nonsense&sort=nonsense&view=nonsense");
        assert!(ResultsView::of(Mode::Links, &nothing).is_plain());
    }

    #[test]
    fn chosen_columns_follow_the_key() {
        let query = ListQuery::parse("col=fetched_at&col=response_ms&col=nonsense&view=json");
        let view = ResultsView::of(Mode::Links, &query);
        let names: Vec<_> = view.columns.iter().map(|column| column.name).collect();
        assert_eq!(names, ["url", "response_ms", "fetched_at"]);
        assert_eq!(view.kind, ViewKind::Json);
        assert!(view.fields().starts_with("url,response_ms,fetched_at,title"));
    }
}
