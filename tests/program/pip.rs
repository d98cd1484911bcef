//! Python packages that a test needs, fetched once by pip.

use std::{
    ffi::OsStr,
    fs,
    path::{self, Path, PathBuf},
    process::Command,
};

/// Returns the folder of the packages in a list; fetches them if they are missing. `key` distinguishes
/// folders of one name, beside the list itself. `None` if pip cannot fetch them.
pub(crate) fn packages(
    python: &OsStr,
    name: &str,
    list: &str,
    key: &str,
    options: &[&str],
) -> Option<PathBuf> {
    // A folder for each list of packages, so that another list is fetched anew.
    let hash = list.bytes().chain(key.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{hash:016x}"));
    if target.exists() {
        return Some(target);
    }
    // Whole or not at all, also when two tests fetch at once.
    let part = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the folder can be written");
    let file = part.path().join(format!("{name}.txt"));
    fs::write(&file, list).expect("the folder can be written");
    // Isolated and in a folder of its own: it takes no module from the one that the tests run in.
    let fetched = Command::new(program(python))
        .current_dir(part.path())
        .args(["-I", "-m", "pip", "install", "--quiet", "--root-user-action=ignore", "--no-deps"])
        .args(["--only-binary", ":all:"])
        .args(options)
        .arg("--target")
        .arg(part.path())
        .arg("-r")
        .arg(&file)
        .status();
    if !fetched.is_ok_and(|status| status.success()) {
        return None;
    }
    if fs::rename(part.path(), &target).is_err() {
        assert!(target.exists(), "the folder can be moved to its place");
    }
    Some(target)
}

/// Path of Python as seen from another folder than that of the tests.
fn program(python: &OsStr) -> PathBuf {
    let is_path = Path::new(python).components().count() > 1;
    if is_path { path::absolute(python).expect("there is a current folder") } else { python.into() }
}

/// Creates the command of a script that uses packages of such a folder; it takes further arguments. Python
/// runs isolated: it reads nothing from the current folder and ignores `PYTHONPATH`, so the folder is put
/// into the script's path.
pub(crate) fn script(python: &OsStr, packages: &Path, script: &str) -> Command {
    let script = format!("import sys\nsys.path.insert(0, sys.argv.pop(1))\n{script}");
    let mut command = Command::new(program(python));
    command.args(["-I", "-c", &script]).arg(packages).current_dir(packages);
    command
}
