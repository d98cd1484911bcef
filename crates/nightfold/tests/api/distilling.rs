//! Typed records that maintenance distils from similar memories of several days.

use crate::support::{Parrot, Toy, config, memory, nightly, npc, sleeping};
use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenancePlan, MaintenanceTasks, RunError, apply_plan,
    memory::{
        Answer, Change, Config, Embedded, Embedder, EmbedderError, Grammar, LanguageModel, LanguageTask,
        Memory, MemoryReader, MemoryStore, ModelId, NpcNight, ReflectionKind, State, ValidConfig,
        grammar::{PartOfSpeech, Relation, Word, WordTags},
    },
};
use nightfold_store::SqliteStore;

const TASKS: MaintenanceTasks =
    MaintenanceTasks { collapse: None, summarize: false, cap: false, forget: false, distil: true, now: None };

/// Words of a language model for the episodes.
const SAID: &str = "I trust the auth middleware little: it caused a test timeout, and it was flaky in CI";

const EPISODES: [&str; 3] = [
    "auth middleware caused test timeout",
    "auth middleware race condition under load",
    "auth middleware flaky in CI",
];

const BY_RULES: &str = "I had trouble with auth middleware on at least three days.";

/// Embedder that reads the first two words of a text as a noun, the subject of the third.
struct NounReader(Toy);

impl Embedder for NounReader {
    fn model(&self) -> &ModelId {
        self.0.model()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let grammar = texts.iter().map(|text| noun_first(text)).collect();
        Ok(Embedded { grammar, ..self.0.embed(texts)? })
    }
}

fn noun_first(text: &str) -> Option<Grammar> {
    let word = |(at, written): (usize, &str)| {
        let (part_of_speech, relation, head) = match at {
            0 => (PartOfSpeech::Noun, Relation::Compound, Some(1)),
            1 => (PartOfSpeech::Noun, Relation::Subject, Some(2)),
            2 => (PartOfSpeech::Verb, Relation::Root, None),
            _ => (PartOfSpeech::Other, Relation::Dependency, Some(2)),
        };
        let tags = WordTags::new(part_of_speech, relation, head);
        let start = written.as_ptr() as usize - text.as_ptr() as usize;
        Word::new(start..start + written.len(), tags).unwrap()
    };
    Grammar::new(text.split_whitespace().enumerate().map(word).collect::<Vec<_>>()).ok()
}

/// Settings that keep every memory in its own words and draw no reflections at night.
fn keep(config: &mut Config) {
    config.budget.storage = 1.0;
    config.budget.conclusions = 0;
    config.budget.reflections_per_cluster = 0;
    config.triage.similar = 1.0;
    config.maintain.similar = 0.12;
}

fn keeping() -> ValidConfig {
    config(keep)
}

