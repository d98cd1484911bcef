//! Downloads of files, by programs the user has: pip and curl.
//!
//! They know the user's proxies, mirrors and certificates.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs, io,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use super::{
    error::AttemptError,
    manifest::Wheel,
    options::Tools,
    progress::{FetchPhase, StepReporter},
};

/// Interval at which downloaded bytes are counted.
const POLL: Duration = Duration::from_millis(100);
/// Number of bytes kept from the end of a program's stderr.
const STDERR_TAIL: usize = 2_000;

/// Downloads a wheel into `dir`, an empty folder, by the first pip that is installed.
///
/// # Errors
/// The failure of each pip that was tried.
pub(super) fn wheel(
    tools: &Tools,
    package: &str,
    wheel: &Wheel,
    dir: &Path,
    step: StepReporter<'_>,
) -> Result<PathBuf, Vec<AttemptError>> {
    let mut errors = Vec::new();
    for pip in &tools.pip {
        match wheel_by(pip, package, wheel, dir, step) {
            Ok(path) => return Ok(path),
            Err(error) => errors.push(error),
        }
        if !errors.last().is_some_and(is_missing) {
            break;
        }
    }
    Err(errors)
}

/// True if the program is not installed, so that the next one may be tried.
fn is_missing(error: &AttemptError) -> bool {
    match error {
        AttemptError::Start { source, .. } => source.kind() == io::ErrorKind::NotFound,
        AttemptError::Failed { stderr, .. } => stderr.contains("No module named pip"),
        _ => false,
    }
}

fn wheel_by(
    pip: &[OsString],
    package: &str,
    wheel: &Wheel,
    dir: &Path,
    step: StepReporter<'_>,
) -> Result<PathBuf, AttemptError> {
    let dest = dir.join("wheel");
    fs::create_dir_all(&dest).map_err(AttemptError::io(&dest))?;
    let mut words: Vec<OsString> = pip.to_vec();
    words.extend(
        ["download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input"].map(OsString::from),
    );
    words.extend(["--disable-pip-version-check", "--progress-bar=off", "--dest"].map(OsString::from));
    words.push(dest.clone().into());
    words.extend(wheel.pip.iter().map(OsString::from));
    words.push(format!("{package}=={}", wheel.version).into());
    run(&words, dir, wheel.size, step)?;

    let entries = fs::read_dir(&dest).map_err(AttemptError::io(&dest))?;
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension() == Some(OsStr::new("whl")))
        .ok_or_else(|| AttemptError::NoWheel { command: shown(&words) })
}

/// Downloads one file of at most `size` bytes into `dir`.
pub(super) fn url(
    tools: &Tools,
    url: &str,
    size: u64,
    dir: &Path,
    step: StepReporter<'_>,
) -> Result<PathBuf, AttemptError> {
    let path = dir.join("file");
    let mut words: Vec<OsString> = tools.curl.clone();
    words.extend(
        ["--fail", "--location", "--silent", "--show-error", "--proto", "=https"].map(OsString::from),
    );
    words.extend(
        ["--connect-timeout", "20", "--speed-limit", "1024", "--speed-time", "60"].map(OsString::from),
    );
    words.extend(["--max-filesize".into(), size.to_string().into()]);
    words.extend(["--output".into(), path.clone().into(), url.into()]);
    run(&words, dir, size, step)?;
    Ok(path)
}

/// Runs a program to its end in `dir`, an absolute path, with its temporary files there too, and reports the
/// number of bytes there. In the user's current folder, Python and other programs would find files that are
/// not the user's own.
fn run(words: &[OsString], dir: &Path, total: u64, step: StepReporter<'_>) -> Result<(), AttemptError> {
    let start = |source| AttemptError::Start { command: shown(&words[..words.len().min(1)]), source };
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| start(io::Error::new(io::ErrorKind::NotFound, "no program is named")))?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .env("TMPDIR", dir)
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
    // A thread that only reads does not panic.
    let stderr = reader.join().unwrap_or_default();
    ended(words, status, stderr)
}

fn ended(words: &[OsString], status: ExitStatus, stderr: String) -> Result<(), AttemptError> {
    if status.success() {
        return Ok(());
    }
    Err(AttemptError::Failed { command: shown(words), status, stderr })
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

fn shown(words: &[OsString]) -> String {
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
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
