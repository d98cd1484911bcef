//! Writes the seeds of the corpora that no hand writes: plans, exports, columns, packs, vectors, grammars and records of answers. To be run where a
//! format changes: `cargo run -p nightfold-readers --example seeds`.
#![allow(clippy::unwrap_used, reason = "a seed that cannot be written ends the program")]

use std::{fs, path::Path};

fn main() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    for (name, bytes) in nightfold_readers::seeds() {
        let path = corpus.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
