//! Arbitrary Unicode texts pass through consolidation, judging, synthesis, maintenance and recall without a panic or a
//! failed night.

use crate::support::{Parrot, Toy, config, embed, memory, nightly, npc, sleeping};
use nightfold::english::{English, Packs};
use nightfold::{
    Maintenance, MaintenanceTasks, RunError, Sleep, StatusScope, apply_plan,
    consolidate::{
        RecallIndex, RecallQuery,
        review::{EarlierEntries, NightView},
    },
    judge_pairs,
    memory::{
        Answer, GameTime, Kind, LanguageTask, Memory, MemoryReader, Stance, StanceJudge, StancePair,
        StanceReply, TaskKind, ValidConfig, Verdict,
    },
    pack_for_entries,
};
use nightfold_store::SqliteStore;
use proptest::{collection::vec, option, prelude::*, sample::select};

/// Pieces of texts: words that the rules know, and characters that are hard to split or slice.
const PARTS: &[&str] = &[
    "Ida",
    "Rana",
    "Old Pell",
    "I",
    "me",
    "my",
    "she",
    "it",
    "the",
    "a",
    "of",
    "and",
    "not",
    "never",
    "won't",
    "don\u{2019}t",
    "said",
    "says",
    "told us all",
    "told me",
    "asked",
    "because",
    ", because ",
    "the mill burns",
    "The mill burns",
    "the goat",
    "my old goat",
    "caf\u{e9}",
    "at the caf\u{e9}",
    "is",
    "has sold",
    "costs 14 silver",
    "12",
    "3.5",
    "14:30",
    "-7%",
    "+3",
    "2026-03-15T14:30:00Z",
    "a1b2c3d4-e5f6-7890",
    "stock: 4 kegs",
    "status=ok",
    " times; of these: \u{201c}",
    "What about you",
    "So cool",
    "Ida's",
    "Ida\u{2019}s",
    "'s",
    "\u{2019}s",
    // Marks, alone and in runs.
    "\"",
    "\u{201c}",
    "\u{201d}",
    "\u{201e}",
    "\u{ab}",
    "\u{bb}",
    "'",
    "\u{2018}",
    "\u{2019}",
    "\u{300c}",
    "\u{300d}",
    ".",
    "!",
    "?",
    ":",
    ";",
    ",",
    "...",
    "\u{2026}",
    "?!",
    "!!!!!!",
    "\u{2014}",
    "-",
    "_",
    "(",
    ")",
    "[",
    "{s}",
    "{x}",
    "}",
    "/",
    "@",
    "#",
    "&",
    "\\",
    "|",
    // White space and what only looks like it.
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\u{b}",
    "\u{85}",
    "\u{a0}",
    "\u{1680}",
    "\u{2003}",
    "\u{2009}",
    "\u{200b}",
    "\u{200d}",
    "\u{2028}",
    "\u{2029}",
    "\u{202f}",
    "\u{3000}",
    "\u{feff}",
    "\u{2060}",
    // Letters that change their length with their case, or have none.
    "\u{130}",
    "\u{130}stanbul",
    "\u{df}",
    "Stra\u{df}e",
    "\u{1e9e}",
    "\u{149}",
    "\u{1f0}",
    "\u{390}",
    "\u{fb00}",
    "\u{fb03}",
    "\u{1c5}",
    "\u{3a3}\u{3c2}",
    "\u{2126}",
    "\u{212a}",
    "\u{23a}",
    "\u{10400}",
    "\u{1e921}",
    // Combining, other scripts, other directions, other planes.
    "\u{301}",
    "e\u{301}",
    "\u{300}\u{301}\u{302}\u{303}",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
    "\u{645}\u{631}\u{62d}\u{628}\u{627}",
    "\u{202e}",
    "\u{2066}",
    "\u{65e5}\u{672c}\u{8a9e}",
    "\u{e01}\u{e33}",
    "\u{1f600}",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "\u{1f1e9}\u{1f1ea}",
    "\u{bd}",
    "\u{2167}",
    "\u{663}",
    "\u{ff11}",
    "\u{d7ff}",
    "\u{e000}",
    "\u{fffd}",
    "\u{ffff}",
    "\u{10ffff}",
    "\u{1b}[2J",
    "\0",
    "\u{7f}",
];

