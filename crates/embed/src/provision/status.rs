//! Status of the files, for display.

use std::{fs, path::PathBuf};

use nightfold_memory::ModelId;

use super::{
    Models, ProvisionError,
    contents::FileContents,
    manifest::{Artefact, ArtefactRole},
    progress::{Progress, StepReporter},
    verify,
};

/// Depth of a status check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Existence and size alone.
    Size,
    /// Every byte, even of files that were verified before.
    Checksum,
}

/// Status of a file that the model needs.
#[derive(Debug)]
#[non_exhaustive]
pub struct ArtefactStatus {
    /// Purpose of the file.
    pub role: ArtefactRole,
    /// Display name of the artefact.
    pub name: String,
    /// Version of the artefact.
    pub version: String,
    /// Licence of the artefact, as an SPDX identifier.
    pub licence: String,
    /// The name of the file.
    pub file: String,
    /// The expected contents.
    pub contents: FileContents,
    /// The state of the file.
    pub state: ArtefactState,
}

/// State of a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArtefactState {
    /// The file exists and has the right size.
    Present {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file exists, and every byte is right.
    Verified {
        /// Path of the file.
        path: PathBuf,
    },
    /// The user names another file, whose checksum is unknown.
    Unpinned {
        /// Path of the file named by the user.
        path: PathBuf,
    },
    /// The file is missing.
    Missing,
    /// The file is wrong or unreadable, or does not exist for this platform.
    Unusable(ProvisionError),
}

impl Models {
    /// Returns the status of every file.
    pub fn status(&self, check: Check, progress: &dyn Fn(Progress<'_>)) -> Vec<ArtefactStatus> {
        let status = |(role, artefact): (ArtefactRole, &Artefact)| ArtefactStatus {
            role,
            name: artefact.name.clone(),
            version: artefact.version.clone(),
            licence: artefact.licence.clone(),
            file: artefact.file.clone(),
            contents: artefact.contents(),
            state: self.state(role, artefact, check, progress).unwrap_or_else(ArtefactState::Unusable),
        };
        self.artefacts().into_iter().map(status).collect()
    }

    /// Returns the folders in which files are searched for, in order.
    pub fn places(&self) -> Vec<PathBuf> {
        self.options.places()
    }

    /// Model id under which the engine's vectors are stored.
    pub fn model_id(&self) -> &ModelId {
        self.manifest.model_id(self.options.engine)
    }

    fn state(
        &self,
        role: ArtefactRole,
        artefact: &Artefact,
        check: Check,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<ArtefactState, ProvisionError> {
        if let Some(path) = self.own(role) {
            return super::own_library(path).map(|found| ArtefactState::Unpinned { path: found.path });
        }
        let Some(path) = self.supported_place(role, artefact)? else { return Ok(ArtefactState::Missing) };
        let expected = artefact.contents();
        let size = fs::metadata(&path).map_err(ProvisionError::io("read", &path))?.len();
        if check == Check::Size && size == expected.size {
            return Ok(ArtefactState::Present { path });
        }
        let step = StepReporter { tell: progress, artefact: &artefact.file };
        verify::verify(&path, &expected, self.in_cache(&path), step)?;
        Ok(ArtefactState::Verified { path })
    }
}
