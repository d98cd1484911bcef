//! At most so many insights on one subject: the ones touched last stay, the others go to the archive.
//!
//! The subject of an insight is the first words of its id (`affect-substrate-…`, `completion-narration-…`). No model is
//! asked and nothing is merged: what an insight said stays readable in the archive (the cluster-capped insight store).

use std::{cmp::Reverse, collections::BTreeMap};

use nightfold_memory::{
    CapConfig, Change, Entry, GameTime, Kind, LanguagePack, MemoryId, NpcId, Reason, RecordKind, Rule,
};

/// Insights on one subject, of which there are too many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crowded {
    /// The words that their ids begin with, joined by `-`.
    pub subject: String,
    /// The positions of those that stay, the last touched first.
    pub stay: Vec<usize>,
    /// The positions of those that leave, the last touched first.
    pub leave: Vec<usize>,
}

/// The subjects with more insights than may stay, in order of their names. `insights` gives the id of each and when it was
/// touched; of those touched at one time the first by id stays.
///
/// ```
/// use nightfold_consolidate::cap::cap;
/// use nightfold_english::English;
/// use nightfold_memory::CapConfig;
///
/// let notes = [("affect-tone-1", 1), ("affect-tone-2", 9), ("affect-tone-3", 4), ("affect-tone-4", 2), ("debt-joss", 1)];
/// let crowded = cap(&notes, &CapConfig::default(), &English);
/// assert_eq!((crowded[0].subject.as_str(), &crowded[0].stay[..], &crowded[0].leave[..]), ("affect-tone", &[1, 2, 3][..], &[0][..]));
/// ```
pub fn cap<T: Ord>(
    insights: &[(impl AsRef<str>, T)],
    settings: &CapConfig,
    pack: &dyn LanguagePack,
) -> Vec<Crowded> {
    let mut subjects: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, (id, _)) in insights.iter().enumerate() {
        subjects.entry(subject(id.as_ref(), settings.tokens, pack)).or_default().push(at);
    }
    subjects
        .into_iter()
        .filter(|(_, members)| members.len() > settings.most)
        .map(|(subject, mut stay)| {
            stay.sort_by_key(|&at| (Reverse(&insights[at].1), insights[at].0.as_ref()));
            let leave = stay.split_off(settings.most);
            Crowded { subject, stay, leave }
        })
        .collect()
}

/// An insight of long-term memory, as the cap sees it: a reflection that a night drew, or one that the game gave.
#[derive(Debug, Clone)]
pub struct Insight {
    id: MemoryId,
    touched: GameTime,
    /// Words of the id that are no part of its subject; `None` where the id is one of ours.
    besides: Option<Vec<String>>,
}

impl Insight {
    /// An entry of an NPC that is or becomes active, with when it was touched last; `None` for what is no insight, or is
    /// pinned and so stays in any case.
    pub fn of(npc: &NpcId, entry: &Entry, touched: GameTime, pack: &dyn LanguagePack) -> Option<Self> {
        let ours = entry.form == RecordKind::Reflection;
        let capped = (ours || entry.kind == Kind::Reflection) && !entry.pinned;
        let besides = || words(npc.as_str()).map(|word| pack.base_form(word)).collect();
        capped.then(|| Self { id: entry.id.clone(), touched, besides: (!ours).then(besides) })
    }

    fn subject(&self, tokens: usize, pack: &dyn LanguagePack) -> String {
        match &self.besides {
            None => own_subject(&self.id, tokens, pack),
            Some(besides) => given_subject(&self.id, besides, tokens, pack),
        }
    }
}

