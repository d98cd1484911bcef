//! New entries of long-term memory, made from the decisions of a night.

use std::collections::BTreeSet;

use nightfold_memory::{
    Analysis, Emotion, Entry, GameTime, Importance, Kind, LanguagePack, MemoryId, RecordKind, ThemeId,
    ThemeNight, Vector, Vectors,
};
use sha2::{Digest, Sha256};

use super::{NightContext, names::NightNames, synthesized::DerivedReflection};
use crate::{
    collapse::DistinctMemory,
    merged::{common, united},
    naming::{hashed, slug, unused_id},
    themes::ThemeMatch,
    triage::Triage,
};

/// Builder of new entries and unused ids.
pub(super) struct EntryWriter<'a> {
    frame: &'a NightContext,
    analyses: &'a [Analysis],
    pub(super) names: NightNames<'a>,
    name_analysis: &'a Analysis,
    pack: &'a dyn LanguagePack,
    used_ids: BTreeSet<MemoryId>,
    used_theme_ids: BTreeSet<ThemeId>,
}

impl<'a> EntryWriter<'a> {
    pub(super) fn new(
        frame: &'a NightContext,
        analyses: &'a [Analysis],
        name_analysis: &'a Analysis,
        pack: &'a dyn LanguagePack,
    ) -> Self {
        let used_ids = frame.past.known.keys().chain(frame.memories.iter().map(|m| &m.id)).cloned().collect();
        let used_theme_ids = frame.past.themes.iter().map(|theme| theme.id.clone()).collect();
        Self {
            frame,
            analyses,
            names: NightNames::new(frame, analyses, name_analysis, pack),
            name_analysis,
            pack,
            used_ids,
            used_theme_ids,
        }
    }

    /// Returns an unused id that begins with words of the name, so that entries about one subject sort together.
    fn unused_id(&mut self, form: RecordKind, rows: &[usize], text: &str, name: &str) -> MemoryId {
        let id = self.hashed_slug(form.as_str(), rows, text, name);
        let free = unused_id(id, &|id| self.used_ids.contains(id));
        self.used_ids.insert(free.clone());
        free
    }

