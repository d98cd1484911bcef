//! `nightfold compare`: plans the same nights under several settings, or compares two outcomes of a scenario.

mod differing;
mod expectations;
mod outcomes;
mod page;
mod scenario;

use std::collections::BTreeMap;

use nightfold::english::Packs;
use nightfold::{
    Sleep,
    memory::{MemoryReader, NpcNight, RunReport, config::ClusterAlgorithm, rounded},
};
use nightfold_scenario::{CheckedExpectation, SCENARIO_FILE};
use nightfold_store::SqliteStore;
use schemars::JsonSchema;
use serde::Serialize;

use self::{
    differing::{ComparedFates, DifferingMemory},
    expectations::FlippedExpectation,
};
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
    show::{EndedOnNight, TextTable, count, wrap_hanging},
    store,
    terminal::Terminal,
    vectors,
};

/// Settings on the same nights.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Comparison {
    /// Figures under each setting.
    settings: Vec<CompareRow>,
    /// Expectations of a scenario that hold under some settings alone, in the order of its file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expectations: Vec<FlippedExpectation>,
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
    /// Tokens that a language model would take, estimated.
    tokens: usize,
    /// Wall time of clustering, scoring, budgets and fates, in seconds; omitted if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    triage_seconds: Option<f64>,
}

/// A comparison, and what a page shows of it.
struct Compared {
    comparison: Comparison,
    /// Title of the page.
    title: String,
    /// The nights under each setting, by NPC.
    nights: Vec<Vec<NpcNight>>,
    /// Expectations of a scenario under each setting.
    checks: Vec<Vec<CheckedExpectation>>,
    /// Store that the nights were planned against.
    store: Option<Box<dyn MemoryReader>>,
    /// Line about memories that wait for another night.
    left_for_later: Option<String>,
}

pub(crate) fn run(args: &CompareArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    if let [was, is] = args.days.memories.inputs.as_slice()
        && let Some(outcomes) = outcomes::read(was, is)?
    {
        return outcomes::run(&outcomes, args, verbose);
    }
    use_threads(common)?;
    let settings: Vec<String> = if args.with.is_empty() {
        ClusterAlgorithm::ALL.iter().map(ToString::to_string).collect()
    } else {
        args.with.clone()
    };
    let scenario = match args.days.memories.inputs.as_slice() {
        [one] if one.join(SCENARIO_FILE).is_file() || one.ends_with(SCENARIO_FILE) => Some(one),
        _ => None,
    };
    let page = page::prepare(args, &settings, common)?;
    let compared = match scenario {
        Some(path) => scenario::compared(path, &settings, args, common)?,
        None => days(&settings, args, common)?,
    };
    if let Some(file) = page {
        page::write(file, &compared, args.open)?;
    }
    let Compared { comparison: compared, left_for_later, .. } = compared;
    if args.json {
        left_for_later.iter().for_each(|line| output::note(line));
        return output::json(&compared);
    }
    let settings: Vec<&str> = compared.settings.iter().map(|row| row.setting.as_str()).collect();
    let expectations = expectations::listed(&compared.expectations, &settings);
    let differing = differing::listed(&compared.differing, &settings, verbose);
    output::long_text(&format!(
        "{}{expectations}{differing}{}",
        table(&compared.settings),
        left_for_later.unwrap_or_default()
    ))
}

