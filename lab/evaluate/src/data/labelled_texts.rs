//! Single texts with a label each: BANKING77, CLINC150, tweets.

use std::path::Path;

use serde::Deserialize;

use super::{DataError, file::TextFile};

/// Text with a label given by people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledText {
    /// Text as it was written.
    pub text: String,
    /// Label of the text.
    pub label: String,
}

/// Data set of single texts, in the order of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledTexts {
    /// Name of the data set in reports.
    pub name: &'static str,
    /// Texts with their labels.
    pub items: Vec<LabelledText>,
}

impl LabelledTexts {
    fn of(
        name: &'static str,
        items: impl IntoIterator<Item = (String, String)>,
        file: TextFile,
    ) -> Result<Self, DataError> {
        let items: Vec<_> = items.into_iter().map(|(text, label)| LabelledText { text, label }).collect();
        if items.is_empty() { Err(DataError::empty(file.path)) } else { Ok(Self { name, items }) }
    }
}

/// BANKING77 (Casanueva et al. 2020), the test part: 3,080 questions to a bank, of 77 intents.
///
/// Reads `clustering/banking77/banking_data_test.csv` in `dir`, a table of `text,category`.
///
/// # Errors
/// [`DataError`] if the file is missing, no such table, or without a row.
pub fn banking77(dir: &Path) -> Result<LabelledTexts, DataError> {
    #[derive(Deserialize)]
    struct Row {
        text: String,
        category: String,
    }
    let file = TextFile::read(dir, "clustering/banking77/banking_data_test.csv")?;
    let rows: Vec<Row> = file.table("text,category")?;
    LabelledTexts::of("banking77", rows.into_iter().map(|row| (row.text, row.category)), file)
}

/// CLINC150 (Larson et al. 2019), the test part: 4,500 queries to an assistant, of 150 intents.
///
/// Reads `clustering/clinc150/data_full.json` in `dir`: under `test` a list of `[text, intent]`. Queries out
/// of scope are stored under another name and are left out.
///
/// # Errors
/// [`DataError`] if the file is missing, of another shape, or without a query.
pub fn clinc150(dir: &Path) -> Result<LabelledTexts, DataError> {
    #[derive(Deserialize)]
    struct Parts {
        test: Vec<(String, String)>,
    }
    let file = TextFile::read(dir, "clustering/clinc150/data_full.json")?;
    let parts: Parts = file.json()?;
    LabelledTexts::of("clinc150", parts.test, file)
}

/// Tweets on which GSDMM was evaluated (Yin and Wang 2014): 2,472 tweets on 89 topics, without stop words.
/// The label is the topic's number.
///
/// Reads `clustering/gsdmm/Tweet` in `dir`, a JSON object `{"text", "cluster"}` a line.
///
/// # Errors
/// [`DataError`] if the file is missing, holds another line, or none.
pub fn tweets(dir: &Path) -> Result<LabelledTexts, DataError> {
    #[derive(Deserialize)]
    struct Tweet {
        text: String,
        cluster: i64,
    }
    let file = TextFile::read(dir, "clustering/gsdmm/Tweet")?;
    let lines: Vec<(usize, Tweet)> = file.jsonl()?;
    LabelledTexts::of("tweets", lines.into_iter().map(|(_, t)| (t.text, t.cluster.to_string())), file)
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn told(read: fn(&Path) -> Result<LabelledTexts, DataError>, file: &str, content: &str) -> String {
        match read(folder(&[(file, content)]).path()) {
            Ok(set) => set.items.iter().map(|item| format!("{}: {}\n", item.label, item.text)).collect(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_set_is_read_as_its_makers_publish_it() {
        let bank = |content| told(banking77, "clustering/banking77/banking_data_test.csv", content);
        assert_eq!(bank("text,category\n\"Oh, \"\"it\"\"\",lost\n"), "lost: Oh, \"it\"\n");
        assert!(bank("text,category\na,b\nOh, no,c\n").contains("test.csv:3: not a row of `text,category`"));
        assert!(bank("text,category\n").contains("nothing there is labelled"));

        let clinc = |content| told(clinc150, "clustering/clinc150/data_full.json", content);
        assert_eq!(clinc(r#"{"oos_test":[["hm","oos"]],"test":[["fly","translate"]]}"#), "translate: fly\n");
        assert!(clinc("{}").contains("data_full.json:1: "));

        let tweet = |content| told(tweets, "clustering/gsdmm/Tweet", content);
        assert_eq!(tweet("{\"text\": \"gala london\", \"cluster\": 65}\n"), "65: gala london\n");
        assert!(tweet("{\"text\":\"b\",\"cluster\":\"x\"}\n").contains("Tweet:1: "));
    }
}
