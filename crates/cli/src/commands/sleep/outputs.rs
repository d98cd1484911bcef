//! Destinations of the nights of a run: standard output, a plan, an HTML page.

use std::path::PathBuf;

use nightfold::memory::{MemoryReader, NightPlan, NpcNight, PLAN_FORMAT, PlanWriter, RunReport, ValidConfig};
use nightfold_report::Maps;

use super::shown::{HeldText, SleepOutput, held, held_error};
use crate::{
    args::{Common, SleepArgs},
    error::CliError,
    files_in_use::FilesInUse,
    models::models,
    output::{NewFile, write_error},
    report::{self, PageOptions},
};

/// Destinations that receive each night as soon as it is finished.
pub(super) struct Outputs<'a> {
    store: &'a dyn MemoryReader,
    shown: SleepOutput,
    plan: Option<(PathBuf, PlanWriter<NewFile>)>,
    page: Option<(NewFile, Vec<NpcNight>)>,
    /// True if the page is then opened in a browser.
    opens_page: bool,
    /// Plan that is applied if the user agrees.
    asked: Option<PlanWriter<HeldText>>,
    /// Number of nights that change something.
    pub(super) changing: usize,
    /// True if nights are written to a store: they go on then, though an output cannot be written.
    applies: bool,
    /// First failure of an output of nights that are written to a store.
    failed: Option<CliError>,
}

/// Files that a call is to write, checked to be writable.
pub(super) struct Files {
    plan: Option<NewFile>,
    page: Option<NewFile>,
    opens_page: bool,
}

impl Files {
    /// Prepares the files, before anything is written: a plan that cannot be saved must fail before the
    /// nights.
    pub(super) fn prepare(args: &SleepArgs, in_use: &FilesInUse) -> Result<Self, CliError> {
        let in_use_by_page = in_use.clone().and(args.plan.as_ref());
        Ok(Self {
            page: args.report.as_deref().map(|path| NewFile::prepare(path, &in_use_by_page)).transpose()?,
            plan: args.plan.as_deref().map(|path| NewFile::prepare(path, in_use)).transpose()?,
            opens_page: args.open,
        })
    }
}

/// Returns what a call reads or writes beside its outputs.
pub(super) fn in_use(args: &SleepArgs, common: &Common, config: &ValidConfig) -> FilesInUse {
    FilesInUse::of(common)
        .and(&args.days.memories.inputs)
        .and(args.store.as_ref())
        .and_language(&args.language, args.record.as_ref())
        .and(models(common, config).files())
}

impl<'a> Outputs<'a> {
    pub(super) fn new(
        files: Files,
        shown: SleepOutput,
        (applies, asks): (bool, bool),
        store: &'a dyn MemoryReader,
    ) -> Result<Self, CliError> {
        let asked = || PlanWriter::new(held());
        Ok(Self {
            store,
            shown,
            plan: files.plan.map(begun).transpose()?,
            page: files.page.map(|file| (file, Vec::new())),
            opens_page: files.opens_page,
            asked: asks.then(asked).transpose()?,
            changing: 0,
            applies,
            failed: None,
        })
    }

    /// Takes the next night.
    ///
    /// # Errors
    /// An output could not be written, and the nights are written to no store. Otherwise [`Outputs::finish`] returns the
    /// error, since a run must not end half because a disk is full that the store does not need.
    pub(super) fn take(&mut self, night: NpcNight) -> Result<(), CliError> {
        self.changing += usize::from(!night.is_empty());
        if self.failed.is_some() {
            return Ok(());
        }
        match self.pass_on(night) {
            Err(error) if self.applies => {
                self.failed = Some(error);
                Ok(())
            }
            done => done,
        }
    }

    fn pass_on(&mut self, night: NpcNight) -> Result<(), CliError> {
        if let Some((path, plan)) = &mut self.plan {
            plan.night(&night).map_err(|source| write_error(path, source))?;
        }
        if let Some(plan) = &mut self.asked {
            plan.night(&night).map_err(held_error)?;
        }
        self.shown.take(&night, self.store)?;
        if let Some((_, nights)) = &mut self.page {
            nights.push(night);
        }
        Ok(())
    }

    /// Puts the files in place, and returns the text to show and the plan to ask about. `report` covers the
    /// nights alone.
    ///
    /// # Errors
    /// An output could not be written. No file is put in place then that is not whole.
    pub(super) fn finish(
        self,
        report: &RunReport,
        maps: &Maps,
    ) -> Result<(SleepOutput, Option<HeldText>), CliError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        if let Some((path, plan)) = self.plan {
            plan.finish(report).map_err(|source| write_error(&path, source))?.close()?;
        }
        if let Some((file, nights)) = self.page {
            let plan = NightPlan { format: PLAN_FORMAT, nights, report: report.clone() };
            let options = PageOptions { opens: self.opens_page, ..PageOptions::default() };
            report::write(file, &plan, &plan.nights, maps, Some(self.store), &options)?;
        }
        let asked = self.asked.map(|plan| plan.finish(report)).transpose().map_err(held_error)?;
        Ok((self.shown, asked))
    }
}

fn begun(file: NewFile) -> Result<(PathBuf, PlanWriter<NewFile>), CliError> {
    let path = file.path().to_owned();
    match PlanWriter::new(file.announced("plan", "")) {
        Ok(plan) => Ok((path, plan)),
        Err(source) => Err(write_error(&path, source)),
    }
}
