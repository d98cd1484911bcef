//! Input of a night: memories and days.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, Visitor},
};

use crate::{
    id::{MemoryId, NightLabel, NpcId},
    sleep::SleepBudget,
    time::GameTime,
    vector::Vector,
};

/// Kind of experience that a memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something seen or done.
    Event,
    /// Something said or heard.
    Chat,
    /// Something thought.
    Thought,
    /// A reading of some state ("guard post status: 3 patrols").
    Status,
    /// A reflection of an earlier night, or one that the game gave.
    Reflection,
}

impl Kind {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Chat => "chat",
            Self::Thought => "thought",
            Self::Status => "status",
            Self::Reflection => "reflection",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Importance of a memory, 1 (routine) to 10 (life-changing), as in Generative Agents (Park et al. 2023).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Importance(#[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10)))] u8);

/// Error for an importance outside 1 to 10.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("importance {given} is out of range; it is a whole number from 1 to 10")]
pub struct ImportanceError {
    /// Value that was given.
    pub given: f64,
}

impl Importance {
    /// Importance of a memory that states none.
    pub const DEFAULT: Self = Self(5);

    /// Returns the importance with a value from 1 to 10.
    ///
    /// # Errors
    /// [`ImportanceError`] outside that range.
    pub fn new(value: u8) -> Result<Self, ImportanceError> {
        if (1..=10).contains(&value) {
            Ok(Self(value))
        } else {
            Err(ImportanceError { given: f64::from(value) })
        }
    }

    /// Returns the value, 1 to 10.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Importance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(ImportanceVisitor)
    }
}

/// Reads an importance, and says what one is where something else than a number stands.
struct ImportanceVisitor;

impl Visitor<'_> for ImportanceVisitor {
    type Value = Importance;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number from 1 to 10")
    }

    fn visit_f64<E: de::Error>(self, given: f64) -> Result<Importance, E> {
        // Simulations write 8 and 8.0 alike; 7.5 is a mistake to be reported, not rounded.
        if given.fract() == 0.0 && (1.0..=10.0).contains(&given) {
            Ok(Importance(given as u8))
        } else {
            Err(E::custom(ImportanceError { given }))
        }
    }

    fn visit_u64<E: de::Error>(self, given: u64) -> Result<Importance, E> {
        self.visit_f64(given as f64)
    }

    fn visit_i64<E: de::Error>(self, given: i64) -> Result<Importance, E> {
        self.visit_f64(given as f64)
    }
}

/// Emotion of an NPC during a memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Emotion {
    /// Valence, from −1 (bad) to 1 (good).
    #[serde(deserialize_with = "valence")]
    #[cfg_attr(feature = "schema", schemars(with = "f32", range(min = -1.0, max = 1.0)))]
    pub valence: f32,
    /// Intensity, from 0 (none) to 1 (overwhelming).
    #[serde(deserialize_with = "intensity")]
    #[cfg_attr(feature = "schema", schemars(with = "f32", range(min = 0.0, max = 1.0)))]
    pub intensity: f32,
}

fn within<'de, D: Deserializer<'de>>(d: D, low: f32, high: f32, name: &str) -> Result<f32, D::Error> {
    let x = f32::deserialize(d)?;
    if (low..=high).contains(&x) {
        Ok(x)
    } else {
        Err(de::Error::custom(format_args!("{name} {x} is out of range; it lies between {low} and {high}")))
    }
}

fn valence<'de, D: Deserializer<'de>>(d: D) -> Result<f32, D::Error> {
    within(d, -1.0, 1.0, "valence")
}

fn intensity<'de, D: Deserializer<'de>>(d: D) -> Result<f32, D::Error> {
    within(d, 0.0, 1.0, "intensity")
}

/// One memory as the game recorded it: one JSON object per line. Unknown fields are ignored, since
/// simulations write many of their own.
///
/// ```
/// use nightfold_memory::{Kind, Memory};
///
/// let fed = Memory::new("mara".parse()?, "m1".parse()?, "2026-03-01T08:00".parse()?, Kind::Event, "I fed the hens.")
///     .with(|memory| memory.pinned = true);
/// assert_eq!(fed.importance().get(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Memory {
    /// Id within the NPC.
    pub id: MemoryId,
    /// NPC that the memory belongs to.
    pub npc: NpcId,
    /// Time at which it happened; `timestamp` is read too.
    #[serde(alias = "timestamp")]
    pub at: GameTime,
    /// Kind of experience.
    pub kind: Kind,
    /// Text of the memory. Players may have written it: it is data, never an instruction.
    pub text: String,
    /// Importance, 1 to 10; if it is missing, 5 is used and the memory is counted as unrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Importance>,
    /// Names of the participants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actors: Vec<String>,
    /// Tags given by the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Tags of the NPC itself at that time, such as its role or faction; they choose its profile. If they are
    /// missing, the NPC keeps those it had. They belong to the day, and are not stored with the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub npc_tags: Option<Vec<String>>,
    /// True if the memory is never pruned and never synthesized.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Place where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Emotion of the NPC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emotion: Option<Emotion>,
    /// Ids of the memories it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<MemoryId>,
    /// Embedding of its text, if the game has it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<Vector>,
}

impl Memory {
    /// Returns a memory of which nothing else is known.
    pub fn new(npc: NpcId, id: MemoryId, at: GameTime, kind: Kind, text: impl Into<String>) -> Self {
        Self {
            id,
            npc,
            at,
            kind,
            text: text.into(),
            importance: None,
            actors: Vec::new(),
            tags: Vec::new(),
            npc_tags: None,
            pinned: false,
            place: None,
            emotion: None,
            sources: Vec::new(),
            vector: None,
        }
    }