fn sleep_on(store: &dyn MemoryStore, memories: Vec<Memory>) {
    let (config, toy) = (keeping(), Toy::new());
    let slept = sleeping(&config, &toy, store).apply(store, nightly(memories, &config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
}

fn planned(
    store: &SqliteStore,
    language: Option<&dyn LanguageModel>,
    config: &ValidConfig,
) -> MaintenancePlan {
    let (reader, npcs) = (NounReader(Toy::new()), store.npcs().unwrap());
    let open = |_| Ok::<_, RunError>(&reader);
    Maintenance { config, packs: &Packs, store }.plan_worded(&npcs, TASKS, language, open).unwrap()
}

/// A store in which the episodes are known, on the days 1, 3 and 6.
fn lived() -> SqliteStore {
    let store = SqliteStore::in_memory().unwrap();
    let memories = [1, 3, 6].iter().zip(EPISODES).map(|(&day, text)| memory("agent", day, 0, text, 5));
    sleep_on(&store, memories.collect());
    store
}

fn reflections(night: &NpcNight) -> Vec<(&str, ReflectionKind, &str)> {
    let found = night.changes.iter().filter_map(|change| match change {
        Change::Reflect { entry, name, reflection, .. } => {
            Some((name.as_str(), *reflection, entry.text.as_str()))
        }
        _ => None,
    });
    found.collect()
}

#[test]
fn sources_are_archived_with_the_record_if_they_shall_be_and_may_fade() {
    let store = lived();
    let archiving = config(|c| {
        keep(c);
        c.maintain.archive_distilled = true;
    });
    let verbs = |config: &ValidConfig| -> Vec<&str> {
        planned(&store, None, config).plan.nights[0].changes.iter().map(Change::verb).collect()
    };
    assert_eq!(verbs(&keeping()), ["reflect"]);
    assert_eq!(verbs(&archiving), ["reflect", "archive", "archive", "archive"]);
    let important = config(|c| {
        keep(c);
        c.maintain.archive_distilled = true;
        c.triage.important = 5;
    });
    assert_eq!(verbs(&important), ["reflect"]);
    apply_plan(&store, &planned(&store, None, &archiving).plan).unwrap();
    let agent = npc("agent");
    let states = || store.entries(&agent).unwrap().into_iter().map(|record| record.state).collect::<Vec<_>>();
    assert_eq!(states().iter().filter(|state| **state == State::Active).count(), 1);
    sleep_on(&store, vec![memory("agent", 8, 0, "auth middleware crashed under load", 5)]);
    sleep_on(&store, vec![memory("agent", 9, 0, "auth middleware lost a test session", 5)]);
    let grown = planned(&store, None, &archiving).plan;
    assert_eq!(
        reflections(&grown.nights[0])[0].2,
        "I had trouble with auth middleware on at least five days."
    );
    for _ in 0..3 {
        store.undo(&agent).unwrap();
    }
    assert_eq!(states(), [State::Active; 3]);
}

#[test]
fn record_is_replaced_when_its_episodes_have_grown_by_two() {
    let store = lived();
    apply_plan(&store, &planned(&store, None, &keeping()).plan).unwrap();
    sleep_on(&store, vec![memory("agent", 8, 0, "auth middleware crashed under load", 5)]);
    assert!(planned(&store, None, &keeping()).plan.nights.is_empty(), "one more tells nothing new");
    sleep_on(&store, vec![memory("agent", 9, 0, "auth middleware lost a test session", 5)]);
    let plan = planned(&store, None, &keeping()).plan;
    let [Change::Reflect { entry, .. }, Change::Supersede { id, sources, .. }] =
        plan.nights[0].changes.as_slice()
    else {
        panic!("{plan:?}")
    };
    assert_eq!(entry.text, "I had trouble with auth middleware on at least five days.");
    assert_eq!(sources.as_slice(), std::slice::from_ref(&entry.id));
    let old = id.clone();
    apply_plan(&store, &plan).unwrap();
    assert_eq!(store.entry(&npc("agent"), &old).unwrap().unwrap().state, State::Archived);
    assert!(planned(&store, None, &keeping()).plan.nights.is_empty());
}

#[test]
fn model_words_a_record_within_its_ledger_and_the_rules_word_the_rest() {
    let store = lived();
    let words = |task: &LanguageTask| {
        let cites = task.sources.iter().map(|source| source.id.clone()).collect();
        Some(vec![Answer {
            text: SAID.to_owned(),
            kind: Some(ReflectionKind::Oneself),
            cites,
            confidence: None,
        }])
    };
    let parrot = Parrot::new(words, |_| 100);
    let plan = planned(&store, Some(&parrot), &keeping()).plan;
    let night = &plan.nights[0];
    assert_eq!(
        reflections(night),
        [("Auth middleware", ReflectionKind::Caution, SAID)],
        "the type is the rules'"
    );
    assert_eq!(night.report.tokens.spent, 200, "for the words, and for the question if they follow");
    assert_eq!(night.report.language.as_ref().map(|report| (report.tasks, report.answered)), Some((1, 1)));

    let invents = |task: &LanguageTask| {
        let cites = task.sources.iter().map(|source| source.id.clone()).collect();
        let text = "I know that the auth middleware cost 900 gold".to_owned();
        Some(vec![Answer { text, kind: None, cites, confidence: None }])
    };
    let liar = Parrot::new(invents, |_| 100);
    let plan = planned(&store, Some(&liar), &keeping()).plan;
    assert_eq!(reflections(&plan.nights[0])[0].2, BY_RULES);

    let poor = config(|c| {
        keep(c);
        c.budget.tokens = 10;
    });
    let plan = planned(&store, Some(&parrot), &poor).plan;
    assert_eq!(reflections(&plan.nights[0])[0].2, BY_RULES);
    assert_eq!(plan.nights[0].report.tokens.spent, 0);
}

#[test]
fn days_of_one_npc_teach_no_other_one() {
    let store = SqliteStore::in_memory().unwrap();
    let memories = [("Ann", 1), ("Tom", 3), ("Eve", 6)]
        .iter()
        .zip(EPISODES)
        .map(|((of, day), text)| memory(of, *day, 0, text, 5))
        .collect();
    sleep_on(&store, memories);
    assert!(planned(&store, None, &keeping()).plan.nights.is_empty());
}
