//! `nightfold sleep`: plan the night of every NPC, show it, and write it when told to.

use std::{
    io::{BufRead, IsTerminal},
    path::PathBuf,
    time::Instant,
};

use nightfold::{
    Sleep, Slept,
    memory::{MemoryStore, NightPlan, NpcId, VectorReport},
};
use nightfold_store::InMemoryStore;

use crate::{
    args::{Common, Sleep as SleepArgs},
    config,
    error::{CliError, failures},
    judge, language,
    lived::Lived,
    models::{embedder, use_threads},
    output::{self, NewFile},
    plan,
    report::{self, Painter},
    show::{View, count, markdown, markdown_totals, nights, recollections, run_totals, summary_line, text},
    store, vectors,
};

/// Runs of more nights than this are shown a line each; `-v` shows them whole.
const SHOWN_WHOLE: usize = 12;

pub(crate) fn run(args: &SleepArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = judge::chosen(args.judge.as_ref(), config::load(common)?)?;
    use_threads(common)?;
    let applies = args.applies(&config.review);
    let started = Instant::now();
    // The input is read before the model is fetched or the store made: a slip in it costs nothing then.
    let lived = Lived::read(&args.lived, &config, common)?;
    let read_seconds = started.elapsed().as_secs_f64();

    // Before anything is written: a plan that cannot be saved must not be found out about after the nights.
    let in_use = args.lived.inputs.iter().chain(&args.store).map(PathBuf::as_path);
    let report_in_use = in_use.clone().chain(args.plan.as_deref());
    let report_file = args.report.as_deref().map(|path| NewFile::prepare(path, report_in_use)).transpose()?;
    let plan_file = args.plan.as_deref().map(|path| NewFile::prepare(path, in_use)).transpose()?;
    let language = language::open(&args.language, args.record.as_ref(), &config)?;
    let judge = judge::open(language.as_deref(), &config, common)?;
    let store = open(args, applies)?;
    let embedder = embedder(common, &config, lived.memories)?;
    let painter = Painter::new(lived.nights(), args.report.is_some());
    let sleep = Sleep {
        config: &config,
        embedder: &embedder,
        store: store.as_ref(),
        language: language.as_deref(),
        judge: judge.as_deref(),
        observer: &painter,
    };
    let slept = if applies { sleep.apply(lived.days) } else { sleep.plan(lived.days) };
    let maps = painter.finish();
    let mut slept = slept?;
    slept.seconds.insert("read", read_seconds);
    slept.seconds.insert("total", started.elapsed().as_secs_f64());

    let in_the_store =
        |e: CliError| if applies { e.hint("the nights themselves are in the store") } else { e };
    if let Some(file) = plan_file {
        plan::save(&slept.plan, file).map_err(|e| in_the_store(e.into()))?;
    }
    if let Some(file) = report_file {
        let written = report::write(file, &slept.plan, &slept.plan.nights, &maps, Some(store.as_ref()));
        written.map_err(in_the_store)?;
    }
    let left = lived.left_for_later;
    if args.json {
        output::json(&with_measures(&slept, embedder.report()))?;
        left.iter().for_each(|line| eprint!("{line}"));
    } else {
        let view = View::stdout(verbose);
        let diff = if args.markdown {
            in_markdown(&slept, store.as_ref(), view)
        } else {
            render(&slept, store.as_ref(), view)
        };
        output::text(&diff?)?;
        if embedder.cache().is_some() && !args.markdown {
            output::text(&vectors::told(&embedder.report()))?;
        }
        output::text(&left.unwrap_or_default())?;
        conclude(args, applies, &slept)?;
    }
    failures(&slept.failures, slept.plan.nights.len(), RUN_AGAIN)
}

/// For nights that met another process's.
const RUN_AGAIN: &str =
    "another process wrote to the same NPCs meanwhile; run it again, and what is written is passed over";

/// The store to plan against, which is written only with `--apply`.
fn open(args: &SleepArgs, applies: bool) -> Result<Box<dyn MemoryStore>, CliError> {
    Ok(match &args.store {
        Some(path) if applies => Box::new(store::create(path)?),
        Some(path) if path.exists() => Box::new(store::read_only(path)?),
        _ => Box::new(InMemoryStore::new()),
    })
}

/// The plan with what was measured beside it, which no saved plan holds.
fn with_measures(slept: &Slept, vectors: VectorReport) -> NightPlan {
    let mut plan = slept.plan.clone();
    let rounded = |s: f64| (s * 1e3).round() / 1e3;
    plan.report.seconds = slept.seconds.iter().map(|(step, s)| ((*step).to_owned(), rounded(*s))).collect();
    plan.report.vectors = Some(vectors);
    plan
}

/// The nights as a diff, with their totals.
pub(crate) fn render(slept: &Slept, store: &dyn MemoryStore, view: View) -> Result<String, CliError> {
    let planned = &slept.plan.nights;
    let mut out = if view.verbose || planned.len() <= SHOWN_WHOLE {
        nights(planned, |npc| Ok(recollections(store.entries(npc)?)), |diff| text(diff, view))?
    } else {
        let lines: String = planned.iter().map(summary_line).collect();
        format!("{lines}  {}; --npc NAME shows only one NPC's\n\n", view.more)
    };
    out.push_str(&run_totals(&slept.plan.report));
    Ok(out)
}

fn in_markdown(slept: &Slept, store: &dyn MemoryStore, view: View) -> Result<String, CliError> {
    let before = |npc: &NpcId| Ok(recollections(store.entries(npc)?));
    let diffs = nights(&slept.plan.nights, before, |diff| markdown(diff, view))?;
    Ok(diffs + &markdown_totals(&run_totals(&slept.plan.report)))
}

/// Says what was written, or how to write it; asks when there is someone to ask.
fn conclude(args: &SleepArgs, applies: bool, slept: &Slept) -> Result<(), CliError> {
    let changing = slept.plan.nights.iter().filter(|n| !n.is_empty()).count();
    if changing == 0 && slept.failures.is_empty() {
        let slept_on = slept.plan.report.input.already_slept_on > 0;
        let why = if slept_on { ": all of this was slept on before" } else { "" };
        return output::text(&format!("nothing to write{why}\n"));
    }
    let applied = |written: usize| {
        let nights = count(changing, "night", "nights");
        output::text(&format!("applied: {written} of {nights} written\n"))
    };
    if applies {
        return applied(slept.written);
    }
    let Some(path) = &args.store else {
        return output::text("dry run: nothing was written; --store FILE --apply writes it\n");
    };
    let asks = std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && args.plan.is_none();
    if !asks || !slept.failures.is_empty() {
        return output::text("dry run: nothing was written; --apply writes it\n");
    }
    output::text("Apply? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return output::text("nothing was written\n");
    }
    let done = nightfold::apply_plan(&store::create(path)?, &slept.plan)?;
    applied(done.written)?;
    failures(&done.failures, done.written + done.unchanged, RUN_AGAIN)
}
