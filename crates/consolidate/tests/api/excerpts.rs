//! Excerpts of unrated talk, and the importance that its entries carry.

use crate::support::{day, memory, of_verb, sleep};
use nightfold_memory::{Change, Kind, Memory, MemorySnapshot, Rule, ValidConfig};

const CHATTER: [&str; 6] = [
    "Oh, how are you today? I sold 14 sheep to Joss at the fair in Keth. It is really nice to see you again, my friend!",
    "That sounds lovely, thank you so much for telling me. The mill burned down at dawn. What do you think about that?",
    "Well, I never thought that I would say this. Tom will bring the ladder on Friday. You are so kind, as you always are!",
    "Do you remember the old days? Elsbeth gave Odo a dose of fever bark. I hope that you will sleep well, dear friend!",
    "My goodness, that is quite something, is it not? Wren plays the flute at the Heron tonight. Will you be there too?",
    "Yes, yes, of course, whatever you say, my dear! The ferry lies idle on the bank. How did it come to that, I wonder?",
];

fn talk(importance: Option<u8>) -> Vec<Memory> {
    let chat = |(hour, text): (i64, &&str)| {
        let said = memory(&format!("m{hour}"), hour, text, 5);
        Memory::new(said.npc, said.id, said.at, Kind::Chat, *text).with(|memory| {
            memory.importance = importance.and_then(|n| nightfold_memory::Importance::new(n).ok());
        })
    };
    (1..).zip(&CHATTER).map(chat).collect()
}

/// Every memory is kept, none is merged.
fn roomy(change: impl FnOnce(&mut nightfold_memory::Config)) -> ValidConfig {
    let mut config = nightfold_memory::Config::default();
    (config.budget.storage, config.triage.similar, config.triage.similar_over_budget) = (1.0, 1.0, 1.0);
    change(&mut config);
    config.check().expect("a valid configuration")
}

fn excerpts(config: &ValidConfig, memories: Vec<Memory>) -> Vec<(String, Change)> {
    let night = sleep(day(1, memories), MemorySnapshot::empty(), config);
    let excerpts = of_verb(&night, "chunk").filter(|change| change.reason().rule == Rule::Excerpt);
    excerpts.map(|change| (change.entry().expect("an entry").text.clone(), change.clone())).collect()
}

#[test]
fn talk_keeps_the_sentences_that_tell_most_whole() {
    let told = excerpts(&roomy(|config| config.budget.text = 0.5), talk(None));
    assert!(told.len() >= 4, "{told:?}");
    for (text, change) in &told {
        let [source] = change.sources() else { panic!("an excerpt has one source: {change:?}") };
        let row: usize = source.as_str().trim_start_matches('m').parse().expect("a number");
        let lived = CHATTER[row - 1];
        let told = lived.split_inclusive(['.', '?', '!']).map(str::trim).filter(|s| text.contains(s)).count();
        assert!((1..3).contains(&told), "{text}");
        assert!(!text.contains('?'), "{text}");
        let values = &change.reason().values;
        assert_eq!(values["chars"], lived.chars().count().into());
        assert_eq!(values["kept_chars"], text.chars().count().into());
    }
    assert!(
        told.iter().any(|(text, _)| text.contains("I sold 14 sheep to Joss at the fair in Keth.")),
        "{told:?}"
    );
}

#[test]
fn talk_is_limited_by_its_text_whatever_the_number_of_entries() {
    let kept = |text: f64| {
        let night = sleep(
            day(1, talk(None)),
            MemorySnapshot::empty(),
            &roomy(|config| {
                (config.budget.storage, config.budget.min_kept, config.budget.text) = (0.01, 1, text);
            }),
        );
        let all: usize = CHATTER.iter().map(|text| text.chars().count()).sum();
        assert_eq!(night.report.counts.talk_chars, all);
        let left: usize = of_verb(&night, "store")
            .chain(of_verb(&night, "chunk"))
            .filter_map(Change::entry)
            .map(|entry| entry.text.chars().count())
            .sum();
        assert_eq!(night.report.counts.talk_chars_kept, left);
        let over = of_verb(&night, "prune").filter(|change| change.reason().rule == Rule::OverText);
        assert_eq!(over.count(), night.report.counts.pruned);
        (night.report.counts.kept, left as f64 / all as f64)
    };
    assert_eq!(kept(1.0), (CHATTER.len(), 1.0));
    let (some, share) = kept(0.3);
    assert!((1..CHATTER.len()).contains(&some) && share <= 0.3, "{some} {share}");
}

#[test]
fn names_and_numbers_are_never_cut() {
    for text in [0.01, 0.3, 0.6] {
        for (told, change) in excerpts(&roomy(|config| config.budget.text = text), talk(None)) {
            let row: usize = change.sources()[0].as_str().trim_start_matches('m').parse().expect("a number");
            for mark in ["14", "Joss", "Keth", "Tom", "Friday", "Elsbeth", "Odo", "Wren", "Heron"] {
                assert_eq!(CHATTER[row - 1].contains(mark), told.contains(mark), "{told}");
            }
        }
    }
}

#[test]
fn rated_pinned_and_little_talk_stays_whole() {
    let tight = roomy(|config| config.budget.text = 0.01);
    assert!(excerpts(&tight, talk(Some(5))).is_empty(), "rated");
    let pinned = talk(None).into_iter().map(|m| m.with(|memory| memory.pinned = true)).collect();
    assert!(excerpts(&tight, pinned).is_empty(), "pinned");
    let few = talk(None).into_iter().take(tight.budget.min_kept).collect();
    assert!(excerpts(&tight, few).is_empty(), "no reduction is asked of a day with little talk");
    assert!(excerpts(&roomy(|config| config.budget.text = 1.0), talk(None)).len() < CHATTER.len());
}

#[test]
fn unrated_memories_carry_their_salience_below_the_important() {
    let mut memories = talk(None);
    memories.push(Memory::new(
        memories[0].npc.clone(),
        "empty".parse().expect("an id"),
        memories[5].at,
        Kind::Chat,
        "ok then",
    ));
    let night = sleep(day(1, memories), MemorySnapshot::empty(), &roomy(|config| config.budget.text = 1.0));
    let mut importances: Vec<(String, u8)> = night
        .changes
        .iter()
        .filter(|change| ["store", "chunk"].contains(&change.verb()))
        .filter_map(Change::entry)
        .map(|entry| (entry.text.clone(), entry.importance.get()))
        .collect();
    importances.sort_by_key(|(_, importance)| *importance);
    assert!(importances.iter().all(|(_, importance)| (1..7).contains(importance)), "{importances:?}");
    assert_eq!((importances[0].0.as_str(), importances[0].1), ("ok then", 1), "{importances:?}");
    assert!(importances.last().expect("entries").1 >= 3, "{importances:?}");
}
