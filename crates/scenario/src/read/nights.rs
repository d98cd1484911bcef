//! Splitting of days into nights, with a check of the order of time.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use nightfold_memory::{Day, GameTime, Memory, NightLabel, NpcId, SleepBudget, ValidConfig};
use toml::Spanned;

use super::{days::DayFile, script::Script};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, SourceFile},
    format::DaysTable,
    scenario::ScenarioNight,
};

/// A memory with its file and line.
type PlacedMemory<'a> = (&'a SourceFile, usize, Memory);

/// Last sleep of every NPC.
struct LastSleep<'a> {
    script: &'a Script,
    /// Moment and label of the last night, by NPC.
    last: BTreeMap<NpcId, (GameTime, NightLabel)>,
    /// Files and NPCs with memories out of order; each is reported once.
    out_of_order: BTreeSet<(PathBuf, NpcId)>,
}

/// Returns the nights of all tables, in order.
pub(super) fn split(
    script: &Script,
    files: &[Vec<DayFile>],
    config: &ValidConfig,
) -> Result<Vec<ScenarioNight>, Diagnostics> {
    let mut diagnostics = Vec::new();
    let mut nights: Vec<ScenarioNight> = Vec::new();
    let mut asleep = LastSleep { script, last: BTreeMap::new(), out_of_order: BTreeSet::new() };
    for (table, files) in script.file.days.iter().zip(files) {
        check_table(script, table, &mut diagnostics);
        let all: Vec<PlacedMemory<'_>> = files
            .iter()
            .flat_map(|file| file.memories.iter().map(|(line, m)| (&file.source, *line, m.clone())))
            .collect();
        for (label, memories) in by_night(table, all, config) {
            if nights.iter().any(|night| night.label == label) {
                let span = table.night.as_ref().map_or_else(|| table.file.span.clone(), Spanned::span);
                let diagnostic = script.source.diagnostic(span, format!("two nights are called {label}"));
                diagnostics.push(diagnostic.help("give one of them another `night`"));
            }
            let days = asleep.split_days(table, &label, memories, &mut diagnostics);
            nights.push(ScenarioNight { label, days });
        }
    }
    let most = config.input.max_files;
    if nights.len() > most {
        let what = format!("{} nights; at most {most} are replayed (input.max_files)", nights.len());
        diagnostics.push(Diagnostic::of_file(&script.source.path, what));
    }
    Diagnostics::refuse(diagnostics)?;
    Ok(nights)
}

fn check_table(script: &Script, table: &DaysTable, diagnostics: &mut Vec<Diagnostic>) {
    let spans = [
        ("night", table.night.as_ref().map(Spanned::span)),
        ("until", table.until.as_ref().map(Spanned::span)),
    ];
    for (key, span) in spans {
        if let (true, Some(span)) = (table.by_date, span) {
            let what = format!("`{key}` is of one night, and by_date makes one of each date");
            diagnostics.push(script.source.diagnostic(span, what).label("leave this out"));
        }
    }
    let is_known = |npc: &str| script.file.npcs.keys().any(|known| known.as_str() == npc);
    let strangers = table.sleep_of.keys().filter(|npc| !is_known(npc.get_ref()));
    diagnostics.extend(strangers.map(|npc| script.unknown_npc(npc)));
}

/// Returns the memories of a table by night.
fn by_night<'a>(
    table: &DaysTable,
    memories: Vec<PlacedMemory<'a>>,
    config: &ValidConfig,
) -> Vec<(NightLabel, Vec<PlacedMemory<'a>>)> {
    let turns_at = config.day.turns_at;
    if !table.by_date {
        let latest = memories.iter().map(|(.., m)| m.at).max();
        let moment = table.until.as_ref().map(|until| until.get_ref().0).or(latest);
        let label = table.night.as_ref().map(|night| night.get_ref().clone());
        let label = label.or_else(|| Some(moment?.night(turns_at)));
        return label.map(|label| (label, memories)).into_iter().collect();
    }
    let mut by_night: BTreeMap<NightLabel, Vec<PlacedMemory<'a>>> = BTreeMap::new();
    for placed in memories {
        by_night.entry(placed.2.at.night(turns_at)).or_default().push(placed);
    }
    let mut nights: Vec<_> = by_night.into_iter().collect();
    // Labels such as `day-10` do not sort by time.
    nights.sort_by_key(|(_, memories)| memories.iter().map(|(.., m)| m.at).min());
    nights
}

impl LastSleep<'_> {
    /// Splits the memories of a night into the days of their NPCs.
    fn split_days(
        &mut self,
        table: &DaysTable,
        label: &NightLabel,
        memories: Vec<PlacedMemory<'_>>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> BTreeMap<NpcId, Day> {
        let until = table.until.as_ref().map(|until| until.get_ref().0);
        let mut days: BTreeMap<NpcId, Day> = BTreeMap::new();
        for (source, line, memory) in memories {
            if let Some(diagnostic) = self.timing_diagnostic(&memory, until, source, line)
                && self.out_of_order.insert((source.path.clone(), memory.npc.clone()))
            {
                diagnostics.push(diagnostic);
            }
            let npc = memory.npc.clone();
            let day = days.entry(npc.clone()).or_insert_with(|| {
                let sleep = slept(table, &npc);
                Day::new(npc, label.clone(), until.unwrap_or(memory.at), Vec::new()).with_sleep(sleep)
            });
            day.until = day.until.max(memory.at);
            day.memories.push(memory);
        }
        for (npc, day) in &days {
            self.last.insert(npc.clone(), (day.until, label.clone()));
        }
        days
    }

    /// Returns the diagnostic of a memory before its NPC's last sleep or after the coming one.
    fn timing_diagnostic(
        &self,
        memory: &Memory,
        until: Option<GameTime>,
        source: &SourceFile,
        line: usize,
    ) -> Option<Diagnostic> {
        let wrong = |what: String| {
            let text = source.line(line);
            let mut keys = ["\"at\"", "\"timestamp\""].into_iter();
            let at = keys.find_map(|key| text.find(key).map(|at| at..at + key.len()));
            source.diagnostic_on(line, at.unwrap_or(0..1), what)
        };
        if let Some(until) = until.filter(|until| memory.at > *until) {
            let what = format!("{} is at {}, after the moment of sleep, {until}", memory.id, memory.at);
            let help = format!("`until` of this day in {} says so", self.script.source.path.display());
            return Some(wrong(what).label("too late for this day").help(help));
        }
        let (slept, night) = self.last.get(&memory.npc).filter(|(slept, _)| memory.at <= *slept)?;
        let what = format!(
            "{} is at {}, and {} slept on night {night} until {slept}",
            memory.id, memory.at, memory.npc
        );
        let help = "days come in order of time: move it to its own day, or put the days in order";
        Some(wrong(what).label("too early for this day").help(help))
    }
}

/// Returns the sleep of an NPC, if the table sets it.
fn slept(table: &DaysTable, npc: &NpcId) -> Option<SleepBudget> {
    let own = table.sleep_of.iter().find(|(name, _)| name.get_ref() == npc.as_str());
    own.map(|(_, sleep)| *sleep).or(table.sleep)
}
