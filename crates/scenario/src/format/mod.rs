//! File format of `scenario.toml`. Constraints beyond types are checked in `read`.

mod values;

use std::collections::BTreeMap;

use nightfold_memory::{Config, MemoryId, NightLabel, NpcId, SleepBudget};
use serde::Deserialize;
use toml::Spanned;

pub(crate) use self::values::{Moment, NightRef, OneOrMany};

/// Version of the format that this program reads.
pub(crate) const FORMAT: u32 = 1;

/// A scenario: days of NPCs, and the expected result of their nights.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "A scenario of Nightfold"))]
pub(crate) struct ScenarioFile {
    /// Version of this format: 1.
    #[cfg_attr(feature = "schema", schemars(with = "u32", extend("const" = FORMAT)))]
    pub(crate) format: Spanned<u32>,
    /// Title.
    pub(crate) title: String,
    /// Summary of the events.
    #[serde(default)]
    pub(crate) story: String,
    /// Lesson about nights that the scenario teaches.
    #[serde(default)]
    pub(crate) lesson: String,
    /// Interval in nights at which due maintenance is run, as by `maintain --apply` [none; 1 and up].
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::num::NonZero<u32>>"))]
    pub(crate) upkeep_every: Option<Spanned<u32>>,
    /// Everybody who has a memory in the days, each with a short description.
    #[cfg_attr(feature = "schema", schemars(extend("minProperties" = 1)))]
    pub(crate) npcs: BTreeMap<NpcId, String>,
    /// Keys of `nightfold.toml` that this scenario overrides.
    #[serde(default)]
    pub(crate) config: Config,
    /// Nights, in order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub(crate) days: Vec<DaysTable>,
    /// Expectations.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ExpectTable>"))]
    pub(crate) expect: Vec<Spanned<ExpectTable>>,
}

/// Memories of one night, or, with `by_date`, of one night for each date.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DaysTable {
    /// Paths of JSONL files with memories, in the scenario's folder: one or several.
    pub(crate) file: OneOrMany<String>,
    /// A night for each date in the files.
    #[serde(default)]
    pub(crate) by_date: bool,
    /// Label of the night [the date of the moment of sleep].
    #[cfg_attr(feature = "schema", schemars(with = "Option<NightLabel>"))]
    pub(crate) night: Option<Spanned<NightLabel>>,
    /// Moment of sleep, for everybody [each NPC's last memory of the day].
    #[cfg_attr(feature = "schema", schemars(with = "Option<nightfold_memory::GameTime>"))]
    pub(crate) until: Option<Spanned<Moment>>,
    /// Sleep of everybody [`sleep` of the configuration].
    pub(crate) sleep: Option<SleepBudget>,
    /// Sleep of single NPCs, instead.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<NpcId, SleepBudget>"))]
    pub(crate) sleep_of: BTreeMap<Spanned<String>, SleepBudget>,
}

