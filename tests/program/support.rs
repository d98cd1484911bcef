//! Helpers that run the program and inspect the results.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command, Output, Stdio},
    sync::LazyLock,
};

use nightfold_memory::{NightPlan, PLAN_FORMAT};
use serde_json::Value;
use tempfile::TempDir;

/// Variable that names the file of the vectors that the calls of this test run have computed. No output tells of them. Most of the
/// time of most tests would be the model's otherwise.
pub(crate) const TEST_VECTORS: &str = "NIGHTFOLD_TEST_VECTORS";

/// That file, in a folder of this test run. Folders of test runs that have ended are removed.
pub(crate) static VECTORS: LazyLock<PathBuf> = LazyLock::new(|| {
    let runs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
    for run in fs::read_dir(&runs).into_iter().flatten().flatten() {
        if !Path::new("/proc").join(run.file_name()).exists() {
            // Another test run may remove it at the same moment.
            let _ = fs::remove_dir_all(run.path());
        }
    }
    let own = runs.join(process::id().to_string());
    fs::create_dir_all(&own).expect("a folder");
    own.join("vectors.cache")
});

/// A folder of its own, in which the program is run.
pub(crate) struct Desk {
    folder: TempDir,
    /// True if what other calls have embedded is embedded anew.
    alone: bool,
}

/// Result of a run of the program.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Self {
            code: output.status.code().expect("ended by itself"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Returns the output of a run that must succeed.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "stderr: {}", self.err);
        self.out
    }

    /// Asserts that a run failed with this exit code and these words.
    #[track_caller]
    pub(crate) fn code_is(self, code: i32, said: &str) {
        assert_eq!(self.code, code, "stderr: {}", self.err);
        assert!(self.err.contains(said), "{}", self.err);
    }

    /// Returns the output as JSON, of a run that must succeed.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("output is JSON")
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder"), alone: false }
    }

    /// Returns a desk at which every call has its texts embedded by the model, for what could show in vectors, or in the time
    /// and the files that they take.
    pub(crate) fn alone() -> Self {
        Self { alone: true, ..Self::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Returns the program with its arguments, split at spaces; `{…}` names a file beside the workspace's
    /// root.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nightfold-under-test"));
        command.current_dir(self.folder.path()).stdin(Stdio::null()).env_remove("NO_COLOR");
        // What one test has embedded must not decide what another does, or what the user's own runs do.
        command.env("NIGHTFOLD_VECTOR_CACHE", "off").env_remove("NIGHTFOLD_STORE");
        if !self.alone {
            command.env(TEST_VECTORS, &*VECTORS);
        }
        for argument in arguments.split_whitespace() {
            match argument.strip_prefix('{').and_then(|a| a.strip_suffix('}')) {
                Some(relative) => command.arg(root().join(relative)),
                None => command.arg(argument.replace('_', " ").replace('~', "_")),
            };
        }
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments, &[])
    }

    /// Runs the program with additional environment variables.
    pub(crate) fn run_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(arguments);
        Ran::new(command.envs(variables.iter().copied()).output().expect("the program starts"))
    }
}

/// Two days on which one statement is superseded, one contested and one corroborated.
pub(crate) const GATES: &str = "{tests/program/data/gates.jsonl}";

/// Returns a text without its line breaks and indents, which depend on the lengths of words.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the values of a JSON list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// Returns the data folder beside the project, or the one in `NIGHTFOLD_DATA`, if it holds all of these
/// names; only some machines have it, and `NIGHTFOLD_DATA=required` insists on it. Prints which folder it is.
pub(crate) fn shared_folder(names: &[&str]) -> Option<PathBuf> {
    let given = std::env::var_os("NIGHTFOLD_DATA").filter(|given| !given.is_empty());
    let required = given.as_ref().is_some_and(|given| given == "required");
    let named = given.filter(|_| !required);
    let folder = named.map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if let Some(name) = names.iter().find(|name| !folder.join(name).exists()) {
        assert!(!required, "{name} is not in {}, and NIGHTFOLD_DATA=required", folder.display());
        eprintln!("skipped: {name} is not in {}", folder.display());
        return None;
    }
    eprintln!("ran on {}", names.join(", "));
    // The program runs in another folder.
    Some(folder.canonicalize().expect("the folder of data"))
}

/// Returns a file of that folder.
pub(crate) fn shared_data(name: &str) -> Option<PathBuf> {
    shared_folder(&[name]).map(|folder| folder.join(name))
}

/// Returns a plan that was written by hand as one that was saved.
pub(crate) fn sealed(plan: &Value) -> String {
    let part = |name: &str| plan[name].to_string();
    let (nights, report) = (part("nights"), part("report"));
    let plan = NightPlan {
        format: PLAN_FORMAT,
        nights: serde_json::from_str(&nights).expect("nights"),
        report: serde_json::from_str(&report).expect("a report"),
    };
    serde_json::to_string(&plan).expect("a plan")
}
