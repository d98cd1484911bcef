//! `nightfold compare`: plans the same nights under several settings.

mod differing;

use std::collections::BTreeMap;

use nightfold::english::Packs;
use nightfold::{
    RunOutcome, Sleep,
    memory::{MemoryReader, ValidConfig, config::ClusterAlgorithm, rounded},
};
use nightfold_store::SqliteStore;
use schemars::JsonSchema;
use serde::Serialize;

use self::differing::{ComparedFates, DifferingMemory};
use crate::{
    args::{Common, CompareArgs},
    config,
    days::InputDays,
    error::{CliError, Exit, message},
    failures::failures,
    judge,
    models::{use_threads, with_memory_cache},
    output,
    progress::NightsBar,
    show::{EndedOnNight, TextTable, count},
    store, vectors,
};

/// Settings on the same nights.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Comparison {
    /// Figures under each setting.
    settings: Vec<CompareRow>,
    /// Memories whose fate depends on the setting, the most important first.
    differing: Vec<DifferingMemory>,
}

/// Figures of the nights under one setting.
#[derive(Debug, Serialize, JsonSchema)]
struct CompareRow {
    /// Setting in words: the keys that differ.
    setting: String,
    /// Number of nights.
    nights: usize,
    /// Mean number of clusters a night.
    clusters: f64,
    /// Sizes of the smallest, the median and the largest cluster.
    sizes: [usize; 3],
    /// Mean cohesion over clusters.
    cohesion: f64,
    /// Number of distinct memories in no cluster.
    loose: usize,
    /// Number of distinct memories.
    distinct: usize,
    /// Number of entries kept.
    kept: usize,
    /// Number of reflections.
    reflections: usize,
    /// Reduction of distinct memories: 1 − kept / distinct.
    reduction: f64,
    /// Number of distinct texts of at least `triage.important` that are verbatim in a kept entry.
    important_kept: usize,
    /// Number of distinct texts of at least `triage.important`.
    important: usize,
    /// Important memories and entries that were superseded or lost a position.
    important_ended: Vec<EndedOnNight>,
    /// Wall time of clustering, scoring, budgets and fates, in seconds.
    triage_seconds: f64,
}

pub(crate) fn run(args: &CompareArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    use_threads(common)?;
    let settings: Vec<String> = if args.with.is_empty() {
        ClusterAlgorithm::ALL.iter().map(ToString::to_string).collect()
    } else {
        args.with.clone()
    };
    let configs = settings.iter().map(|s| configured(s, common)).collect::<Result<Vec<_>, _>>()?;
    let plain = config::load(common)?;
    let lived = InputDays::read(&args.days, &plain, common)?;
    let store: Box<dyn MemoryReader> = match store::optional(args.store.as_deref()) {
        Some(path) => store::read_only(path)?,
        None => Box::new(SqliteStore::in_memory()?),
    };
    let embedder = with_memory_cache(vectors::cache(common, &plain)?, common, &plain, lived.memories)?;
    let (memories, left_for_later) = (lived.memories, lived.left_for_later.clone());
    let days = lived.all(&plain)?;
    let (mut outcomes, mut fates) = (Vec::new(), ComparedFates::default());
    for (setting, config) in settings.into_iter().zip(&configs) {
        let judge = judge::open(None, config, common)?;
        let bar = NightsBar::new(memories);
        let sleep = Sleep {
            judge: judge.as_deref(),
            observer: &bar,
            ..Sleep::new(config, &Packs, &embedder, store.as_ref())
        };
        let slept = sleep.plan(days.clone())?;
        drop(bar);
        failures(&slept.failures, slept.plan.nights.len(), "")?;
        fates.add(&slept.plan.nights);
        outcomes.push(outcome(setting, &slept));
    }
    let compared = Comparison { settings: outcomes, differing: fates.differing() };
    if args.json {
        left_for_later.iter().for_each(|line| output::note(line));
        return output::json(&compared);
    }
    output::text(&table(&compared.settings))?;
    let settings: Vec<&str> = compared.settings.iter().map(|row| row.setting.as_str()).collect();
    output::text(&differing::listed(&compared.differing, &settings, verbose))?;
    output::text(&left_for_later.unwrap_or_default())
}

