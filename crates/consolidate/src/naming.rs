//! Names of groups: the phrases or words that distinguish a group of texts from the rest of the day.

use std::collections::BTreeMap;

use nightfold_memory::{Analysis, LanguagePack, TopicPhrase};

/// Document frequencies: the number of texts of a day that contain each stem.
#[derive(Debug)]
pub(crate) struct DocumentFrequencies<'a> {
    texts: usize,
    by_stem: BTreeMap<&'a str, usize>,
}

impl<'a> DocumentFrequencies<'a> {
    pub(crate) fn of(day: &'a [Analysis]) -> Self {
        let mut by_stem: BTreeMap<&str, usize> = BTreeMap::new();
        day.iter().flat_map(|text| &text.content).for_each(|stem| *by_stem.entry(stem).or_default() += 1);
        Self { texts: day.len(), by_stem }
    }

    /// Returns the score of a stem that `inside` texts of a group contain: frequent inside, rare outside (tf-idf,
    /// Spärck Jones 1972), with documents as the unit.
    fn score(&self, stem: &str, inside: usize) -> f64 {
        let everywhere = self.by_stem.get(stem).copied().unwrap_or(1);
        inside as f64 * (1.0 + self.texts as f64 / everywhere as f64).ln()
    }
}

/// Returns up to `most` words, the most distinctive first: those in many texts of `group` and in few other
/// texts of `day`. Each is spelled as at its first occurrence. Numbers and the words in `excluded` are left out.
pub(crate) fn distinctive_terms(
    group: &[(&str, &Analysis)],
    day: &DocumentFrequencies<'_>,
    excluded: &Analysis,
    most: usize,
) -> Vec<String> {
    // Per stem: number of texts that contain it, its first spelling, index of the last such text.
    let mut found: BTreeMap<String, (usize, &str, usize)> = BTreeMap::new();
    for (at, (text, analysis)) in group.iter().enumerate() {
        for token in analysis.tokens.iter().filter(|t| t.names_theme) {
            let stem = token.stem.clone();
            if let Some((inside, _, last)) = found.get_mut(&stem) {
                *inside += usize::from(*last != at);
                *last = at;
            } else if excluded.content.binary_search(&stem).is_err() {
                found.insert(stem, (1, token.word(text), at));
            }
        }
    }
    let mut scored: Vec<(f64, &str)> =
        found.iter().map(|(stem, &(inside, surface, _))| (day.score(stem, inside), surface)).collect();
    // The map is sorted by stem, and the sort is stable: ties go by stem.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, s)| s.to_owned()).collect()
}

/// Name of a group of texts: up to some terms, the most distinctive first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct GroupName {
    /// The terms, each a noun phrase or a word.
    pub(crate) terms: Vec<String>,
    /// Main word of each term.
    words: Vec<String>,
    /// True if the terms are noun phrases.
    is_of_phrases: bool,
}

impl GroupName {
    /// Names a group by its most distinctive noun phrases, as far as the pack knows phrases of its texts; by a
    /// single word if it has none; by words if the pack knows no phrases at all.
    pub(crate) fn of(
        group: &[(&str, &Analysis)],
        day: &DocumentFrequencies<'_>,
        excluded: &Analysis,
        most: usize,
        pack: &dyn LanguagePack,
    ) -> Self {
        let mut is_of_phrases = false;
        let mut topics: Vec<(usize, TopicPhrase)> = Vec::new();
        for (at, (text, analysis)) in group.iter().enumerate() {
            if let Some(found) = pack.topics(text, analysis) {
                is_of_phrases = true;
                topics.extend(found.into_iter().map(|topic| (at, topic)));
            }
        }
        topics.retain(|(_, topic)| excluded.content.binary_search(&topic.stem).is_err());
        if !topics.is_empty() {
            return Self::of_phrases(&topics, &GroupWords::of(group), day, most);
        }
        let words = distinctive_terms(group, day, excluded, if is_of_phrases { 1 } else { most });
        Self { terms: words.clone(), words, is_of_phrases }
    }