/// Texts that once caused a bug, or might.
const SEEDS: &[&str] = &[
    "Ida told us all: \" The mill burns at the caf\u{e9}. Run!\"",
    "Ida told us all:\u{a0}\u{201c}\u{2003}The mill burns at the caf\u{e9}.\u{2028}\u{201d}",
    "Rana told us all: \"\u{130}\u{130}\u{130} \u{149}\u{149} burns at the caf\u{e9}\"",
    "\u{130}da's goat \u{130}\u{2019}S",
    "I told Wren, \"You are a smith's girl,\" and she said, \"I know it. I still want the other.\"",
    "\"",
    "\u{201c}",
    "'",
    "\u{201d}\u{201c}",
    ": \"",
    "said: \"\"",
    "\u{301}",
    "\u{200b}",
    "\u{feff}\u{feff}",
    ".",
    "?!?!?!",
    "\u{1f600}.\u{1f600}\"",
];

fn text() -> impl Strategy<Value = String> {
    let glue = select(vec![" ", " ", " ", "", "\u{a0}"]);
    let part =
        prop_oneof![12 => select(PARTS).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    let run = (select(PARTS), 2..200_usize).prop_map(|(part, times)| part.repeat(times));
    prop_oneof![
        16 => vec((part, glue), 1..14).prop_map(|parts| parts.into_iter().map(|(part, glue)| part + glue).collect()),
        1 => run,
        1 => "\\PC{0,40}",
        1 => any::<String>(),
        2 => select(SEEDS).prop_map(str::to_owned),
    ]
}

/// Memories of one day; some share a beginning or an end, so that they are synthesized.
fn day(day: i64) -> impl Strategy<Value = Vec<Memory>> {
    let lived =
        (text(), 0..4_u8, select(vec![Kind::Chat, Kind::Event, Kind::Status]), option::of(1..10_u8), text());
    (text(), vec(lived, 1..7)).prop_map(move |(shared, lived)| {
        let memories = (0_i64..).zip(lived).map(|(n, (own, how, kind, importance, who))| {
            let text = match how {
                0 => own,
                1 => format!("{shared} {own}"),
                2 => format!("{own} {shared}"),
                _ => shared.clone(),
            };
            let mut memory = memory("Ida_Berg", day, n, &text, importance.unwrap_or(5));
            (memory.kind, memory.actors) = (kind, vec!["Rana".to_owned(), who]);
            if importance.is_none() {
                memory.importance = None;
            }
            memory
        });
        memories.collect()
    })
}

/// Judge that finds every pair the same or contradicting.
struct Rash;

impl StanceJudge for Rash {
    fn name(&self) -> &'static str {
        "rash"
    }

    fn judge(&self, pairs: &[StancePair<'_>], _: usize) -> StanceReply {
        let says = |pair: &StancePair<'_>| {
            if pair.newer.len().is_multiple_of(2) { Stance::Same } else { Stance::Contradiction }
        };
        StanceReply {
            verdicts: pairs.iter().map(|pair| Ok(Verdict::certain(says(pair)))).collect(),
            tokens: 0,
        }
    }
}

/// Answers a task with the texts of the task.
#[allow(clippy::unnecessary_wraps, reason = "a parrot may have nothing to say")]
fn echo(task: &LanguageTask) -> Option<Vec<Answer>> {
    let text: Vec<&str> = task.sources.iter().map(|source| source.text.as_str()).collect();
    let text = if task.kind == TaskKind::Synthesis {
        text.join(" ")
    } else {
        format!("I think of this: {}", text[0])
    };
    let cites = task.sources.iter().take(2).map(|source| source.id.clone()).collect();
    Some(vec![Answer { text, kind: None, cites, confidence: None }])
}

/// Settings with many syntheses, reflections and comparisons.
fn settings() -> ValidConfig {
    config(|c| {
        c.budget.storage = 0.3;
        c.themes.proximity = -1.0;
        c.budget.reflection_importance = 1.0;
        c.triage.similar = 0.4;
        c.triage.similar_over_budget = 0.3;
        c.reconcile.min_similarity = 0.3;
        c.reconcile.rival_similarity = 0.2;
        c.collapse.fuzzy = true;
        c.maintain.similar = 0.3;
        c.maintain.min_group = 2;
    })
}

