//! Summaries of old, unimportant entries: by week, later by month. The summarised entries are archived.
//!
//! Two pure steps, with an embedding between: [`summaries`] groups the due entries and writes the texts;
//! [`changes`] takes their vectors, merges summaries into active entries that say the same, and returns the
//! changes of a plan.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Analysis, Calendar, Change, Entry, GameTime, Importance, Kind, LanguagePack, MemoryId, MemoryRecord,
    MergedState, NpcId, Reason, RecordKind, Rule, Stance, SummaryFrame, SummaryPeriod, SummarySource,
    ValidConfig, Vectors,
};

use crate::{
    LivedTime,
    forgetting::{Strength, may_fade},
    gram::dot,
    linkage::{Bounds, similar_entries},
    merged::{common, moved, united},
    naming::{DocumentFrequencies, Namer, hashed_entry, slug, unused_id},
};

/// Maximum number of entries in one summary, and of memories that one record is distilled from.
pub(crate) const MAX_GROUP: usize = 64;

/// Summary of a week's or month's entries about one subject, before it has a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Entry of the summary; its id and vector are set last.
    entry: Entry,
    level: SummaryPeriod,
    /// Its name.
    name: String,
    /// Words of the name, with which its id begins.
    slug: String,
    /// Least cosine between any two of its sources.
    similarity: f32,
    /// Latest game time at which one of its sources was touched.
    touched_at: GameTime,
}

impl Summary {
    /// Returns its text, which needs a vector.
    pub fn text(&self) -> &str {
        &self.entry.text
    }

    /// Returns the ids of the summarised entries.
    pub fn sources(&self) -> &[MemoryId] {
        &self.entry.sources
    }
}

/// Returns the period of a summary; `None` if the entry is not a summary.
fn level_of(memory: &MemoryRecord) -> Option<SummaryPeriod> {
    let id = memory.entry.id.as_str();
    let ours = memory.entry.form == RecordKind::Synthesis;
    [SummaryPeriod::Week, SummaryPeriod::Month]
        .into_iter()
        .find(|level| ours && id.starts_with(level.id_prefix()))
}

/// Returns the period in which an entry is due to be summarised; `None` if it is not due.
///
/// An entry is due if its week or month ended long enough ago, it was neither corroborated nor recalled since
/// then, and it is weak ([`Strength`], `maintain.summarize_below`): what is strong keeps its own words. Pinned entries, important ones, those of high confidence and reflections are never due.
fn due_period(memory: &MemoryRecord, now: &LivedTime, config: &ValidConfig) -> Option<(SummaryPeriod, i64)> {
    let settings = &config.maintain;
    let (level, after) = match level_of(memory) {
        None => (SummaryPeriod::Week, settings.week_after_days),
        Some(SummaryPeriod::Week) => (SummaryPeriod::Month, settings.month_after_days),
        Some(SummaryPeriod::Month) => return None,
    };
    if memory.entry.form == RecordKind::Reflection
        || memory.entry.kind == Kind::Reflection
        || !may_fade(memory, config)
        || Strength::of(memory, now, settings).value >= settings.summarize_below
    {
        return None;
    }
    let calendar = Calendar::of(memory, config.day.turns_at);
    let period = |at: GameTime| calendar.period(level, calendar.day(at));
    let horizon = calendar.period(level, calendar.day(now.now()) - i64::from(after));
    let met = [memory.last_corroborated_at, memory.recalled_at].into_iter().flatten();
    let fresh = met.chain([memory.entry.last_at]).any(|at| period(now.as_lived(at)) >= horizon);
    (!fresh).then(|| (level, period(memory.entry.last_at)))
}

/// True if [`summaries`] would consider an entry.
pub fn is_due(memory: &MemoryRecord, now: &LivedTime, config: &ValidConfig) -> bool {
    due_period(memory, now, config).is_some()
}

