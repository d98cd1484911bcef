//! The nights of a run on standard output: they come one by one, are held, and are printed at the end, so
//! that a failed run prints nothing half.

use std::{
    env,
    io::{self, BufReader, BufWriter, Seek, Write},
};

use nightfold::{
    consolidate::review::{Extent, headline, important_ended_words},
    memory::{MemoryReader, NpcNight, PlanWriter, RunReport},
};
use tempfile::SpooledTempFile;

use crate::{
    error::{CliError, Exit},
    escape::EscapingFormatter,
    show::{
        Detail, DiffView, NightSequence, brief_totals, count, markdown, markdown_totals, run_line,
        run_totals, text, wrap_hanging, wrapped,
    },
};

/// Number of nights up to which each is summed up in a few lines, and not only in its headline.
const SUMMED_UP: usize = 12;

/// Number of nights up to which each has its line; the rest is counted.
const SHOWN: usize = 1000;

/// Number of bytes that are held in memory before they are held in a file.
const HELD: usize = 16 << 20;

/// Form in which a run is shown.
pub(crate) enum SleepOutput {
    /// Plan as JSON.
    Json(PlanWriter<HeldText, EscapingFormatter>),
    /// Diffs, as Markdown or as text.
    Diffs { view: DiffView, markdown: bool, sequence: NightSequence, out: HeldText },
    /// A summary of each night as text while there are few, else a line for each.
    Brief(BriefNights),
}

/// Text that is held until the end of the run.
pub(crate) type HeldText = BufWriter<SpooledTempFile>;

/// Returns the error of holding text in a file.
pub(super) fn held_error(source: io::Error) -> CliError {
    let folder = env::temp_dir();
    let text =
        format!("cannot hold the nights of the run in the folder for temporary files, {}", folder.display());
    CliError::caused(Exit::Output, text, source).hint("make room there, or name another folder in TMPDIR")
}

pub(super) fn held() -> HeldText {
    BufWriter::new(tempfile::spooled_tempfile(HELD))
}

/// Returns a text that was held, from its beginning.
pub(super) fn reread(held: HeldText) -> Result<BufReader<SpooledTempFile>, CliError> {
    let held = held.into_inner().map_err(io::IntoInnerError::into_error);
    held.and_then(|mut held| held.rewind().map(|()| BufReader::new(held))).map_err(held_error)
}

impl SleepOutput {
    pub(crate) fn json() -> Result<Self, CliError> {
        Ok(Self::Json(PlanWriter::with_formatter(held(), EscapingFormatter)?))
    }

    pub(crate) fn markdown(view: DiffView) -> Self {
        Self::Diffs { view, markdown: true, sequence: NightSequence::default(), out: held() }
    }

    pub(crate) fn text(view: DiffView) -> Self {
        if view.detail == Detail::Summary {
            Self::Brief(BriefNights { view, whole: Vec::new(), lines: String::new(), nights: 0 })
        } else {
            Self::Diffs { view, markdown: false, sequence: NightSequence::default(), out: held() }
        }
    }

    /// Takes the next night.
    pub(crate) fn take(&mut self, night: &NpcNight, store: &dyn MemoryReader) -> Result<(), CliError> {
        match self {
            Self::Json(plan) => plan.night(night).map_err(held_error),
            Self::Diffs { view, markdown: is_markdown, sequence, out } => {
                let diff = if *is_markdown { markdown } else { text };
                let shown = sequence.night(night, Some(store), Extent::All, |night| diff(night, *view))?;
                out.write_all(shown.as_bytes()).map_err(held_error)
            }
            Self::Brief(brief) => {
                brief.take(night);
                Ok(())
            }
        }
    }

    /// Writes everything, and the totals.
    pub(crate) fn finish(
        self,
        report: &RunReport,
        store: &dyn MemoryReader,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let totals = match self {
            Self::Json(plan) => {
                io::copy(&mut reread(plan.finish(report).map_err(held_error)?)?, out)?;
                String::new()
            }
            Self::Diffs { view, markdown: is_markdown, out: diffs, .. } => {
                io::copy(&mut reread(diffs)?, out)?;
                let totals = run_totals(report);
                if is_markdown { markdown_totals(&totals) } else { wrapped(&totals, view.terminal.width) }
            }
            Self::Brief(brief) => {
                let width = brief.view.terminal.width;
                if report.nights > 1 {
                    out.write_all((wrapped(&run_line(report), width) + "\n").as_bytes())?;
                }
                out.write_all(brief.text(store)?.as_bytes())?;
                wrapped(&brief_totals(report), width)
            }
        };
        out.write_all(totals.as_bytes())?;
        Ok(out.flush()?)
    }
}

/// Returns the nights of a run as a diff, with their totals.
#[cfg(feature = "mcp")]
pub(crate) fn render(
    slept: &nightfold::RunOutcome,
    store: &dyn MemoryReader,
    view: DiffView,
) -> Result<String, CliError> {
    let is_long = slept.plan.nights.len() > SUMMED_UP && view.detail == Detail::Changes;
    let mut shown =
        SleepOutput::text(if is_long { DiffView { detail: Detail::Summary, ..view } } else { view });
    slept.plan.nights.iter().try_for_each(|night| shown.take(night, store))?;
    let mut text = Vec::new();
    shown.finish(&slept.plan.report, store, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Nights of a run: a few in some lines each, many in one line each.
pub(crate) struct BriefNights {
    view: DiffView,
    /// Nights, while they are few.
    whole: Vec<NpcNight>,
    /// Lines of the first nights.
    lines: String,
    nights: usize,
}

impl BriefNights {
    fn take(&mut self, night: &NpcNight) {
        self.nights += 1;
        if self.nights <= SHOWN {
            self.lines.push_str(&night_lines(night, self.view.terminal.width));
        }
        if self.nights <= SUMMED_UP {
            self.whole.push(night.clone());
        } else {
            self.whole.clear();
        }
    }

    fn text(self, store: &dyn MemoryReader) -> Result<String, CliError> {
        let Self { view, whole, mut lines, nights } = self;
        if nights <= SUMMED_UP {
            return Ok(crate::show::nights(&whole, Some(store), view, text)? + view.more + "\n");
        }
        if let more @ 1.. = nights.saturating_sub(SHOWN) {
            lines.push_str(&format!("  … and {} more\n", count(more, "night", "nights")));
        }
        Ok(format!("{lines}  {}; --npc NAME shows only one NPC's\n\n", view.more))
    }
}

/// Returns one night in a line, with what was important and ended.
fn night_lines(night: &NpcNight, width: usize) -> String {
    let ended = night.report.important_ended.iter();
    let ended = ended.map(|one| wrap_hanging("    ! ", 6, &important_ended_words(one), width));
    wrap_hanging("  ", 4, &headline(&night.npc, &night.night, &night.report), width)
        + &ended.collect::<String>()
}