/// Sections of the configuration that all compared settings share.
const BEFORE: [&str; 4] = ["day.", "embed.", "input.", "run."];

/// Returns the configuration of a setting: `kmeans`, `budget.storage=0.4`, or several of these joined by `+`.
fn configured(setting: &str, common: &Common) -> Result<ValidConfig, CliError> {
    if let Some(key) = setting.split('+').find(|part| BEFORE.iter().any(|section| part.starts_with(section)))
    {
        let text = format!("--with {key}: all settings are given the same days and vectors");
        return Err(message(Exit::Usage, text).hint("set it for all of them with --set"));
    }
    let mut common = common.clone();
    common.set.extend(
        setting.split('+').map(|part| {
            if part.contains('=') { part.to_owned() } else { format!("cluster.algorithm={part}") }
        }),
    );
    config::load(&common)
}

fn outcome(setting: String, slept: &RunOutcome) -> CompareRow {
    let clusters: Vec<_> = slept.plan.nights.iter().flat_map(|n| &n.report.clusters).collect();
    let mut sizes: Vec<usize> = clusters.iter().map(|c| c.size).collect();
    sizes.sort_unstable();
    let size = |at: usize| sizes.get(at).copied().unwrap_or(0);
    let sum = clusters.iter().map(|c| c.cohesion).sum::<f64>();
    let report = &slept.plan.report;
    CompareRow {
        setting,
        nights: report.nights,
        clusters: rounded(clusters.len() as f64 / report.nights.max(1) as f64),
        sizes: [size(0), size(sizes.len() / 2), size(sizes.len().saturating_sub(1))],
        cohesion: rounded(sum / clusters.len().max(1) as f64),
        loose: slept.plan.nights.iter().map(|n| n.report.loose).sum(),
        distinct: report.counts.distinct,
        kept: report.counts.kept,
        reflections: report.counts.reflections,
        reduction: report.reduction,
        important_kept: report.important_kept,
        important: report.important,
        important_ended: slept.plan.nights.iter().flat_map(EndedOnNight::of).collect(),
        triage_seconds: rounded(slept.seconds.get("triage").copied().unwrap_or(0.0)),
    }
}

fn table(outcomes: &[CompareRow]) -> String {
    let mut out = String::new();
    if let Some(first) = outcomes.first() {
        let nights = count(first.nights, "night", "nights");
        out.push_str(&format!("{nights}, {} different memories, under each setting:\n", first.distinct));
    }
    let mut table = TextTable::new([
        "setting",
        "clusters",
        "sizes",
        "cohesion",
        "loose",
        "kept",
        "fewer",
        "important",
        "insights",
        "triage",
    ]);
    for o in outcomes {
        let [least, median, most] = o.sizes;
        table.row([
            o.setting.clone(),
            format!("{:.1}", o.clusters),
            format!("{least}-{median}-{most}"),
            format!("{:.2}", o.cohesion),
            o.loose.to_string(),
            o.kept.to_string(),
            format!("{:.1} %", o.reduction * 100.0),
            format!("{}/{}", o.important_kept, o.important),
            o.reflections.to_string(),
            format!("{:.0} ms", o.triage_seconds * 1e3),
        ]);
    }
    out.push_str(&table.render());
    let mut named: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for o in outcomes {
        for ended in &o.important_ended {
            named.entry(ended.line()).or_default().push(&o.setting);
        }
    }
    for (line, settings) in named {
        out.push_str(&format!("{line} ({})\n", settings.join(", ")));
    }
    out.push_str("clusters: a night, mean; sizes: smallest-median-largest; triage: clustering, budgets and fates, in all\n");
    out
}
