//! Applying many nights in one transaction: their prior state is read together, and their effects are written together,
//! since an exchange with a server takes longer than its work.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    AppliedNight, MemoryId, MemoryRecord, ModelId, NpcId, NpcNight, Outcome, StoreError, ThemeId,
    effect::{Decision, PriorRows, PriorState, effect_of},
};

use super::{
    Database, DatabaseFault, query_each, query_value,
    read::{self, NpcRow},
    row::{self, json, select},
    theme,
    value::params,
    write::{self, NightWrite},
};

/// Applies nights; no other transaction writes their NPCs. `unknown` is true if the same nights may have been written by this
/// call before.
pub(crate) fn apply_nights(
    db: &dyn Database,
    run: u64,
    nights: &[NpcNight],
    versions: &[u64],
    unknown: bool,
) -> Result<Vec<Result<Outcome, StoreError>>, DatabaseFault> {
    let mut model = read::model(db)?;
    let mut outcomes: Vec<Option<Result<Outcome, StoreError>>> = nights.iter().map(|_| None).collect();
    let mut left: Vec<usize> = (0..nights.len()).collect();
    while !left.is_empty() {
        // The next night of each NPC: a night meets the state that the one before has left.
        let mut npcs = BTreeSet::new();
        let (round, later): (Vec<usize>, Vec<usize>) =
            left.into_iter().partition(|&index| npcs.insert(&nights[index].npc));
        left = later;
        let current =
            CurrentState::by(db, round.iter().map(|&index| (&nights[index], versions[index])).collect())?;
        let mut effects = Vec::new();
        for index in round {
            let (night, version) = (&nights[index], versions[index]);
            match decide(db, &current, night, version, model.clone()) {
                Ok(Decision::Nothing(outcome)) => {
                    outcomes[index] =
                        Some(Ok(outcome_of_repeat(db, &current, outcome, night, version, run, unknown)?));
                }
                Ok(Decision::Write(effect)) => {
                    if effect.has_vectors() {
                        model.get_or_insert_with(|| night.model.clone());
                    }
                    outcomes[index] = Some(Ok(Outcome::Applied { version }));
                    effects.push((AppliedNight::new(night, run, version), effect));
                }
                Err(DatabaseFault::Refused(error)) => outcomes[index] = Some(Err(error)),
                Err(lost @ DatabaseFault::Lost(_)) => return Err(lost),
            }
        }
        let writes: Vec<NightWrite<'_>> = effects
            .iter()
            .map(|(applied, effect)| {
                let found = current.npcs.get(&applied.npc).copied();
                NightWrite { found, applied: applied.clone(), effect }
            })
            .collect();
        write::write_nights(db, &writes)?;
        if let Some((_, effect)) = effects.iter().find(|(_, effect)| effect.has_vectors()) {
            write::set_model(db, effect, model.as_ref())?;
        }
    }
    write::note_run(db, run)?;
    Ok(outcomes.into_iter().flatten().collect())
}

fn decide(
    db: &dyn Database,
    current: &CurrentState,
    night: &NpcNight,
    version: u64,
    model: Option<ModelId>,
) -> Result<Decision, DatabaseFault> {
    let found = current.npcs.get(&night.npc);
    let before = PriorState {
        version: found.map_or(0, |npc| npc.version),
        applied: found.is_some_and(|npc| current.applied.contains(&(npc.key, version))),
        model,
    };
    effect_of(night, before, &CurrentRows { db, name: &night.npc, key: found.map(|npc| npc.key), current })
}

/// Returns the outcome of a night that changes nothing. If the connection was lost while the first try of this call was being
/// committed, a night that it wrote counts as applied.
fn outcome_of_repeat(
    db: &dyn Database,
    current: &CurrentState,
    outcome: Outcome,
    night: &NpcNight,
    version: u64,
    run: u64,
    unknown: bool,
) -> Result<Outcome, DatabaseFault> {
    let Some(npc) = current.npcs.get(&night.npc).filter(|_| unknown && outcome == Outcome::AlreadyApplied)
    else {
        return Ok(outcome);
    };
    let sql = "SELECT EXISTS (SELECT 1 FROM night WHERE npc = ?1 AND version = ?2 AND run = ?3)";
    let ours: bool = query_value(db, sql, &params![npc.key, version, run], "presence of a night")?;
    Ok(if ours { Outcome::Applied { version } } else { outcome })
}

/// State of the store before nights of different NPCs.
#[derive(Default)]
struct CurrentState {
    npcs: BTreeMap<NpcId, NpcRow>,
    /// Key of the NPC and version of each night that is already applied.
    applied: BTreeSet<(i64, u64)>,
    /// Ids of memories and themes that were asked for, by key of the NPC.
    asked: BTreeMap<i64, (BTreeSet<MemoryId>, BTreeSet<ThemeId>)>,
    rows: BTreeMap<(i64, MemoryId), MemoryRecord>,
    purged: BTreeSet<(i64, MemoryId)>,
    themes: BTreeSet<(i64, ThemeId)>,
}

