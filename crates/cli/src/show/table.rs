//! Tables of text.

use textwrap::core::display_width;

/// Table whose first column is left-aligned and whose further columns are right-aligned; each column is as
/// wide as its widest cell. A column in which only the heading stands is left out.
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(crate) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self { rows: vec![headings.map(str::to_owned).to_vec()] }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell_width = |row: &Vec<String>, c: usize| row.get(c).map_or(0, |cell| display_width(cell));
        let widths: Vec<usize> =
            (0..columns).map(|c| self.rows.iter().map(|row| cell_width(row, c)).max().unwrap_or(0)).collect();
        let is_shown = |c: usize| c == 0 || self.rows.iter().skip(1).any(|row| cell_width(row, c) > 0);
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (c, (cell, &width)) in row.iter().zip(&widths).enumerate().filter(|(c, _)| is_shown(*c)) {
                let blank = " ".repeat(width.saturating_sub(display_width(cell)));
                line.push_str(&if c == 0 { format!("{cell}{blank}") } else { format!("  {blank}{cell}") });
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = TextTable::new(["what", "n"]);
        table.row(["häher".to_owned(), "1000".to_owned()]);
        table.row(["x".to_owned(), "2".to_owned()]);
        assert_eq!(table.render(), "what      n\nhäher  1000\nx         2\n");
    }

    #[test]
    fn column_without_cells_is_left_out() {
        let mut table = TextTable::new(["what", "n", "seconds", "m"]);
        table.row(["a", "1", "", "2"].map(str::to_owned));
        assert_eq!(table.render(), "what  n  m\na     1  2\n");
    }

    #[test]
    fn wide_letters_take_two_columns() {
        let mut table = TextTable::new(["who", "n"]);
        table.row(["美羽".to_owned(), "1".to_owned()]);
        assert_eq!(table.render(), "who   n\n美羽  1\n");
    }
}
