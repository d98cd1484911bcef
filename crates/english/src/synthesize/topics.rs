//! Topics of a text: its noun phrases, by grammar.

use std::ops::Range;

use nightfold_memory::{
    TopicForm, TopicPhrase,
    grammar::{Grammar, PartOfSpeech, Relation, Word},
};

use super::phrase::lower_first;
use crate::{
    lexicon::{
        WordClass,
        wordnet::{self, lemmas},
    },
    text::{Analysis, NounGroup, Token, noun_groups, part, placeholders, singular, token_of, words_text},
};

/// Maximum length of a topic with what follows its noun, in characters.
const MAX_CHARS: usize = 44;

/// Returns the phrases that can name the subject of a text, in order; none without its grammar.
///
/// A phrase never begins with a determiner or a pronoun. Placeholders, words of log lines and words that name no
/// theme are no topics.
pub(crate) fn topics(text: &str, analysis: &Analysis) -> Vec<TopicPhrase> {
    let Some(grammar) = analysis.grammar.as_ref() else { return Vec::new() };
    if let Some(label) = label(text, analysis) {
        return vec![label];
    }
    let reading = Reading { text, analysis, grammar, unfilled: placeholders(text) };
    let mut found: Vec<TopicPhrase> =
        noun_groups(grammar).into_iter().filter_map(|group| reading.topic(group)).collect();
    found.extend((0..grammar.words().len()).filter_map(|word| reading.describing_noun(word)));
    found
}

/// True if a phrase around this noun can be a topic.
fn may_name(head: &Token) -> bool {
    let one = singular(&head.lower);
    let names = |word: &str| {
        ![WordClass::Vague, WordClass::Measure, WordClass::Boilerplate, WordClass::Selecting]
            .iter()
            .any(|class| class.has(word))
    };
    head.names_theme && names(&head.lower) && names(&one)
}

/// Maximum number of words of a status line's label.
const MAX_LABEL_WORDS: usize = 5;

/// Returns what a status line is about: "River gate post" of "River gate post status: 2 patrols".
fn label(text: &str, analysis: &Analysis) -> Option<TopicPhrase> {
    let (before, after) = text.split_once(": ")?;
    let has_values = after.contains(|c: char| c.is_ascii_digit());
    let tokens = analysis.tokens_in(&(0..before.len()));
    let names = |token: &Token| token.names_theme || WordClass::Boilerplate.has(&token.lower);
    if !has_values || !(1..=MAX_LABEL_WORDS).contains(&tokens.len()) || !tokens.iter().all(names) {
        return None;
    }
    let end = tokens.iter().rposition(may_name)?;
    let words = tokens.get(..=end)?;
    let head = words.last()?;
    let written = part(text, words.first()?.start..head.word_end).to_owned();
    let form =
        TopicForm { named: written.clone(), text: written, stems: stems(words.iter()), stands_alone: true };
    (form.text.chars().count() <= MAX_CHARS).then(|| TopicPhrase {
        forms: vec![form],
        is_name: false,
        is_central: true,
    })
}

/// Returns the stems of words, sorted and distinct.
fn stems<'t>(words: impl Iterator<Item = &'t Token>) -> Vec<String> {
    let mut stems: Vec<String> = words.map(|token| token.stem.clone()).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Article of a noun.
#[derive(Debug, Clone, Copy)]
enum Article {
    Definite,
    Indefinite,
    None,
}

/// Text with its grammar.
struct Reading<'a> {
    text: &'a str,
    analysis: &'a Analysis,
    grammar: &'a Grammar,
    unfilled: Vec<Range<usize>>,
}

