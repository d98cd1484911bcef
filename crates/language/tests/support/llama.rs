//! A real server with a small model, where there is one.

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// llama.cpp's own server. It ends with this value, and with this process however that ends.
pub(crate) struct Llama {
    server: Child,
    base_url: String,
}

impl Llama {
    /// Starts the server that insists on this key, if `NIGHTFOLD_LLAMA_PYTHON` names a Python with xllamacpp and
    /// `NIGHTFOLD_LLAMA_MODEL` a GGUF file. Says so if not.
    pub(crate) fn start(key: &str) -> Option<Self> {
        let named = |name| {
            let path = env::var_os(name);
            if path.is_none() {
                eprintln!("passed over: {name} is not set");
            }
            path
        };
        let (python, model) = (named("NIGHTFOLD_LLAMA_PYTHON")?, named("NIGHTFOLD_LLAMA_MODEL")?);
        let mut server = Command::new(python)
            .args(["-c", include_str!("serve.py")])
            .args([model, key.into()])
            // It reads until we are gone.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python starts");
        let mut address = String::new();
        let out = server.stdout.as_mut().expect("it is piped");
        BufReader::new(out).read_line(&mut address).expect("it says its address");
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
