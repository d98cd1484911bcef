//! Room of unrated talk, and the importance that its entries carry.

use crate::support::{day, memory, of_verb, sleep};
use nightfold_memory::{Change, Kind, Memory, MemoryId, MemorySnapshot, Rule, ValidConfig};

const CHATTER: [&str; 6] = [
    "Oh, how are you today? I sold 14 sheep to Joss at the fair in Keth. It is really nice to see you again, my friend!",
    "That sounds lovely, thank you so much for telling me. The mill burned down at dawn. What do you think about that?",
    "Well, I never thought that I would say this. Tom will bring the ladder on Friday. You are so kind, as you always are!",
    "Do you remember the old days? Elsbeth gave Odo a dose of fever bark. I hope that you will sleep well, dear friend!",
    "My goodness, that is quite something, is it not? Wren plays the flute at the Heron tonight. Will you be there too?",
    "Yes, yes, of course, whatever you say, my dear! The ferry lies idle on the bank. How did it come to that, I wonder?",
];

fn said(texts: &[&str], importance: Option<u8>) -> Vec<Memory> {
    let chat = |(hour, text): (i64, &&str)| {
        let said = memory(&format!("m{hour}"), hour, text, 5);
        Memory::new(said.npc, said.id, said.at, Kind::Chat, *text).with(|memory| {
            memory.importance = importance.and_then(|n| nightfold_memory::Importance::new(n).ok());
        })
    };
    (1..).zip(texts).map(chat).collect()
}

fn talk(importance: Option<u8>) -> Vec<Memory> {
    said(&CHATTER, importance)
}

/// Every memory is kept, none is merged.
fn roomy(change: impl FnOnce(&mut nightfold_memory::Config)) -> ValidConfig {
    let mut config = nightfold_memory::Config::default();
    (config.budget.storage, config.triage.similar, config.triage.similar_over_budget) = (1.0, 1.0, 1.0);
    change(&mut config);
    config.check().expect("a valid configuration")
}

/// Returns the texts that stay, and those that are archived over the text of talk.
fn parted(config: &ValidConfig, memories: Vec<Memory>) -> (Vec<String>, Vec<String>) {
    let night = sleep(day(1, memories), MemorySnapshot::empty(), config);
    let text = |id: &MemoryId| night.memories.iter().find(|m| m.id == *id).expect("a memory").text.clone();
    let over = of_verb(&night, "prune").filter(|change| change.reason().rule == Rule::OverText);
    let over = over.map(|change| text(change.id())).collect();
    (of_verb(&night, "store").filter_map(Change::entry).map(|entry| entry.text.clone()).collect(), over)
}

#[test]
fn talk_stays_whole_or_goes_whole() {
    let (kept, over) =
        parted(&roomy(|config| (config.budget.min_kept, config.budget.text) = (1, 0.5)), talk(None));
    assert!(!kept.is_empty() && !over.is_empty(), "{kept:?} {over:?}");
    let mut all = [kept, over].concat();
    all.sort();
    let mut lived = CHATTER.map(str::to_owned);
    lived.sort();
    assert_eq!(all, lived);
}

#[test]
fn greetings_go_before_what_is_told_or_asked() {
    let texts = [
        "Good morning! How are you? It is so nice to see you!",
        "Joss sold 14 sheep at the fair in Keth.",
        "When will Tom bring the ladder for the barn?",
    ];
    let memories = said(&texts, None);
    let (kept, over) =
        parted(&roomy(|config| (config.budget.min_kept, config.budget.text) = (1, 0.7)), memories);
    assert_eq!((kept, over), (vec![texts[1].to_owned(), texts[2].to_owned()], vec![texts[0].to_owned()]));
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
fn rated_pinned_and_little_talk_stays() {
    let tight = roomy(|config| config.budget.text = 0.01);
    let over = |memories| parted(&tight, memories).1;
    assert!(over(talk(Some(5))).is_empty(), "rated");
    assert!(
        over(talk(None).into_iter().map(|m| m.with(|memory| memory.pinned = true)).collect()).is_empty(),
        "pinned"
    );
    let few: Vec<Memory> = talk(None).into_iter().take(tight.budget.min_kept).collect();
    assert!(over(few).is_empty(), "as many as a night may keep at least");
    assert_eq!(over(talk(None)).len(), CHATTER.len() - tight.budget.min_kept);
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
