//! Programs of other languages, built against the library of this test run.
#![allow(dead_code, reason = "every test program uses a part of it")]

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Fetches the model if it is not here: a town fetches nothing.
pub(crate) fn provide_model() {
    let models = nightfold_embed::Models::new(nightfold_embed::ModelOptions::from_env());
    models.provide(&|_| {}).unwrap_or_else(|error| panic!("{error}"));
}

/// Folder of this crate.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Folder of the library that was built for this test.
pub(crate) fn library_folder() -> PathBuf {
    let folder = env::current_exe().unwrap().parent().unwrap().to_owned();
    assert!(folder.join("libnightfold_c.so").is_file(), "no library in {}", folder.display());
    folder
}

/// True if a program can be run; says so if it cannot, and fails if the environment requires everything.
pub(crate) fn has(program: &str, says: &str) -> bool {
    let found = Command::new(program).arg(says).output().is_ok_and(|output| output.status.success());
    let required = env::var("NIGHTFOLD_BINDINGS").is_ok_and(|value| value == "required");
    assert!(found || !required, "{program} is required by NIGHTFOLD_BINDINGS and is not here");
    if !found {
        eprintln!("skipped: {program} is not here");
    }
    found
}

/// Runs a program and returns what it printed.
pub(crate) fn run(command: &mut Command) -> Output {
    // Cargo's own may name a folder with an older library, and would go before the path in the program.
    if !command.get_envs().any(|(name, _)| name == "LD_LIBRARY_PATH") {
        command.env_remove("LD_LIBRARY_PATH");
    }
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Compiles a C or C++ program against the header and the library, warnings denied.
pub(crate) fn compile(compiler: &str, source: &Path, program: &Path, extra: &[&str]) {
    let library = library_folder();
    let mut command = Command::new(compiler);
    command
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g"])
        .args(extra)
        .arg("-I")
        .arg(root().join("include"))
        .arg(source)
        .arg("-o")
        .arg(program)
        .arg("-L")
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .arg("-lnightfold_c");
    run(&mut command);
}
