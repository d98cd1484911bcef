//! What can be set, with its defaults and ranges.

use std::{
    fmt,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use super::error::LocalError;

/// Longest name of a model, in bytes.
const MAX_MODEL_BYTES: usize = 200;

/// Which model to run and how, unchecked; [`check`](Self::check) makes [`ValidLocalSettings`] of it.
///
/// ```
/// use nightfold_language::local::LocalSettings;
///
/// let mut settings = LocalSettings::new("models/smollm2.gguf");
/// assert_eq!(settings.model, "smollm2");
/// settings.threads = 0;
/// assert_eq!(settings.check().unwrap_err().to_string(), "threads is \"0\"; allowed: 1 to 256");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalSettings {
    /// The GGUF file; of a model in several files the first.
    pub path: PathBuf,
    /// The name that the model goes by in reports and records \[the file's name without its ending\]: 1 to 200 bytes,
    /// no control characters.
    pub model: String,
    /// Tokens that a question and its answer may have together \[4096\], 512 to 131072. A model that was made for
    /// fewer is given no more than those. Memory grows with it: 94 MB of it for SmolLM2-135M at 4096.
    pub context_tokens: u32,
    /// Threads that compute \[1\], 1 to 256. More than there are free cores make it slower, by far.
    pub threads: u16,
}

impl LocalSettings {
    /// The defaults for a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let model = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self { path, model, context_tokens: 4096, threads: 1 }
    }

    /// The settings, if all of them can be followed. Whether there is such a file shows when it is opened.
    ///
    /// # Errors
    /// [`LocalError::Setting`] names the first field that cannot.
    pub fn check(self) -> Result<ValidLocalSettings, LocalError> {
        if !(1..=MAX_MODEL_BYTES).contains(&self.model.len()) || self.model.contains(char::is_control) {
            return Err(LocalError::Setting {
                field: "model",
                value: self.model,
                allowed: format!("1 to {MAX_MODEL_BYTES} bytes without control characters"),
            });
        }
        within("context_tokens", &self.context_tokens, &(512..=131_072))?;
        within("threads", &self.threads, &(1..=256))?;
        Ok(ValidLocalSettings(self))
    }
}

/// Settings that can be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidLocalSettings(LocalSettings);

impl ValidLocalSettings {
    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }

    pub(super) fn model(&self) -> &str {
        &self.0.model
    }

    pub(super) fn context_tokens(&self) -> u32 {
        self.0.context_tokens
    }

    pub(super) fn threads(&self) -> u16 {
        self.0.threads
    }
}

fn within<T: PartialOrd + fmt::Display>(
    field: &'static str,
    value: &T,
    allowed: &RangeInclusive<T>,
) -> Result<(), LocalError> {
    if allowed.contains(value) {
        return Ok(());
    }
    Err(LocalError::Setting {
        field,
        value: value.to_string(),
        allowed: format!("{} to {}", allowed.start(), allowed.end()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Edit = fn(&mut LocalSettings);

    #[test]
    fn each_setting_out_of_range_is_named() {
        let edits: [(&str, &str, Edit); 6] = [
            ("model", "", |s| s.model.clear()),
            ("model", "a\nb", |s| s.model = "a\nb".into()),
            ("context_tokens", "511", |s| s.context_tokens = 511),
            ("context_tokens", "131073", |s| s.context_tokens = 131_073),
            ("threads", "0", |s| s.threads = 0),
            ("threads", "257", |s| s.threads = 257),
        ];
        for (wrong, given, edit) in edits {
            let mut settings = LocalSettings::new("tiny.gguf");
            edit(&mut settings);
            let LocalError::Setting { field, value, allowed } = settings.check().unwrap_err() else {
                panic!()
            };
            assert_eq!((field, value.as_str()), (wrong, given));
            assert!(!allowed.is_empty());
        }
    }

    #[test]
    fn a_model_goes_by_the_name_of_its_file() {
        assert_eq!(LocalSettings::new("models/SmolLM2-135M.Q4_1.gguf").model, "SmolLM2-135M.Q4_1");
        assert_eq!(LocalSettings::new("tiny").check().unwrap().model(), "tiny");
        assert!(LocalSettings::new("").check().is_err());
    }
}
