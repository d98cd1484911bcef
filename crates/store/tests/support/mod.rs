//! Builders for nights, change by change.
#![allow(dead_code, reason = "every test program uses a part of it")]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use nightfold_memory::{
    Change, Confidence, Emotion, Entry, GameTime, Importance, Kind, LogFilter, Memory, MemoryId, MemoryStore,
    MergedState, ModelId, NightLabel, NightReport, NpcId, NpcNight, Outcome, Reason, RecordKind,
    ReflectionKind, Rule, Sketch, StoreError, Theme, ThemeNight, ThemeSeen, Vector,
};
use nightfold_store::{DurableStore, ImportError, ImportOptions, SqliteStore};

/// Returns the export of the store.
pub(crate) fn exported(store: &dyn DurableStore, npc: Option<&NpcId>) -> Vec<u8> {
    let mut lines = Vec::new();
    store.export(npc, &mut lines).unwrap();
    lines
}

/// Makes a store from these lines.
pub(crate) fn imported(path: &Path, mut lines: &[u8]) -> Result<SqliteStore, ImportError> {
    let store = SqliteStore::open(path).unwrap();
    store.import(&mut lines, &ImportOptions::default())?;
    Ok(store)
}

pub(crate) fn npc(name: &str) -> NpcId {
    NpcId::new(name).unwrap()
}

pub(crate) fn id(name: &str) -> MemoryId {
    MemoryId::new(name).unwrap()
}

pub(crate) fn ids(names: &[&str]) -> Vec<MemoryId> {
    names.iter().map(|name| id(name)).collect()
}

pub(crate) fn time(text: &str) -> GameTime {
    text.parse().unwrap()
}

/// Returns a unit vector derived from the text.
pub(crate) fn vector(text: &str) -> Vector {
    let angle = text.bytes().fold(0.1_f32, |a, b| (a * 31.0 + f32::from(b)) % 6.0);
    Vector::new(vec![angle.cos(), angle.sin(), 0.0, -0.0]).unwrap()
}

/// Returns a memory with a value in every field.
pub(crate) fn memory(of: &NpcId, name: &str) -> Memory {
    Memory::new(
        of.clone(),
        id(name),
        time("1204-05-03T06:10:00Z"),
        Kind::Chat,
        format!("{of} heard \"{name}\" — 'twice',\n{{so}} \u{1f319}"),
    )
    .with(|memory| {
        memory.importance = Some(Importance::new(7).unwrap());
        memory.actors = vec!["Old Tom".to_owned(), "Ana \"the Fox\"".to_owned()];
        memory.tags = vec!["b".to_owned(), "a".to_owned(), String::new()];
        memory.pinned = name.len().is_multiple_of(2);
        memory.place = Some("the mill".to_owned());
        memory.emotion = Some(Emotion { valence: -0.1, intensity: 0.3 });
    })
}

pub(crate) fn entry(of: &NpcId, name: &str, form: RecordKind, sources: &[&str]) -> Entry {
    let memory = memory(of, name);
    Entry {
        id: memory.id,
        form,
        kind: memory.kind,
        at: memory.at,
        last_at: time("1204-05-03T21:00:00Z"),
        importance: memory.importance.unwrap(),
        occurrences: 3,
        actors: memory.actors,
        tags: memory.tags,
        place: None,
        pinned: memory.pinned,
        emotion: None,
        sources: ids(sources),
        vector: Some(vector(&memory.text)),
        text: memory.text,
    }
}

/// Returns the sketch of a memory that is archived on its first night.
pub(crate) fn sketch_of(name: &str) -> Sketch {
    Sketch::of(&name.bytes().map(|byte| f32::from(byte) - 100.0).collect::<Vec<_>>())
}

/// A night under construction. Every change adds the memories of the day that it decides.
pub(crate) struct Story(pub(crate) NpcNight);

impl Story {
    pub(crate) fn new(of: &str, night: &str, base_version: u64) -> Self {
        Self(NpcNight {
            npc: npc(of),
            night: NightLabel::new(night).unwrap(),
            at: time("1204-05-04T03:00:00Z"),
            base_version,
            model: ModelId::new("test-model").unwrap(),
            memories: Vec::new(),
            changes: Vec::new(),
            themes: Vec::new(),
            sketches: BTreeMap::new(),
            npc_tags: Vec::new(),
            report: report(),
        })
    }

    /// Starts a night planned against the current contents of the store.
    pub(crate) fn on(store: &dyn MemoryStore, of: &str, night: &str) -> Self {
        Self::new(of, night, store.snapshot(&npc(of)).unwrap().version)
    }

    pub(crate) fn day(mut self, names: &[&str]) -> Self {
        let day: Vec<_> = names.iter().map(|name| memory(&self.0.npc, name)).collect();
        self.0.memories.extend(day);
        self
    }