impl CurrentState {
    fn by(db: &dyn Database, nights: Vec<(&NpcNight, u64)>) -> Result<Self, DatabaseFault> {
        let mut current = Self::default();
        let names: Vec<_> = nights.iter().map(|(night, _)| Vec::from(params![night.npc.as_str()])).collect();
        let sql = "SELECT name, key, version FROM npc WHERE name = ?1";
        current.npcs = BTreeMap::from_iter(query_each(db, sql, &names, |cells| {
            let name = cells.parsed("NPC name")?;
            Ok((name, NpcRow { key: cells.get("key of an NPC")?, version: cells.get("version of an NPC")? }))
        })?);
        let known: Vec<(i64, &NpcNight, u64)> = nights
            .into_iter()
            .filter_map(|(night, version)| Some((current.npcs.get(&night.npc)?.key, night, version)))
            .collect();
        let versions: Vec<_> =
            known.iter().map(|&(key, _, version)| Vec::from(params![key, version])).collect();
        let sql = "SELECT npc, version FROM night WHERE npc = ?1 AND version = ?2";
        current.applied = BTreeSet::from_iter(query_each(db, sql, &versions, |cells| {
            Ok((cells.get("key of an NPC")?, cells.get("version")?))
        })?);
        // A night that is applied, or planned against another state, is not looked at more closely.
        let open = known.into_iter().filter(|&(key, night, version)| {
            let is_current =
                current.npcs.get(&night.npc).is_some_and(|npc| npc.version == night.base_version);
            is_current && !current.applied.contains(&(key, version))
        });
        let (mut memories, mut themes) = (Vec::new(), Vec::new());
        let mut names = BTreeMap::new();
        for (key, night, _) in open {
            let (ids, seen) = named_ids(night);
            memories.push(Vec::from(params![key, json(&ids)?]));
            themes.push(Vec::from(params![key, json(&seen)?]));
            current.asked.insert(key, (ids, seen));
            names.insert(key, &night.npc);
        }
        let named = format!("IN (SELECT value FROM {} AS named)", db.items_of("?2"));
        let sql = select!(", m.npc FROM memory AS m WHERE m.npc = ?1 AND m.id ");
        let rows = match query_each(db, &format!("{sql}{named}"), &memories, |cells| {
            // The key stands behind the columns of the row, so the name comes after them.
            let nobody = || NpcId::new("nobody").map_err(StoreError::backend);
            let mut memory = row::read(cells, &nobody()?)?;
            let key = cells.get("key of an NPC")?;
            if let Some(name) = names.get(&key) {
                memory.npc = NpcId::clone(name);
            }
            Ok(((key, memory.entry.id.clone()), memory))
        }) {
            // The night that meets a damaged row is refused alone: rows are read one by one then.
            Err(DatabaseFault::Refused(_)) => {
                current.asked.clear();
                Vec::new()
            }
            rows => rows?,
        };
        current.rows = BTreeMap::from_iter(rows);
        let sql = format!("SELECT npc, id FROM gone WHERE npc = ?1 AND id {named}");
        current.purged = BTreeSet::from_iter(query_each(db, &sql, &memories, |cells| {
            Ok((cells.get("key of an NPC")?, cells.parsed("id")?))
        })?);
        let sql = format!("SELECT DISTINCT npc, id FROM theme WHERE npc = ?1 AND id {named}");
        current.themes = BTreeSet::from_iter(query_each(db, &sql, &themes, |cells| {
            Ok((cells.get("key of an NPC")?, cells.parsed("name of a theme")?))
        })?);
        Ok(current)
    }
}

/// Ids of memories and themes that a night names; the store is asked for them together.
fn named_ids(night: &NpcNight) -> (BTreeSet<MemoryId>, BTreeSet<ThemeId>) {
    let changed =
        night.changes.iter().flat_map(|change| std::iter::once(change.id()).chain(change.sources()));
    let memories = night.memories.iter().map(|memory| &memory.id).chain(changed).cloned().collect();
    (memories, night.themes.iter().map(|seen| seen.theme.id.clone()).collect())
}

/// Rows of one NPC, from the current state or read on demand; none without a key.
struct CurrentRows<'a> {
    db: &'a dyn Database,
    name: &'a NpcId,
    key: Option<i64>,
    current: &'a CurrentState,
}

impl CurrentRows<'_> {
    /// Returns what `ask` reads by the key of the NPC; nothing without one.
    fn by_key<T: Default>(
        &self,
        ask: impl FnOnce(i64) -> Result<T, DatabaseFault>,
    ) -> Result<T, DatabaseFault> {
        self.key.map_or_else(|| Ok(T::default()), ask)
    }
}

impl PriorRows for CurrentRows<'_> {
    type Error = DatabaseFault;

    fn row(&self, id: &MemoryId) -> Result<Option<MemoryRecord>, DatabaseFault> {
        self.by_key(|key| match self.current.asked.get(&key) {
            Some((ids, _)) if ids.contains(id) => Ok(self.current.rows.get(&(key, id.clone())).cloned()),
            _ => read::record(self.db, key, self.name, id),
        })
    }

    fn purged(&self, id: &MemoryId) -> Result<bool, DatabaseFault> {
        self.by_key(|key| match self.current.asked.get(&key) {
            Some((ids, _)) if ids.contains(id) => Ok(self.current.purged.contains(&(key, id.clone()))),
            _ => read::purged(self.db, key, id),
        })
    }

    fn has_vector(&self, id: &MemoryId) -> Result<bool, DatabaseFault> {
        self.by_key(|key| read::has_vector(self.db, key, id))
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<MemoryId>, DatabaseFault> {
        self.by_key(|key| read::derived(self.db, key, id))
    }

    fn predecessors(&self, id: &MemoryId) -> Result<Vec<MemoryId>, DatabaseFault> {
        self.by_key(|key| read::superseded(self.db, key, id))
    }

    fn has_theme(&self, id: &ThemeId) -> Result<bool, DatabaseFault> {
        self.by_key(|key| match self.current.asked.get(&key) {
            Some((_, seen)) if seen.contains(id) => Ok(self.current.themes.contains(&(key, id.clone()))),
            _ => theme::exists(self.db, key, id),
        })
    }
}
