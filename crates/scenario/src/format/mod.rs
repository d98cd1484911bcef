//! `scenario.toml` as it is written. What is allowed beyond types is checked in `read`.

mod values;

use std::collections::BTreeMap;

use nightfold_memory::{Config, MemoryId, NightLabel, NpcId, SleepBudget};
use serde::Deserialize;
use toml::Spanned;

pub(crate) use self::values::{Between, Moment, NightRef, Several};

/// The version of the format that this program reads.
pub(crate) const FORMAT: u32 = 1;

/// A story that NPCs live through, and what is expected to be left of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "A scenario of Nightfold"))]
pub(crate) struct ScenarioFile {
    /// The version of this format: 1.
    #[cfg_attr(feature = "schema", schemars(with = "u32", extend("const" = FORMAT)))]
    pub(crate) format: Spanned<u32>,
    /// What it is called.
    pub(crate) title: String,
    /// What happens.
    #[serde(default)]
    pub(crate) story: String,
    /// What it teaches about nights.
    #[serde(default)]
    pub(crate) lesson: String,
    /// After every so many nights the upkeep that is due is done, as by `maintain --apply` [none; 1 and up].
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::num::NonZero<u32>>"))]
    pub(crate) upkeep_every: Option<Spanned<u32>>,
    /// Everybody who has a memory in the days, and who that is, in a few words.
    #[cfg_attr(feature = "schema", schemars(extend("minProperties" = 1)))]
    pub(crate) npcs: BTreeMap<NpcId, String>,
    /// Keys of `nightfold.toml` that this story needs otherwise.
    #[serde(default)]
    pub(crate) config: Config,
    /// The nights, in order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub(crate) days: Vec<DaysTable>,
    /// What is expected.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ExpectTable>"))]
    pub(crate) expect: Vec<Spanned<ExpectTable>>,
}

/// What one night closes, or, of a file with many dates, what many nights do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DaysTable {
    /// Memories as JSONL, in the scenario's folder: a path, or several.
    pub(crate) file: Several<String>,
    /// What each memory is part of, by hand: lines of npc, id, at and theme, in the order of the memories. For
    /// `nightfold evaluate clusters`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(crate) labels: Option<Spanned<String>>,
    /// A night for each date in the files.
    #[serde(default)]
    pub(crate) by_date: bool,
    /// What the night is called [the date of the moment of sleep].
    #[cfg_attr(feature = "schema", schemars(with = "Option<NightLabel>"))]
    pub(crate) night: Option<Spanned<NightLabel>>,
    /// The moment of sleep, for everybody [each NPC's last memory of the day].
    #[cfg_attr(feature = "schema", schemars(with = "Option<Moment>"))]
    pub(crate) until: Option<Spanned<Moment>>,
    /// How everybody slept [`sleep` of the configuration].
    pub(crate) sleep: Option<SleepBudget>,
    /// How some slept, instead.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<NpcId, SleepBudget>"))]
    pub(crate) sleep_of: BTreeMap<Spanned<String>, SleepBudget>,
}

/// What is expected: exactly one kind of expectation, and what goes with it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::schema::one_kind_each))]
pub(crate) struct ExpectTable {
    /// The words of this memory stand whole in an active entry.
    pub(crate) kept: Option<Several<MemoryId>>,
    /// Nothing active stands for this memory: it is not kept, not told, and confirms nothing.
    pub(crate) forgotten: Option<Several<MemoryId>>,
    /// This memory is told in an active synthesis.
    pub(crate) told: Option<Several<MemoryId>>,
    /// These memories are told in one and the same active synthesis.
    pub(crate) told_together: Option<Several<MemoryId>>,
    /// This memory said what was known already: it only confirmed an active entry.
    pub(crate) known: Option<Several<MemoryId>>,
    /// This entry is active and was said again, at least `times` times.
    pub(crate) corroborated: Option<Several<MemoryId>>,
    /// This entry no longer holds; `by` says what took its place.
    pub(crate) superseded: Option<Several<MemoryId>>,
    /// This entry is active and contested: it contradicts another active entry; `by` says which.
    pub(crate) contested: Option<Several<MemoryId>>,
    /// This memory comes to mind at `query`, among the `top` first.
    pub(crate) recalled: Option<Several<MemoryId>>,
    /// This memory does not come to mind at `query` among the `top` first.
    pub(crate) not_recalled: Option<Several<MemoryId>>,
    /// An active insight mentions all of these words, in any case.
    pub(crate) insight: Option<Several<String>>,
    /// No active insight mentions all of these words.
    pub(crate) no_insight: Option<Several<String>>,
    /// An active entry mentions all of these words, in any case.
    pub(crate) mentioned: Option<Several<String>>,
    /// No active entry mentions all of these words.
    pub(crate) unmentioned: Option<Several<String>>,
    /// A theme with all of these telling words was met on at least `nights` nights.
    pub(crate) theme: Option<Several<String>>,
    /// Which share of the different memories is gone, from and to [0 to 1].
    pub(crate) reduction: Option<Between<f64>>,
    /// Every memory of importance `triage.important` and more stands whole: true.
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>", extend("const" = true)))]
    pub(crate) important_kept: Option<Spanned<bool>>,
    /// No NPC's night spends more tokens than this, nor would with a language model.
    pub(crate) tokens_under: Option<u64>,
    /// How many insights are active, from and to.
    pub(crate) insights: Option<Between<u64>>,
    /// How many entries are active, insights included, from and to.
    pub(crate) active_entries: Option<Between<u64>>,

    /// Whose: a name, or several, for each of whom it must hold.
    pub(crate) npc: Option<Several<String>>,
    /// After which night it must hold: its number from 1, or what it is called [the last].
    #[cfg_attr(feature = "schema", schemars(with = "Option<NightRef>"))]
    pub(crate) after: Option<Spanned<NightRef>>,
    /// Of this night alone: its number from 1, or what it is called. With reduction, `important_kept`, `tokens_under`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<NightRef>"))]
    pub(crate) night: Option<Spanned<NightRef>>,
    /// How often, at least [1]. With corroborated.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::num::NonZero<u32>>"))]
    pub(crate) times: Option<Spanned<u32>>,
    /// The entry that took its place, or that it is contested with. With superseded, contested.
    #[cfg_attr(feature = "schema", schemars(with = "Option<MemoryId>"))]
    pub(crate) by: Option<Spanned<MemoryId>>,
    /// What the NPC is asked. With recalled and `not_recalled`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(crate) query: Option<Spanned<String>>,
    /// Among how many, the first ones [3; 1 to 1000]. With recalled and `not_recalled`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u16>", range(min = 1, max = 1000)))]
    pub(crate) top: Option<Spanned<u16>>,
    /// On how many nights, at least [2]. With theme.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::num::NonZero<u32>>"))]
    pub(crate) nights: Option<Spanned<u32>>,
    /// Why it is expected, which is told when it does not hold.
    pub(crate) because: Option<String>,
}
