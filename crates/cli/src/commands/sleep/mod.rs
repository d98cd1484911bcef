//! `nightfold sleep`: plans the night of every NPC, shows it, and writes it if asked to.

mod outputs;
#[cfg(feature = "mcp")]
mod rendered;
mod shown;

use std::{
    io::{self, BufRead, IsTerminal},
    time::Instant,
};

use nightfold::english::Packs;
use nightfold::{
    Sleep, StreamOutcome,
    memory::{MemoryStore, RunReport, VectorReport},
};
use nightfold_store::InMemoryStore;

#[cfg(feature = "mcp")]
pub(crate) use self::rendered::render;
use self::{
    outputs::{ConfirmationPlan, Files, Outputs},
    shown::SleepOutput,
};
use crate::{
    args::{Common, SleepArgs},
    config,
    days::InputDays,
    error::{CliError, Exit, failures, message},
    interrupt::Interrupt,
    judge, language,
    models::{embedder, use_threads},
    output,
    report::RunObserver,
    show::{DiffView, count},
    store, vectors,
};

pub(crate) fn run(args: &SleepArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = judge::chosen(args.judge.as_ref(), config::load(common)?)?;
    use_threads(common)?;
    let applies = args.applies(&config.review);
    let started = Instant::now();
    // The input is read before the model is fetched or the store made: a slip in it costs nothing then.
    let mut lived = InputDays::read(&args.days, &config, common)?;
    let read_seconds = started.elapsed().as_secs_f64();

    let interrupt = Interrupt::listen()?;
    let files = Files::prepare(args)?;
    let language = language::open(&args.language, args.record.as_ref(), &config)?;
    let judge = judge::open(language.as_deref(), &config, common)?;
    let store = open(args, applies)?;
    let embedder = embedder(common, &config, lived.memories)?;
    let left_for_later = lived.left_for_later.take();
    let observer = RunObserver::new(lived.memories, args.report.is_some(), interrupt);
    let sleep = Sleep {
        config: &config,
        packs: &Packs,
        embedder: &embedder,
        store: store.as_ref(),
        language: language.as_deref(),
        judge: judge.as_deref(),
        observer: &observer,
    };
    let asks = !applies && asks(args);
    let mut outputs = Outputs::new(files, sleep_output(args, verbose)?, asks, store.as_ref())?;
    let take = |night| Ok(outputs.take(night)?);
    let days = lived.each(&config);
    let ran =
        if applies { sleep.apply_each(store.as_ref(), days, take) } else { sleep.plan_each(days, take) };
    let maps = observer.finish();
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
            output::text(&vectors::report_line(&embedder.report()))?;
        }
        output::text(&left_for_later.unwrap_or_default())?;
        conclude(args, applies, &ran, changing, asked)?;
    }
    failures(&ran.failures, ran.report.nights, RUN_AGAIN)?;
    if ran.stopped { Err(stopped(ran.written)) } else { Ok(()) }
}

/// Returns the form in which nights are shown on standard output.
fn sleep_output(args: &SleepArgs, verbose: bool) -> Result<SleepOutput, CliError> {
    let view = DiffView::stdout(verbose);
    Ok(match (args.json, args.markdown) {
        (true, _) => SleepOutput::json()?,
        (_, true) => SleepOutput::markdown(view),
        _ => SleepOutput::text(view),
    })
}

/// True if a user at a terminal is asked whether to write the nights.
fn asks(args: &SleepArgs) -> bool {
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    terminal && args.store.is_some() && args.plan.is_none() && !args.json
}

/// Error of a run that the user ended and that was to write nothing: half a plan is not used.
fn stopped_dry(ran: &StreamOutcome, cached: bool) -> CliError {
    let nights = count(ran.report.nights, "night was", "nights were");
    let again = if cached {
        "the vectors are kept: the same command will be past that point soon"
    } else {
        "the same command begins anew; without --vector-cache off it would have been past that point soon"
    };
    message(Exit::Interrupted, format!("stopped: {nights} planned, and nothing was written")).hint(again)
}

/// Error of a writing run that the user ended.
fn stopped(written: usize) -> CliError {
    let nights = count(written, "night is", "nights are");
    message(Exit::Interrupted, format!("stopped: {nights} written, and the others were not slept"))
        .hint("the same command goes on from there: what was slept on is skipped")
}

/// Hint for nights that failed because another process had written to the store.
const RUN_AGAIN: &str =
    "another process wrote to the same NPCs meanwhile; run it again, and what is written is skipped";

/// Opens the store to plan against, for writing only if the nights are applied.
fn open(args: &SleepArgs, applies: bool) -> Result<Box<dyn MemoryStore>, CliError> {
    Ok(match &args.store {
        Some(path) if applies => Box::new(store::create(path)?),
        Some(path) if path.exists() => Box::new(store::read_only(path)?),
        _ => Box::new(InMemoryStore::new()),
    })
}

/// Returns the report with the measured times and vectors, which no saved plan holds.
fn with_measures(ran: &StreamOutcome, vectors: VectorReport) -> RunReport {
    let mut report = ran.report.clone();
    let rounded = |s: f64| (s * 1e3).round() / 1e3;
    report.seconds = ran.seconds.iter().map(|(step, s)| ((*step).to_owned(), rounded(*s))).collect();
    report.vectors = Some(vectors);
    report
}

/// Prints the number of nights written, or the way to write them; asks whether to, if a user is there to
/// answer.
fn conclude(
    args: &SleepArgs,
    applies: bool,
    ran: &StreamOutcome,
    changing: usize,
    asked: Option<ConfirmationPlan>,
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
