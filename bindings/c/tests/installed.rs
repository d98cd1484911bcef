//! The installed library as a C programmer finds it: `pkg-config`, linked dynamically and statically.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{path::Path, process::Command};

use support::{has, library_folder, provide_model, root, run};

/// Returns what `pkg-config` says of the library installed at a prefix.
fn pkg_config(prefix: &Path, ask: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(ask).arg("nightfold");
    let said = String::from_utf8(run(&mut command).stdout).unwrap();
    said.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_installed_library_links_and_runs() {
    if ![("make", "--version"), ("pkg-config", "--version"), ("gcc", "--version")]
        .iter()
        .all(|(p, s)| has(p, s))
    {
        return;
    }
    provide_model();
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("usr");
    run(Command::new("make")
        .current_dir(root())
        .arg("install")
        .arg(format!("PREFIX={}", prefix.display()))
        .arg(format!("BUILT={}", library_folder().display())));
    assert_eq!(pkg_config(&prefix, &["--modversion"]), [env!("CARGO_PKG_VERSION")]);

    let source = root().join("examples/town.c");
    let morning = |program: &Path| {
        let told = run(Command::new(program).env("LD_LIBRARY_PATH", prefix.join("lib")));
        let told = String::from_utf8(told.stdout).unwrap();
        assert!(told.contains("consolidated") && told.contains("14 silver"), "{told}");
    };
    let shared = folder.path().join("shared");
    run(Command::new("gcc")
        .arg(&source)
        .arg("-o")
        .arg(&shared)
        .args(pkg_config(&prefix, &["--cflags", "--libs"])));
    morning(&shared);

    let fixed = folder.path().join("static");
    let private = pkg_config(&prefix, &["--static", "--libs-only-l"]);
    run(Command::new("gcc")
        .arg(&source)
        .arg("-o")
        .arg(&fixed)
        .args(pkg_config(&prefix, &["--cflags"]))
        .arg(prefix.join("lib/libnightfold_c.a"))
        .args(private.iter().filter(|library| *library != "-lnightfold_c")));
    std::fs::remove_file(prefix.join("lib/libnightfold_c.so")).unwrap();
    morning(&fixed);
}
