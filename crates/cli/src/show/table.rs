//! Tables of text.

/// Table whose first column is aligned left and the others right, each as wide as its widest cell.
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
        let chars = |row: &Vec<String>, c: usize| row.get(c).map_or(0, |cell| cell.chars().count());
        let widths: Vec<usize> =
            (0..columns).map(|c| self.rows.iter().map(|row| chars(row, c)).max().unwrap_or(0)).collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (c, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let cell = if c == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
                line.push_str(&cell);
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
}
