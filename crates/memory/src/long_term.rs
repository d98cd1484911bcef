//! What an NPC knows for long: entries, and the past a night is reconciled against.

use std::{cmp::Ordering, collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::{Emotion, GameTime, Importance, Kind, MemoryId, ModelId, NightLabel, NpcId, Rule, Theme, Vector};

/// How an entry came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordKind {
    /// A memory of the day in its own words.
    Verbatim,
    /// Several memories told as one.
    Synthesis,
    /// An insight.
    Reflection,
}

impl RecordKind {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Synthesis => "synthesis",
            Self::Reflection => "reflection",
        }
    }
}

/// What is remembered and where it comes from: the part of a long-term memory that a night writes once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name within the NPC.
    pub id: MemoryId,
    /// How it came to be.
    pub form: RecordKind,
    /// The kind of experience.
    pub kind: Kind,
    /// What is remembered.
    pub text: String,
    /// When it happened, or when the first of it happened.
    pub at: GameTime,
    /// When the last of it happened.
    pub last_at: GameTime,
    /// 1 to 10.
    pub importance: Importance,
    /// How often it was lived through, repeats included; at least 1.
    pub occurrences: u32,
    /// Who took part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actors: Vec<String>,
    /// The game's own marks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Never pruned, never chunked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// How it felt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emotion: Option<Emotion>,
    /// What it was made from (`DERIVED_FROM`).
    pub sources: Vec<MemoryId>,
    /// The embedding of `text`, or of a synthesis the direction of the mean of what it tells; always present on what is
    /// active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<Vector>,
}

/// Whether the NPC still knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Recalled, reconciled against.
    Active,
    /// Kept for `list`, `why` and `undo` only.
    Archived,
}

impl State {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
        }
    }
}

/// How sure the NPC is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Known once or twice.
    Normal,
    /// Corroborated often enough.
    High,
}

impl Confidence {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// An entry with what has become of it since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// The NPC that it is of.
    pub npc: NpcId,
    /// What is remembered.
    #[serde(flatten)]
    pub entry: Entry,
    /// Whether the NPC still knows it.
    pub state: State,
    /// Why it is archived: the rule that decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_by: Option<String>,
    /// How often it was said again after it was first stored.
    pub corroborations: u32,
    /// How sure the NPC is.
    pub confidence: Confidence,
    /// What replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// Active entries that it contradicts and that contradict it, while nothing has settled which of them holds: by id,
    /// each once, and each names this entry in turn. Empty on what is archived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested_with: Vec<MemoryId>,
    /// When it was last said again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_corroborated_at: Option<GameTime>,
    /// When it was last written or corroborated.
    pub touched_at: GameTime,
    /// How often it came to mind by day.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recalls: u32,
    /// When it last did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled_at: Option<GameTime>,
    /// The night that wrote it.
    pub night: NightLabel,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl MemoryRecord {
    /// When it was last written, corroborated, or came to mind.
    pub fn last_touched(&self) -> GameTime {
        self.recalled_at.map_or(self.touched_at, |recalled| recalled.max(self.touched_at))
    }

    /// True for a statement that is archived for want of worth or room ([`Rule::LETTING_GO`]) and that nothing superseded.
    /// Readings of a status and insights are no such statements.
    pub fn is_let_go(&self) -> bool {
        let by = |rule: &Rule| self.archived_by.as_deref() == Some(rule.as_str());
        self.state == State::Archived
            && self.superseded_by.is_none()
            && self.entry.kind != Kind::Status
            && self.entry.form != RecordKind::Reflection
            && Rule::LETTING_GO.iter().any(by)
    }
}

/// A fingerprint of a memory's text and time: enough to tell the same memory from another of the same name, and
/// short enough to be kept for everything an NPC ever lived through. 128 bits of SHA-256, written in hex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of a memory.
    pub fn of(text: &str, at: GameTime) -> Self {
        let mut hash = Sha256::new();
        hash.update(at.seconds().to_le_bytes());
        hash.update(text);
        let mut print = [0; 16];
        print.copy_from_slice(&hash.finalize()[..16]);
        Self(print)
    }

    /// Its bytes, for a store.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// From the bytes a store kept.
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
        let print = u128::from_str_radix(&hex, 16).map_err(serde::de::Error::custom)?;
        Ok(Self(print.to_be_bytes()))
    }
}

/// One NPC's long-term memory as a night sees it, at one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemorySnapshot {
    /// The version of the NPC's memory this was read at; a plan made from it is refused at any other.
    pub version: u64,
    /// The model of the entries' vectors; `None` when nothing is stored yet.
    pub model: Option<ModelId>,
    /// The active entries, by id.
    pub entries: Vec<MemoryRecord>,
    /// Everything ever stored, active or not, by id.
    pub known: BTreeMap<MemoryId, Fingerprint>,
    /// The themes that nights have seen, the last seen first, those of one night by id; at most [`MemorySnapshot::MOST_THEMES`].
    #[serde(default)]
    pub themes: Vec<Theme>,
    /// Statements that nights let go ([`MemoryRecord::is_let_go`]), the last lived first, then by id; at most
    /// [`MemorySnapshot::MOST_ARCHIVED`]. Those that were active once have their vectors, the others have none.
    #[serde(default)]
    pub archived: Vec<MemoryRecord>,
}

impl MemorySnapshot {
    /// Largest number of archived statements in a past. A night looks for no older ones.
    pub const MOST_ARCHIVED: usize = 256;

    /// How many themes a past holds at most. What was seen longer ago stays in the store and is not looked for any more.
    pub const MOST_THEMES: usize = 256;

    /// The past of an NPC that has never slept.
    pub fn empty() -> Self {
        let (entries, known, themes) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { version: 0, model: None, entries, known, themes, archived: Vec::new() }
    }

    /// Order of [`MemorySnapshot::archived`]: the last lived first, then by id.
    pub fn archived_order(a: (GameTime, &MemoryId), b: (GameTime, &MemoryId)) -> Ordering {
        b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1))
    }

    /// Puts [`MemorySnapshot::archived`] in order and keeps the first [`MemorySnapshot::MOST_ARCHIVED`].
    pub fn arrange_archived(&mut self) {
        self.archived.sort_by(|a, b| {
            Self::archived_order((a.entry.last_at, &a.entry.id), (b.entry.last_at, &b.entry.id))
        });
        self.archived.truncate(Self::MOST_ARCHIVED);
    }
}