/// Summarises the due ones of some active entries in groups: entries of one week about one subject, and
/// weekly summaries of one month. The result does not depend on the order of the entries. Entries without a
/// vector are skipped.
///
/// ```
/// use nightfold_consolidate::{LivedTime, abstraction::summaries};
/// use nightfold_english::English;
/// use nightfold_memory::{GameTime, MemoryRecord, NpcId, ValidConfig};
///
/// let entry = |id: &str, day: i64, text: &str| -> MemoryRecord {
///     serde_json::from_value(serde_json::json!({
///         "npc": "Mara", "id": id, "form": "verbatim", "kind": "event", "text": text, "at": day * 86_400,
///         "last_at": day * 86_400, "importance": 3, "occurrences": 1, "sources": [], "vector": [1.0, 0.0],
///         "state": "active", "corroborations": 0, "confidence": "normal", "touched_at": day * 86_400, "night": "x",
///     })).unwrap()
/// };
/// let week = [
///     entry("a", 1, "I swept the room"), entry("b", 2, "I swept the room at dusk"), entry("c", 4, "I swept the room again"),
/// ];
/// let now = LivedTime::at(GameTime::from_seconds(20 * 86_400).unwrap());
/// let config = ValidConfig::default();
/// let told = summaries(&NpcId::new("Mara")?, &week.iter().collect::<Vec<_>>(), &now, &config, &English);
/// assert_eq!(told[0].text(), "From day 1 to day 4, on 3 days, 3 times; of these: “I swept the room”");
/// # Ok::<(), nightfold_memory::IdError>(())
/// ```
pub fn summaries(
    npc: &NpcId,
    memories: &[&MemoryRecord],
    now: &LivedTime,
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> Vec<Summary> {
    let mut periods: BTreeMap<(SummaryPeriod, i64), Vec<&MemoryRecord>> = BTreeMap::new();
    for &memory in memories.iter().filter(|m| m.entry.vector.is_some()) {
        if let Some(period) = due_period(memory, now, config) {
            periods.entry(period).or_default().push(memory);
        }
    }
    let own = pack.analyze(npc.as_str(), &[npc.as_str()]);
    let mut out = Vec::new();
    for ((level, _), mut members) in periods {
        members.sort_by(|a, b| (a.entry.at, &a.entry.id).cmp(&(b.entry.at, &b.entry.id)));
        // The matrix of similarities grows with the square of the number of entries.
        for part in members.chunks(config.cluster.max_distinct) {
            out.extend(stable_summaries(part.to_vec(), now, |members| Period {
                level,
                members,
                own: &own,
                config,
                pack,
            }));
        }
    }
    out
}

/// Summarises entries of one period. What has faded away and finds no group is going to be forgotten: without it
/// others may find one, so that they are grouped anew until it takes part in no grouping.
fn stable_summaries<'a>(
    mut members: Vec<&'a MemoryRecord>,
    now: &LivedTime,
    period: impl for<'m> Fn(&'m [&'a MemoryRecord]) -> Period<'m>,
) -> Vec<Summary> {
    loop {
        let period = period(&members);
        let settings = &period.config.maintain;
        let found = period.summaries();
        let grouped: BTreeSet<&MemoryId> = found.iter().flat_map(Summary::sources).collect();
        let stays = |memory: &&MemoryRecord| {
            grouped.contains(&memory.entry.id)
                || Strength::of(memory, now, settings).value >= settings.forget_below
        };
        let left: Vec<&MemoryRecord> = members.iter().copied().filter(stays).collect();
        if left.len() == members.len() {
            return found;
        }
        members = left;
    }
}

/// Entries of one week or month.
struct Period<'a> {
    level: SummaryPeriod,
    /// Entries in order of time.
    members: &'a [&'a MemoryRecord],
    own: &'a Analysis,
    config: &'a ValidConfig,
    pack: &'a dyn LanguagePack,
}

