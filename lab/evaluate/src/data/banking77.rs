//! BANKING77: questions of customers to a bank.

use std::path::Path;

use super::{DataError, LabelledText, LabelledTexts, file::TextFile};

const FILE: &str = "clustering/banking77/banking_data_test.csv";
const COLUMNS: &str = "text,category";

/// BANKING77 (Casanueva et al. 2020), the test part: 3,080 questions to a bank, of 77 intents.
///
/// Reads `clustering/banking77/banking_data_test.csv` in `dir`, a table of `text,category`.
///
/// # Errors
/// [`DataError`] if the file is missing, too large, no such table, or without a row.
pub fn banking77(dir: &Path) -> Result<LabelledTexts, DataError> {
    let file = TextFile::read(dir, FILE)?;
    let bad = |source| file.csv_error(COLUMNS, source);
    let mut rows = csv::Reader::from_reader(file.text().as_bytes());
    let header = rows.headers().map_err(bad)?;
    if !header.iter().eq(COLUMNS.split(',')) {
        let given = header.iter().map(str::to_owned).collect();
        return Err(DataError::Header { path: file.path, given, columns: COLUMNS });
    }
    let items = rows.deserialize().map(|row| row.map(|(text, label)| LabelledText { text, label }));
    let items = items.collect::<Result<Vec<_>, _>>().map_err(bad)?;
    LabelledTexts::of("banking77", items, file)
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn read(content: &str) -> Result<LabelledTexts, DataError> {
        banking77(folder(&[(FILE, content)]).path())
    }

    #[test]
    fn quoted_cells_keep_commas_quotes_and_line_breaks() {
        let read = read("text,category\nWhere is it?,card\n\"Oh, \"\"it\"\"\nis here\",lost\n").unwrap();
        assert_eq!(read.name, "banking77");
        assert_eq!(read.texts().collect::<Vec<_>>(), ["Where is it?", "Oh, \"it\"\nis here"]);
        assert_eq!(read.labels().collect::<Vec<_>>(), ["card", "lost"]);
    }

    #[test]
    fn row_of_another_width_is_reported_with_its_line() {
        let error = read("text,category\na,b\nOh, no,c\n").unwrap_err();
        assert!(matches!(error, DataError::Csv { line: 3, .. }), "{error:?}");
        assert!(
            error.to_string().ends_with("banking_data_test.csv:3: not a row of `text,category`"),
            "{error}"
        );
    }

    #[test]
    fn wrong_header_is_reported_with_the_expected_one() {
        let error = read("text,label\na,b\n").unwrap_err().to_string();
        assert!(
            error.ends_with(r#":1: the header is ["text", "label"]; it must be `text,category`"#),
            "{error}"
        );
        assert!(matches!(read(""), Err(DataError::Header { .. })));
    }

    #[test]
    fn empty_table_and_missing_file_are_errors() {
        assert!(matches!(read("text,category\n"), Err(DataError::Empty { .. })));
        let error = banking77(folder(&[]).path()).unwrap_err().to_string();
        assert!(error.contains(FILE), "{error}");
    }
}
