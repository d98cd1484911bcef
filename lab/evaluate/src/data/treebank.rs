//! Universal Dependencies: sentences whose words people have tagged.

use std::{ops::Range, path::Path};

use nightfold_memory::grammar::{Mood, Number, PartOfSpeech, Person, Relation, Tense, VerbForm, WordTags};

use super::{DataError, file::TextFile};

const COLUMNS: &str = "id form lemma UPOS _ features head relation _ _";

/// Sentence with the tags that people gave its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreebankSentence {
    /// Text as it was written.
    pub text: String,
    /// Words, in order.
    pub words: Vec<TreebankWord>,
}

/// Word of a treebank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreebankWord {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// Tags, with the universal part of the relation.
    pub tags: WordTags,
}

/// Reads a half of UD English EWT (Silveira et al. 2014): `test.conllu` or `dev.conllu` in `dir`, or in `ud_ewt` in
/// it. The file is in `CoNLL-U`, with a comment `# text = …` before the words of each sentence.
///
/// # Errors
/// [`DataError`] if it is missing, or a line is no word of the text above it.
pub fn ud_ewt(dir: &Path, half: &str) -> Result<Vec<TreebankSentence>, DataError> {
    let inner = dir.join("ud_ewt");
    let file = TextFile::read(if inner.is_dir() { &inner } else { dir }, &format!("{half}.conllu"))?;
    let mut sentences: Vec<TreebankSentence> = Vec::new();
    let mut open = false;
    for (line, written) in (1..).zip(file.text().lines()) {
        if let Some(text) = written.strip_prefix("# text = ") {
            sentences.push(TreebankSentence { text: text.to_owned(), words: Vec::new() });
            open = true;
        } else if written.is_empty() {
            open = false;
        } else if !written.starts_with('#') {
            let word = sentences.last_mut().filter(|_| open).ok_or(RowProblem::NoText);
            let read = word.and_then(|sentence| {
                let word = word_of(sentence, written)?;
                sentence.words.push(word);
                Ok(())
            });
            read.map_err(|problem| match problem {
                RowProblem::Cells(given) => {
                    DataError::Cells { path: file.path.clone(), line, given, columns: COLUMNS }
                }
                RowProblem::NoText => {
                    DataError::Tag { path: file.path.clone(), line, given: written.to_owned() }
                }
                RowProblem::Value(given) => DataError::Tag { path: file.path.clone(), line, given },
            })?;
        }
    }
    sentences.retain(|sentence| !sentence.words.is_empty());
    if sentences.is_empty() { Err(DataError::Empty { path: file.path }) } else { Ok(sentences) }
}

/// Reason why a row is no word of its sentence.
enum RowProblem {
    /// Number of its cells.
    Cells(usize),
    NoText,
    /// Value that is unknown, or does not stand in the text.
    Value(String),
}

fn word_of(sentence: &TreebankSentence, row: &str) -> Result<TreebankWord, RowProblem> {
    let cells: Vec<&str> = row.split('\t').collect();
    let &[_, form, _, part_of_speech, _, features, head, relation, ..] = cells.as_slice() else {
        return Err(RowProblem::Cells(cells.len()));
    };
    let unknown = |value: &str| RowProblem::Value(value.to_owned());
    let from = sentence.words.last().map_or(0, |word| word.span.end);
    let rest = sentence.text.get(from..).unwrap_or_default();
    let start = from + rest.find(form).ok_or_else(|| unknown(form))?;
    let feature = |name: &str| {
        let mut named = features.split('|').filter_map(|feature| feature.split_once('='));
        named.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let relation = relation.split(':').next().unwrap_or_default();
    let head: usize = head.parse().map_err(|_| unknown(head))?;
    Ok(TreebankWord {
        span: start..start + form.len(),
        tags: WordTags {
            part_of_speech: PartOfSpeech::from_tag(part_of_speech).ok_or_else(|| unknown(part_of_speech))?,
            relation: Relation::from_tag(relation).ok_or_else(|| unknown(relation))?,
            head: head.checked_sub(1),
            number: feature("Number").and_then(Number::from_tag),
            person: feature("Person").and_then(Person::from_tag),
            tense: feature("Tense").and_then(Tense::from_tag),
            verb_form: feature("VerbForm").and_then(VerbForm::from_tag),
            mood: feature("Mood").and_then(Mood::from_tag),
        },
    })
}

#[cfg(test)]
mod tests {
    use nightfold_memory::text::part;

    use super::{super::fixture::folder, *};

    const FILE: &str = "# sent_id = a-1\n# text = Odo's fever broke.\n\
        1\tOdo\tOdo\tPROPN\t_\tNumber=Sing\t3\tnmod:poss\t_\t_\n\
        2\t's\t's\tPART\t_\t_\t1\tcase\t_\t_\n\
        3\tfever\tfever\tNOUN\t_\tNumber=Sing\t4\tnsubj\t_\t_\n\
        4\tbroke\tbreak\tVERB\t_\tMood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin\t0\troot\t_\t_\n\
        5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_\n\n";

    #[test]
    fn words_are_found_in_their_text() {
        let dir = folder(&[("ud_ewt/test.conllu", FILE)]);
        let sentences = ud_ewt(dir.path(), "test").unwrap();
        let [sentence] = sentences.as_slice() else { panic!("{sentences:?}") };
        let written: Vec<&str> =
            sentence.words.iter().map(|word| part(&sentence.text, word.span.clone())).collect();
        assert_eq!(written, ["Odo", "'s", "fever", "broke", "."]);
        let [odo, _, _, broke, _] = sentence.words.as_slice() else { panic!("{sentence:?}") };
        assert_eq!((odo.tags.relation, odo.tags.head), (Relation::NominalModifier, Some(2)));
        assert_eq!((broke.tags.head, broke.tags.tense), (None, Some(Tense::Past)));
        assert_eq!(ud_ewt(&dir.path().join("ud_ewt"), "test").unwrap(), sentences);
    }

    #[test]
    fn words_that_do_not_fit_are_errors() {
        for (from, to, expected) in [
            ("PROPN", "NAME", "test.conllu:3: \"NAME\""),
            ("\tfever\t", "\tplague\t", "test.conllu:5: \"plague\""),
            ("nsubj", "subject", "test.conllu:5: \"subject\""),
            ("# text = Odo's fever broke.\n", "", "test.conllu:2: "),
            ("5\t.\t", "5 . ", "test.conllu:7: "),
        ] {
            let dir = folder(&[("test.conllu", &FILE.replacen(from, to, 1))]);
            let error = ud_ewt(dir.path(), "test").unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(matches!(ud_ewt(folder(&[]).path(), "test"), Err(DataError::Missing { .. })));
        let empty = folder(&[("dev.conllu", "\n")]);
        assert!(matches!(ud_ewt(empty.path(), "dev"), Err(DataError::Empty { .. })));
    }
}
