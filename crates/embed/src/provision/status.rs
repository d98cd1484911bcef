//! What is there, for people to look at.

use std::{fs, path::PathBuf};

use nightfold_memory::ModelId;

use super::{
    Models, ProvisionError,
    checksum::Contents,
    manifest::{Artefact, Role},
    progress::{Progress, Step},
    verify,
};

/// How closely files are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Whether they are there and of the right size.
    Size,
    /// Every byte, whatever was verified before.
    Checksum,
}

/// A file the model needs, and how it stands with it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ArtefactStatus {
    /// What it is for.
    pub role: Role,
    /// What people call it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence, as an SPDX identifier.
    pub licence: String,
    /// The name of the file.
    pub file: String,
    /// What the file must hold.
    pub contents: Contents,
    /// How it stands with it.
    pub state: ArtefactState,
}

/// How it stands with a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArtefactState {
    /// It is there, and of the right size.
    Present {
        /// Where.
        path: PathBuf,
    },
    /// It is there, and every byte is right.
    Verified {
        /// Where.
        path: PathBuf,
    },
    /// The user names another file, whose checksum is not known.
    Unpinned {
        /// Which.
        path: PathBuf,
    },
    /// It is nowhere.
    Missing,
    /// It is there and wrong, or cannot be read, or does not exist for this platform.
    Unusable(ProvisionError),
}

impl Models {
    /// How it stands with every file.
    pub fn status(&self, check: Check, progress: &dyn Fn(Progress<'_>)) -> Vec<ArtefactStatus> {
        let status = |(role, artefact): (Role, &Artefact)| ArtefactStatus {
            role,
            name: artefact.name.clone(),
            version: artefact.version.clone(),
            licence: artefact.licence.clone(),
            file: artefact.file.clone(),
            contents: artefact.contents(),
            state: self.state(role, artefact, check, progress).unwrap_or_else(ArtefactState::Unusable),
        };
        self.manifest.artefacts().map(status).into()
    }

    /// The folders in which files are looked for, in that order.
    pub fn places(&self) -> Vec<PathBuf> {
        self.options.places()
    }

    /// The id that the model's vectors are stored under.
    pub fn model_id(&self) -> &ModelId {
        self.manifest.model_id()
    }

    fn state(
        &self,
        role: Role,
        artefact: &Artefact,
        check: Check,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<ArtefactState, ProvisionError> {
        if role == Role::Runtime
            && let Some(path) = &self.options.runtime
        {
            return super::runtime_override(path).map(|_| ArtefactState::Unpinned { path: path.clone() });
        }
        let Some(path) = self.first_place(super::supported(artefact)?)? else {
            return Ok(ArtefactState::Missing);
        };
        let expected = artefact.contents();
        let size = fs::metadata(&path).map_err(ProvisionError::io("read", &path))?.len();
        if check == Check::Size && size == expected.size {
            return Ok(ArtefactState::Present { path });
        }
        let step = Step { tell: progress, artefact: &artefact.file };
        verify::verify(&path, expected, self.in_cache(&path), step)?;
        Ok(ArtefactState::Verified { path })
    }
}