    /// Returns the words of a name, followed by a hash.
    fn hashed_slug(&self, what: &str, rows: &[usize], text: &str, name: &str) -> String {
        let mut hash = Sha256::new();
        for part in [self.frame.npc.as_str(), self.frame.night.as_str(), what, text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        for &row in rows {
            hash.update(self.frame.distinct[row].id.as_str());
            hash.update([0]);
        }
        hashed(&slug(name, self.pack), hash)
    }

    /// Returns the followed themes as they are after this night; `vectors` are those of the distinct
    /// memories.
    pub(super) fn theme_nights(&mut self, triage: &Triage, vectors: &Vectors) -> Vec<ThemeNight> {
        let tonight = self.frame.theme_matcher(vectors, self.analyses, self.name_analysis);
        let mut seen = Vec::new();
        for theme in &triage.themes {
            if theme.recurring.lasting == ThemeMatch::Passing {
                continue;
            }
            let rows = tonight.experiences(&theme.members);
            let known = self.names.continued(theme);
            let name = self.names.cluster_name(theme, &rows);
            let subject = match known {
                // A name that does not fit is better than none: the theme is what it was named for, on another night.
                Some(known) if name.is_empty() => (known.id.clone(), known.words.concat()),
                Some(known) => (known.id.clone(), name),
                None => (self.unused_theme_id(&rows, &name), name),
            };
            seen.extend(tonight.updated_theme(&rows, known, subject));
        }
        seen
    }

    /// Returns an unused id of a new theme.
    fn unused_theme_id(&mut self, rows: &[usize], name: &str) -> ThemeId {
        let slug = self.hashed_slug("theme", rows, "", name);
        let numbered = |n: usize| if n < 2 { slug.clone() } else { format!("{slug}~{n}") };
        let free = (1..=self.used_theme_ids.len() + 1)
            .filter_map(|n| ThemeId::new(numbered(n)).ok())
            .find(|id| !self.used_theme_ids.contains(id));
        let id = free.unwrap_or_else(|| unreachable!("there are more names than themes"));
        self.used_theme_ids.insert(id.clone());
        id
    }

    /// Returns the entry and the name of a synthesis of several memories.
    pub(super) fn synthesis(&mut self, rows: &[usize], text: &str, vector: Vector) -> (Entry, String) {
        let name = self.names.title(rows, None);
        let id = self.unused_id(RecordKind::Synthesis, rows, text, &name);
        let members: Vec<&DistinctMemory> = rows.iter().map(|&i| &self.frame.distinct[i]).collect();
        let entry = Entry {
            id,
            form: RecordKind::Synthesis,
            kind: most_common_kind(&members),
            text: text.to_owned(),
            at: members.iter().map(|m| m.first_at()).min().unwrap_or(self.frame.until),
            last_at: members.iter().map(|m| m.last_at).max().unwrap_or(self.frame.until),
            importance: members.iter().map(|m| m.importance).max().unwrap_or(Importance::DEFAULT),
            occurrences: members.iter().map(|m| m.occurrences()).fold(0, u32::saturating_add),
            actors: united(members.iter().map(|m| &m.actors), usize::MAX),
            tags: united(members.iter().map(|m| &m.tags), usize::MAX),
            place: common(members.iter().map(|m| &m.place)).cloned().flatten(),
            pinned: false,
            emotion: mean_emotion(&members),
            sources: members.iter().map(|m| m.id.clone()).collect(),
            vector: Some(vector),
        };
        (entry, name)
    }

    /// Returns the entry and the name of a reflection.
    pub(super) fn reflection(&mut self, insight: &DerivedReflection, vector: Vector) -> (Entry, String) {
        let name = match insight.subject.as_str() {
            "" => self.names.title(&insight.rows, Some(&insight.text)),
            subject => self.pack.title(&[subject]),
        };
        let id = self.unused_id(RecordKind::Reflection, &insight.rows, &insight.text, &name);
        let members: Vec<&DistinctMemory> = insight.rows.iter().map(|&i| &self.frame.distinct[i]).collect();
        let importance = self.frame.config.synthesis.reflection_importance;
        let until: GameTime = self.frame.until;
        let entry = Entry {
            id,
            form: RecordKind::Reflection,
            kind: Kind::Reflection,
            text: insight.text.clone(),
            at: until,
            last_at: until,
            importance: Importance::new(importance).unwrap_or(Importance::DEFAULT),
            occurrences: 1,
            actors: united(members.iter().map(|m| &m.actors), usize::MAX),
            tags: Vec::new(),
            place: None,
            pinned: false,
            emotion: mean_emotion(&members),
            sources: insight.earlier.iter().chain(members.iter().map(|m| &m.id)).cloned().collect(),
            vector: Some(vector),
        };
        (entry, name)
    }
}

/// Returns the entry that keeps a memory in its own words.
pub(crate) fn verbatim_entry(memory: &DistinctMemory, vector: Option<Vector>) -> Entry {
    Entry {
        id: memory.id.clone(),
        form: RecordKind::Verbatim,
        kind: memory.kind,
        text: memory.text.clone(),
        at: memory.at,
        last_at: memory.last_at,
        importance: memory.importance,
        occurrences: memory.occurrences(),
        actors: memory.actors.clone(),
        tags: memory.tags.clone(),
        place: memory.place.clone(),
        pinned: memory.pinned,
        emotion: memory.emotion,
        sources: memory.sources.clone(),
        vector,
    }
}

fn most_common_kind(members: &[&DistinctMemory]) -> Kind {
    let count = |kind: Kind| members.iter().filter(|m| m.kind == kind).count();
    // Of equally common kinds the first mentioned: `max_by_key` takes the last, so it looks from the back.
    members.iter().rev().map(|m| m.kind).max_by_key(|&k| count(k)).unwrap_or(Kind::Event)
}

fn mean_emotion(members: &[&DistinctMemory]) -> Option<Emotion> {
    let felt: Vec<Emotion> = members.iter().filter_map(|m| m.emotion).collect();
    let mean = |part: fn(&Emotion) -> f32| {
        let mean = felt.iter().map(part).sum::<f32>() / felt.len() as f32;
        (mean * 100.0).round() / 100.0 + 0.0
    };
    (!felt.is_empty()).then(|| Emotion { valence: mean(|e| e.valence), intensity: mean(|e| e.intensity) })
}
