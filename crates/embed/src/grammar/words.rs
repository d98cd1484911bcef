//! Words from pre-tokens: what the tokenizer split ("1,000", "e-mail") is put together again.

use std::ops::Range;

use nightfold_memory::grammar::{Grammar, Relation, Word, WordTags};

/// Word as the tokenizer splits texts: by white space and punctuation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PreToken {
    /// Byte range in the text.
    pub(crate) span: Range<usize>,
    /// Index of its first token.
    pub(crate) token: usize,
}

/// Returns the grammar of a text; `None` if no word could be read. Pre-tokens that are parts of a word are
/// joined with it if nothing stands between them.
pub(super) fn joined(pre_tokens: &[PreToken], tags: &[WordTags]) -> Option<Grammar> {
    let count = pre_tokens.len().min(tags.len());
    if count == 0 {
        return None;
    }
    let runs = runs(&pre_tokens[..count], tags);
    let mut word_of = vec![0; count];
    for (word, run) in runs.iter().enumerate() {
        word_of[run.clone()].fill(word);
    }
    let main: Vec<usize> = runs
        .iter()
        .map(|run| run.clone().find(|&at| tags[at].relation != Relation::PartOfWord).unwrap_or(run.start))
        .collect();
    let mut heads: Vec<Option<usize>> = main
        .iter()
        .enumerate()
        .map(|(word, &at)| {
            // A head within the word itself is left for that one's head.
            let outside = std::iter::successors(tags[at].head, |&head| tags.get(head)?.head).take(count);
            outside.map(|head| word_of[head]).find(|&head| head != word)
        })
        .collect();
    for word in 0..heads.len() {
        let above = std::iter::successors(heads[word], |&head| heads[head]).take(heads.len());
        if above.into_iter().any(|head| head == word) {
            heads[word] = None;
        }
    }
    let words: Vec<Word> = runs
        .iter()
        .zip(&main)
        .zip(heads)
        .map(|((run, &at), head)| {
            let span = pre_tokens[run.start].span.start..pre_tokens[run.end - 1].span.end;
            let relation = match (head, tags[at].relation) {
                (None, _) => Relation::Root,
                (Some(_), Relation::Root) => Relation::Dependency,
                (Some(_), relation) => relation,
            };
            Word::new(span, WordTags { head, relation, ..tags[at] })
        })
        .collect::<Result<_, _>>()
        .ok()?;
    Grammar::new(words).ok()
}

/// Returns the ranges of pre-tokens that are one word each.
fn runs(pre_tokens: &[PreToken], tags: &[WordTags]) -> Vec<Range<usize>> {
    let is_joined = |at: usize| {
        let touches = pre_tokens[at - 1].span.end == pre_tokens[at].span.start;
        let part = |at: usize| tags[at].relation == Relation::PartOfWord;
        let follows = part(at) && tags[at].head.is_some_and(|head| head < at);
        let leads = part(at - 1) && tags[at - 1].head.is_some_and(|head| head >= at);
        touches && (follows || leads)
    };
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in 0..pre_tokens.len() {
        match runs.last_mut() {
            Some(run) if is_joined(at) => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use nightfold_memory::grammar::PartOfSpeech;

    use super::*;

    fn grammar(words: &[(&str, Relation, Option<usize>)]) -> Vec<(String, Relation, Option<usize>)> {
        // A word that begins with "+" touches the previous one.
        let mut text = String::new();
        let mut pre_tokens = Vec::new();
        let mut tags = Vec::new();
        for (at, &(word, relation, head)) in words.iter().enumerate() {
            let written = word.strip_prefix('+').unwrap_or(word);
            if written == word && at > 0 {
                text.push(' ');
            }
            pre_tokens.push(PreToken { span: text.len()..text.len() + written.len(), token: at + 1 });
            text.push_str(written);
            tags.push(WordTags::new(PartOfSpeech::Noun, relation, head));
        }
        let grammar = joined(&pre_tokens, &tags).unwrap();
        grammar.words().iter().map(|w| (w.written(&text).to_owned(), w.relation(), w.head())).collect()
    }

    fn word(written: &str, relation: Relation, head: Option<usize>) -> (String, Relation, Option<usize>) {
        (written.to_owned(), relation, head)
    }

    #[test]
    fn parts_of_a_word_are_joined() {
        use Relation::{Case, NumericModifier, PartOfWord, Root};
        let silver = [
            ("1", NumericModifier, Some(3)),
            ("+,", PartOfWord, Some(0)),
            ("+000", PartOfWord, Some(0)),
            ("silver", Root, None),
        ];
        assert_eq!(grammar(&silver), [word("1,000", NumericModifier, Some(1)), word("silver", Root, None)]);
        let odo = [("Odo", Root, None), ("+'", PartOfWord, Some(2)), ("+s", Case, Some(0))];
        assert_eq!(grammar(&odo), [word("Odo", Root, None), word("'s", Case, Some(0))]);
        let apart = [("in", Root, None), ("to", PartOfWord, Some(0))];
        assert_eq!(grammar(&apart), [word("in", Root, None), word("to", PartOfWord, Some(0))]);
    }

    #[test]
    fn heads_of_joined_words_form_trees() {
        use Relation::{Object, PartOfWord, Root, Subject};
        // The part's head is far away, and the word that depends on the part is the head of its other part.
        let twisted =
            [("a", Subject, Some(2)), ("+b", PartOfWord, Some(0)), ("c", Object, Some(1)), ("d", Root, None)];
        assert_eq!(
            grammar(&twisted),
            [word("ab", Root, None), word("c", Object, Some(0)), word("d", Root, None)]
        );
    }

    #[test]
    fn no_words_have_no_grammar() {
        assert_eq!(joined(&[], &[]), None);
    }
}