    pub(crate) fn change(mut self, change: Change) -> Self {
        self.0.changes.push(change);
        self
    }

    pub(crate) fn store(self, name: &str) -> Self {
        let entry = entry(&self.0.npc, name, RecordKind::Verbatim, &[]);
        self.day(&[name]).change(Change::Store { entry, reason: reason(Rule::Important) })
    }

    pub(crate) fn collapse(self, name: &str, repeats: &[&str]) -> Self {
        self.collapse_by(Rule::ExactRepeat, name, repeats)
    }

    pub(crate) fn collapse_by(self, rule: Rule, name: &str, repeats: &[&str]) -> Self {
        let (id, sources, reason) = (id(name), ids(repeats), reason(rule));
        self.day(repeats).change(Change::Collapse { id, sources, standing: None, reason })
    }

    /// Collapses older entries.
    pub(crate) fn unite(self, name: &str, duplicates: &[&str], moved: &[&str]) -> Self {
        self.change(Change::Collapse {
            id: id(name),
            sources: ids(duplicates),
            standing: Some(MergedState {
                tags: vec!["united".to_owned()],
                corroborations: 6,
                last_at: time("1204-05-03T22:30:00Z"),
                touched_at: time("1204-05-03T22:45:00Z"),
                moved: ids(moved),
            }),
            reason: reason(Rule::StatusRepeat),
        })
    }

    pub(crate) fn prune(mut self, name: &str) -> Self {
        self.0.sketches.insert(id(name), sketch_of(name));
        self.day(&[name]).change(Change::Prune {
            id: id(name),
            sources: Vec::new(),
            reason: reason(Rule::UnimportantLoose),
        })
    }

    pub(crate) fn chunk(self, name: &str, told: &[&str]) -> Self {
        let entry = entry(&self.0.npc, name, RecordKind::Synthesis, told);
        self.day(told).change(Change::Chunk { entry, name: String::new(), reason: reason(Rule::Similar) })
    }

    /// Summarises older entries.
    pub(crate) fn abstracted(self, name: &str, told: &[&str]) -> Self {
        let entry = entry(&self.0.npc, name, RecordKind::Synthesis, told);
        self.change(Change::Chunk { entry, name: String::new(), reason: reason(Rule::Abstracted) })
    }

    pub(crate) fn reflect(self, name: &str, on: &[&str]) -> Self {
        let entry = entry(&self.0.npc, name, RecordKind::Reflection, on);
        self.change(Change::Reflect {
            entry,
            name: String::new(),
            reflection: ReflectionKind::Social,
            reason: reason(Rule::CohesiveCluster),
        })
    }

    pub(crate) fn corroborate(self, name: &str, again: &[&str], corroborations: u32) -> Self {
        self.day(again).change(Change::Corroborate {
            id: id(name),
            sources: ids(again),
            corroborations,
            confidence: if corroborations >= 3 { Confidence::High } else { Confidence::Normal },
            last_at: time("1204-05-03T23:00:00Z"),
            tags: vec!["united".to_owned()],
            importance: Importance::new(corroborations.clamp(6, 9) as u8 + 1).unwrap(),
            pinned: corroborations >= 3,
            reason: reason(Rule::AlreadyKnown),
        })
    }

    /// Corroborates an entry by memories that another change decides.
    pub(crate) fn strengthen(self, name: &str, from: &[&str], corroborations: u32) -> Self {
        self.change(Change::Strengthen {
            id: id(name),
            sources: ids(from),
            corroborations,
            confidence: if corroborations >= 3 { Confidence::High } else { Confidence::Normal },
            reason: reason(Rule::DrawnAgain),
        })
    }

    pub(crate) fn supersede(self, name: &str, by: &[&str]) -> Self {
        self.change(Change::Supersede { id: id(name), sources: ids(by), reason: reason(Rule::Contradicted) })
    }

    pub(crate) fn contest(self, name: &str, with: &[&str]) -> Self {
        self.change(Change::Contest { id: id(name), sources: ids(with), reason: reason(Rule::Contested) })
    }

    pub(crate) fn end(self, name: &str, position: &str, by: &[&str]) -> Self {
        let (position, since) = (position.to_owned(), time("1204-05-04T01:00:00Z"));
        self.change(Change::End {
            id: id(name),
            position,
            since,
            sources: ids(by),
            reason: reason(Rule::Ended),
        })
    }

    pub(crate) fn archive(self, name: &str) -> Self {
        self.change(Change::Archive { id: id(name), sources: Vec::new(), reason: reason(Rule::OverBudget) })
    }

