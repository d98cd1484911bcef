//! Tests of planning a night again: the unchanged parts and the changed ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use nightfold::english::Packs;
use nightfold::{
    Days, NoObserver, Sleep, days_by_night,
    memory::{
        Change, Embedded, Embedder, EmbedderError, Memory, MemoryId, ModelId, NpcNight, ValidConfig, Vectors,
    },
};
use nightfold_desk::{BaseConfig, DeskError, MemoryEdit, Replanner, Story, ask};
use nightfold_embed::{CachedEmbedder, VectorCache};
use nightfold_store::SqliteStore;
use serde_json::json;

/// Embedder with a dimension per hashed word; counts the texts it is given.
struct Words {
    model: ModelId,
    given: Arc<AtomicUsize>,
}

impl Words {
    fn new() -> Self {
        Self { model: "words@1".parse().unwrap(), given: Arc::default() }
    }
}

impl Embedder for Words {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        32
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        self.given.fetch_add(texts.len(), Ordering::Relaxed);
        let mut vectors = Vectors::with_capacity(32, texts.len());
        for text in texts {
            let mut row = [0.0_f32; 32];
            for word in text.split_whitespace() {
                row[word.bytes().fold(7_usize, |h, b| (h * 31 + usize::from(b)) % 32)] += 1.0;
            }
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            vectors.push(&row.map(|x| x / length)).unwrap();
        }
        Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
    }
}

fn days() -> Days {
    let line = |n: i64| -> Memory {
        let what = ["the mill wheel broke", "the ferry is late", "Joss owes me silver"][(n % 3) as usize];
        serde_json::from_value(json!({
            "id": format!("m{n}"), "npc": "Mara", "at": (n / 12) * 86_400 + (n % 12) * 600, "kind": "event",
            "text": format!("{what} for the {n}th time"), "importance": 1 + n % 6,
        }))
        .unwrap()
    };
    days_by_night((0..24).map(line).collect(), None, &ValidConfig::default())
}

/// The days, after nothing.
fn lived() -> Story {
    Story::Days(days(), Box::new(SqliteStore::in_memory().unwrap()))
}

#[test]
fn baseline_equals_the_drivers_plan_and_replanning_embeds_no_known_text() {
    let (words, base) = (Words::new(), ValidConfig::default());
    let given = Arc::clone(&words.given);
    let cache = VectorCache::in_memory(10_000).unwrap();
    let words = Box::new(CachedEmbedder::new(words, Some(cache), "words of this test"));
    let replanner = Replanner::new(lived(), words, None, base.clone()).unwrap();
    assert!(replanner.before().failures.is_empty());
    let (words, store) = (Words::new(), SqliteStore::in_memory().unwrap());
    let sleep = Sleep {
        config: &base,
        packs: &Packs,
        embedder: &words,
        store: &store,
        language: None,
        judge: None,
        observer: &NoObserver,
    };
    let planned = sleep.plan(days()).unwrap().plan.nights;
    for (number, night) in planned.iter().enumerate() {
        assert_eq!(replanner.baseline((0, number)).unwrap().planned.night, *night);
    }

    let baseline = replanner.baseline((0, 1)).unwrap();
    let before = given.load(Ordering::Relaxed);
    assert_eq!(replanner.again(&baseline, &base, &[]).unwrap().night, planned[1]);
    assert_eq!(given.load(Ordering::Relaxed), before, "every text is known");

    let changed = BaseConfig::new(base)
        .with(&[("budget.storage".to_owned(), json!(0.1)), ("budget.min_kept".to_owned(), json!(0))].into())
        .unwrap();
    let fewer = replanner.again(&baseline, &changed, &[]).unwrap().night;
    assert!(fewer.report.counts.kept < planned[1].report.counts.kept);
    assert_eq!(fewer.base_version, planned[1].base_version, "the night before is as it was");
    let texts = given.load(Ordering::Relaxed) - before;
    assert!(texts < fewer.report.counts.distinct, "{texts}");
}

#[test]
fn missing_night_is_reported_by_its_indices() {
    let replanner = Replanner::new(lived(), Box::new(Words::new()), None, ValidConfig::default()).unwrap();
    for of in [(0, 2), (1, 0), (usize::MAX, usize::MAX)] {
        assert!(
            matches!(replanner.baseline(of), Err(DeskError::NoNight { npc, night }) if (npc, night) == of)
        );
    }
}

/// Ids of the memories that stand in their own words.
fn kept(night: &NpcNight) -> Vec<&str> {
    let stored = night.changes.iter().filter_map(|change| match change {
        Change::Store { entry, .. } => Some(entry.id.as_str()),
        _ => None,
    });
    stored.collect()
}

#[test]
fn every_way_gives_the_memory_the_other_fate() {
    let base = BaseConfig::default();
    let replanner = Replanner::new(lived(), Box::new(Words::new()), None, base.config().clone()).unwrap();
    let baseline = replanner.baseline((0, 0)).unwrap();
    let night = &baseline.planned.night;
    let pruned = night.changes.iter().find_map(|change| match change {
        Change::Prune { id, .. } => Some(id),
        _ => None,
    });
    let stored: MemoryId = kept(night)[0].parse().unwrap();
    for id in [pruned.unwrap(), &stored] {
        let was_kept = kept(night).contains(&id.as_str());
        let told = ask(&replanner, &baseline, &base, &BTreeMap::new(), &[], id).unwrap();
        assert!(!told.ways.is_empty() || was_kept);
        assert!(told.line.contains(id.as_str()) && told.expectation.contains(id.as_str()), "{told:?}");
        assert!(told.ways.is_sorted_by_key(|way| way.others));
        let lived = baseline.day.memories.iter().find(|memory| memory.id == *id).unwrap();
        for way in told.ways {
            let mut edit = MemoryEdit::of(lived);
            let mut set = BTreeMap::new();
            match way.key {
                "importance" => edit.importance = serde_json::from_value(way.to.clone()).unwrap(),
                "pinned" => edit.pinned = way.to == json!(true),
                key => drop(set.insert(key.to_owned(), way.to.clone())),
            }
            let night = replanner.again(&baseline, &base.with(&set).unwrap(), &[edit]).unwrap().night;
            assert_ne!(kept(&night).contains(&id.as_str()), was_kept, "{way:?}");
        }
    }
}

#[test]
fn changed_memory_breaks_no_bound_of_the_input() {
    let base = BaseConfig::default();
    let replanner = Replanner::new(lived(), Box::new(Words::new()), None, base.config().clone()).unwrap();
    let baseline = replanner.baseline((0, 0)).unwrap();
    let long = "x".repeat(base.config().input.max_text_bytes + 1);
    let edit = MemoryEdit { text: long, ..MemoryEdit::of(&baseline.day.memories[0]) };
    let refused = replanner.again(&baseline, base.config(), std::slice::from_ref(&edit)).unwrap_err();
    assert!(matches!(&refused, DeskError::Memory { id, .. } if *id == edit.id), "{refused}");
    assert!(replanner.whole(base.config(), &[edit]).is_err());
}
