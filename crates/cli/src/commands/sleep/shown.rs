//! The nights of a run on standard output: they come one by one, are laid aside as they are shown, and go out at the end,
//! so that a run that fails shows no half.

use std::io::{self, BufWriter, Seek, Write};

use nightfold::memory::{MemoryReader, NpcId, NpcNight, PlanWriter, RunReport};
use tempfile::SpooledTempFile;

use crate::{
    error::CliError,
    output::Harmless,
    show::{
        Reading, View, count, markdown, markdown_totals, recollections, run_totals, summary_line, text,
        wrapped,
    },
};

/// Runs of more nights than this are shown a line each; `-v` shows them whole.
const SHOWN_WHOLE: usize = 12;

/// Of runs of more nights than this the rest is counted.
const SHOWN: usize = 1000;

/// How many bytes wait in memory before they wait in a file.
pub(super) const HELD: usize = 16 << 20;

/// What is shown of a run.
pub(crate) enum Shown {
    /// The plan.
    Json(PlanWriter<Aside, Harmless>),
    /// Diffs as tables.
    Markdown(Diffs),
    /// Diffs for a reader at a terminal.
    Whole(Diffs),
    /// The same as long as there are few of them, and then a line for each.
    Short(Short),
}

/// Text that waits for the end of the run.
pub(crate) type Aside = BufWriter<SpooledTempFile>;

fn aside() -> Aside {
    BufWriter::new(tempfile::spooled_tempfile(HELD))
}

impl Shown {
    pub(crate) fn json() -> Result<Self, CliError> {
        Ok(Self::Json(PlanWriter::with_formatter(aside(), Harmless)?))
    }

    pub(crate) fn markdown(view: View) -> Self {
        Self::Markdown(Diffs { view, reading: Reading::default(), out: aside() })
    }

    pub(crate) fn text(view: View) -> Self {
        if view.verbose {
            Self::Whole(Diffs { view, reading: Reading::default(), out: aside() })
        } else {
            Self::Short(Short { view, whole: Vec::new(), lines: String::new(), nights: 0 })
        }
    }

    /// Takes the next night.
    pub(crate) fn take(&mut self, night: &NpcNight, store: &dyn MemoryReader) -> Result<(), CliError> {
        match self {
            Self::Json(plan) => Ok(plan.night(night)?),
            Self::Markdown(diffs) => diffs.take(night, store, true),
            Self::Whole(diffs) => diffs.take(night, store, false),
            Self::Short(short) => {
                short.take(night);
                Ok(())
            }
        }
    }

    /// Writes everything, and the sums.
    pub(crate) fn finish(
        self,
        report: &RunReport,
        store: &dyn MemoryReader,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        match self {
            Self::Json(plan) => hand_out(plan.finish(report)?, out)?,
            Self::Markdown(diffs) => {
                hand_out(diffs.out, out)?;
                out.write_all(markdown_totals(&run_totals(report)).as_bytes())?;
            }
            Self::Whole(diffs) => {
                let width = diffs.view.terminal.width;
                hand_out(diffs.out, out)?;
                out.write_all(wrapped(&run_totals(report), width).as_bytes())?;
            }
            Self::Short(short) => {
                let width = short.view.terminal.width;
                out.write_all(short.text(store)?.as_bytes())?;
                out.write_all(wrapped(&run_totals(report), width).as_bytes())?;
            }
        }
        Ok(out.flush()?)
    }
}

fn hand_out(aside: Aside, out: &mut dyn Write) -> io::Result<()> {
    let mut aside = aside.into_inner().map_err(io::IntoInnerError::into_error)?;
    aside.rewind()?;
    io::copy(&mut aside, out).map(drop)
}

/// Nights as diffs.
pub(crate) struct Diffs {
    view: View,
    reading: Reading,
    out: Aside,
}

impl Diffs {
    fn take(&mut self, night: &NpcNight, store: &dyn MemoryReader, tables: bool) -> Result<(), CliError> {
        let view = self.view;
        let before = |npc: &NpcId| Ok(recollections(store.entries(npc)?));
        let shown = self
            .reading
            .night(night, before, |diff| if tables { markdown(diff, view) } else { text(diff, view) })?;
        Ok(self.out.write_all(shown.as_bytes())?)
    }
}

/// Few nights whole, or many in a line each.
pub(crate) struct Short {
    view: View,
    /// The nights, while they are few.
    whole: Vec<NpcNight>,
    /// A line for each of the first.
    lines: String,
    nights: usize,
}

impl Short {
    fn take(&mut self, night: &NpcNight) {
        self.nights += 1;
        if self.nights <= SHOWN {
            self.lines.push_str(&summary_line(night, self.view.terminal.width));
        }
        if self.nights <= SHOWN_WHOLE {
            self.whole.push(night.clone());
        } else {
            self.whole.clear();
        }
    }

    fn text(self, store: &dyn MemoryReader) -> Result<String, CliError> {
        let Self { view, whole, mut lines, nights } = self;
        if nights <= SHOWN_WHOLE {
            let before = |npc: &NpcId| Ok(recollections(store.entries(npc)?));
            return crate::show::nights(&whole, before, |diff| text(diff, view));
        }
        if let more @ 1.. = nights.saturating_sub(SHOWN) {
            lines.push_str(&format!("  … and {} more\n", count(more, "night", "nights")));
        }
        Ok(format!("{lines}  {}; --npc NAME shows only one NPC's\n\n", view.more))
    }
}
