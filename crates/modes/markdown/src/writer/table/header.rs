//! The header row of a table whose cells are not marked as header cells.

use super::WrittenCell;

/// Minimum number of columns for a header that is recognised by the numbers below it: a table of
/// two columns mostly lists properties with their values.
const MIN_COLUMNS: usize = 3;

/// Minimum number of rows below such a header.
const MIN_ROWS: usize = 2;

/// Maximum length of a heading over long texts, and the minimum length of these as its multiple.
const MAX_HEADING_BYTES: usize = 24;
const MIN_TEXT_FACTOR: usize = 3;

/// Whether the first row of a table is its header. The cell over the names of the rows may be empty.
/// The other cells are bold, and those below are not; or none of them has a digit, besides years, and
/// a column below has one in every row; or all are short and those below are long.
pub(super) fn is_header_row(cells: &[WrittenCell], columns: &[usize], texts: &str) -> bool {
    let (Some(first), Some(&first_column)) = (cells.first(), columns.first()) else { return false };
    let text = |cell: &WrittenCell| texts.get(cell.from..cell.to).unwrap_or_default();
    let (header, rest) =
        cells.split_at(cells.iter().take_while(|cell| cell.row == first.row).count());
    let has_corner = first.column == first_column;
    let is_whole = header.len() + usize::from(!has_corner) == columns.len();
    if !is_whole || columns.len() < 2 || rest.is_empty() {
        return false;
    }
    if header.iter().all(|cell| is_bold(text(cell))) {
        // The names of the rows may be bold as well.
        let values = rest.iter().filter(|cell| cell.column != first_column);
        let (bold, all) = values
            .fold((0, 0), |(bold, all), cell| (bold + usize::from(is_bold(text(cell))), all + 1));
        return all > 0 && bold * 2 < all;
    }
    let has_digit = |cell: &WrittenCell| text(cell).bytes().any(|byte| byte.is_ascii_digit());
    let rows = rest.chunk_by(|a, b| a.row == b.row).count();
    let width = cells.iter().map(|cell| cell.column + 1).max().unwrap_or(0);
    let mut below = vec![ColumnBelow::default(); width];
    for cell in rest {
        let column = &mut below[cell.column];
        column.cells += 1;
        column.bytes += text(cell).len();
        column.numbers += usize::from(has_digit(cell));
    }
    let is_over_text = |cell: &WrittenCell| {
        let (length, column) = (text(cell).len(), &below[cell.column]);
        length <= MAX_HEADING_BYTES
            && column.bytes >= MIN_TEXT_FACTOR * length * column.cells.max(1)
    };
    let is_over_numbers = || {
        columns.len() >= MIN_COLUMNS
            && rows >= MIN_ROWS
            && !header.iter().any(|cell| has_digit(cell) && !is_year(text(cell)))
            && below.iter().any(|column| column.numbers == rows)
    };
    has_corner && header.iter().all(|cell| !has_digit(cell) && is_over_text(cell))
        || is_over_numbers()
}

/// The cells of a column below the first row.
#[derive(Debug, Clone, Copy, Default)]
struct ColumnBelow {
    cells: usize,
    bytes: usize,
    /// Number of cells that have a digit.
    numbers: usize,
}

/// Whether all words of a cell are bold: `**Average**<br>**price**`.
fn is_bold(text: &str) -> bool {
    let mut parts = text.replace("<br>", " ");
    parts.retain(|sign| sign != ' ');
    let outside = parts.split("**").step_by(2);
    parts.starts_with("**")
        && parts.matches("**").count().is_multiple_of(2)
        && outside.collect::<String>().is_empty()
}

fn is_year(text: &str) -> bool {
    let year = text.trim_matches('*');
    year.len() == 4 && year.parse::<u16>().is_ok_and(|year| (1900..2100).contains(&year))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_header(rows: &[&[&str]]) -> bool {
        let (mut cells, mut texts) = (Vec::new(), String::new());
        for (row, parts) in rows.iter().enumerate() {
            for (column, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
                let from = texts.len();
                texts.push_str(part);
                cells.push(WrittenCell { row, column, from, to: texts.len() });
            }
        }
        let columns: Vec<usize> =
            (0..rows.iter().map(|row| row.len()).max().unwrap_or(0)).collect();
        is_header_row(&cells, &columns, &texts)
    }

    #[test]
    fn bold_first_row_is_a_header_also_beside_bold_names_of_rows() {
        assert!(is_header(&[
            &["**Trend**", "**Impact**"],
            &["**Oak**", "more carts"],
            &["**Elm**", "none"]
        ]));
        assert!(is_header(&[&["**Name**", "**Average**<br>**price**"], &["Oak", "9"]]));
        assert!(is_header(&[&["", "**Rating**"], &["Sound", "7.5"], &["Comfort", "8"]]));
        assert!(!is_header(&[&["**Oak**", "**9 carts**"], &["**Elm**", "**none**"]]));
        assert!(!is_header(&[&["**Oak**", "nine **carts**"], &["Elm", "none"]]));
    }

    #[test]
    fn short_cells_over_numbers_or_long_texts_are_a_header() {
        assert!(is_header(&[
            &["Surplus", "2024", "Change"],
            &["Oak", "9", "1 %"],
            &["Elm", "8", "2 %"]
        ]));
        assert!(is_header(&[
            &["Pros", "Cons"],
            &["Clear structure and easy to manage", "Lacks flexibility for new wishes"],
        ]));
        for rows in [
            &[&["Surplus", "24 %", "Change"][..], &["Oak", "9", "1 %"], &["Elm", "8", "2 %"]][..],
            &[&["Weight", "9 pounds"], &["Drop", "10 mm"]],
            &[
                &["Headquarters:", "Ghent"],
                &["Established:", "a long time before the war, in Bruges"],
            ],
            &[&["Oak", "Elm"]],
        ] {
            assert!(!is_header(rows), "{rows:?}");
        }
    }
}