impl Period<'_> {
    fn summaries(&self) -> Vec<Summary> {
        let (settings, turns_at) = (&self.config.maintain, self.config.day.turns_at);
        let Some(calendar) = self.members.first().map(|m| Calendar::of(m, turns_at)) else {
            return Vec::new();
        };
        let members = self.members.iter();
        let texts: Vec<&str> =
            members.map(|m| self.pack.quotable_words(&m.entry.text, level_of(m).is_some())).collect();
        let people: Vec<&str> =
            self.members.iter().flat_map(|m| m.entry.actors.iter().map(String::as_str)).collect();
        let analyses = self.pack.analyze_day(&texts, &people);
        let sources: Vec<SummarySource<'_>> = self
            .members
            .iter()
            .zip(&texts)
            .zip(&analyses)
            .map(|((m, text), analysis)| source(m, text, analysis.clone(), calendar))
            .collect();
        let bounds =
            Bounds { min_similarity: settings.similar, max_members: MAX_GROUP, max_chars: usize::MAX };
        // Opposed statements, other actors in a role and other numbers of a fact are never summarised
        // together, nor is talk with what was lived.
        let is_talk = |i: usize| self.members[i].entry.kind == Kind::Chat;
        let apart = |i: usize, j: usize| {
            is_talk(i) != is_talk(j) || self.pack.cannot_link(&analyses[i], &analyses[j])
        };
        let groups = similar_entries(self.members.iter().map(|m| &m.entry), bounds, apart);
        let day = DocumentFrequencies::of(&analyses);
        let large = groups.into_iter().filter(|g| g.members.len() >= settings.min_group);
        large
            .map(|group| {
                let told: Vec<&SummarySource<'_>> = group.members.iter().map(|&i| &sources[i]).collect();
                let max_chars = self.config.synthesis.max_chars;
                let texts: Vec<(&str, &Analysis)> = told.iter().map(|s| (s.text, &s.analysis)).collect();
                let frame = SummaryFrame { period: self.level, calendar, max_chars };
                let worded = self.pack.summary(&told, frame);
                let name = Namer { day: &day, own: self.own, pack: self.pack }.name(&texts, None);
                let times = told.iter().map(|s| s.times).fold(0, u32::saturating_add);
                let members: Vec<&MemoryRecord> = group.members.iter().map(|&i| self.members[i]).collect();
                let entry = self.entry(&members, worded.text, times, worded.quoted.map(|i| members[i]));
                Summary {
                    touched_at: members.iter().map(|m| m.last_touched()).max().unwrap_or(entry.last_at),
                    entry,
                    level: self.level,
                    slug: slug(&name, self.pack),
                    name,
                    similarity: group.similarity,
                }
            })
            .collect()
    }

    fn entry(
        &self,
        members: &[&MemoryRecord],
        text: String,
        times: u32,
        quoted: Option<&MemoryRecord>,
    ) -> Entry {
        let most = self.config.input.max_list;
        let entries = || members.iter().map(|m| &m.entry);
        Entry {
            // A placeholder: the id is set when the summary is planned.
            id: members[0].entry.id.clone(),
            form: RecordKind::Synthesis,
            kind: common(entries().map(|e| e.kind)).unwrap_or(Kind::Event),
            text,
            at: entries().map(|e| e.at).min().unwrap_or(GameTime::ZERO),
            last_at: entries().map(|e| e.last_at).max().unwrap_or(GameTime::ZERO),
            importance: entries().map(|e| e.importance).max().unwrap_or(Importance::DEFAULT),
            occurrences: times,
            actors: united(entries().map(|e| &e.actors), most),
            tags: united(entries().map(|e| &e.tags), most),
            place: common(entries().map(|e| &e.place)).cloned().flatten(),
            pinned: false,
            emotion: quoted.and_then(|m| m.entry.emotion),
            sources: entries().map(|e| e.id.clone()).collect(),
            vector: None,
        }
    }
}

fn source<'a>(
    memory: &MemoryRecord,
    text: &'a str,
    analysis: Analysis,
    calendar: Calendar,
) -> SummarySource<'a> {
    let entry = &memory.entry;
    let felt = entry.emotion.map_or(0.0, |e| e.intensity);
    SummarySource {
        text,
        analysis,
        first: calendar.day(entry.at),
        last: calendar.day(entry.last_at),
        times: entry.occurrences.max(1).saturating_add(memory.corroborations),
        weight: (entry.importance.get(), (felt * 1_000.0) as u16),
    }
}

/// Entries around a plan: the active ones that it leaves active, and access to all others.
pub struct SummaryContext<'a, R> {
    /// Active entries that no summary covers and no other change of the plan touches.
    pub active: &'a [&'a MemoryRecord],
    /// True for every id that was ever used.
    pub is_used: &'a dyn Fn(&MemoryId) -> bool,
    /// Returns the entries that name a given one as a source or as their successor.
    pub referring: R,
}