/// An expectation: exactly one kind of expectation, and its modifiers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = one_kind_each))]
pub(crate) struct ExpectTable {
    /// The text of this memory stands whole in an active entry.
    pub(crate) kept: Option<OneOrMany<MemoryId>>,
    /// No active entry carries this memory: it is not kept, not part of a synthesis, and corroborates
    /// nothing.
    pub(crate) forgotten: Option<OneOrMany<MemoryId>>,
    /// This memory is part of an active synthesis.
    pub(crate) told: Option<OneOrMany<MemoryId>>,
    /// These memories are part of one and the same active synthesis.
    pub(crate) told_together: Option<OneOrMany<MemoryId>>,
    /// This memory only corroborated an active entry.
    pub(crate) known: Option<OneOrMany<MemoryId>>,
    /// This memory, or what stands for it, is active and was corroborated at least `times` times.
    pub(crate) corroborated: Option<OneOrMany<MemoryId>>,
    /// This entry was superseded; `by` names its successor.
    pub(crate) superseded: Option<OneOrMany<MemoryId>>,
    /// This entry is active and contested: it contradicts another active entry, named by `by`.
    pub(crate) contested: Option<OneOrMany<MemoryId>>,
    /// This memory is recalled for `query` among the first `top` entries.
    pub(crate) recalled: Option<OneOrMany<MemoryId>>,
    /// This memory is not recalled for `query` among the first `top` entries.
    pub(crate) not_recalled: Option<OneOrMany<MemoryId>>,
    /// An active insight mentions all of these words, in any case.
    pub(crate) insight: Option<OneOrMany<String>>,
    /// No active insight mentions all of these words.
    pub(crate) no_insight: Option<OneOrMany<String>>,
    /// An active entry mentions all of these words, in any case.
    pub(crate) mentioned: Option<OneOrMany<String>>,
    /// No active entry mentions all of these words.
    pub(crate) unmentioned: Option<OneOrMany<String>>,
    /// A theme with all of these key words was seen on at least `nights` nights.
    pub(crate) theme: Option<OneOrMany<String>>,
    /// Share of the different memories that is gone, from and to [0 to 1].
    #[cfg_attr(feature = "schema", schemars(with = "Option<[f64; 2]>"))]
    pub(crate) reduction: Option<Spanned<(f64, f64)>>,
    /// Every memory of importance `triage.important` and more stands whole: true.
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>", extend("const" = true)))]
    pub(crate) important_kept: Option<Spanned<bool>>,
    /// Upper limit of the tokens that any NPC's night spends, or would spend with a language model.
    pub(crate) tokens_under: Option<u64>,
    /// Number of active insights, from and to.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[u64; 2]>"))]
    pub(crate) insights: Option<Spanned<(u64, u64)>>,
    /// Number of active entries, insights included, from and to.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[u64; 2]>"))]
    pub(crate) active_entries: Option<Spanned<(u64, u64)>>,

    /// Name of the NPC concerned, or several names, for each of which it must hold.
    pub(crate) npc: Option<OneOrMany<String>>,
    /// Night after which it must hold: its number from 1, or its label [the last].
    #[cfg_attr(feature = "schema", schemars(with = "Option<NightRef>"))]
    pub(crate) after: Option<Spanned<NightRef>>,
    /// Single night concerned: its number from 1, or its label. With reduction, `important_kept`,
    /// `tokens_under`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<NightRef>"))]
    pub(crate) night: Option<Spanned<NightRef>>,
    /// Least number of corroborations [1]. With corroborated.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::num::NonZero<u32>>"))]
    pub(crate) times: Option<Spanned<u32>>,
    /// Entry that superseded it, or with which it is contested. With superseded, contested.
    #[cfg_attr(feature = "schema", schemars(with = "Option<MemoryId>"))]
    pub(crate) by: Option<Spanned<MemoryId>>,
    /// Question that the NPC is asked. With recalled and `not_recalled`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(crate) query: Option<Spanned<String>>,
    /// Number of first entries considered [3; 1 to 1000]. With recalled and `not_recalled`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u16>", range(min = 1, max = 1000)))]
    pub(crate) top: Option<Spanned<u16>>,
    /// Least number of nights [2]. With theme.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::num::NonZero<u32>>"))]
    pub(crate) nights: Option<Spanned<u32>>,
    /// Reason of the expectation, reported if it does not hold.
    pub(crate) because: Option<String>,
}

/// Keys of which a table has exactly one.
pub(crate) const KINDS: [&str; 20] = [
    "kept",
    "forgotten",
    "told",
    "told_together",
    "known",
    "corroborated",
    "superseded",
    "contested",
    "recalled",
    "not_recalled",
    "insight",
    "no_insight",
    "mentioned",
    "unmentioned",
    "theme",
    "reduction",
    "important_kept",
    "tokens_under",
    "insights",
    "active_entries",
];

/// Requires exactly one kind of expectation per table.
#[cfg(feature = "schema")]
fn one_kind_each(schema: &mut schemars::Schema) {
    let kinds: Vec<serde_json::Value> =
        KINDS.iter().map(|kind| serde_json::json!({ "required": [kind] })).collect();
    schema.insert("oneOf".to_owned(), kinds.into());
    let recalled = serde_json::json!([{
        "if": { "anyOf": [{ "required": ["recalled"] }, { "required": ["not_recalled"] }] },
        "then": { "required": ["query"] },
    }]);
    schema.insert("allOf".to_owned(), recalled);
}