/// Applies two nights, maintenance after a quarter of a year, and asks a question about every text.
fn live_through(config: &ValidConfig, days: &[Vec<Memory>], sleep: &Sleep<'_>, store: &SqliteStore) {
    let of = npc("Ida_Berg");
    let slept = sleep.apply(store, nightly(days.concat(), config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
    for night in &slept.plan.nights {
        night.check().unwrap();
        let _ = format!("{:?}", NightView::of(night, &EarlierEntries::new()));
    }
    let toy = Toy::new();
    let now = GameTime::from_seconds(100 * 86_400);
    let tasks = MaintenanceTasks { collapse: Some(StatusScope::All), now, ..MaintenanceTasks::ALL };
    let npcs = [of.clone()];
    for _ in 0..2 {
        let open = |_| Ok::<_, RunError>(&toy);
        let maintenance = Maintenance { config, packs: &Packs, store };
        let planned = maintenance.plan_worded(&npcs, tasks, None, open).unwrap();
        assert!(planned.failures.is_empty(), "{:?}", planned.failures);
        let applied = apply_plan(store, &planned.plan).unwrap();
        assert!(applied.failures.is_empty(), "{:?}", applied.failures);
    }
    let entries = store.snapshot(&of).unwrap().entries;
    let pack = pack_for_entries(&entries, &Packs, config).unwrap();
    // An entry with an ended position is left out of what is asked about the present, and may be the only one.
    let all_hold = entries.iter().all(|record| record.ended.is_empty());
    let index = RecallIndex::new(entries, pack);
    for memory in days.iter().flatten() {
        let query = RecallQuery::new(&memory.text, &embed(&memory.text), pack);
        let settings = config.recall.clone().with(|c| c.min_relevance = 0.0);
        let found = index.recall(&query, now.unwrap(), &settings);
        assert!(index.is_empty() || !found.is_empty() || !all_hold, "{}", memory.text);
        assert!(found.is_empty() || !index.is_empty());
    }
}

/// Runs the whole chain by the rules alone, and with a language model and a judge that give arbitrary answers.
fn whole_chain(days: &[Vec<Memory>]) {
    let (config, toy) = (settings(), Toy::new());
    let store = SqliteStore::in_memory().unwrap();
    live_through(&config, days, &sleeping(&config, &toy, &store), &store);
    let (store, parrot) = (SqliteStore::in_memory().unwrap(), Parrot::new(echo, |_| 1));
    let sleep = Sleep { language: Some(&parrot), judge: Some(&Rash), ..sleeping(&config, &toy, &store) };
    live_through(&config, days, &sleep, &store);
    let texts: Vec<&str> = days.iter().flatten().map(|memory| memory.text.as_str()).collect();
    let pairs: Vec<StancePair<'_>> = texts
        .iter()
        .flat_map(|older| texts.iter().map(|newer| StancePair { older, newer, cosine: 0.9 }))
        .collect();
    for judge in [None, Some(&Rash as &dyn StanceJudge)] {
        assert_eq!(judge_pairs(judge, &pairs, &config, &English).judgements.len(), pairs.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(384), max_shrink_iters: 2048, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_consolidated_judged_and_recalled(first in day(0), second in day(1)) {
        whole_chain(&[first, second]);
    }
}

#[test]
fn texts_prone_to_panic_are_consolidated() {
    let lived = |day: i64| -> Vec<Memory> {
        let texts = SEEDS.iter().chain(PARTS);
        let texts = (0_i64..).zip(texts).map(|(n, text)| match n % 3 {
            0 => (n, (*text).to_owned()),
            1 => (n, format!("Ida told us all: {text}")),
            _ => (n, format!("{text} the mill burns at the caf\u{e9}")),
        });
        texts
            .map(|(n, text)| {
                let mut memory = memory("Ida_Berg", day, n, &text, 1 + (n % 9) as u8);
                memory.kind = [Kind::Chat, Kind::Event, Kind::Status][n as usize % 3];
                memory.actors = vec!["Ida".to_owned(), text];
                memory
            })
            .collect()
    };
    whole_chain(&[lived(0), lived(1)]);
}
