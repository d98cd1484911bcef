//! `nightfold sleep`: plans the night of every NPC, shows it, and writes it if asked to.

mod inbox;
mod outputs;
#[cfg(feature = "mcp")]
mod rendered;
mod shared;
mod shown;
mod summary;
mod then;

use std::{
    collections::BTreeSet,
    io::{self, BufRead, IsTerminal},
    path::{Path, PathBuf},
    time::Instant,
};

use nightfold::english::Packs;
use nightfold::{
    Sleep, StreamOutcome,
    memory::{MemoryStore, NpcId, NpcNight, RunReport, ValidConfig, VectorReport},
};
use nightfold_store::SqliteStore;

#[cfg(feature = "mcp")]
pub(crate) use self::rendered::render;
use self::{
    inbox::Inbox,
    outputs::{ConfirmationPlan, Files, Outputs, in_use},
    shown::SleepOutput,
    summary::SummaryFiles,
};
pub(super) use self::{shared::WorkerReport, summary::SleepSummary};
use crate::{
    args::{Common, SleepArgs},
    config,
    days::InputDays,
    error::{CliError, Exit, failures, message},
    files_in_use::FilesInUse,
    interrupt::Interrupt,
    judge, language, logging,
    models::{embedder, use_threads},
    output,
    packs::InputPack,
    report::RunObserver,
    show::{DiffView, count},
    store, vectors,
};

/// A call of `sleep`, with what was decided before its days are read.
struct SleepCall<'a> {
    args: &'a SleepArgs,
    common: &'a Common,
    config: &'a ValidConfig,
    verbose: bool,
    /// True if the nights are to be written.
    applies: bool,
    in_use: &'a FilesInUse,
    inbox: Option<&'a Inbox>,
}

pub(crate) fn run(mut args: SleepArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let started = Instant::now();
    let config = judge::chosen(args.judge.as_ref(), config::load(common)?)?;
    let applies = args.applies(common, &config.review);
    then::refuse_without_nights(&args, applies)?;
    let inbox = match (&args.inbox, &args.done) {
        (Some(folder), Some(done)) => Some(Inbox::open(folder, done, &config, applies)?),
        _ => None,
    };
    args.days.inputs.extend(inbox.iter().flat_map(Inbox::paths));
    let (args, in_use) = (&args, in_use(&args, common, &config));
    let files = SummaryFiles::prepare(args, &in_use)?;
    let mut summary = SleepSummary::new(applies);
    let is_empty = inbox.as_ref().is_some_and(Inbox::is_empty);
    let call = SleepCall {
        args,
        common,
        config: &config,
        verbose,
        applies,
        in_use: &in_use,
        inbox: inbox.as_ref().filter(|_| applies),
    };
    let slept = if is_empty { tell_empty(args) } else { sleep(&call, &mut summary) };
    let ended = match &args.store {
        // Nothing was ever slept on: nothing is to be done to it.
        Some(store) if is_empty && store::if_there(store)?.is_none() => slept,
        _ => then::run(args, slept, common, verbose),
    };
    files.write(summary, (args, started), ended)
}

fn tell_empty(args: &SleepArgs) -> Result<(), CliError> {
    const EMPTY: &str = "the inbox is empty\n";
    if args.json {
        output::note(EMPTY);
        return Ok(());
    }
    output::text(EMPTY)
}

