//! Settings, with their defaults and ranges.

use std::{
    fmt,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use super::error::LocalError;

/// Maximum length of a model's name, in bytes.
const MAX_MODEL_BYTES: usize = 200;

/// Settings of a local model, unchecked; [`check`](Self::check) makes [`ValidLocalSettings`] of them.
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
    /// The GGUF file; the first of them if a model has several.
    pub path: PathBuf,
    /// Name of the model in reports and records \[the file's name without its extension\]: 1 to 200 bytes, no
    /// control characters.
    pub model: String,
    /// Maximum tokens of a question and its answer together \[4096\], 512 to 131072. A model that was trained
    /// for fewer gets no more than those. Memory grows with it: 94 MB for SmolLM2-135M at 4096.
    pub context_tokens: u32,
    /// Number of threads that compute \[1\], 1 to 256. More than there are free cores make it much slower.
    pub threads: u16,
}

impl LocalSettings {
    /// Returns the defaults for a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let model = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self { path, model, context_tokens: 4096, threads: 1 }
    }

    /// Checks the ranges. The existence of the file is checked when it is opened.
    ///
    /// # Errors
    /// [`LocalError::Setting`] names the first field out of range.
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

/// Settings that were checked.
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
    fn setting_out_of_range_is_named() {
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
    fn model_name_defaults_to_the_file_name() {
        assert_eq!(LocalSettings::new("models/SmolLM2-135M.Q4_1.gguf").model, "SmolLM2-135M.Q4_1");
        assert_eq!(LocalSettings::new("tiny").check().unwrap().model(), "tiny");
        assert!(LocalSettings::new("").check().is_err());
    }
}