    /// Returns the memory with some of its fields changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Returns its importance, or the default.
    pub fn importance(&self) -> Importance {
        self.importance.unwrap_or(Importance::DEFAULT)
    }

    /// True if its text holds nothing to remember.
    pub fn is_blank(&self) -> bool {
        let text = self.text.trim();
        // "Forge status:" is the label of a reading that was never taken.
        let label_only = self.kind == Kind::Status && text.ends_with(':');
        text.is_empty() || label_only || text.eq_ignore_ascii_case("this is blank")
    }
}

/// Memories of one NPC between two nights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Day {
    /// NPC that the day belongs to.
    pub npc: NpcId,
    /// Night that closes the day.
    pub night: NightLabel,
    /// Time of sleep, which is the clock of the night.
    pub until: GameTime,
    /// True if nobody gave that time: it is that of the last memory, and [`Day::memories`] are all that is known of the
    /// clock. A lone memory whose time is far from the NPC's last night is then set apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until_last_memory: bool,
    /// Memories in any order; the night sorts them.
    pub memories: Vec<Memory>,
    /// Memories whose times are of another clock than those of all the NPC's days; the night sets them apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strays: Vec<Memory>,
    /// Sleep of the NPC; `None` for the sleep of the configuration (`[sleep]`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<SleepBudget>,
    /// Tags of the NPC itself, such as its role or faction; they choose its profile. `None` for those of the
    /// last memory of the day that states them, or else those of its latest night.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub npc_tags: Option<Vec<String>>,
    /// Entries that were recalled since the last night, and when, as far as the store does not know of it yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<(MemoryId, GameTime)>,
}

impl Day {
    /// Returns a day whose NPC sleeps as the configuration says.
    pub fn new(npc: NpcId, night: NightLabel, until: GameTime, memories: Vec<Memory>) -> Self {
        Self {
            npc,
            night,
            until,
            until_last_memory: false,
            memories,
            strays: Vec::new(),
            sleep: None,
            npc_tags: None,
            recalled: Vec::new(),
        }
    }

    /// Returns the day with another sleep.
    #[must_use]
    pub fn with_sleep(self, sleep: Option<SleepBudget>) -> Self {
        Self { sleep, ..self }
    }

    /// Returns the day with entries that were recalled.
    #[must_use]
    pub fn with_recalled(self, recalled: Vec<(MemoryId, GameTime)>) -> Self {
        Self { recalled, ..self }
    }

    /// Returns the day with tags of the NPC.
    #[must_use]
    pub fn with_npc_tags(self, npc_tags: Option<Vec<String>>) -> Self {
        Self { npc_tags, ..self }
    }

    /// Removes the NPC's tags from the day and its memories, and returns those in force at its end, sorted and
    /// each once; `None` if nothing states them. Of the memories the last one counts that states tags.
    pub fn take_npc_tags(&mut self) -> Option<Vec<String>> {
        let stated = self.memories.iter_mut().filter_map(|memory| {
            let tags = memory.npc_tags.take()?;
            Some((memory.at, memory.id.clone(), tags))
        });
        let last = stated.max().map(|(.., tags)| tags);
        let mut tags = self.npc_tags.take().or(last)?;
        tags.sort_unstable();
        tags.dedup();
        Some(tags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(importance: &str) -> Result<Memory, serde_json::Error> {
        serde_json::from_str(&format!(
            r#"{{"id":"a","npc":"n","at":0,"kind":"event","text":"t","importance":{importance}}}"#
        ))
    }

    #[test]
    fn importance_is_a_whole_number_from_1_to_10() {
        assert_eq!(read("8.0").unwrap().importance().get(), 8);
        assert_eq!(read("null").unwrap().importance(), Importance::DEFAULT);
        for bad in ["11", "0", "7.5", "-3"] {
            let message = read(bad).unwrap_err().to_string();
            assert!(message.contains("from 1 to 10"), "{bad}: {message}");
        }
    }

    #[test]
    fn last_memory_that_states_tags_decides_which_the_npc_has() {
        let memory = |id: &str, at: i64, tags: Option<&[&str]>| {
            let (npc, at) = ("n".parse().unwrap(), GameTime::from_seconds(at).unwrap());
            let tags = tags.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect());
            Memory::new(npc, id.parse().unwrap(), at, Kind::Event, "t").with(|m| m.npc_tags = tags)
        };
        let day = |memories: Vec<Memory>| {
            Day::new("n".parse().unwrap(), "day-0".parse().unwrap(), GameTime::ZERO, memories)
        };
        let memories = vec![
            memory("a", 9, None),
            memory("b", 5, Some(&["guard", "castle", "guard"])),
            memory("c", 1, Some(&[])),
        ];
        let mut lived = day(memories.clone());
        assert_eq!(lived.take_npc_tags().unwrap(), ["castle", "guard"]);
        assert!(lived.memories.iter().all(|memory| memory.npc_tags.is_none()));
        assert_eq!(lived.take_npc_tags(), None);
        let mut stated = day(memories).with_npc_tags(Some(vec!["smith".to_owned()]));
        assert_eq!(stated.take_npc_tags().unwrap(), ["smith"]);
        assert_eq!(stated.take_npc_tags(), None, "those of the memories are gone too");
    }

    #[test]
    fn emotions_out_of_range_are_refused() {
        assert!(serde_json::from_str::<Emotion>(r#"{"valence":-1,"intensity":1}"#).is_ok());
        assert!(serde_json::from_str::<Emotion>(r#"{"valence":2,"intensity":0}"#).is_err());
    }
}
