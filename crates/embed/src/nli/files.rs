//! Files of a classifier: existence and size limits.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tokenizers::Tokenizer;

use super::{
    NliError,
    labels::{self, NliConfig},
};

/// Size limit of `tokenizer.json`: 64 MiB. Those of vocabularies of 250,000 pieces have about 17.
pub const MAX_TOKENIZER_BYTES: u64 = 64 << 20;
/// Size limit of `config.json`: 1 MiB.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

const MODEL: &str = "model.onnx";
const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";

/// Maximum number of bytes of a folder's name in a report.
const NAME_BYTES: usize = 100;

/// Files of a classifier's folder, each within its size limit.
pub(super) struct NliFiles {
    folder: PathBuf,
    pub(super) model: PathBuf,
    tokenizer: PathBuf,
    config: PathBuf,
}

impl NliFiles {
    pub(super) fn find(folder: &Path, max_bytes: u64) -> Result<Self, NliError> {
        if !folder.is_dir() {
            return Err(NliError::Folder { folder: folder.to_owned() });
        }
        let find = |file, most| {
            let path = folder.join(file);
            match fs::metadata(&path) {
                Ok(found) if !found.is_file() => Err(NliError::Missing { file, folder: folder.to_owned() }),
                Ok(found) if found.len() > most => Err(NliError::TooLarge { path, given: found.len(), most }),
                Ok(_) => Ok(path),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Err(NliError::Missing { file, folder: folder.to_owned() })
                }
                Err(source) => Err(NliError::Io { path, source }),
            }
        };
        let model = find(MODEL, max_bytes)?;
        let given = weights(folder)?;
        if given > max_bytes {
            return Err(NliError::TooLarge { path: model, given, most: max_bytes });
        }
        Ok(Self {
            folder: folder.to_owned(),
            model,
            tokenizer: find(TOKENIZER, MAX_TOKENIZER_BYTES)?,
            config: find(CONFIG, MAX_CONFIG_BYTES)?,
        })
    }

    /// Returns the model's name in reports: the folder's name, on one line.
    pub(super) fn name(&self) -> String {
        let folder = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        let shown = name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or_default();
        format!("nli:{}", shown.replace(char::is_control, " "))
    }

    pub(super) fn tokenizer(&self) -> Result<Tokenizer, NliError> {
        let unusable = |source| NliError::Tokenizer { path: self.tokenizer.clone(), source };
        let mut tokenizer = Tokenizer::from_file(&self.tokenizer).map_err(unusable)?;
        // Files ask for padding and for cutting; a pair is judged whole or not at all.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(unusable)?;
        Ok(tokenizer)
    }

    pub(super) fn config(&self) -> Result<NliConfig, NliError> {
        let text =
            fs::read(&self.config).map_err(|source| NliError::Io { path: self.config.clone(), source })?;
        labels::read(&text, &self.config)
    }
}

/// Returns the size of a model with the weights that lie beside it, like `model.onnx_data` or
/// `model.onnx.data`.
fn weights(folder: &Path) -> Result<u64, NliError> {
    let failed = |source| NliError::Io { path: folder.to_owned(), source };
    let mut bytes = 0_u64;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(MODEL) {
            // Through a link, what counts is what it leads to.
            bytes = bytes.saturating_add(fs::metadata(entry.path()).map_err(failed)?.len());
        }
    }
    Ok(bytes)
}
