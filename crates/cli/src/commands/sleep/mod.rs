//! `nightfold sleep`: plan the night of every NPC, show it, and write it when told to.

mod outputs;
mod shown;

use std::{
    io::{self, BufRead, IsTerminal},
    time::Instant,
};

use nightfold::english::Packs;
use nightfold::{
    Ran, Sleep, Slept,
    memory::{MemoryReader, MemoryStore, RunReport, VectorReport},
};
use nightfold_store::InMemoryStore;

use self::{
    outputs::{Asked, Files, Outputs},
    shown::Shown,
};
use crate::{
    args::{Common, Sleep as SleepArgs},
    config,
    error::{CliError, Exit, failures, message},
    interrupt::Interrupt,
    judge, language,
    lived::Lived,
    models::{embedder, use_threads},
    output,
    report::Painter,
    show::{View, count},
    store, vectors,
};

pub(crate) fn run(args: &SleepArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = judge::chosen(args.judge.as_ref(), config::load(common)?)?;
    use_threads(common)?;
    let applies = args.applies(&config.review);
    let started = Instant::now();
    // The input is read before the model is fetched or the store made: a slip in it costs nothing then.
    let mut lived = Lived::read(&args.lived, &config, common)?;
    let read_seconds = started.elapsed().as_secs_f64();

    let interrupt = Interrupt::listen()?;
    let files = Files::prepare(args)?;
    let language = language::open(&args.language, args.record.as_ref(), &config)?;
    let judge = judge::open(language.as_deref(), &config, common)?;
    let store = open(args, applies)?;
    let embedder = embedder(common, &config, lived.memories)?;
    let left_for_later = lived.left_for_later.take();
    let painter = Painter::new(lived.memories, args.report.is_some(), interrupt);
    let sleep = Sleep {
        config: &config,
        packs: &Packs,
        embedder: &embedder,
        store: store.as_ref(),
        language: language.as_deref(),
        judge: judge.as_deref(),
        observer: &painter,
    };
    let asks = !applies && asks(args);
    let mut outputs = Outputs::new(files, shown(args, verbose)?, asks, store.as_ref())?;
    let take = |night| Ok(outputs.take(night)?);
    let days = lived.each(&config);
    let ran =
        if applies { sleep.apply_each(store.as_ref(), days, take) } else { sleep.plan_each(days, take) };
    let maps = painter.finish();
    let mut ran = ran?;
    *ran.seconds.entry("read").or_default() += read_seconds;
    ran.seconds.insert("total", started.elapsed().as_secs_f64());
    if ran.stopped && !applies {
        return Err(stopped_dry(&ran, embedder.cache().is_some()));
    }

    let in_the_store =
        |e: CliError| if applies { e.hint("the nights themselves are in the store") } else { e };
    let changing = outputs.changing;
    let (shown, asked) = outputs.finish(&ran.report, &maps).map_err(in_the_store)?;
    let report = if args.json { with_measures(&ran, embedder.report()) } else { ran.report.clone() };
    shown.finish(&report, store.as_ref(), &mut output::stdout())?;
    if args.json {
        left_for_later.iter().for_each(|line| output::note(line));
    } else {
        if embedder.cache().is_some() && !args.markdown {
            output::text(&vectors::told(&embedder.report()))?;
        }
        output::text(&left_for_later.unwrap_or_default())?;
        conclude(args, applies, &ran, changing, asked)?;
    }
    failures(&ran.failures, ran.report.nights, RUN_AGAIN)?;
    if ran.stopped { Err(stopped(ran.written)) } else { Ok(()) }
}

/// What goes to standard output.
fn shown(args: &SleepArgs, verbose: bool) -> Result<Shown, CliError> {
    let view = View::stdout(verbose);
    Ok(match (args.json, args.markdown) {
        (true, _) => Shown::json()?,
        (_, true) => Shown::markdown(view),
        _ => Shown::text(view),
    })
}

/// Whether there is someone to ask for the nights to be written.
fn asks(args: &SleepArgs) -> bool {
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    terminal && args.store.is_some() && args.plan.is_none() && !args.json
}

/// The user ended a run that was to write nothing: half a plan is none.
fn stopped_dry(ran: &Ran, cached: bool) -> CliError {
    let nights = count(ran.report.nights, "night was", "nights were");
    let again = if cached {
        "the vectors are kept: the same command will be past that point soon"
    } else {
        "the same command begins anew; without --vector-cache off it would have been past that point soon"
    };
    message(Exit::Interrupted, format!("stopped: {nights} planned, and nothing was written")).hint(again)
}

/// The user ended a run that writes.
fn stopped(written: usize) -> CliError {
    let nights = count(written, "night is", "nights are");
    message(Exit::Interrupted, format!("stopped: {nights} written, and the others were not slept"))
        .hint("the same command goes on from there: what was slept on is passed over")
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

/// The report with what was measured beside it, which no saved plan holds.
fn with_measures(ran: &Ran, vectors: VectorReport) -> RunReport {
    let mut report = ran.report.clone();
    let rounded = |s: f64| (s * 1e3).round() / 1e3;
    report.seconds = ran.seconds.iter().map(|(step, s)| ((*step).to_owned(), rounded(*s))).collect();
    report.vectors = Some(vectors);
    report
}

/// The nights as a diff, with their totals.
pub(crate) fn render(slept: &Slept, store: &dyn MemoryReader, view: View) -> Result<String, CliError> {
    let mut shown = Shown::text(view);
    slept.plan.nights.iter().try_for_each(|night| shown.take(night, store))?;
    let mut text = Vec::new();
    shown.finish(&slept.plan.report, store, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Says what was written, or how to write it; asks when there is someone to ask.
fn conclude(
    args: &SleepArgs,
    applies: bool,
    ran: &Ran,
    changing: usize,
    asked: Option<Asked>,
) -> Result<(), CliError> {
    if changing == 0 && ran.failures.is_empty() {
        let slept_on = ran.report.input.already_slept_on > 0;
        let why = if slept_on { ": all of this was slept on before" } else { "" };
        return output::text(&format!("nothing to write{why}\n"));
    }
    let applied = |written: usize| {
        let nights = count(changing, "night", "nights");
        output::text(&format!("applied: {written} of {nights} written\n"))
    };
    if applies {
        return applied(ran.written);
    }
    let Some(path) = &args.store else {
        return output::text("dry run: nothing was written; --store FILE --apply writes it\n");
    };
    let Some(asked) = asked.filter(|_| ran.failures.is_empty()) else {
        return output::text("dry run: nothing was written; --apply writes it\n");
    };
    output::text("Apply? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return output::text("nothing was written\n");
    }
    let done = nightfold::apply_plan(&store::create(path)?, &asked.plan()?)?;
    applied(done.written)?;
    failures(&done.failures, done.written + done.unchanged, RUN_AGAIN)
}
