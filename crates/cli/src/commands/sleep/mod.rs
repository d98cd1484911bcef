//! `nightfold sleep`: plans the night of every NPC, shows it, and writes it if asked to.

mod inbox;
mod outputs;
mod shared;
mod shown;
mod summary;
mod then;

use std::{
    collections::BTreeSet,
    io::{self, BufRead, IsTerminal, Read},
    mem,
    path::{Path, PathBuf},
    time::Instant,
};

use nightfold::english::Packs;
use nightfold::{
    Sleep, StreamOutcome,
    consolidate::DayClock,
    memory::{Memory, MemoryStore, NightPlan, NpcId, NpcNight, RunReport, ValidConfig, VectorReport},
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
    summary::{FileCounts, SummaryFiles},
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
    models::{embedder, use_threads},
    output,
    pager::paged,
    report::RunObserver,
    show::{DiffView, count},
    store, vectors,
};

/// A call of `sleep`, with what was decided before its days are read.
struct Run<'a> {
    args: &'a SleepArgs,
    common: &'a Common,
    config: &'a ValidConfig,
    /// Number of `-v`.
    verbose: u8,
    /// True if the nights are to be written.
    applies: bool,
    in_use: FilesInUse,
    inbox: Option<Inbox>,
    summary: SleepSummary,
}

/// Nights that were slept, and what is told of them.
struct Slept {
    ran: StreamOutcome,
    maps: Maps,
    vectors: VectorReport,
    is_cached: bool,
    /// Line about memories that wait for another night.
    waiting: Option<String>,
    /// Files of the input with a skipped line.
    damaged: Vec<PathBuf>,
}

pub(crate) fn run(mut args: SleepArgs, common: &Common, verbose: u8) -> Result<(), CliError> {
    let config = judge::chosen(args.judge, config::load(common)?)?;
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
    let summary = SleepSummary::new(applies);
    let mut run = Run { args: &args, common, config: &config, verbose, applies, in_use, inbox, summary };
    let ended = run.sleep();
    let ended = if args.then.is_empty() { ended } else { run.follow(ended) };
    // What follows the nights is done all the same: one wrong clock holds up no maintenance.
    let ended = first_error([ended, if applies { set_apart(&run.summary) } else { Ok(()) }]);
    let written = files.write(run.summary, args.store.as_deref(), &ended);
    first_error([ended, written])
}

impl<'a> Run<'a> {
    /// Sleeps the days of the call in this process, or shards of them beside other workers.
    fn sleep(&mut self) -> Result<(), CliError> {
        if self.has_empty_inbox() {
            return self.tell_empty();
        }
        use_threads(self.common)?;
        if let Some((pack, address)) = self.shared_pack()? {
            return shared::run(self.args, self.common, self.config, &pack, address, &mut self.summary);
        }
        if self.args.resume {
            let text = "--resume is for a pack that is applied to a store on a server";
            return Err(message(Exit::Usage, text)
                .hint("the same command without it goes on: what was slept on is skipped"));
        }
        self.sleep_days()
    }

    /// Does what is to follow when all nights are done.
    fn follow(&self, slept: Result<(), CliError>) -> Result<(), CliError> {
        // Nights that failed may be slept again from what is there now, which a purge would delete.
        slept.inspect_err(|error| {
            if !matches!(error.exit, Exit::Usage | Exit::BrokenPipe) {
                output::note("--then was not run: it follows when all nights are done\n");
            }
        })?;
        let Some(path) = &self.args.store else { return Ok(()) };
        // Nothing was ever slept on: nothing is to be done to it.
        if self.has_empty_inbox() && store::if_there(path)?.is_none() {
            return Ok(());
        }
        then::run(self.args, path, self.common, self.verbose > 0)
    }

    fn has_empty_inbox(&self) -> bool {
        self.inbox.as_ref().is_some_and(|inbox| inbox.len() == 0)
    }

    fn tell_empty(&self) -> Result<(), CliError> {
        const EMPTY: &str = "the inbox is empty\n";
        if !self.args.json {
            return output::text(EMPTY);
        }
        output::note(EMPTY);
        Ok(())
    }

    /// Reads the days, opens what their nights need, and sleeps.
    fn sleep_days(&mut self) -> Result<(), CliError> {
        let (args, common, config) = (self.args, self.common, self.config);
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
        let ran = self.plan(&sleep, store.as_ref(), days, &mut outputs);
        let maps = observer.finish();
        let mut ran = ran?;
        *ran.seconds.entry("read").or_default() += read_seconds;
        ran.seconds.insert("total", started.elapsed().as_secs_f64());
        let (vectors, is_cached) = (embedder.report(), embedder.cache().is_some());
        self.finish(&Slept { ran, maps, vectors, is_cached, waiting, damaged }, outputs, store.as_ref())
    }

    /// Moves the files that were slept on, shows the nights, and tells what failed.
    fn finish(
        &mut self,
        slept: &Slept,
        outputs: Outputs<'_>,
        store: &dyn MemoryStore,
    ) -> Result<(), CliError> {
        let ran = &slept.ran;
        self.summary.take(ran, outputs.changing);
        tracing::info!(
            npcs = ran.report.npcs,
            nights = ran.report.nights,
            written = ran.written,
            failed = ran.failures.len(),
            "the nights are done"
        );
        if ran.stopped && !self.applies {
            return Err(stopped_dry(slept));
        }
        let moved = self.move_inbox(slept);
        let shown = self.show(slept, outputs, store).map_err(|error| {
            let nights = count(ran.written, "night was", "nights were");
            if self.applies {
                error.hint(format!("{nights} written to the store all the same"))
            } else {
                error
            }
        });
        let told = match (&self.inbox, &moved) {
            (Some(_), Ok(())) if self.applies && !self.args.json => output::text(&self.summary.inbox_line()),
            _ => Ok(()),
        };
        let stopped = if ran.stopped { Err(stopped(ran.written)) } else { Ok(()) };
        let nights = failures(&ran.failures, ran.report.nights, RUN_AGAIN).and(stopped);
        first_error([shown, told, nights, moved])
    }