/// The changes that put away what is over the cap, in order of subjects and ids. They name what stays as their cause.
pub fn crowded_out(
    insights: impl IntoIterator<Item = Insight>,
    settings: &CapConfig,
    pack: &dyn LanguagePack,
) -> Vec<Change> {
    let mut insights: Vec<Insight> = insights.into_iter().collect();
    // Of those touched at one time the first by id stays, also where ids differ in their mark alone.
    insights.sort_by(|a, b| a.id.cmp(&b.id));
    let named: Vec<(String, GameTime)> =
        insights.iter().map(|i| (i.subject(settings.tokens, pack), i.touched)).collect();
    let mut changes = Vec::new();
    for crowded in cap(&named, settings, pack) {
        let stay: Vec<MemoryId> = crowded.stay.iter().map(|&at| insights[at].id.clone()).collect();
        let mut leave: Vec<&Insight> = crowded.leave.iter().map(|&at| &insights[at]).collect();
        leave.sort_by(|a, b| a.id.cmp(&b.id));
        changes.extend(leave.into_iter().map(|insight| {
            Change::Archive {
                id: insight.id.clone(),
                sources: stay.clone(),
                reason: Reason::new(Rule::Capped)
                    .with("subject", crowded.subject.as_str())
                    .with("insights", stay.len() + crowded.leave.len())
                    .with("most", settings.most)
                    .with("touched", insight.touched.to_string().as_str()),
            }
        }));
    }
    changes
}

/// The subject of an insight of ours. The eight digits that tell its id from others on the same subject are no word of it,
/// and its words come in no order: the more telling one is first, which is now "axle" and now "silver".
fn own_subject(id: &MemoryId, tokens: usize, pack: &dyn LanguagePack) -> String {
    let name = id.as_str().split('~').next().unwrap_or_default();
    let named = match name.rsplit_once('-') {
        Some((subject, mark)) if mark.len() == 8 && mark.bytes().all(|b| b.is_ascii_hexdigit()) => subject,
        _ => name,
    };
    let subject = subject(named, tokens, pack);
    let mut words: Vec<&str> = subject.split('-').collect();
    words.sort_unstable();
    words.join("-")
}

/// The subject of an insight that the game gave: the first words of its id that can name one. Numbers, what kind of
/// memory it is and whose say nothing of a subject; an id that says nothing else is a subject by itself.
fn given_subject(id: &MemoryId, besides: &[String], tokens: usize, pack: &dyn LanguagePack) -> String {
    let names = |word: &String| {
        word.chars().count() > 2
            && word.chars().all(char::is_alphabetic)
            && !pack.is_generic(word)
            && !besides.contains(word)
    };
    let words: Vec<String> =
        words(id.as_str()).map(|word| pack.base_form(word)).filter(names).take(tokens).collect();
    if words.is_empty() { id.as_str().to_owned() } else { words.join("-") }
}

/// The first words of an id, in lower case and without a plural s.
fn subject(id: &str, tokens: usize, pack: &dyn LanguagePack) -> String {
    let words: Vec<String> = words(id).take(tokens).map(|word| pack.base_form(word)).collect();
    if words.is_empty() { id.to_owned() } else { words.join("-") }
}

