//! Long-term memory: entries, records, and the snapshot that a night is reconciled with.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::{
    ended::EndedPosition,
    id::{MemoryId, ModelId, NightLabel, NpcId},
    memory::{Emotion, Importance, Kind, Memory},
    plan::Rule,
    sketch::Sketch,
    theme::Theme,
    time::GameTime,
    vector::Vector,
};

/// Form of an entry: kept in its own words, synthesized, or a reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RecordKind {
    /// A memory of the day in its own words.
    Verbatim,
    /// A synthesis of several memories, or a summary.
    Synthesis,
    /// A reflection: a statement derived from memories (Park et al. 2023).
    Reflection,
}

impl RecordKind {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Synthesis => "synthesis",
            Self::Reflection => "reflection",
        }
    }
}

/// Content and provenance of a record: the part that a night writes once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// Id within the NPC.
    pub id: MemoryId,
    /// Form of the entry.
    pub form: RecordKind,
    /// Kind of experience.
    pub kind: Kind,
    /// Text that is remembered.
    pub text: String,
    /// Time at which it happened, or at which the first of several memories happened.
    pub at: GameTime,
    /// Time at which the last of them happened.
    pub last_at: GameTime,
    /// Importance, 1 to 10.
    pub importance: Importance,
    /// Number of times it was experienced, repeats included; at least 1.
    pub occurrences: u32,
    /// Names of the participants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actors: Vec<String>,
    /// Tags given by the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Place where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// True if it is never pruned and never synthesized.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Emotion of the NPC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emotion: Option<Emotion>,
    /// Ids of the memories it was made from (`DERIVED_FROM`).
    pub sources: Vec<MemoryId>,
    /// Embedding of `text`, or for a synthesis the direction of the mean of its sources' embeddings; always
    /// present on an active entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<Vector>,
}

impl Entry {
    /// Returns a memory of the day as an entry in its own words, without a vector.
    pub fn verbatim(memory: &Memory) -> Self {
        Self {
            id: memory.id.clone(),
            form: RecordKind::Verbatim,
            kind: memory.kind,
            text: memory.text.clone(),
            at: memory.at,
            last_at: memory.at,
            importance: memory.importance(),
            occurrences: 1,
            actors: memory.actors.clone(),
            tags: memory.tags.clone(),
            place: memory.place.clone(),
            pinned: memory.pinned,
            emotion: memory.emotion,
            sources: memory.sources.clone(),
            vector: None,
        }
    }
}

/// State of an entry in long-term memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The NPC knows it: it is recalled and new memories are reconciled with it.
    Active,
    /// The NPC no longer knows it; it is kept for `list`, `why` and `undo`, and may be restored.
    Archived,
}

impl State {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
        }
    }
}

/// Confidence of the NPC in an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Any other entry.
    Normal,
    /// An entry that states a position, or a reflection, corroborated at least `reconcile.high_confidence_after` times.
    High,
}

impl Confidence {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// One row of long-term memory: an entry with its current state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryRecord {
    /// NPC that the entry belongs to.
    pub npc: NpcId,
    /// Content and provenance.
    #[serde(flatten)]
    pub entry: Entry,
    /// State in long-term memory.
    pub state: State,
    /// Name of the rule that archived it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_by: Option<String>,
    /// Number of corroborations since it was first stored.
    pub corroborations: u32,
    /// Confidence of the NPC in it.
    pub confidence: Confidence,
    /// Id of the entry that superseded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// Active entries that contradict this one, sorted by id, as long as the contradiction is not settled;
    /// each of them lists this entry in turn. Empty for an archived entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested_with: Vec<MemoryId>,
    /// Positions of this entry that no longer hold, sorted, each once; an archived entry keeps them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<EndedPosition>,
    /// Time at which it was last corroborated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_corroborated_at: Option<GameTime>,
    /// Time at which it was last written or corroborated.
    pub touched_at: GameTime,
    /// Number of times it was recalled by day.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recalls: u32,
    /// Time at which it was last recalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled_at: Option<GameTime>,
    /// Night that wrote it.
    pub night: NightLabel,
    /// Sketch of its embedding, for a memory that was archived on its first night and may come
    /// [faintly](MemoryRecord::is_faint) to mind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl MemoryRecord {
    /// Returns a memory that no night has consolidated yet as an active record, as it would be if it were stored in
    /// its own words. `night` is the label of the night that it waits for.
    pub fn of_today(memory: &Memory, vector: Vector, night: NightLabel) -> Self {
        let entry = Entry { vector: Some(vector), ..Entry::verbatim(memory) };
        Self::new(memory.npc.clone(), entry, memory.at, night)
    }

    /// Returns a new active record of an entry that a night writes at this moment.
    pub(crate) fn new(npc: NpcId, entry: Entry, at: GameTime, night: NightLabel) -> Self {
        Self {
            npc,
            entry,
            state: State::Active,
            archived_by: None,
            corroborations: 0,
            confidence: Confidence::Normal,
            superseded_by: None,
            contested_with: Vec::new(),
            ended: Vec::new(),
            last_corroborated_at: None,
            touched_at: at,
            recalls: 0,
            recalled_at: None,
            night,
            sketch: None,
        }
    }