    /// Chooses phrases whose nouns are frequent in the group and rare outside of it. A phrase that says nothing
    /// beside an earlier one is left out.
    fn of_phrases(
        topics: &[(usize, TopicPhrase)],
        words: &GroupWords<'_>,
        day: &DocumentFrequencies<'_>,
        most: usize,
    ) -> Self {
        let mut by_stem: BTreeMap<&str, Vec<(usize, &TopicPhrase)>> = BTreeMap::new();
        for (at, topic) in topics {
            by_stem.entry(&topic.stem).or_default().push((*at, topic));
        }
        let mut scored: Vec<(f64, &str, &Vec<(usize, &TopicPhrase)>)> = by_stem
            .iter()
            .map(|(stem, mentions)| {
                let mut inside: Vec<usize> = mentions.iter().map(|(at, _)| *at).collect();
                inside.dedup();
                (day.score(stem, inside.len()), *stem, mentions)
            })
            .collect();
        // The map is sorted by stem, and the sort is stable: ties go by stem.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut chosen: Vec<ChosenPhrase<'_>> = Vec::new();
        for (_, stem, mentions) in scored {
            let Some((form, phrase)) = words.common_form(mentions) else { continue };
            if chosen.iter().any(|earlier| earlier.says(stem)) {
                continue;
            }
            let whole = if phrase.forms.first() == Some(form) { phrase.stems.as_slice() } else { &[] };
            let next = ChosenPhrase { stem, form, phrase, stems: whole };
            match chosen.iter().position(|earlier| next.says(earlier.stem)) {
                // "Odo's fever" takes the place of "Odo"; otherwise the earlier phrase is the better one.
                Some(at) if next.begins_with(&chosen[at]) => chosen[at] = next,
                None if chosen.len() < most => chosen.push(next),
                _ => {}
            }
        }
        Self {
            terms: chosen.iter().map(|phrase| phrase.form.clone()).collect(),
            words: chosen.iter().map(|phrase| phrase.noun().clone()).collect(),
            is_of_phrases: true,
        }
    }

    /// Returns the name for a text about the group: the terms in the order of their first occurrence in it, absent
    /// ones last. Phrases are a list, words stand beside each other.
    pub(crate) fn title(mut self, text: &str) -> String {
        self.terms.sort_by_key(|term| text.find(term.as_str()).unwrap_or(text.len()));
        let name = self.terms.join(if self.is_of_phrases { ", " } else { " " });
        let mut letters = name.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }

    /// Joins the main words of the terms into an id: ASCII letters and digits in lower case, at most 24 of each
    /// word.
    pub(crate) fn slug(&self) -> String {
        slug(&self.words)
    }
}

/// Phrase that is part of a name.
struct ChosenPhrase<'a> {
    /// Stem of its noun.
    stem: &'a str,
    form: &'a String,
    phrase: &'a TopicPhrase,
    /// Stems of its content words, if the form says all of the phrase.
    stems: &'a [String],
}

impl ChosenPhrase<'_> {
    fn says(&self, stem: &str) -> bool {
        self.stem == stem || self.stems.iter().any(|said| said == stem)
    }

    /// True if it is an earlier phrase with more words behind it.
    fn begins_with(&self, earlier: &Self) -> bool {
        let rest = self.form.strip_prefix(earlier.form.as_str());
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    }

    fn noun(&self) -> &String {
        self.phrase.forms.last().unwrap_or(self.form)
    }
}

/// Words of a group of texts, as far as they say something: in how many of its texts each occurs.
struct GroupWords<'a>(BTreeMap<&'a str, WordUse>);

struct WordUse {
    texts: usize,
    function: bool,
    last: usize,
}

