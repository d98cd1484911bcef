//! Fetching the model's files. Most of it is tested with mock commands in `crates/embed`.
#![cfg(target_os = "linux")]

use crate::support::Desk;

#[test]
fn fetch_does_not_run_a_module_of_the_current_folder() {
    let desk = Desk::new();
    for module in ["pip", "json", "runpy", "zipfile", "sitecustomize"] {
        desk.write(&format!("{module}.py"), format!("open('{}', 'w')", desk.path("run").display()));
    }
    // Nothing is there, and nothing can be reached.
    let cache = desk.path("cache");
    let ran = desk.run_with(
        "models fetch",
        &[
            ("XDG_CACHE_HOME", &*cache.to_string_lossy()),
            ("NIGHTFOLD_MODELS", ""),
            ("NIGHTFOLD_ONNXRUNTIME", ""),
            ("PIP_NO_INDEX", "1"),
            ("https_proxy", "http://127.0.0.1:9"),
        ],
    );
    ran.code_is(4, "could not be fetched");
    assert!(!desk.path("run").exists(), "a module of the current folder was run");
}
