//! The header row of a table whose cells are not marked as header cells.

use super::WrittenCell;

/// Minimum number of columns for a header that is recognised by the numbers below it: a table of
/// two columns mostly lists properties with their values.
const MIN_COLUMNS: usize = 3;

/// Minimum number of rows below such a header.
const MIN_ROWS: usize = 2;

/// Whether the first row of a table is its header: only its cells are bold, or none of them has a
/// digit and a column below has one in every row.
pub(super) fn is_header_row(cells: &[WrittenCell], columns: usize, texts: &str) -> bool {
    let Some(first) = cells.first() else { return false };
    let text = |cell: &WrittenCell| texts.get(cell.from..cell.to).unwrap_or_default();
    let (header, rest) =
        cells.split_at(cells.iter().take_while(|cell| cell.row == first.row).count());
    if header.len() != columns || columns < 2 || rest.is_empty() {
        return false;
    }
    let is_bold = |cell: &WrittenCell| {
        let inner = text(cell).strip_prefix("**").and_then(|text| text.strip_suffix("**"));
        inner.is_some_and(|inner| !inner.contains("**"))
    };
    let has_digit = |cell: &WrittenCell| text(cell).bytes().any(|byte| byte.is_ascii_digit());
    if header.iter().all(is_bold) {
        return rest.iter().filter(|cell| is_bold(cell)).count() * 2 < rest.len();
    }
    if columns < MIN_COLUMNS || header.iter().any(has_digit) {
        return false;
    }
    let rows = rest.chunk_by(|a, b| a.row == b.row).count();
    let width = cells.iter().map(|cell| cell.column + 1).max().unwrap_or(0);
    let mut numbers = vec![0; width];
    for cell in rest.iter().filter(|cell| has_digit(cell)) {
        numbers[cell.column] += 1;
    }
    rows >= MIN_ROWS && numbers.contains(&rows)
}
