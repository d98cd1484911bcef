//! Topics of a text: its noun phrases, by grammar.

use nightfold_memory::{TopicPhrase, grammar::PartOfSpeech};

use crate::{
    lexicon::WordClass,
    text::{Analysis, NounGroup, Token, noun_groups, placeholders, token_of, words_text},
};

/// Maximum length of a topic with what follows its noun, in characters.
const MAX_CHARS: usize = 44;

/// Returns the phrases that can name the subject of a text, in order; `None` without a grammar.
///
/// A phrase never begins with a determiner or a pronoun. Placeholders, words of log lines and words that name no
/// theme are no topics.
pub(crate) fn topics(text: &str, analysis: &Analysis) -> Option<Vec<TopicPhrase>> {
    let grammar = analysis.grammar.as_ref()?;
    let unfilled = placeholders(text);
    let groups = noun_groups(grammar);
    let topic = |group: &NounGroup| {
        let head = analysis.tokens.get(token_of(analysis, grammar, group.head)?)?;
        let core = words_text(text, grammar, &group.core);
        let in_placeholder =
            |token: &Token| unfilled.iter().any(|range| range.start < token.end && token.start < range.end);
        if !may_name(head, grammar.words().get(group.head)?.part_of_speech()) || in_placeholder(head) {
            return None;
        }
        let mut whole = group.clone();
        if whole.is_owner_pronoun(grammar) {
            whole.owner = None;
        }
        let is_fine = |group: &NounGroup| {
            let words = group.words();
            let tokens = words.clone().filter_map(|at| analysis.tokens.get(token_of(analysis, grammar, at)?));
            words_text(text, grammar, &words).chars().count() <= MAX_CHARS
                && tokens.clone().all(|t| !in_placeholder(t) && !WordClass::Boilerplate.has(&t.lower))
        };
        // From the longest to the shortest: with everything, without what follows, the noun with its modifiers.
        let without_tail = NounGroup { tail: None, ..whole.clone() };
        let bare = NounGroup { owner: None, number: None, ..without_tail.clone() };
        let noun = NounGroup { core: group.head..group.core.end, ..bare.clone() };
        let mut forms: Vec<String> = Vec::new();
        let mut stems = Vec::new();
        for form in [whole, without_tail, bare, noun].iter().filter(|form| is_fine(form)) {
            let written = words_text(text, grammar, &form.words());
            if stems.is_empty() {
                stems = form
                    .words()
                    .filter_map(|at| analysis.tokens.get(token_of(analysis, grammar, at)?))
                    .filter(|token| !token.function)
                    .map(|token| token.stem.clone())
                    .collect();
                stems.sort_unstable();
                stems.dedup();
            }
            if !written.is_empty() && !forms.contains(&written) {
                forms.push(written);
            }
        }
        let is_name = !core.is_empty() && !forms.is_empty();
        is_name.then(|| TopicPhrase { stem: head.stem.clone(), forms, stems })
    };
    Some(groups.iter().filter_map(topic).collect())
}

/// True if a phrase around this noun can be a topic.
fn may_name(head: &Token, part_of_speech: PartOfSpeech) -> bool {
    let is_word = head.names_theme && !WordClass::Boilerplate.has(&head.lower);
    // A proper noun has a capital; what the reading takes for one without is left to common nouns' rules.
    is_word && (part_of_speech == PartOfSpeech::Noun || head.capital || head.lower.chars().count() > 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{analyze, tagged};

    fn found(text: &str, tags: &str) -> Vec<Vec<String>> {
        let analysis = Analysis { grammar: Some(tagged(text, tags)), ..analyze(text, []) };
        topics(text, &analysis).unwrap().into_iter().map(|topic| topic.forms).collect()
    }

    #[test]
    fn topic_has_forms_from_the_longest_to_the_noun() {
        let text = "Joss's old debt of 14 silver grew";
        let tags = "Joss/PROPN/nmod/4 's/PART/case/1 old/ADJ/amod/4 debt/NOUN/nsubj/8 of/ADP/case/7 \
                    14/NUM/nummod/7 silver/NOUN/nmod/4 grew/VERB/root/0";
        let forms = found(text, tags);
        assert_eq!(forms[1], ["Joss's old debt of 14 silver", "Joss's old debt", "old debt", "debt"]);
        assert_eq!(forms[0], ["Joss"]);
        assert_eq!(forms[2], ["14 silver", "silver"]);
    }

    #[test]
    fn pronouns_and_articles_begin_no_topic() {
        let text = "my watch of the yard";
        let tags = "my/PRON/nmod/2 watch/NOUN/root/0 of/ADP/case/5 the/DET/det/5 yard/NOUN/nmod/2";
        assert_eq!(found(text, tags), [vec!["watch of the yard", "watch"], vec!["yard"]]);
    }

    #[test]
    fn placeholders_times_and_log_words_are_no_topics() {
        let text = "INFO <random> gave [item] status to the guard at night";
        let tags = "INFO/PROPN/nsubj/5 </PUNCT/punct/3 random/NOUN/nsubj/5 >/PUNCT/punct/3 gave/VERB/root/0 \
                    [/PUNCT/punct/7 item/NOUN/compound/9 ]/PUNCT/punct/7 status/NOUN/obj/5 to/ADP/case/12 \
                    the/DET/det/12 guard/NOUN/obl/5 at/ADP/case/14 night/NOUN/obl/5";
        assert_eq!(found(text, tags), [vec!["guard"]]);
    }

    #[test]
    fn text_without_grammar_has_unknown_topics() {
        assert_eq!(topics("the old debt", &analyze("the old debt", [])), None);
    }
}
