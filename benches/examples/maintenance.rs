//! Maintenance of a large store, for timing from outside: `maintenance FILE make NPCS ENTRIES` creates it,
//! `/usr/bin/time -v maintenance FILE plan` plans the collapse of its status entries, `… apply` writes it.

use std::{env, error::Error, io::Write as _};

use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenanceTasks, StatusScope, apply_plan,
    memory::{
        Change, Entry, GameTime, Importance, Kind, Memory, MemoryId, MemoryReader, MemoryStore, NightReport,
        NpcId, NpcNight, Reason, RecordKind, Rule, ValidConfig, Vector,
    },
};
use nightfold_store::SqliteStore;

/// Entries written in one night; NPCs with more entries get several nights.
const NIGHT: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let usage = "usage: maintenance FILE make NPCS ENTRIES | maintenance FILE plan | maintenance FILE apply";
    let store = SqliteStore::open(args.get(1).ok_or(usage)?)?;
    let number = |at: usize| -> Result<usize, Box<dyn Error>> { Ok(args.get(at).ok_or(usage)?.parse()?) };
    let line = match args.get(2).map(String::as_str) {
        Some("make") => make(&store, number(3)?, number(4)?)?,
        Some(how @ ("plan" | "apply")) => collapse_entries(&store, how == "apply")?,
        _ => return Err(usage.into()),
    };
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

fn collapse_entries(store: &SqliteStore, apply: bool) -> Result<String, Box<dyn Error>> {
    let config = ValidConfig::default();
    let tasks = MaintenanceTasks {
        collapse: Some(StatusScope::Operational),
        cap: true,
        ..MaintenanceTasks::default()
    };
    let planned = Maintenance { config: &config, packs: &Packs, store }.plan(&store.npcs()?, tasks)?;
    let written = if apply { apply_plan(store, &planned.plan)?.written } else { 0 };
    let found = planned.collapse_report;
    Ok(format!(
        "{} scanned, {} groups, {} duplicates; {written} NPCs written",
        found.scanned_profiles, found.duplicate_groups, found.duplicates_found
    ))
}

fn make(store: &SqliteStore, npcs: usize, entries: usize) -> Result<String, Box<dyn Error>> {
    let run = store.begin_run()?;
    for npc in 0..npcs {
        let npc = NpcId::new(format!("guard-{npc}"))?;
        let mut version = 0;
        for first in (0..entries).step_by(NIGHT) {
            let memories =
                (first..entries.min(first + NIGHT)).map(|n| memory(&npc, n)).collect::<Result<_, _>>()?;
            let night = night(&npc, version, memories)?;
            version = night.next_version()?;
            for outcome in store.apply(run, &[night])? {
                outcome?;
            }
        }
    }
    Ok(format!("{npcs} NPCs of {entries} status entries"))
}

/// Returns a status memory of one of a few hundred posts.
fn memory(npc: &NpcId, n: usize) -> Result<Memory, Box<dyn Error>> {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    let text =
        format!("Guard post {}{}o status: {} patrols, {} alerts", letter(n), letter(n / 26), n % 17, n % 5);
    let importance = Importance::new(2)?;
    Ok(Memory::new(
        npc.clone(),
        MemoryId::new(format!("m-{n}"))?,
        GameTime::from_seconds(i64::try_from(n)?).ok_or("too many")?,
        Kind::Status,
        text,
    )
    .with(|memory| {
        memory.importance = Some(importance);
    }))
}

fn night(npc: &NpcId, base_version: u64, memories: Vec<Memory>) -> Result<NpcNight, Box<dyn Error>> {
    let at = memories.last().ok_or("a night of nothing")?.at;
    let store = |m: &Memory| -> Result<Change, Box<dyn Error>> {
        let entry = Entry {
            id: m.id.clone(),
            form: RecordKind::Verbatim,
            kind: m.kind,
            text: m.text.clone(),
            at: m.at,
            last_at: m.at,
            importance: m.importance(),
            occurrences: 1,
            actors: Vec::new(),
            tags: Vec::new(),
            place: None,
            pinned: false,
            emotion: None,
            sources: Vec::new(),
            vector: Some(Vector::new(vec![1.0, 0.0])?),
        };
        Ok(Change::Store { entry, reason: Reason::new(Rule::WithinBudget) })
    };
    let changes = memories.iter().map(store).collect::<Result<Vec<_>, _>>()?;
    Ok(NpcNight {
        npc: npc.clone(),
        night: at.night(0),
        at,
        base_version,
        model: "none@1".parse()?,
        memories,
        changes,
        themes: Vec::new(),
        npc_tags: Vec::new(),
        report: NightReport::default(),
    })
}