fn sleep(call: &SleepCall<'_>, summary: &mut SleepSummary) -> Result<(), CliError> {
    let &SleepCall { args, common, config, verbose, applies, in_use, inbox } = call;
    use_threads(common)?;
    if let Some((pack, address)) = shared_pack(args, applies)? {
        return shared::run(args, common, config, pack, address, summary);
    }
    if args.resume {
        return Err(message(Exit::Usage, "--resume is for a pack that is applied to a store on a server")
            .hint("the same command without it goes on: what was slept on is skipped"));
    }
    let started = Instant::now();
    // The input is read before the model is fetched or the store made: a slip in it costs nothing then.
    let mut lived = InputDays::read(&args.days, config, common)?;
    let read_seconds = started.elapsed().as_secs_f64();

    let interrupt = Interrupt::listen()?;
    let files = Files::prepare(args, in_use)?;
    let language = language::open(&args.language, args.record.as_ref(), config)?;
    let judge = judge::open(language.as_deref(), config, common)?;
    let store = open(args, applies)?;
    lived.names.compare_all(&store.npcs()?);
    lived.names.warn();
    let embedder = embedder(common, config, lived.memories)?;
    let left_for_later = lived.left_for_later.take();
    let damaged = std::mem::take(&mut lived.damaged);
    let observer = RunObserver::new(lived.memories, args.report.is_some(), interrupt);
    let sleep = Sleep {
        config,
        packs: &Packs,
        embedder: &embedder,
        store: store.as_ref(),
        language: language.as_deref(),
        judge: judge.as_deref(),
        observer: &observer,
    };
    let asks = !applies && asks(args);
    let mut outputs = Outputs::new(files, sleep_output(args, verbose)?, (applies, asks), store.as_ref())?;
    let run = if applies { Some(store.begin_run()?) } else { None };
    summary.run = run.inspect(|number| logging::set_run(*number));
    let take = |night: NpcNight| {
        summary.name_ended(&night);
        Ok(outputs.take(night)?)
    };
    let days = lived.each(config);
    let ran = match run {
        Some(number) => sleep.apply_each_in_run(store.as_ref(), number, days, take),
        None => sleep.plan_each(days, take),
    };
    let maps = observer.finish();
    let mut ran = ran?;
    *ran.seconds.entry("read").or_default() += read_seconds;
    ran.seconds.insert("total", started.elapsed().as_secs_f64());
    summary.take(&ran, outputs.changing);
    tracing::info!(
        npcs = ran.report.npcs,
        nights = ran.report.nights,
        written = ran.written,
        failed = ran.failures.len(),
        "the nights are done"
    );
    if ran.stopped && !applies {
        return Err(stopped_dry(&ran, embedder.cache().is_some()));
    }

    let moved = inbox.map(|inbox| empty(inbox, &ran, &damaged, call, summary));
    let in_the_store = |error: CliError| {
        let nights = || count(ran.written, "night was", "nights were");
        if applies { error.hint(format!("{} written to the store all the same", nights())) } else { error }
    };
    let changing = outputs.changing;
    let (shown, asked) = match outputs.finish(&ran.report, &maps) {
        Ok(finished) => finished,
        Err(error) => {
            // Told as well; the exit code is that of the output.
            let _ = failures(&ran.failures, ran.report.nights, RUN_AGAIN);
            return Err(in_the_store(error));
        }
    };
    let report = if args.json { with_measures(&ran, embedder.report()) } else { ran.report.clone() };
    if args.json || !logging::is_quiet() {
        shown.finish(&report, store.as_ref(), &mut output::stdout()).map_err(in_the_store)?;
    }
    if args.json {
        left_for_later.iter().for_each(|line| output::note(line));
    } else {
        if embedder.cache().is_some() && !args.markdown {
            output::text(&vectors::report_line(&embedder.report())).map_err(in_the_store)?;
        }
        output::text(&left_for_later.unwrap_or_default()).map_err(in_the_store)?;
        conclude(args, applies, &ran, changing, asked).map_err(in_the_store)?;
    }
    if let (Some(Ok(())), false) = (&moved, args.json) {
        let files = count(summary.files.moved as usize, "file", "files");
        let left = summary.files.left;
        output::text(&format!("inbox: {files} moved, {left} left\n"))?;
    }
    let ended = failures(&ran.failures, ran.report.nights, RUN_AGAIN);
    let ended = ended.and_then(|()| if ran.stopped { Err(stopped(ran.written)) } else { Ok(()) });
    match (ended, moved.unwrap_or(Ok(()))) {
        (Ok(()), moved) => moved,
        (ended, moved) => {
            // Told as well; the exit code is that of the nights.
            moved.err().iter().for_each(CliError::print);
            ended
        }
    }
}

/// Moves the files of the inbox of which every night happened.
fn empty(
    inbox: &Inbox,
    ran: &StreamOutcome,
    damaged: &[PathBuf],
    call: &SleepCall<'_>,
    summary: &mut SleepSummary,
) -> Result<(), CliError> {
    let failed: BTreeSet<&NpcId> = ran.failures.iter().map(|failure| &failure.npc).collect();
    let moved = inbox.move_done(|path| {
        if ran.stopped {
            return Some("the run was stopped");
        }
        if damaged.iter().any(|damaged| damaged == path) {
            return Some("it has bad lines");
        }
        let is_of_failed = || InputDays::has_any_of(&failed, path, &call.args.days, call.config, call.common);
        // A file that cannot be read again may hold what failed.
        (!failed.is_empty() && is_of_failed().unwrap_or(true)).then_some("a night of it failed")
    });
    summary.files.moved = moved.as_ref().map_or(0, |moved| *moved as u64);
    summary.files.left = inbox.len() as u64 - summary.files.moved;
    moved.map(drop)
}

/// Returns the pack and the store that workers share, if that is what the call sleeps.
fn shared_pack<'a>(args: &'a SleepArgs, applies: bool) -> Result<Option<(InputPack, &'a Path)>, CliError> {
    let ([input], Some(store), true) = (args.days.inputs.as_slice(), &args.store, applies) else {
        return Ok(None);
    };
    if args.inbox.is_some() || !args.days.npc.is_empty() || !store::is_on_a_server(store) {
        return Ok(None);
    }
    Ok(InputPack::open(input)?.map(|pack| (pack, store.as_path())))
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
    let is_asked = !args.json && !logging::is_quiet();
    // What is applied later moves no file of an inbox.
    terminal && is_asked && args.store.is_some() && args.plan.is_none() && args.inbox.is_none()
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
    let there = match &args.store {
        Some(path) if applies => return Ok(store::create(path, args.wait)?),
        Some(path) => store::if_there(path)?,
        None => None,
    };
    Ok(match there {
        Some(store) => store,
        None => Box::new(SqliteStore::in_memory()?),
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
    let done = nightfold::apply_plan(store::create(path, args.wait)?.as_ref(), &asked.plan()?)?;
    applied(done.written)?;
    failures(&done.failures, done.written + done.unchanged, RUN_AGAIN)
}