/// Whatever is neither a letter nor a digit parts words.
fn words(id: &str) -> impl Iterator<Item = &str> {
    id.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_shrinks_to_three_of_each_subject() {
        let notes: Vec<(String, usize)> = (0..12)
            .map(|n| (format!("affect-substrate-{n}"), n))
            .chain((0..10).map(|n| (format!("completion-narration-{n}"), 100 - n)))
            .chain((0..3).map(|n| (format!("concept-rotation-{n}"), n)))
            .collect();
        let crowded = cap(&notes, &CapConfig::default(), &English);
        let told: Vec<_> =
            crowded.iter().map(|c| (c.subject.as_str(), c.stay.clone(), c.leave.len())).collect();
        assert_eq!(
            told,
            [("affect-substrate", vec![11, 10, 9], 9), ("completion-narration", vec![12, 13, 14], 7)]
        );
    }

    #[test]
    fn a_subject_is_the_first_words_whatever_parts_them() {
        assert_eq!(subject("affect-substrate-drift", 2, &English), "affect-substrate");
        assert_eq!(subject("Affect_Substrate.v2", 2, &English), "affect-substrate");
        assert_eq!(subject("--debt", 2, &English), "debt");
        assert_eq!(subject("mühle-tür-1", 1, &English), "mühle");
        assert_eq!(subject("…", 2, &English), "…");
    }

    #[test]
    fn the_id_of_a_given_insight_names_its_subject_where_it_can() {
        let subject =
            |id: &str| given_subject(&MemoryId::new(id).unwrap(), &["wren".to_owned()], 2, &English);
        assert_eq!(subject("affect-substrate-drift"), "affect-substrate");
        assert_eq!(subject("reflection-trust-player-3"), "trust-player");
        assert_eq!(subject("Debts_12"), "debt");
        for unnamed in ["wren-reflection-17", "r-17", "2024-05-01/insight", "a3f9c0"] {
            assert_eq!(subject(unnamed), unnamed);
        }
    }

    #[test]
    fn insights_of_one_word_are_one_subject_and_the_oldest_leave() {
        let insight = |id: &str, at: i64| Insight {
            id: MemoryId::new(id).unwrap(),
            touched: GameTime::from_seconds(at).unwrap(),
            besides: None,
        };
        let insights =
            [("debt-0a1b2c3d", 5), ("debt-99999999", 1), ("debt-ffffffff~2", 5), ("debt-00000000", 5)]
                .map(|(id, at)| insight(id, at));
        let changes = crowded_out(insights.clone(), &CapConfig::default(), &English);
        let [Change::Archive { id, sources, reason }] = &changes[..] else { panic!("{changes:?}") };
        assert_eq!(id.as_str(), "debt-99999999");
        assert_eq!(
            sources.iter().map(MemoryId::as_str).collect::<Vec<_>>(),
            ["debt-00000000", "debt-0a1b2c3d", "debt-ffffffff~2"]
        );
        assert_eq!((reason.rule, &reason.values["subject"]), (Rule::Capped, &"debt".into()));
        assert_eq!(own_subject(&MemoryId::new("silver-axles-0a1b2c3d").unwrap(), 2, &English), "axle-silver");
        let two = CapConfig { most: 2, ..CapConfig::default() };
        let left = |insights: Vec<Insight>| -> Vec<String> {
            crowded_out(insights, &two, &English).iter().map(|c| c.id().to_string()).collect()
        };
        let straight = left(insights.to_vec());
        assert_eq!(straight, ["debt-99999999", "debt-ffffffff~2"]);
        assert_eq!(left(insights.into_iter().rev().collect()), straight);
    }

    proptest! {
        #[test]
        fn as_many_stay_as_may_and_none_that_leaves_was_touched_later(
            notes in prop::collection::vec(("(a|b)-(x|y)-[0-9]{1,2}", 0_u8..6), 0..60),
            most in 1_usize..5,
        ) {
            let settings = CapConfig { most, ..CapConfig::default() };
            let crowded = cap(&notes, &settings, &English);
            let mut reversed = notes.clone();
            reversed.reverse();
            let named = |notes: &[(String, u8)], c: &[Crowded]| -> Vec<Vec<(String, u8)>> {
                c.iter().map(|c| c.leave.iter().map(|&i| notes[i].clone()).collect()).collect()
            };
            prop_assert_eq!(named(&notes, &crowded), named(&reversed, &cap(&reversed, &settings, &English)));
            for group in &crowded {
                prop_assert_eq!(group.stay.len(), most);
                let first_to_go = group.stay.iter().map(|&i| notes[i].1).min();
                prop_assert!(group.leave.iter().all(|&i| Some(notes[i].1) <= first_to_go));
            }
            let left = notes.len() - crowded.iter().map(|c| c.leave.len()).sum::<usize>();
            let subjects: std::collections::BTreeSet<String> = notes.iter().map(|(id, _)| subject(id, 2, &English)).collect();
            prop_assert!(left <= most * subjects.len());
        }
    }
}