/// Returns the changes that write summaries and archive their sources. `vectors` are those of the summaries'
/// texts, in their order.
///
/// A summary that repeats an active entry is not written: its sources are collapsed into that entry. Of two
/// summaries with the same meaning, the first is written; the sources of the second are left to the next
/// maintenance.
///
/// # Errors
/// Any error of `referring`.
pub fn changes<E, R: FnMut(&MemoryId) -> Result<Vec<MemoryId>, E>>(
    summaries: Vec<Summary>,
    vectors: &Vectors,
    mut around: SummaryContext<'_, R>,
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> Result<Vec<Change>, E> {
    let near = config.synthesis.near_copy;
    let same = |a: &[f32], text: &str, b: &[f32], other: &str| -> Option<f32> {
        let cosine = (a.len() == b.len()).then(|| dot(a, b)).filter(|c| f64::from(*c) >= near)?;
        (pack.judge(other, text, f64::from(cosine)).stance == Stance::Same).then_some(cosine)
    };
    let mut used: BTreeSet<&MemoryId> = BTreeSet::new();
    let mut ids: BTreeSet<MemoryId> = BTreeSet::new();
    let mut written: Vec<(usize, String)> = Vec::new();
    let mut changes = Vec::new();
    for (row, mut summary) in summaries.into_iter().enumerate().take(vectors.len()) {
        let vector = vectors.row(row);
        if written.iter().any(|(at, text)| same(vector, summary.text(), vectors.row(*at), text).is_some()) {
            continue;
        }
        let copies =
            around.active.iter().filter(|m| m.entry.form != RecordKind::Reflection).filter_map(|m| {
                let other = m.entry.vector.as_ref()?.as_slice();
                same(vector, summary.text(), other, &m.entry.text).map(|cosine| (cosine, *m))
            });
        // The closest, of equally close ones the first by id.
        let copy = copies.reduce(|best, next| if next.0 > best.0 { next } else { best });
        if let Some((cosine, known)) = copy {
            if used.insert(&known.entry.id) {
                changes.push(collapse_into_active(&summary, known, cosine, config, &mut around.referring)?);
            }
            continue;
        }
        let reason = summary.reason(config);
        let id = summary.id(&|id| ids.contains(id) || (around.is_used)(id));
        ids.insert(id.clone());
        summary.entry.id = id;
        summary.entry.vector = Some(vectors.vector(row));
        written.push((row, summary.entry.text.clone()));
        changes.push(Change::Chunk { entry: summary.entry, name: summary.name, reason });
    }
    Ok(changes)
}

impl Summary {
    fn reason(&self, config: &ValidConfig) -> Reason {
        let (period, after) = match self.level {
            SummaryPeriod::Week => ("week", config.maintain.week_after_days),
            SummaryPeriod::Month => ("month", config.maintain.month_after_days),
        };
        Reason::new(Rule::Abstracted)
            .with("period", period)
            .with("after_days", after)
            .with("entries", self.entry.sources.len())
            .with("similarity", self.similarity)
            .with("similar_from", config.maintain.similar)
    }

    /// Returns an unused id that begins with the period and the words of the name.
    fn id(&self, taken: &dyn Fn(&MemoryId) -> bool) -> MemoryId {
        let words = format!("{}{}", self.level.id_prefix(), self.slug);
        unused_id(hashed_entry(&words, self.text(), self.sources()), taken)
    }
}

/// Returns the collapse of a summary's sources into an active entry that already states the summary.
fn collapse_into_active<E>(
    summary: &Summary,
    known: &MemoryRecord,
    cosine: f32,
    config: &ValidConfig,
    referring: &mut impl FnMut(&MemoryId) -> Result<Vec<MemoryId>, E>,
) -> Result<Change, E> {
    let tags: BTreeSet<String> = known.entry.tags.iter().chain(&summary.entry.tags).cloned().collect();
    Ok(Change::Collapse {
        id: known.entry.id.clone(),
        sources: summary.sources().to_vec(),
        standing: Some(MergedState {
            corroborations: known.corroborations.saturating_add(summary.entry.occurrences),
            last_at: known.entry.last_at.max(summary.entry.last_at),
            touched_at: known.last_touched().max(summary.touched_at),
            tags: tags.into_iter().collect(),
            moved: moved(summary.sources().iter(), &known.entry.id, referring)?,
        }),
        reason: summary
            .reason(config)
            .with("cosine", cosine)
            .with("near_copy_from", config.synthesis.near_copy),
    })
}

#[cfg(test)]
mod tests;
