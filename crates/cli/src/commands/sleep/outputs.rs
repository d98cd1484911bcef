//! Destinations of the nights of a run: standard output, a plan, an HTML page.

use std::{
    io::{self, BufReader, BufWriter, Seek},
    path::PathBuf,
};

use nightfold::memory::{MemoryReader, NightPlan, NpcNight, PLAN_FORMAT, PlanWriter, RunReport};
use nightfold_report::Maps;
use tempfile::SpooledTempFile;

use super::shown::SleepOutput;
use crate::{
    args::SleepArgs,
    error::CliError,
    output::{NewFile, OutputError, UnfinishedFile},
    report,
};

/// Destinations that receive each night as soon as it is finished.
pub(super) struct Outputs<'a> {
    store: &'a dyn MemoryReader,
    shown: SleepOutput,
    plan: Option<(PathBuf, PlanWriter<UnfinishedFile>)>,
    page: Option<(NewFile, Vec<NpcNight>)>,
    /// Plan that is applied if the user agrees.
    asked: Option<PlanWriter<BufWriter<SpooledTempFile>>>,
    /// Number of nights that change something.
    pub(super) changing: usize,
}

/// Files that a call is to write, checked to be writable.
pub(super) struct Files {
    plan: Option<NewFile>,
    page: Option<NewFile>,
}

impl Files {
    /// Prepares the files, before anything is written: a plan that cannot be saved must fail before the
    /// nights.
    pub(super) fn prepare(args: &SleepArgs) -> Result<Self, CliError> {
        let in_use = args.days.inputs.iter().chain(&args.store).map(PathBuf::as_path);
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
        shown: SleepOutput,
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

    /// Puts the files in place, and returns the text to show and the plan to ask about. `report` covers the
    /// nights alone.
    pub(super) fn finish(
        self,
        report: &RunReport,
        maps: &Maps,
    ) -> Result<(SleepOutput, Option<ConfirmationPlan>), CliError> {
        if let Some((path, plan)) = self.plan {
            plan.finish(report).map_err(|source| OutputError::io(&path, source))?.finish()?;
        }
        if let Some((file, nights)) = self.page {
            let plan = NightPlan { format: PLAN_FORMAT, nights, report: report.clone() };
            report::write(file, &plan, &plan.nights, maps, Some(self.store))?;
        }
        let asked = self.asked.map(|plan| plan.finish(report).map(ConfirmationPlan)).transpose()?;
        Ok((self.shown, asked))
    }
}

fn begun(file: NewFile) -> Result<(PathBuf, PlanWriter<UnfinishedFile>), OutputError> {
    let file = file.begin();
    let path = file.path().to_owned();
    match PlanWriter::new(file) {
        Ok(plan) => Ok((path, plan)),
        Err(source) => Err(OutputError::io(&path, source)),
    }
}

/// Plan that is held until the user has answered.
pub(super) struct ConfirmationPlan(BufWriter<SpooledTempFile>);

impl ConfirmationPlan {
    pub(super) fn plan(self) -> Result<NightPlan, CliError> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(serde_json::from_reader(BufReader::new(file))?)
    }
}
