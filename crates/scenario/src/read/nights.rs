//! Days to nights: who sleeps when, and whether time runs forward.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use nightfold_memory::{Day, GameTime, Memory, NightLabel, NpcId, SleepBudget, ValidConfig};

use super::{
    Night,
    days::DayFile,
    script::Script,
    worded::{allowed_only, meant},
};
use crate::{
    format::DaysTable,
    mistake::{Mistake, Source},
};

/// Memories with where they stand.
type Placed<'a> = (&'a Source, usize, Memory);

/// When everybody slept last.
struct Asleep<'a> {
    script: &'a Script,
    /// By NPC: the moment, and which night it was.
    last: BTreeMap<NpcId, (GameTime, NightLabel)>,
    /// Whose memories are out of order in which file: that is told of once.
    out_of_order: BTreeSet<(PathBuf, NpcId)>,
}

/// The nights of all tables, in order.
pub(super) fn split(
    script: &Script,
    files: &[Vec<DayFile>],
    config: &ValidConfig,
    mistakes: &mut Vec<Mistake>,
) -> Vec<Night> {
    let mut nights: Vec<Night> = Vec::new();
    let mut asleep = Asleep { script, last: BTreeMap::new(), out_of_order: BTreeSet::new() };
    for (table, files) in script.file.days.iter().zip(files) {
        check_table(script, table, mistakes);
        let all: Vec<Placed<'_>> = files
            .iter()
            .flat_map(|file| file.memories.iter().map(|(line, m)| (&file.source, *line, m.clone())))
            .collect();
        for (label, memories) in labelled(table, all, config) {
            if nights.iter().any(|night| night.label == label) {
                let what = format!("two nights are called {label}");
                mistakes.push(at_table(script, table, what).help("give one of them another `night`"));
            }
            let days = asleep.fall_asleep(table, &label, memories, mistakes);
            nights.push(Night { label, days });
        }
    }
    let most = config.replay.max_nights;
    if nights.len() > most {
        let what = format!("{} nights; at most {most} are replayed (replay.max_nights)", nights.len());
        mistakes.push(Mistake::of_file(&script.source.path, what));
    }
    nights
}

fn at_table(script: &Script, table: &DaysTable, what: String) -> Mistake {
    let span = table.night.as_ref().map_or_else(|| table.file.span.clone(), toml::Spanned::span);
    script.source.mistake(span, what)
}

fn check_table(script: &Script, table: &DaysTable, mistakes: &mut Vec<Mistake>) {
    let spans = [
        ("night", table.night.as_ref().map(toml::Spanned::span)),
        ("until", table.until.as_ref().map(toml::Spanned::span)),
    ];
    for (key, span) in spans {
        if let (true, Some(span)) = (table.by_date, span) {
            let what = format!("`{key}` is of one night, and by_date makes one of each date");
            mistakes.push(script.source.mistake(span, what).label("leave this out"));
        }
    }
    let names: Vec<&str> = script.file.npcs.keys().map(NpcId::as_str).collect();
    for npc in table.sleep_of.keys().filter(|npc| !names.contains(&npc.get_ref().as_str())) {
        let what = format!("the scenario has no NPC of the name `{}`", npc.get_ref());
        let mistake = script.source.mistake(npc.span(), what).label(meant(npc.get_ref(), &names));
        mistakes.push(match allowed_only(&names) {
            Some(allowed) => mistake.help(allowed),
            None => mistake,
        });
    }
}

/// The memories of a table by night.
fn labelled<'a>(
    table: &DaysTable,
    memories: Vec<Placed<'a>>,
    config: &ValidConfig,
) -> Vec<(NightLabel, Vec<Placed<'a>>)> {
    let turns_at = config.day.turns_at;
    if !table.by_date {
        let latest = memories.iter().map(|(.., m)| m.at).max();
        let moment = table.until.as_ref().map(|until| until.get_ref().0).or(latest);
        let label = table.night.as_ref().map(|night| night.get_ref().clone());
        let label = label.or_else(|| Some(moment?.night(turns_at)));
        return label.map(|label| (label, memories)).into_iter().collect();
    }
    let mut by_night: BTreeMap<NightLabel, Vec<Placed<'a>>> = BTreeMap::new();
    for placed in memories {
        by_night.entry(placed.2.at.night(turns_at)).or_default().push(placed);
    }
    let mut nights: Vec<_> = by_night.into_iter().collect();
    // Labels such as `day-10` do not sort by time.
    nights.sort_by_key(|(_, memories)| memories.iter().map(|(.., m)| m.at).min());
    nights
}

impl Asleep<'_> {
    /// The day of everybody who has memories.
    fn fall_asleep(
        &mut self,
        table: &DaysTable,
        label: &NightLabel,
        memories: Vec<Placed<'_>>,
        mistakes: &mut Vec<Mistake>,
    ) -> BTreeMap<NpcId, Day> {
        let until = table.until.as_ref().map(|until| until.get_ref().0);
        let mut days: BTreeMap<NpcId, Day> = BTreeMap::new();
        for (source, line, memory) in memories {
            if let Some(mistake) = self.untimely(&memory, until, source, line)
                && self.out_of_order.insert((source.path.clone(), memory.npc.clone()))
            {
                mistakes.push(mistake);
            }
            let npc = memory.npc.clone();
            let day = days.entry(npc.clone()).or_insert_with(|| Day {
                sleep: slept(table, &npc),
                npc,
                night: label.clone(),
                until: until.unwrap_or(memory.at),
                memories: Vec::new(),
            });
            day.until = day.until.max(memory.at);
            day.memories.push(memory);
        }
        for (npc, day) in &days {
            self.last.insert(npc.clone(), (day.until, label.clone()));
        }
        days
    }

    /// Whether a memory lies before its NPC's last sleep, or after the coming one.
    fn untimely(
        &self,
        memory: &Memory,
        until: Option<GameTime>,
        source: &Source,
        line: usize,
    ) -> Option<Mistake> {
        let text = source.line(line);
        let at =
            || ["\"at\"", "\"timestamp\""].iter().find_map(|key| text.find(key).map(|at| at..at + key.len()));
        if let Some(until) = until.filter(|until| memory.at > *until) {
            let what = format!("{} is at {}, after the moment of sleep, {until}", memory.id, memory.at);
            let help = format!("`until` of this day in {} says so", self.script.source.path.display());
            return Some(
                source.mistake_on(line, at().unwrap_or(0..1), what).label("too late for this day").help(help),
            );
        }
        let (slept, night) = self.last.get(&memory.npc).filter(|(slept, _)| memory.at <= *slept)?;
        let what = format!(
            "{} is at {}, and {} slept on night {night} until {slept}",
            memory.id, memory.at, memory.npc
        );
        let help = "days come in order of time: move it to its own day, or put the days in order";
        Some(source.mistake_on(line, at().unwrap_or(0..1), what).label("too early for this day").help(help))
    }
}

/// How an NPC slept, where the table says so.
fn slept(table: &DaysTable, npc: &NpcId) -> Option<SleepBudget> {
    let own = table.sleep_of.iter().find(|(name, _)| name.get_ref() == npc.as_str());
    own.map(|(_, sleep)| *sleep).or(table.sleep)
}
