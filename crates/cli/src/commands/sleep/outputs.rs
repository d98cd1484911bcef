//! Where the nights of a run go: to standard output, into a plan, onto a page.

use std::{
    io::{self, BufReader, BufWriter, Seek},
    path::PathBuf,
};

use nightfold::memory::{MemoryReader, NightPlan, NpcNight, PLAN_FORMAT, PlanWriter, RunReport};
use nightfold_report::Maps;
use tempfile::SpooledTempFile;

use super::shown::Shown;
use crate::{
    args::Sleep as SleepArgs,
    error::CliError,
    output::{NewFile, OutputError, Unfinished},
    report,
};

/// Takes every night as it comes.
pub(super) struct Outputs<'a> {
    store: &'a dyn MemoryReader,
    shown: Shown,
    plan: Option<(PathBuf, PlanWriter<Unfinished>)>,
    page: Option<(NewFile, Vec<NpcNight>)>,
    /// The plan for whoever is asked whether to apply it.
    asked: Option<PlanWriter<BufWriter<SpooledTempFile>>>,
    /// How many nights change something.
    pub(super) changing: usize,
}

/// The files that a call is to write, which can be.
pub(super) struct Files {
    plan: Option<NewFile>,
    page: Option<NewFile>,
}

impl Files {
    /// Before anything is written: a plan that cannot be saved must not be found out about after the nights.
    pub(super) fn prepare(args: &SleepArgs) -> Result<Self, CliError> {
        let in_use = args.lived.inputs.iter().chain(&args.store).map(PathBuf::as_path);
        let in_use_by_page = in_use.clone().chain(args.plan.as_deref());
        Ok(Self {
            page: args.report.as_deref().map(|path| NewFile::prepare(path, in_use_by_page)).transpose()?,
            plan: args.plan.as_deref().map(|path| NewFile::prepare(path, in_use)).transpose()?,
        })
    }
}

impl<'a> Outputs<'a> {
    pub(super) fn new(
        files: Files,
        shown: Shown,
        asks: bool,
        store: &'a dyn MemoryReader,
    ) -> Result<Self, CliError> {
        let asked = || PlanWriter::new(BufWriter::new(tempfile::spooled_tempfile(super::shown::HELD)));
        Ok(Self {
            store,
            shown,
            plan: files.plan.map(begun).transpose()?,
            page: files.page.map(|file| (file, Vec::new())),
            asked: asks.then(asked).transpose()?,
            changing: 0,
        })
    }

    pub(super) fn take(&mut self, night: NpcNight) -> Result<(), CliError> {
        self.changing += usize::from(!night.is_empty());
        if let Some((path, plan)) = &mut self.plan {
            plan.night(&night).map_err(|source| OutputError::io(path, source))?;
        }
        if let Some(plan) = &mut self.asked {
            plan.night(&night)?;
        }
        self.shown.take(&night, self.store)?;
        if let Some((_, nights)) = &mut self.page {
            nights.push(night);
        }
        Ok(())
    }

    /// Puts the files in place; what is to be shown, and the plan to ask about, are left. `report` is of the nights
    /// alone.
    pub(super) fn finish(self, report: &RunReport, maps: &Maps) -> Result<(Shown, Option<Asked>), CliError> {
        if let Some((path, plan)) = self.plan {
            plan.finish(report).map_err(|source| OutputError::io(&path, source))?.finish()?;
        }
        if let Some((file, nights)) = self.page {
            let plan = NightPlan { format: PLAN_FORMAT, nights, report: report.clone() };
            report::write(file, &plan, &plan.nights, maps, Some(self.store))?;
        }
        let asked = self.asked.map(|plan| plan.finish(report).map(Asked)).transpose()?;
        Ok((self.shown, asked))
    }
}

fn begun(file: NewFile) -> Result<(PathBuf, PlanWriter<Unfinished>), OutputError> {
    let file = file.begin();
    let path = file.path().to_owned();
    match PlanWriter::new(file) {
        Ok(plan) => Ok((path, plan)),
        Err(source) => Err(OutputError::io(&path, source)),
    }
}

/// A plan that is held back until its reader has answered.
pub(super) struct Asked(BufWriter<SpooledTempFile>);

impl Asked {
    pub(super) fn plan(self) -> Result<NightPlan, CliError> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(serde_json::from_reader(BufReader::new(file))?)
    }
}