/// Plans days under each setting.
fn days(settings: &[String], args: &CompareArgs, common: &Common) -> Result<Compared, CliError> {
    let configs = settings
        .iter()
        .map(|setting| config::load(&configured(setting, common)?))
        .collect::<Result<Vec<_>, _>>()?;
    let plain = config::load(common)?;
    let lived = InputDays::read(&args.days, &plain, common)?;
    let store: Box<dyn MemoryReader> = match store::optional(args.store.as_deref()) {
        Some(path) => store::read_only(path)?,
        None => Box::new(SqliteStore::in_memory()?),
    };
    let embedder = with_memory_cache(vectors::cache(common, &plain)?, common, &plain, lived.memories)?;
    let (memories, left_for_later) = (lived.memories, lived.left_for_later.clone());
    let days = lived.all(&plain)?;
    let title = count(days.len(), "NPC", "NPCs");
    let (mut rows, mut fates, mut nights) = (Vec::new(), ComparedFates::default(), Vec::new());
    for (setting, config) in settings.iter().zip(&configs) {
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
        let seconds = slept.seconds.get("triage").copied();
        rows.push(CompareRow::of(setting, &slept.plan.nights, &slept.plan.report, seconds));
        nights.push(slept.plan.nights);
    }
    let comparison = Comparison { settings: rows, expectations: Vec::new(), differing: fates.differing() };
    Ok(Compared { comparison, title, nights, checks: Vec::new(), store: Some(store), left_for_later })
}

/// Sections of the configuration that all compared settings share.
const BEFORE: [&str; 4] = ["day.", "embed.", "input.", "run."];

/// Returns the options of a setting: `kmeans`, `budget.storage=0.4`, or several of these joined by `+`.
fn configured(setting: &str, common: &Common) -> Result<Common, CliError> {
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
    Ok(common)
}

impl CompareRow {
    /// Returns the figures of nights; `triage_seconds` is `None` if they were not measured.
    fn of(setting: &str, nights: &[NpcNight], report: &RunReport, triage_seconds: Option<f64>) -> Self {
        let clusters: Vec<_> = nights.iter().flat_map(|n| &n.report.clusters).collect();
        let mut sizes: Vec<usize> = clusters.iter().map(|c| c.size).collect();
        sizes.sort_unstable();
        let size = |at: usize| sizes.get(at).copied().unwrap_or(0);
        let sum = clusters.iter().map(|c| c.cohesion).sum::<f64>();
        Self {
            setting: setting.to_owned(),
            nights: report.nights,
            clusters: rounded(clusters.len() as f64 / report.nights.max(1) as f64),
            sizes: [size(0), size(sizes.len() / 2), size(sizes.len().saturating_sub(1))],
            cohesion: rounded(sum / clusters.len().max(1) as f64),
            loose: nights.iter().map(|n| n.report.loose).sum(),
            distinct: report.counts.distinct,
            kept: report.counts.kept,
            reflections: report.counts.reflections,
            reduction: report.reduction,
            important_kept: report.important_kept,
            important: report.important,
            important_ended: nights.iter().flat_map(EndedOnNight::of).collect(),
            tokens: report.tokens.estimate,
            triage_seconds: triage_seconds.map(rounded),
        }
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
        "cohesion",
        "loose",
        "kept",
        "fewer",
        "important",
        "insights",
        "tokens",
        "triage",
    ]);
    for o in outcomes {
        table.row([
            o.setting.clone(),
            format!("{:.1}", o.clusters),
            format!("{:.2}", o.cohesion),
            o.loose.to_string(),
            o.kept.to_string(),
            format!("{:.1} %", o.reduction * 100.0),
            format!("{}/{}", o.important_kept, o.important),
            o.reflections.to_string(),
            o.tokens.to_string(),
            o.triage_seconds.map_or_else(String::new, |seconds| format!("{:.0} ms", seconds * 1e3)),
        ]);
    }
    out.push_str(&table.render());
    let mut named: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for o in outcomes {
        for ended in &o.important_ended {
            named.entry(ended.line()).or_default().push(&o.setting);
        }
    }
    // What ends under every one of several settings tells none of them apart.
    let tells = |settings: &[&str]| settings.len() < outcomes.len() || outcomes.len() == 1;
    for (line, settings) in named.into_iter().filter(|(_, settings)| tells(settings)) {
        out.push_str(&format!("{line} ({})\n", settings.join(", ")));
    }
    let is_timed = outcomes.iter().any(|o| o.triage_seconds.is_some());
    let timed = if is_timed { "; triage: clustering, budgets and fates, in all" } else { "" };
    let legend = format!("clusters: a night, mean; tokens: what a language model would take{timed}");
    out.push_str(&wrap_hanging("", 2, &legend, Terminal::stdout().width));
    out
}
