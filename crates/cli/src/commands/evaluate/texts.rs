//! `nightfold evaluate texts`: measures the texts and names that nights write.

use std::{collections::BTreeMap, path::Path};

use nightfold::{
    NoObserver, Sleep,
    english::{English, Packs},
    memory::{Embedder, NpcNight, ValidConfig},
};
use nightfold_evaluate::suites::{TextScore, WrittenNight, texts, written_nights};
use nightfold_scenario::{Replay, SCENARIO_FILE, Script};
use nightfold_store::InMemoryStore;
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::MANY_TEXTS;
use crate::{
    args::{Common, DaysArgs, TextsArgs},
    config,
    days::InputDays,
    error::{CliError, Exit, message},
    judge,
    models::embedder,
    output,
    show::TextTable,
    terminal::clean,
};

/// Greatest mean length of syntheses of unimportant memories, as a share of their sources'.
const LENGTH: f64 = 0.6;
/// Greatest share of texts with a fault of grammar.
const UNGRAMMATICAL: f64 = 0.05;
/// Greatest share of titles that name nothing or are clauses.
const BAD_TITLES: f64 = 0.05;
/// Least share of nights with a reflection, of those that have two memories worth one.
const REFLECTING: f64 = 0.5;

/// Measures by where the days come from, and of all.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TextsReport {
    /// Measures by source of the days: a scenario, or `days`.
    sets: BTreeMap<String, TextScore>,
    /// Measures over all days.
    all: TextScore,
}

pub(super) fn run(args: &TextsArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let mut sets: BTreeMap<String, Vec<WrittenNight>> = BTreeMap::new();
    if let Some(dir) = &args.scenarios {
        for (name, nights) in scenarios(dir, &embedder, common)? {
            sets.insert(name, written_nights(&nights));
        }
    }
    if !args.days.is_empty() {
        sets.insert("days".to_owned(), written_nights(&slept(args, &embedder, config, common)?));
    }
    let measure = |nights: &[WrittenNight]| {
        texts(nights, &English, config.triage.important, |texts| {
            Ok::<_, CliError>(embedder.embed(texts)?.grammar)
        })
    };
    let all: Vec<WrittenNight> = sets.values().flatten().cloned().collect();
    let report = TextsReport {
        all: measure(&all)?,
        sets: sets
            .iter()
            .map(|(name, nights)| Ok((name.clone(), measure(nights)?)))
            .collect::<Result<_, CliError>>()?,
    };
    if args.json {
        output::json(&report)?;
    } else {
        output::text(&render(&report, args.wrong))?;
    }
    falls_short(&report.all).map_or(Ok(()), |line| Err(message(Exit::Check, line)))
}

/// Returns the nights of each scenario in a folder, or of the folder itself.
fn scenarios(
    dir: &Path,
    embedder: &dyn Embedder,
    common: &Common,
) -> Result<BTreeMap<String, Vec<NpcNight>>, CliError> {
    let mut folders = vec![dir.to_owned()];
    if !dir.join(SCENARIO_FILE).exists() {
        let unread = |error| CliError::new(Exit::Input, error);
        let entries = std::fs::read_dir(dir).map_err(unread)?;
        folders =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(unread)?;
        folders.retain(|folder| folder.join(SCENARIO_FILE).exists());
        folders.sort();
    }
    let limits = config::load(common)?.replay.clone();
    let mut nights = BTreeMap::new();
    for folder in folders {
        let script = Script::read(&folder, &limits)?;
        let config = config::with(common, script.settings())?;
        let scenario = script.stage(&config)?;
        let judge = judge::open(None, &config, common)?;
        let replayed =
            Replay { scenario: &scenario, embedder, judge: judge.as_deref(), observer: &NoObserver }.run()?;
        if let Some(failure) = replayed.failures.first() {
            return Err(message(Exit::Input, format!("{}: {}", clean(&scenario.name()), failure.error)));
        }
        nights.insert(scenario.name(), replayed.nights.into_iter().flatten().collect());
    }
    Ok(nights)
}