    pub(crate) fn restore(self, name: &str, vector: Option<Vector>) -> Self {
        let (id, sources) = (id(name), Vec::new());
        self.change(Change::Restore { id, sources, vector, reason: reason(Rule::Restored) })
    }

    /// Adds the first night of a theme.
    pub(crate) fn theme(self, name: &str) -> Self {
        self.sees(name, 1)
    }

    /// Adds the `nights`-th night of a theme.
    pub(crate) fn sees(mut self, name: &str, nights: u32) -> Self {
        let at = self.0.at;
        let text = format!("{name} {nights}");
        let seen = |n| ThemeSeen { night: self.0.night.clone(), at, terms: vec![format!("term {n}")] };
        self.0.themes.push(ThemeNight {
            theme: Theme {
                id: name.parse().unwrap(),
                words: vec![format!("{name} \"quoted\""), "\u{fc}ber".to_owned()],
                centre: vector(&text),
                memories: u64::from(nights) * 3,
                nights,
                first_at: time("1204-05-01T06:10:00Z"),
                last_at: time("1204-05-03T21:00:00Z"),
                recent: (0..nights).map(seen).collect(),
            },
            members: (1..=3).map(|n| id(&format!("{text} of {n}"))).collect(),
            importance: 4.3333,
            new: nights == 1,
        });
        self
    }

    pub(crate) fn forget(self, name: &str) -> Self {
        self.change(Change::Forget { id: id(name), sources: Vec::new(), reason: reason(Rule::OverBudget) })
    }
}

pub(crate) fn reason(rule: Rule) -> Reason {
    Reason::new(rule).with("cosine", 0.8312_f64).with("nights", 3_usize).with("name", "a \"b\"")
}

/// Applies one night and returns the store's answer.
pub(crate) fn apply(store: &dyn MemoryStore, night: &Story) -> Result<Outcome, StoreError> {
    let run = store.begin_run().unwrap();
    let mut outcomes = store.apply(run, std::slice::from_ref(&night.0)).unwrap();
    assert_eq!(outcomes.len(), 1);
    outcomes.remove(0)
}

/// Applies one night, which must succeed, and returns its version.
pub(crate) fn applied(store: &dyn MemoryStore, night: &Story) -> u64 {
    let version = night.0.next_version().unwrap();
    assert_eq!(apply(store, night).unwrap(), Outcome::Applied { version });
    assert_eq!(store.snapshot(&night.0.npc).unwrap().version, version);
    version
}

/// Returns everything that a store shows, as text.
pub(crate) fn all_of(store: &dyn MemoryStore) -> String {
    let mut all = vec![format!("{:#?} {:#?}", store.model().unwrap(), store.nights(None).unwrap())];
    for npc in store.npcs().unwrap() {
        let entries = store.entries(&npc).unwrap();
        let nights = store.nights(Some(&npc)).unwrap();
        let page = store.active_page(&npc, None, usize::MAX).unwrap();
        all.push(format!("{npc} {:#?}", store.themes(&npc).unwrap()));
        all.push(format!("{npc} {:#?} {entries:#?} {page:#?} {nights:#?}", store.snapshot(&npc).unwrap()));
        let of_game = entries.iter().flat_map(|e| e.entry.sources.iter().chain(&e.superseded_by).cloned());
        let named: BTreeSet<_> = of_game.chain(entries.iter().map(|e| e.entry.id.clone())).collect();
        for id in named {
            let (log, derived) =
                (store.log(&npc, LogFilter::Entry(&id)).unwrap(), store.derived(&npc, &id).unwrap());
            let (entry, referring) = (store.entry(&npc, &id).unwrap(), store.referring(&npc, &id).unwrap());
            all.push(format!("{id} {log:#?} {derived:?} {referring:?} {entry:#?}"));
        }
    }
    all.join("\n")
}

/// Returns a night with each kind of change that a first night can have.
pub(crate) fn full_night() -> Story {
    Story::new("Mara", "1204-05-03", 0)
        .collapse("kept", &["kept~2", "kept~3"])
        .store("kept")
        .collapse("dull", &["dull~2"])
        .prune("dull")
        .chunk("told", &["bread", "butter"])
        .reflect("insight", &["kept", "bread"])
        .theme("mill")
        .theme("feud")
}

/// Returns a night that changes the entries of [`full_night`].
pub(crate) fn second_night(base_version: u64) -> Story {
    Story::new("Mara", "1204-05-04", base_version)
        .store("new")
        .corroborate("kept", &["again"], 3)
        .corroborate("kept", &["and-again"], 4)
        .supersede("told", &["new"])
        .archive("insight")
        .prune("noise")
        .sees("feud", 2)
        .theme("lantern")
}

pub(crate) fn report() -> NightReport {
    NightReport { share_of_night: 1.0, ..NightReport::default() }
}
