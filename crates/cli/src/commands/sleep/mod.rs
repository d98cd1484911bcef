//! `nightfold sleep`: plans the night of every NPC, shows it, and writes it if asked to.

mod inbox;
mod outputs;
mod shared;
mod shown;
mod summary;
mod then;

use std::{
    collections::BTreeSet,
    io::{self, BufRead, IsTerminal},
    mem,
    path::{Path, PathBuf},
    time::Instant,
};

use nightfold::english::Packs;
use nightfold::{
    Sleep, StreamOutcome,
    memory::{MemoryStore, NightPlan, NpcId, NpcNight, RunReport, ValidConfig, VectorReport},
};
use nightfold_formats::pack::Pack;
use nightfold_report::Maps;
use nightfold_store::SqliteStore;

#[cfg(feature = "mcp")]
pub(crate) use self::shown::render;
use self::{
    inbox::Inbox,
    outputs::{Files, Outputs, in_use},
    shown::{HeldText, SleepOutput, reread},
    summary::SummaryFiles,
};
pub(super) use self::{shared::WorkerReport, summary::SleepSummary};
use crate::{
    approval,
    args::{Common, SleepArgs},
    config,
    days::InputDays,
    error::{CliError, Exit, message},
    failures::{failures, first_error},
    files_in_use::FilesInUse,
    input::open_pack,
    interrupt::Interrupt,
    judge, language, logging,
    models::{ModelEmbedder, embedder, use_threads},
    output,
    report::RunObserver,
    show::{DiffView, count},
    store, vectors,
};

/// A call of `sleep`, with what was decided before its days are read.
struct Run<'a> {
    args: &'a SleepArgs,
    common: &'a Common,
    config: &'a ValidConfig,
    verbose: bool,
    /// True if the nights are to be written.
    applies: bool,
    in_use: FilesInUse,
    inbox: Option<Inbox>,
}

pub(crate) fn run(mut args: SleepArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let config = judge::chosen(args.judge.as_ref(), config::load(common)?)?;
    let applies = approval::writes_nights(&args, common, &config.review);
    if !args.then.is_empty() && !applies {
        return Err(message(Exit::Usage, "--then is for nights that are written")
            .hint("add --apply, or leave --then out"));
    }
    let inbox = match (&args.inbox, &args.done) {
        (Some(folder), Some(done)) => Some(Inbox::open(folder, done, &config, applies)?),
        _ => None,
    };
    args.days.memories.inputs.extend(inbox.iter().flat_map(Inbox::paths));
    let in_use = in_use(&args, common, &config);
    let files = SummaryFiles::prepare(&args, &in_use)?;
    let mut summary = SleepSummary::new(applies);
    let run = Run { args: &args, common, config: &config, verbose, applies, in_use, inbox };
    let ended = run.sleep_and_then(&mut summary);
    let written = files.write(summary, args.store.as_deref(), &ended);
    first_error([ended, written])
}