impl<'a> GroupWords<'a> {
    fn of(group: &[(&str, &'a Analysis)]) -> Self {
        let mut words: BTreeMap<&str, WordUse> = BTreeMap::new();
        for (at, (_, analysis)) in group.iter().enumerate() {
            for token in &analysis.tokens {
                let new = WordUse { texts: 0, function: token.function, last: usize::MAX };
                let word = words.entry(&token.lower).or_insert(new);
                word.texts += usize::from(word.last != at);
                word.last = at;
            }
        }
        Self(words)
    }

    /// True if each word of a phrase is in several texts of the group, or says nothing by itself.
    fn are_common(&self, phrase: &str, noun: &str) -> bool {
        phrase.split(|c: char| c.is_whitespace() || c == '-').all(|written| {
            let lower = written.to_lowercase();
            let word = lower.trim_end_matches("'s").trim_end_matches("\u{2019}s");
            noun.to_lowercase() == lower
                || self.0.get(word).is_some_and(|word| word.function || word.texts > 1)
        })
    }

    /// Returns the form by which the group speaks of a thing, and a phrase that has it: the longest that two
    /// mentions share, or whose words the group has in common, or that of the only mention that says more than the
    /// noun; otherwise the noun alone. An amount is part of a name only if two mentions share it.
    fn common_form<'t>(
        &self,
        mentions: &[(usize, &'t TopicPhrase)],
    ) -> Option<(&'t String, &'t TopicPhrase)> {
        let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
        let holds = |phrase: &TopicPhrase, form: &str| phrase.forms.iter().any(|one| same(one, form));
        let is_shared = |form: &str| {
            let mut texts = mentions.iter().filter(|(_, phrase)| holds(phrase, form)).map(|(at, _)| *at);
            let first = texts.next();
            texts.any(|at| Some(at) != first)
        };
        let forms =
            || mentions.iter().flat_map(|(_, phrase)| phrase.forms.iter().map(move |form| (form, *phrase)));
        let is_noun = |form: &String, phrase: &TopicPhrase| phrase.forms.last() == Some(form);
        let longer = || forms().filter(|(form, phrase)| !is_noun(form, phrase));
        let has_amount = |form: &str| form.starts_with(|c: char| c.is_ascii_digit());
        // Of equally long forms the first.
        let longest = |found: &mut dyn Iterator<Item = (&'t String, &'t TopicPhrase)>| {
            found.reduce(|best, next| if next.0.len() > best.0.len() { next } else { best })
        };
        let common = |(form, phrase): &(&String, &TopicPhrase)| {
            !has_amount(form) && self.are_common(form, phrase.forms.last().unwrap_or(form))
        };
        let only = || {
            let mut whole = mentions.iter().filter(|(_, phrase)| phrase.forms.len() > 1);
            let (_, phrase) = whole.next()?;
            let form = phrase.forms.iter().find(|form| !has_amount(form))?;
            whole.all(|(_, other)| holds(other, form)).then_some((form, *phrase))
        };
        longest(&mut longer().filter(|(form, _)| is_shared(form)))
            .or_else(|| longest(&mut longer().filter(common)))
            .or_else(only)
            .or_else(|| forms().find(|(form, phrase)| is_noun(form, phrase)))
    }
}

/// Joins words into an id: ASCII letters and digits in lower case, at most 24 of each word.
pub(crate) fn slug(words: &[String]) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|t| t.chars().filter(char::is_ascii_alphanumeric).take(24).collect::<String>().to_lowercase())
        .filter(|w| !w.is_empty())
        .collect();
    if words.is_empty() { "memory".to_owned() } else { words.join("-") }
}

/// Returns the words as a name for `text`: in the order of their first occurrence in it, absent ones last.
pub(crate) fn title(words: Vec<String>, text: &str) -> String {
    GroupName { words: Vec::new(), terms: words, is_of_phrases: false }.title(text)
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::LanguagePack as _;

    use super::*;

    #[test]
    fn cluster_is_named_by_its_distinctive_words() {
        let day =
            ["Tom shouted about the axle", "Joss paid for the axle", "I swept the room", "I swept the yard"];
        let analyses: Vec<_> = day.iter().map(|t| English.analyze(t, &[])).collect();
        let group: Vec<_> = day[..2].iter().copied().zip(&analyses[..2]).collect();
        let me = English.analyze("Mara Thorne", &[]);
        assert_eq!(distinctive_terms(&group, &DocumentFrequencies::of(&analyses), &me, 1), ["axle"]);
        assert_eq!(
            title(vec!["axle".into(), "silver".into(), "broken".into()], "the broken axle"),
            "Broken axle silver"
        );
        assert_eq!(title(Vec::new(), "the broken axle"), "");
        assert_eq!(slug(&["Joss's".into(), "\u{1b}[31m".into()]), "josss-31m");
    }

    /// Returns the topic with these forms.
    fn topic(forms: &[&str]) -> TopicPhrase {
        let written: Vec<String> = forms.iter().map(|form| (*form).to_owned()).collect();
        let noun = English.analyze(&written[written.len() - 1], &[]);
        TopicPhrase {
            stem: noun.tokens.last().unwrap().stem.clone(),
            stems: English.analyze(&written[0], &[]).content,
            forms: written,
        }
    }

    /// Returns the terms by which texts with these topics are named.
    fn named(texts: &[(&str, &[&[&str]])]) -> Vec<String> {
        let analyses: Vec<_> = texts.iter().map(|(text, _)| English.analyze(text, &[])).collect();
        let group: Vec<_> = texts.iter().map(|(text, _)| *text).zip(&analyses).collect();
        let topics: Vec<_> = texts
            .iter()
            .enumerate()
            .flat_map(|(at, (_, topics))| topics.iter().map(move |forms| (at, topic(forms))))
            .collect();
        GroupName::of_phrases(&topics, &GroupWords::of(&group), &DocumentFrequencies::of(&analyses), 3).terms
    }

    #[test]
    fn phrase_that_two_texts_share_names_them() {
        let texts: &[(&str, &[&[&str]])] = &[
            (
                "I saw the grey cloak at the inn",
                &[&["grey cloak at the inn", "grey cloak", "cloak"], &["inn"]],
            ),
            (
                "The man in the grey cloak left",
                &[&["man in the grey cloak", "man"], &["grey cloak", "cloak"]],
            ),
        ];
        assert_eq!(named(texts)[0], "grey cloak");
    }

    #[test]
    fn modifier_that_the_texts_have_in_common_is_kept() {
        let texts: &[(&str, &[&[&str]])] = &[
            (
                "I cut rod for the lantern hooks",
                &[&["rod for the lantern hooks", "rod"], &["lantern hooks", "hooks"]],
            ),
            ("I finished the 8th hook of the lantern", &[&["8th hook", "hook"], &["lantern"]]),
            ("The first hook broke", &[&["first hook", "hook"]]),
        ];
        assert_eq!(named(texts)[0], "lantern hooks");
    }

    #[test]
    fn amount_names_texts_only_if_they_share_it() {
        let once: &[(&str, &[&[&str]])] =
            &[("I sold 6 churns", &[&["6 churns", "churns"]]), ("The churns leak", &[&["churns"]])];
        assert_eq!(named(once), ["churns"]);
        let twice: &[(&str, &[&[&str]])] = &[
            ("He owes 14 silver", &[&["14 silver", "silver"]]),
            ("I want 14 silver", &[&["14 silver", "silver"]]),
        ];
        assert_eq!(named(twice), ["14 silver"]);
    }

    #[test]
    fn phrase_that_says_nothing_more_is_left_out() {
        let texts: &[(&str, &[&[&str]])] = &[
            ("Odo's fever rose", &[&["Odo"], &["Odo's fever", "fever"]]),
            ("Odo's fever broke", &[&["Odo"], &["Odo's fever", "fever"]]),
            ("I fed the cat, and Odo laughed", &[&["cat"], &["Odo"]]),
        ];
        let named = named(texts);
        assert!(named.contains(&"cat".to_owned()), "{named:?}");
        assert_eq!(named.iter().filter(|term| term.contains("Odo")).collect::<Vec<_>>(), ["Odo's fever"]);
    }

    #[test]
    fn title_lists_phrases_in_the_order_of_the_text() {
        let terms = vec!["east wall".to_owned(), "Odo's fever".to_owned()];
        let name = GroupName { words: terms.clone(), terms, is_of_phrases: true };
        assert_eq!(name.slug(), "eastwall-odosfever");
        assert_eq!(name.title("Odo's fever, seen from the east wall"), "Odo's fever, east wall");
    }
}
