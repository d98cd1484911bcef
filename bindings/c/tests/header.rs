//! The header in the tree is the one that the source makes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

#[test]
fn header_is_made_from_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_src(root.join("src/lib.rs"))
        .with_config(config)
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let file = root.join("include/nightfold.h");
    if std::env::var_os("NIGHTFOLD_ACCEPT").is_some() {
        fs::write(&file, &made).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&file).unwrap_or_default(),
        made,
        "NIGHTFOLD_ACCEPT=1 writes the header anew"
    );
}