impl Reading<'_> {
    fn token(&self, word: usize) -> Option<&Token> {
        self.analysis.tokens.get(token_of(self.analysis, self.grammar, word)?)
    }

    fn part_of_speech(&self, word: usize) -> PartOfSpeech {
        self.grammar.words().get(word).map_or(PartOfSpeech::Other, Word::part_of_speech)
    }

    fn relation(&self, word: usize) -> Relation {
        self.grammar.words().get(word).map_or(Relation::Dependency, Word::relation)
    }

    fn topic(&self, mut group: NounGroup) -> Option<TopicPhrase> {
        self.leave_log_word(&mut group);
        let head = self.token(group.head)?;
        // "Sister Amal" is a name, "Sister" may be none.
        let is_name = (group.head..group.core.end).any(|word| self.is_name(word)) && head.capital;
        if !may_name(head) || self.is_unfilled(head) || !(is_name || self.is_common_noun(group.head)) {
            return None;
        }
        let article = self.article(&group);
        self.trim(&mut group);
        if group.is_owner_pronoun(self.grammar) {
            group.owner = None;
        }
        let mut forms = self.forms(&group, is_name, article);
        self.leave_units(&group, head, &mut forms);
        forms.first()?;
        Some(TopicPhrase {
            forms: forms.into_iter().map(|(form, _)| form).collect(),
            is_name,
            is_central: self.is_central(group.head) && !WordClass::Body.has(&singular(&head.lower)),
        })
    }

    /// Returns the noun that describes another one as a topic beside it: "guardhouse" of "guardhouse bench".
    fn describing_noun(&self, word: usize) -> Option<TopicPhrase> {
        let may_describe = |token: &&Token| !token.capital && !WordClass::Money.has(&token.lower);
        let token = self.token(word).filter(|token| may_name(token)).filter(may_describe)?;
        let describes = self.relation(word) == Relation::Compound
            && self.part_of_speech(word) == PartOfSpeech::Noun
            && self.is_common_noun(word);
        if !describes || self.is_unfilled(token) {
            return None;
        }
        let text = token.word(self.text).to_owned();
        let named = format!("the {text}");
        let form = TopicForm { named, text, stems: vec![token.stem.clone()], stands_alone: true };
        Some(TopicPhrase { forms: vec![form], is_name: false, is_central: false })
    }

    /// Names what a status line is about by the words before "status".
    fn leave_log_word(&self, group: &mut NounGroup) {
        let is_log = |word: usize| self.token(word).is_some_and(|t| WordClass::Boilerplate.has(&t.lower));
        while is_log(group.head) && group.core.start < group.head {
            group.head -= 1;
            group.core.end = group.head + 1;
            group.tail = None;
        }
    }

    /// True for a proper name: a proper noun with a capital, or a word that the day knows as one.
    fn is_name(&self, word: usize) -> bool {
        self.token(word).is_some_and(|token| {
            token.capital
                && (self.part_of_speech(word) == PartOfSpeech::ProperNoun
                    || self.analysis.names.binary_search(&token.lower).is_ok())
        })
    }

    /// True for a common noun. What the reading takes for a name without a capital is often none, nor is a word
    /// that the dictionary has as another part of speech only.
    fn is_common_noun(&self, word: usize) -> bool {
        self.token(word).is_some_and(|token| {
            let known = lemmas(&token.lower);
            let is_noun = known.iter().any(|lemma| lemma.part == wordnet::PartOfSpeech::Noun);
            let is_long = token.lower.chars().count() > 3;
            (is_noun || known.is_empty()) && (is_long || self.part_of_speech(word) == PartOfSpeech::Noun)
        })
    }

    fn is_unfilled(&self, token: &Token) -> bool {
        self.unfilled.iter().any(|range| range.start < token.end && token.start < range.end)
    }

    /// Leaves out words before the noun that do not describe it, and an owner that says nothing.
    fn trim(&self, group: &mut NounGroup) {
        while group.core.start < group.head && !self.describes(group.core.start) {
            group.core.start += 1;
            group.number = None;
        }
        // "gave Odo feverfew": the person behind a verb is the one who gets something.
        let behind_verb = || {
            let before = group.core.start.checked_sub(1);
            before.is_some_and(|at| self.part_of_speech(at) == PartOfSpeech::Verb)
        };
        if !self.is_name(group.head) && behind_verb() {
            while group.core.start < group.head && self.is_name(group.core.start) {
                group.core.start += 1;
            }
        }
        let is_function = |word: usize| self.token(word).is_none_or(|token| token.function);
        // "my brother's cart" is nobody else's "brother's cart".
        let is_of_somebody = |owner: &Range<usize>| {
            owner.len() > 1 && self.part_of_speech(owner.start) == PartOfSpeech::Pronoun
        };
        group.owner = group.owner.take().filter(|owner| !is_of_somebody(owner));
        if let Some(owner) = &mut group.owner {
            while owner.len() > 1 && is_function(owner.start) {
                owner.start += 1;
            }
        }
        let owns = |owner: &Range<usize>| {
            owner.clone().filter_map(|word| self.token(word)).all(|t| may_name(t) || t.function)
                && owner.clone().any(|word| self.token(word).is_some_and(|t| t.names_theme || t.function))
        };
        group.owner = group.owner.take().filter(owns);
        let is_plain = |number: &Range<usize>| {
            number.clone().all(|word| self.part_of_speech(word) == PartOfSpeech::Numeral)
        };
        group.number =
            group.number.take().filter(|number| number.end == group.core.start && is_plain(number));
        group.tail = group.tail.take().filter(|tail| self.tail_names(tail));
    }

    /// True for a word that describes the noun behind it: "broken", "mill".
    fn describes(&self, word: usize) -> bool {
        use PartOfSpeech::{Adjective, Noun, ProperNoun, Verb};
        let is_describing = matches!(self.part_of_speech(word), Adjective | Noun | ProperNoun | Verb);
        is_describing
            && self.token(word).is_some_and(|token| {
                !(token.function || token.number || token.negation || WordClass::Selecting.has(&token.lower))
            })
    }

    /// True if what follows the noun has no pronouns, whose meaning is outside of it.
    fn tail_names(&self, tail: &Range<usize>) -> bool {
        tail.clone().all(|word| self.part_of_speech(word) != PartOfSpeech::Pronoun)
    }

    /// Returns the article that belongs before the noun.
    fn article(&self, group: &NounGroup) -> Article {
        let determiner = group.determiner.and_then(|word| self.token(word)).map(|token| token.lower.as_str());
        match determiner {
            _ if group.owner.is_some() => Article::Definite,
            Some(written) if written == "the" || WordClass::Demonstrative.has(written) => Article::Definite,
            Some("a" | "an") => Article::Indefinite,
            _ => Article::None,
        }
    }

    /// Leaves out forms that say a unit alone: "pence" of "14 pence", "ells" of "6 ells of blue cloth".
    fn leave_units(&self, group: &NounGroup, head: &Token, forms: &mut Vec<(TopicForm, Range<usize>)>) {
        let holds = |words: &Range<usize>, part: &Option<Range<usize>>| {
            part.as_ref().is_some_and(|part| words.start <= part.start && part.end <= words.end)
        };
        if WordClass::Money.has(&head.lower) {
            forms.retain(|(_, words)| holds(words, &group.number) || holds(words, &group.owner));
        } else if group.number.is_some() && group.tail.as_ref().is_some_and(|tail| self.is_of(tail)) {
            forms.retain(|(_, words)| holds(words, &group.tail));
        }
    }

    /// Returns the forms with their words, from the longest to the shortest: with everything, without its number,
    /// without what follows, the noun with its modifiers, the noun.
    fn forms(&self, whole: &NounGroup, is_name: bool, article: Article) -> Vec<(TopicForm, Range<usize>)> {
        let uncounted = NounGroup { owner: None, number: None, ..whole.clone() };
        let without_tail = NounGroup { tail: None, ..whole.clone() };
        let bare = NounGroup { tail: None, ..uncounted.clone() };
        // Parts of a name belong together.
        let start = if is_name { bare.core.start } else { bare.head };
        let noun = NounGroup { core: start..bare.core.end, ..bare.clone() };
        let mut forms: Vec<(TopicForm, Range<usize>)> = Vec::new();
        for form in [whole, &uncounted, &without_tail, &bare, &noun] {
            if is_name && form.tail.as_ref().is_some_and(|tail| !self.is_of(tail)) {
                continue;
            }
            let text = self.written(form);
            let is_known = forms.iter().any(|(known, _)| known.text == text);
            if text.is_empty() || is_known || !self.is_fine(form, &text) {
                continue;
            }
            let named = match article {
                _ if form.owner.is_some() || (is_name && whole.determiner.is_none()) => text.clone(),
                Article::Definite => format!("the {text}"),
                // "a" or "an" goes with the word behind it, and with one thing.
                Article::Indefinite if form.core.start == whole.core.start && form.number.is_none() => {
                    format!("{} {text}", self.indefinite_article(whole))
                }
                _ => text.clone(),
            };
            let stands_alone =
                form.number.is_none() && form.tail.as_ref().is_none_or(|tail| !is_name && self.is_of(tail));
            let stems = stems(form.words().filter_map(|word| self.token(word)).filter(|t| !t.function));
            forms.push((TopicForm { text, named, stems, stands_alone }, form.words()));
        }
        forms
    }

    fn indefinite_article(&self, group: &NounGroup) -> &str {
        let token =
            group.determiner.filter(|word| word + 1 == group.core.start).and_then(|word| self.token(word));
        token.map_or("a", |token| token.lower.as_str())
    }

    fn is_of(&self, tail: &Range<usize>) -> bool {
        self.token(tail.start).is_some_and(|token| token.lower == "of")
    }

    /// Returns the form as written, without a capital that only begins a sentence.
    fn written(&self, form: &NounGroup) -> String {
        let text = words_text(self.text, self.grammar, &form.words());
        let is_common = self.token(form.words().start).is_some_and(|token| {
            let is_proper = self.part_of_speech(form.words().start) == PartOfSpeech::ProperNoun;
            token.capital
                && token.starts_sentence
                && !is_proper
                && self.analysis.names.binary_search(&token.lower).is_err()
                && !token.lower.chars().any(|c| c.is_ascii_digit())
        });
        if is_common { lower_first(&text) } else { text }
    }

    fn is_fine(&self, form: &NounGroup, text: &str) -> bool {
        let fits = |word| {
            self.token(word).is_none_or(|t| !self.is_unfilled(t) && !WordClass::Boilerplate.has(&t.lower))
        };
        let is_clean = !text.contains(['<', '>', '[', ']', '{', '}', '"', '\u{201c}', '\u{201d}']);
        // "'s fair" has lost its owner.
        let is_whole = text.starts_with(char::is_alphanumeric);
        is_clean && is_whole && text.chars().count() <= MAX_CHARS && form.words().all(fits)
    }

    /// True for subject and object of a main clause and for the main word of a sentence.
    fn is_central(&self, noun: usize) -> bool {
        let words = self.grammar.words();
        let mut at = noun;
        // "3 doses of feverfew" and "bread and ale" are about their last nouns, too.
        for above in self.grammar.ancestors(noun) {
            let is_measured = || self.token(above).is_some_and(|token| !may_name(token));
            match self.relation(at) {
                Relation::Conjunct => at = above,
                Relation::NominalModifier if words[above].is_noun() && is_measured() => at = above,
                _ => break,
            }
        }
        match self.relation(at) {
            Relation::Root => true,
            Relation::Subject | Relation::Object | Relation::IndirectObject => {
                let is_beside =
                    |word| matches!(self.relation(word), Relation::AdverbialClause | Relation::ClauseOfNoun);
                !self.grammar.ancestors(at).any(is_beside)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{analyze, tagged};

    fn read(text: &str, tags: &str) -> Vec<TopicPhrase> {
        let analysis = Analysis { grammar: Some(tagged(text, tags)), ..analyze(text, []) };
        topics(text, &analysis)
    }

    fn found(text: &str, tags: &str) -> Vec<Vec<String>> {
        let forms = |topic: TopicPhrase| topic.forms.into_iter().map(|form| form.named).collect();
        read(text, tags).into_iter().map(forms).collect()
    }

    #[test]
    fn topic_has_forms_from_the_longest_to_the_noun() {
        let text = "Joss's old debt of 14 silver grew";
        let tags = "Joss/PROPN/nmod/4 's/PART/case/1 old/ADJ/amod/4 debt/NOUN/nsubj/8 of/ADP/case/7 \
                    14/NUM/nummod/7 silver/NOUN/nmod/4 grew/VERB/root/0";
        let forms = found(text, tags);
        assert_eq!(
            forms[1],
            [
                "Joss's old debt of 14 silver",
                "the old debt of 14 silver",
                "Joss's old debt",
                "the old debt",
                "the debt"
            ]
        );
        assert_eq!(forms[0], ["Joss"]);
        assert_eq!(forms[2], ["14 silver"]);
        let read = read(text, tags);
        assert!(read[1].is_central && !read[2].is_central && !read[2].forms[0].stands_alone);
    }

    #[test]
    fn pronouns_and_articles_begin_no_topic() {
        let text = "my own watch of the yard";
        let tags =
            "my/PRON/nmod/3 own/ADJ/amod/3 watch/NOUN/root/0 of/ADP/case/6 the/DET/det/6 yard/NOUN/nmod/3";
        assert_eq!(found(text, tags), [vec!["the watch of the yard", "the watch"], vec!["the yard"]]);
    }

    #[test]
    fn units_alone_are_no_topics() {
        let tags = "I/PRON/nsubj/2 paid/VERB/root/0 pence/NOUN/obj/2 for/ADP/case/6 6/NUM/nummod/6 ells/NOUN/obl/2 \
                    of/ADP/case/9 blue/ADJ/amod/9 cloth/NOUN/nmod/6";
        let topics = found("I paid pence for 6 ells of blue cloth", tags);
        assert_eq!(topics, [vec!["6 ells of blue cloth", "ells of blue cloth"], vec!["blue cloth", "cloth"]]);
    }

    #[test]
    fn placeholders_times_and_log_words_are_no_topics() {
        let text = "INFO <random> gave [item] status to the guard at night";
        let tags = "INFO/PROPN/nsubj/5 </PUNCT/punct/3 random/NOUN/nsubj/5 >/PUNCT/punct/3 gave/VERB/root/0 \
                    [/PUNCT/punct/7 item/NOUN/compound/9 ]/PUNCT/punct/7 status/NOUN/obj/5 to/ADP/case/12 \
                    the/DET/det/12 guard/NOUN/obl/5 at/ADP/case/14 night/NOUN/obl/5";
        assert_eq!(found(text, tags), [vec!["the guard"]]);
    }

    #[test]
    fn status_line_is_named_by_what_it_is_about() {
        let tags = "River/PROPN/compound/2 gate/NOUN/compound/3 status/NOUN/root/0";
        assert_eq!(found("River gate status", tags), [vec!["River gate", "gate"], vec!["the gate"]]);
        let tags = "River/PROPN/compound/4 gate/NOUN/compound/4 post/NOUN/compound/4 status/NOUN/root/0 \
                    :/PUNCT/punct/6 2/NUM/nummod/7 patrols/NOUN/parataxis/4";
        assert_eq!(found("River gate post status: 2 patrols", tags), [vec!["River gate post"]]);
        assert!(topics("River gate post status: 2 patrols", &Analysis::default()).is_empty(), "no grammar");
    }

    #[test]
    fn capital_that_begins_a_sentence_is_no_part_of_a_topic() {
        let tags = "Rain/NOUN/nsubj/2 broke/VERB/root/0 an/DET/det/5 old/ADJ/amod/5 axle/NOUN/obj/2";
        assert_eq!(found("Rain broke an old axle", tags), [vec!["rain"], vec!["an old axle", "axle"]]);
    }

    #[test]
    fn person_who_gets_a_thing_does_not_describe_it() {
        let tags = "I/PRON/nsubj/2 gave/VERB/root/0 Odo/PROPN/compound/4 feverfew/NOUN/obj/2";
        assert_eq!(found("I gave Odo feverfew", tags), [vec!["feverfew"]]);
    }
}