/// Returns the nights of the days in files, each after the one before.
fn slept(
    args: &TextsArgs,
    embedder: &dyn Embedder,
    config: &ValidConfig,
    common: &Common,
) -> Result<Vec<NpcNight>, CliError> {
    let days = DaysArgs::night_by_night(&args.days);
    let days = InputDays::read(&days, config, common)?.all(config)?;
    let store = InMemoryStore::new();
    let judge = judge::open(None, config, common)?;
    let judge = judge.as_deref();
    let sleep = Sleep {
        config,
        packs: &Packs,
        embedder,
        store: &store,
        language: None,
        judge,
        observer: &NoObserver,
    };
    let outcome = sleep.apply(&store, days)?;
    match outcome.failures.first() {
        Some(failure) => Err(message(Exit::Input, failure.error.to_string())),
        None => Ok(outcome.plan.nights),
    }
}

/// Measure of a table: its name, and its value in a score.
type Row = (&'static str, fn(&TextScore) -> String);

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

const ROWS: [Row; 20] = [
    ("nights", |s| s.nights.to_string()),
    ("with a reflection", |s| percent(share(s.reflecting.right, s.reflecting.all))),
    ("  of those worth one", |s| {
        let worth = s.reflecting_where_worth;
        format!("{} of {}", percent(share(worth.right, worth.all)), worth.all)
    }),
    ("syntheses", |s| s.syntheses.texts.to_string()),
    ("length, of the sources'", |s| format!("{:.2}", s.length)),
    ("  of unimportant ones", |s| format!("{:.2}", s.length_of_unimportant)),
    ("  repeated triples", |s| percent(s.syntheses.repeated_trigrams)),
    ("  words from nowhere", |s| percent(s.syntheses.unsupported_words)),
    ("  with a name from nowhere", |s| s.syntheses.unsupported_names.to_string()),
    ("  with a fault of grammar", |s| percent(share(s.syntheses.ungrammatical, s.syntheses.texts))),
    ("reflections", |s| s.reflections.texts.to_string()),
    ("  by kind", |s| {
        s.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
    }),
    ("  repeated triples", |s| percent(s.reflections.repeated_trigrams)),
    ("  words from nowhere", |s| percent(s.reflections.unsupported_words)),
    ("  with a name from nowhere", |s| s.reflections.unsupported_names.to_string()),
    ("  with a fault of grammar", |s| percent(share(s.reflections.ungrammatical, s.reflections.texts))),
    ("titles and names of themes", |s| format!("{} ({} missing)", s.titles.titles, s.titles.missing)),
    ("  that name nothing", |s| s.titles.empty.to_string()),
    ("  that are clauses", |s| s.titles.clauses.to_string()),
    ("  with a name from nowhere", |s| s.titles.unsupported.to_string()),
];

fn render(report: &TextsReport, wrong: usize) -> String {
    let names = report.sets.keys().map(|name| clean(name).to_string());
    let mut table = TextTable::new(["texts of nights"]);
    table.row(std::iter::once(String::new()).chain(names).chain(["all".to_owned()]));
    for (name, value) in ROWS {
        let scores = report.sets.values().chain([&report.all]);
        table.row(std::iter::once(name.to_owned()).chain(scores.map(value)));
    }
    let mut out = table.render();
    for faulty in report.all.faulty.iter().take(wrong) {
        out.push_str(&format!("{}: {}\n", faulty.fault, clean(&faulty.text)));
    }
    out
}

/// Returns the limit that is broken, if one is.
fn falls_short(score: &TextScore) -> Option<String> {
    let written = score.syntheses.texts + score.reflections.texts;
    let ungrammatical = share(score.syntheses.ungrammatical + score.reflections.ungrammatical, written);
    let bad_titles =
        share(score.titles.empty + score.titles.clauses + score.titles.unsupported, score.titles.titles);
    let worth = score.reflecting_where_worth;
    let limits = [
        ("mean length of syntheses of unimportant memories", score.length_of_unimportant, LENGTH),
        ("share of texts with a fault of grammar", ungrammatical, UNGRAMMATICAL),
        ("share of bad titles", bad_titles, BAD_TITLES),
    ];
    let above = limits.into_iter().find(|(_, value, limit)| value > limit);
    let reflecting = share(worth.right, worth.all);
    above.map(|(what, value, limit)| format!("{what}: {value:.3}, above {limit}")).or_else(|| {
        (worth.all > 0 && reflecting < REFLECTING).then(|| {
            format!("share of nights with a reflection, where one is worth it: {reflecting:.3}, below {REFLECTING}")
        })
    })
}
