//! Manifest of the files that Nightfold fetches, and the weights that are its own, compiled into the program.
//!
//! `README.md` says what each is and where it comes from; `grammar` and `stance` hold the weights with their cards.

/// Files that the program needs beside itself, with their sources, sizes and checksums: `manifest.toml`.
pub static MANIFEST: &str = include_str!("../manifest.toml");

/// Weights that are part of a program that uses them: a safetensors file. The linker leaves out what a program does not use.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// The file's bytes.
    pub bytes: &'static [u8],
    /// Checksum and name of the file, as `sha256sum` writes them.
    pub checksum: &'static str,
}

impl Weights {
    /// SHA-256 of the file, in hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> &'static str {
        self.checksum.split_whitespace().next().unwrap_or_default()
    }
}

/// Heads that read grammar: matrices in 8 bits, with a factor for each row.
pub static GRAMMAR: Weights = Weights {
    bytes: include_bytes!("../grammar/grammar.safetensors"),
    checksum: include_str!("../grammar/grammar.safetensors.sha256"),
};

/// The stance model: matrices in 8 bits, which are multiplied without conversion.
pub static STANCE: Weights = Weights {
    bytes: include_bytes!("../stance/stance.safetensors"),
    checksum: include_str!("../stance/stance.safetensors.sha256"),
};

#[cfg(test)]
mod tests {
    use std::fs;

    use sha2::{Digest, Sha256};

    #[test]
    fn weights_match_their_checksums_and_sizes() {
        for (name, most) in [("grammar", 300_000), ("stance", 25_000_000)] {
            let file = format!("{}/{name}/{name}.safetensors", env!("CARGO_MANIFEST_DIR"));
            let bytes = fs::read(&file).unwrap();
            let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            let checksum = fs::read_to_string(format!("{file}.sha256")).unwrap();
            let expected = [digest, format!("{name}.safetensors")];
            assert_eq!(checksum.split_whitespace().collect::<Vec<_>>(), expected, "{name}");
            assert!(bytes.len() <= most, "{name}");
        }
    }
}
