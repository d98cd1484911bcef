//! Tweets about the news.

use std::path::Path;

use serde::Deserialize;

use super::{DataError, LabelledText, LabelledTexts, file::TextFile};

const FILE: &str = "clustering/gsdmm/Tweet";

#[derive(Deserialize)]
struct Tweet {
    text: String,
    cluster: i64,
}

/// Tweets on which GSDMM was evaluated (Yin and Wang 2014): 2,472 tweets on 89 topics, without stop words.
/// The label is the topic's number.
///
/// Reads `clustering/gsdmm/Tweet` in `dir`, a JSON object `{"text", "cluster"}` a line.
///
/// # Errors
/// [`DataError`] if the file is missing, too large, holds another line, or none.
pub fn tweets(dir: &Path) -> Result<LabelledTexts, DataError> {
    let file = TextFile::read(dir, FILE)?;
    let labelled =
        |(_, tweet): (usize, Tweet)| LabelledText { text: tweet.text, label: tweet.cluster.to_string() };
    let items = file.jsonl()?.into_iter().map(labelled).collect();
    LabelledTexts::of("tweets", items, file)
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn read(content: &str) -> Result<LabelledTexts, DataError> {
        tweets(folder(&[(FILE, content)]).path())
    }

    #[test]
    fn each_line_is_a_text_with_its_topic_number() {
        let read = read("{\"text\": \"gala london\", \"cluster\": 65}\n{\"cluster\": 7, \"text\": \"b\"}\n")
            .unwrap();
        assert_eq!(read.texts().collect::<Vec<_>>(), ["gala london", "b"]);
        assert_eq!(read.labels().collect::<Vec<_>>(), ["65", "7"]);
    }

    #[test]
    fn bad_line_is_reported_with_its_field() {
        let error = read("{\"text\":\"a\",\"cluster\":1}\n{\"text\":\"b\",\"cluster\":\"x\"}\n").unwrap_err();
        let DataError::Json { line, source, .. } = error else { panic!("{error:?}") };
        assert_eq!((line, source.field.as_deref()), (2, Some("cluster")));
    }

    #[test]
    fn empty_and_missing_files_are_errors() {
        assert!(matches!(read("\n"), Err(DataError::Empty { .. })));
        let error = tweets(folder(&[]).path()).unwrap_err().to_string();
        assert!(error.contains(FILE), "{error}");
    }
}