    /// Returns the time at which it was last written, corroborated or recalled.
    pub fn last_touched(&self) -> GameTime {
        self.recalled_at.map_or(self.touched_at, |recalled| recalled.max(self.touched_at))
    }

    /// True for an archived entry that may come faintly to mind: it left the active set for lack of room, for a synthesis or a
    /// summary, or because it faded ([`Rule::FAINT`]), and nothing superseded it. Status readings and reflections do not.
    pub fn is_faint(&self) -> bool {
        self.state == State::Archived
            && self.superseded_by.is_none()
            && Self::may_be_faint(self.archived_by.as_deref(), self.entry.kind, self.entry.form)
    }

    /// True for what [`MemoryRecord::is_faint`] asks of an archived entry that nothing superseded: the rule that archived it,
    /// its kind and its form.
    pub fn may_be_faint(rule: Option<&str>, kind: Kind, form: RecordKind) -> bool {
        let by = |of: &Rule| rule == Some(of.as_str());
        kind != Kind::Status && form != RecordKind::Reflection && Rule::FAINT.iter().any(by)
    }
}

/// Fingerprint of a memory's text and time: 128 bits of SHA-256, written in hex. It distinguishes the same
/// memory from a different one with the same id, and is short enough to be kept for everything an NPC ever
/// experienced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// Returns the fingerprint of a memory.
    pub fn of(text: &str, at: GameTime) -> Self {
        let mut hash = Sha256::new();
        hash.update(at.seconds().to_le_bytes());
        hash.update(text);
        let mut print = [0; 16];
        print.copy_from_slice(&hash.finalize()[..16]);
        Self(print)
    }

    /// Returns its bytes, for a store.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Returns the fingerprint with these bytes, which a store kept.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({self})")
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        // Shorter numbers and signs would be read, too, and written back otherwise.
        let is_whole = hex.len() == 32 && hex.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let print = u128::from_str_radix(&hex, 16).ok().filter(|_| is_whole);
        let wrong = || serde::de::Error::custom("a fingerprint is 32 of the digits 0 to 9 and a to f");
        Ok(Self(print.ok_or_else(wrong)?.to_be_bytes()))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Fingerprint {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fingerprint".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Fingerprint of a memory's text and time: 32 hexadecimal digits.",
            "type": "string",
            "pattern": "^[0-9a-f]{32}$",
        })
    }
}

/// Long-term memory of one NPC at one version, as a night reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemorySnapshot {
    /// Version of the NPC's memory at which this was read; a plan made from it is refused at any other
    /// version.
    pub version: u64,
    /// Model of the entries' vectors; `None` if nothing is stored yet.
    pub model: Option<ModelId>,
    /// Active entries, by id.
    pub entries: Vec<MemoryRecord>,
    /// Fingerprints of everything ever stored, active or not, by id.
    pub known: BTreeMap<MemoryId, Fingerprint>,
    /// Themes seen on earlier nights, the last seen first, those of one night by id; at most
    /// [`MemorySnapshot::MAX_THEMES`].
    #[serde(default)]
    pub themes: Vec<Theme>,
    /// [Faint](MemoryRecord::is_faint) entries that were recalled after the latest night, the last recalled first, then by id;
    /// at most [`MemorySnapshot::MAX_RECALLED`]. Those that were never active have no vectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<MemoryRecord>,
    /// Moment of the NPC's latest night; `None` before its first night.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_night: Option<GameTime>,
    /// Number of memories that were ever kept or archived in their own words, by importance, the lowest first.
    #[serde(default)]
    pub importances: [u64; 10],
    /// Tags of the NPC on its latest night; they choose its profile where a day states none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub npc_tags: Vec<String>,
}

impl MemorySnapshot {
    /// Maximum number of recalled faint entries in a snapshot; a night brings none of the others back.
    pub const MAX_RECALLED: usize = 64;

    /// Maximum number of themes in a snapshot. Themes last seen before these stay in the store but are not
    /// matched any more.
    pub const MAX_THEMES: usize = 256;

    /// Returns the snapshot of an NPC that has never slept.
    pub fn empty() -> Self {
        Self {
            version: 0,
            model: None,
            entries: Vec::new(),
            known: BTreeMap::new(),
            themes: Vec::new(),
            recalled: Vec::new(),
            last_night: None,
            importances: [0; 10],
            npc_tags: Vec::new(),
        }
    }

    /// Takes faint entries that were recalled, as [`MemorySnapshot::recalled`] holds them: of one id the first, in order, and
    /// no more than it may hold.
    pub fn add_recalled(&mut self, records: impl IntoIterator<Item = MemoryRecord>) {
        self.recalled.extend(records);
        self.recalled
            .sort_by(|a, b| b.recalled_at.cmp(&a.recalled_at).then_with(|| a.entry.id.cmp(&b.entry.id)));
        let mut seen = BTreeSet::new();
        self.recalled.retain(|record| seen.insert(record.entry.id.clone()));
        self.recalled.truncate(Self::MAX_RECALLED);
    }
}