    /// Plans the nights, and writes them if they are to be written; passes each to the outputs.
    fn plan(
        &mut self,
        sleep: &Sleep<'_>,
        store: &dyn MemoryStore,
        days: InputDays,
        outputs: &mut Outputs<'_>,
    ) -> Result<StreamOutcome, CliError> {
        let run = if self.applies { Some(store.begin_run()?) } else { None };
        let (summary, days) = (&mut self.summary, days.each(self.config));
        summary.run = run.inspect(|number| logging::set_run(*number));
        let take = |night: NpcNight| {
            summary.note(&night);
            Ok(outputs.take(night)?)
        };
        Ok(match run {
            Some(number) => sleep.apply_each_in_run(store, number, days, take)?,
            None => sleep.plan_each(days, take)?,
        })
    }

    /// Moves the files of the inbox whose every night happened.
    fn move_inbox(&mut self, slept: &Slept) -> Result<(), CliError> {
        let Some(inbox) = self.inbox.as_ref().filter(|_| self.applies) else { return Ok(()) };
        let failed: BTreeSet<&NpcId> = slept.ran.failures.iter().map(|failure| &failure.npc).collect();
        let (moved, done) = inbox.move_done(|path| {
            if slept.ran.stopped {
                return Some("the run was stopped");
            }
            if slept.damaged.iter().any(|damaged| damaged == path) {
                return Some("it has bad lines");
            }
            let (config, strays) = (self.config, &self.summary.strays);
            // A file that cannot be read again may hold what is looked for.
            let has = |is_wanted: &dyn Fn(&Memory) -> bool| {
                InputDays::has_any(path, &self.args.days, config, self.common, is_wanted).unwrap_or(true)
            };
            if !failed.is_empty() && has(&|memory| failed.contains(&memory.npc)) {
                return Some("a night of it failed");
            }
            let is_stray = |memory: &Memory| {
                let until = strays.get(&memory.npc);
                until.is_some_and(|until| DayClock::at(*until, config).is_stray(memory.at))
            };
            (!strays.is_empty() && has(&is_stray)).then_some("it has times of another clock")
        });
        self.summary.files = FileCounts { moved: moved as u64, left: (inbox.len() - moved) as u64 };
        done
    }

    /// Prints the nights, puts the files in place, and says what was written or how to write it.
    fn show(&self, slept: &Slept, outputs: Outputs<'_>, store: &dyn MemoryStore) -> Result<(), CliError> {
        let Slept { ran, maps, vectors, is_cached, waiting, .. } = slept;
        let changing = outputs.changing;
        let (shown, asked) = outputs.finish(&ran.report, maps)?;
        if self.args.json {
            shown.finish(&with_measures(ran, *vectors), store, &mut output::stdout())?;
            waiting.iter().for_each(|line| output::note(line));
            return Ok(());
        }
        if !logging::is_quiet() {
            paged(|out| shown.finish(&ran.report, store, out))?;
        }
        if *is_cached && self.verbose > 0 && !self.args.markdown {
            output::text(&vectors::report_line(vectors))?;
        }
        output::text(waiting.as_deref().unwrap_or_default())?;
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
        let nights = count(changing, "night", "nights");
        output::text(&format!("Write {nights} to {}? [y/N] ", store::shown(path)))?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        if !matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
            return output::text("nothing was written\n");
        }
        let mut shown = Vec::new();
        reread(asked)?.read_to_end(&mut shown)?;
        let plan = NightPlan::from_json(&shown).map_err(|error| {
            CliError::caused(Exit::Input, "the plan that was asked about".to_owned(), error)
        })?;
        let done = nightfold::apply_plan(store::create(path, self.args.wait)?.as_ref(), &plan)?;
        applied(done.written)?;
        failures(&done.failures, done.written + done.unchanged, RUN_AGAIN)
    }

    /// Returns the pack and the store that workers share, if that is what the call sleeps.
    fn shared_pack(&self) -> Result<Option<(Pack, &'a Path)>, CliError> {
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
        let view = DiffView::of_nights(self.verbose);
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
fn stopped_dry(slept: &Slept) -> CliError {
    let nights = count(slept.ran.report.nights, "night was", "nights were");
    let again = if slept.is_cached {
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

/// Error of memories that a writing run did not sleep on, since their times are of another clock; the first NPCs are named.
fn set_apart(summary: &SleepSummary) -> Result<(), CliError> {
    if summary.set_apart == 0 {
        return Ok(());
    }
    let were = count(summary.set_apart as usize, "memory was", "memories were");
    let names: Vec<String> = summary.strays.keys().take(NAMED).map(ToString::to_string).collect();
    let more = if summary.strays.len() > NAMED { ", …" } else { "" };
    let text = format!(
        "{were} set apart and not slept on ({}{more}): the times are of another clock; the rest is done",
        names.join(", ")
    );
    Err(message(Exit::Input, text).hint(
        "correct the times in the input and run again: what was slept on is skipped; day.stray_days says how late is too late",
    ))
}

/// Number of NPCs that are named whose memories were set apart.
const NAMED: usize = 3;

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