impl Run<'_> {
    /// Sleeps, and does what is to follow.
    fn sleep_and_then(&self, summary: &mut SleepSummary) -> Result<(), CliError> {
        let is_empty = self.inbox.as_ref().is_some_and(|inbox| inbox.len() == 0);
        let slept = if is_empty { self.tell_empty() } else { self.sleep(summary) };
        let Some(path) = self.args.store.as_deref().filter(|_| !self.args.then.is_empty()) else {
            return slept;
        };
        // Nights that failed may be slept again from what is there now, which a purge would delete.
        slept.inspect_err(|error| {
            if !matches!(error.exit, Exit::Usage | Exit::BrokenPipe) {
                output::note("--then was not run: it follows when all nights are done\n");
            }
        })?;
        // Nothing was ever slept on: nothing is to be done to it.
        if is_empty && store::if_there(path)?.is_none() {
            return Ok(());
        }
        then::run(self.args, path, self.common, self.verbose)
    }

    fn tell_empty(&self) -> Result<(), CliError> {
        const EMPTY: &str = "the inbox is empty\n";
        if !self.args.json {
            return output::text(EMPTY);
        }
        output::note(EMPTY);
        Ok(())
    }

    fn sleep(&self, summary: &mut SleepSummary) -> Result<(), CliError> {
        let (args, common, config) = (self.args, self.common, self.config);
        use_threads(common)?;
        if let Some((pack, address)) = self.shared_pack()? {
            return shared::run(args, common, config, &pack, address, summary);
        }
        if args.resume {
            return Err(message(
                Exit::Usage,
                "--resume is for a pack that is applied to a store on a server",
            )
            .hint("the same command without it goes on: what was slept on is skipped"));
        }
        let started = Instant::now();
        // The input is read before the model is fetched or the store made: a slip in it costs nothing then.
        let mut days = InputDays::read(&args.days, config, common)?;
        let read_seconds = started.elapsed().as_secs_f64();
        let interrupt = Interrupt::listen()?;
        let files = Files::prepare(args, &self.in_use)?;
        let language = language::open(&args.language, args.record.as_ref(), config)?;
        let judge = judge::open(language.as_deref(), config, common)?;
        let store = self.open_store()?;
        days.names.compare_all(&store.npcs()?);
        days.names.warn();
        let embedder = embedder(common, config, days.memories)?;
        let (waiting, damaged) = (days.left_for_later.take(), mem::take(&mut days.damaged));
        let observer = RunObserver::new(days.memories, args.report.is_some(), interrupt);
        let sleep = Sleep {
            language: language.as_deref(),
            judge: judge.as_deref(),
            observer: &observer,
            ..Sleep::new(config, &Packs, &embedder, store.as_ref())
        };
        let mut outputs = Outputs::new(files, self.form()?, (self.applies, self.asks()), store.as_ref())?;
        let ran = self.plan(&sleep, store.as_ref(), days, &mut outputs, summary);
        let maps = observer.finish();
        let mut ran = ran?;
        *ran.seconds.entry("read").or_default() += read_seconds;
        ran.seconds.insert("total", started.elapsed().as_secs_f64());
        summary.take(&ran, outputs.changing);
        let (written, failed) = (ran.written, ran.failures.len());
        tracing::info!(
            npcs = ran.report.npcs,
            nights = ran.report.nights,
            written,
            failed,
            "the nights are done"
        );
        if ran.stopped && !self.applies {
            return Err(stopped_dry(&ran, embedder.cache().is_some()));
        }

        let moved = self.move_inbox(&ran, &damaged, summary);
        let shown = self.show(outputs, store.as_ref(), (&ran, &maps), &embedder, waiting).map_err(|error| {
            let nights = count(ran.written, "night was", "nights were");
            if self.applies {
                error.hint(format!("{nights} written to the store all the same"))
            } else {
                error
            }
        });
        let told = match (&self.inbox, &moved) {
            (Some(_), Ok(())) if self.applies && !args.json => output::text(&summary.inbox_line()),
            _ => Ok(()),
        };
        let nights = failures(&ran.failures, ran.report.nights, RUN_AGAIN);
        let nights = nights.and_then(|()| if ran.stopped { Err(stopped(ran.written)) } else { Ok(()) });
        first_error([shown, told, nights, moved])
    }

    /// Plans the nights, and writes them if they are to be written; passes each to the outputs.
    fn plan(
        &self,
        sleep: &Sleep<'_>,
        store: &dyn MemoryStore,
        days: InputDays,
        outputs: &mut Outputs<'_>,
        summary: &mut SleepSummary,
    ) -> Result<StreamOutcome, CliError> {
        let run = if self.applies { Some(store.begin_run()?) } else { None };
        summary.run = run.inspect(|number| logging::set_run(*number));
        let take = |night: NpcNight| {
            summary.name_ended(&night);
            Ok(outputs.take(night)?)
        };
        let days = days.each(self.config);
        Ok(match run {
            Some(number) => sleep.apply_each_in_run(store, number, days, take)?,
            None => sleep.plan_each(days, take)?,
        })
    }

    /// Moves the files of the inbox of which every night happened.
    fn move_inbox(
        &self,
        ran: &StreamOutcome,
        damaged: &[PathBuf],
        summary: &mut SleepSummary,
    ) -> Result<(), CliError> {
        let Some(inbox) = self.inbox.as_ref().filter(|_| self.applies) else { return Ok(()) };
        let failed: BTreeSet<&NpcId> = ran.failures.iter().map(|failure| &failure.npc).collect();
        let (moved, done) = inbox.move_done(|path| {
            if ran.stopped {
                return Some("the run was stopped");
            }
            if damaged.iter().any(|damaged| damaged == path) {
                return Some("it has bad lines");
            }
            let is_of_failed =
                || InputDays::has_any_of(&failed, path, &self.args.days, self.config, self.common);
            // A file that cannot be read again may hold what failed.
            (!failed.is_empty() && is_of_failed().unwrap_or(true)).then_some("a night of it failed")
        });
        summary.files.moved = moved as u64;
        summary.files.left = (inbox.len() - moved) as u64;
        done
    }

    /// Prints the nights, puts the files in place, and says what was written or how to write it.
    fn show(
        &self,
        outputs: Outputs<'_>,
        store: &dyn MemoryStore,
        (ran, maps): (&StreamOutcome, &Maps),
        embedder: &ModelEmbedder,
        waiting: Option<String>,
    ) -> Result<(), CliError> {
        let changing = outputs.changing;
        let (shown, asked) = outputs.finish(&ran.report, maps)?;
        if self.args.json {
            shown.finish(&with_measures(ran, embedder.report()), store, &mut output::stdout())?;
            waiting.iter().for_each(|line| output::note(line));
            return Ok(());
        }
        if !logging::is_quiet() {
            shown.finish(&ran.report, store, &mut output::stdout())?;
        }
        if embedder.cache().is_some() && !self.args.markdown {
            output::text(&vectors::report_line(&embedder.report()))?;
        }
        output::text(&waiting.unwrap_or_default())?;
        self.conclude(ran, changing, asked)
    }

    /// Prints the number of nights written, or the way to write them; asks whether to, if a user is there to
    /// answer.
    fn conclude(
        &self,
        ran: &StreamOutcome,
        changing: usize,
        asked: Option<HeldText>,
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
        if self.applies {
            return applied(ran.written);
        }
        let Some(path) = &self.args.store else {
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
        let plan: NightPlan = serde_json::from_reader(reread(asked)?)?;
        let done = nightfold::apply_plan(store::create(path, self.args.wait)?.as_ref(), &plan)?;
        applied(done.written)?;
        failures(&done.failures, done.written + done.unchanged, RUN_AGAIN)
    }

    /// Returns the pack and the store that workers share, if that is what the call sleeps.
    fn shared_pack(&self) -> Result<Option<(Pack, &Path)>, CliError> {
        let args = self.args;
        let ([input], Some(store), true) = (args.days.memories.inputs.as_slice(), &args.store, self.applies)
        else {
            return Ok(None);
        };
        if self.inbox.is_some() || !args.days.npc.is_empty() || !store::is_on_a_server(store) {
            return Ok(None);
        }
        Ok(open_pack(input)?.map(|pack| (pack, store.as_path())))
    }

    /// Opens the store to plan against, for writing only if the nights are applied.
    fn open_store(&self) -> Result<Box<dyn MemoryStore>, CliError> {
        let there = match &self.args.store {
            Some(path) if self.applies => return Ok(store::create(path, self.args.wait)?),
            Some(path) => store::if_there(path)?,
            None => None,
        };
        Ok(match there {
            Some(store) => store,
            None => Box::new(SqliteStore::in_memory()?),
        })
    }

    /// Returns the form in which nights are shown on standard output.
    fn form(&self) -> Result<SleepOutput, CliError> {
        let view = DiffView::stdout(self.verbose);
        Ok(match (self.args.json, self.args.markdown) {
            (true, _) => SleepOutput::json()?,
            (_, true) => SleepOutput::markdown(view),
            _ => SleepOutput::text(view),
        })
    }

    /// True if a user at a terminal is asked whether to write the nights.
    fn asks(&self) -> bool {
        let args = self.args;
        let is_asked = !self.applies && !args.json && !logging::is_quiet();
        // What is applied later moves no file of an inbox.
        let can_apply = args.store.is_some() && args.plan.is_none() && args.inbox.is_none();
        is_asked && can_apply && io::stdin().is_terminal() && io::stdout().is_terminal()
    }
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

/// Returns the report with the measured times and vectors, which no saved plan holds.
fn with_measures(ran: &StreamOutcome, vectors: VectorReport) -> RunReport {
    let mut report = ran.report.clone();
    let rounded = |s: f64| (s * 1e3).round() / 1e3;
    report.seconds = ran.seconds.iter().map(|(step, s)| ((*step).to_owned(), rounded(*s))).collect();
    report.vectors = Some(vectors);
    report
}
