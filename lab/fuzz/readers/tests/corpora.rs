//! Kept corpora, and changed copies of what is in them, through the readers of the fuzz targets.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use nightfold_readers::{READERS, Reader};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn names(folder: &str, ends: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(fuzz().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.into_string().unwrap().trim_end_matches(ends).to_owned()).collect()
}

/// Seeds of a reader, in the order of their names.
fn seeds(reader: &Reader) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(fuzz().join("corpus").join(reader.name)).unwrap().collect();
    paths.sort_by_key(|path| path.as_ref().unwrap().file_name());
    paths.into_iter().map(|path| fs::read(path.unwrap().path()).unwrap()).collect()
}

/// Numbers at random from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        // SplitMix64 (Steele et al., 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % most.max(1) as u64).unwrap()
    }
}

/// Pieces that readers take for more than text.
const PIECES: [&[u8]; 16] = [
    b"",
    b"\0",
    b"\n",
    b"\"",
    b"{",
    b"]",
    b",",
    b"-1",
    b"1e999",
    b"9223372036854775808",
    b"null",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"\\u0000",
    b"\x1b[2J",
    b"9999-99-99T99:99:99Z",
];

/// Returns a changed copy: bytes flipped, parts cut out, repeated, taken from another seed, or replaced by a piece.
fn changed(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seeds[dice.below(seeds.len())].clone();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        let end = at + dice.below((bytes.len() - at).min(64) + 1);
        match dice.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let part = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, part));
            }
            2 => {
                let other = &seeds[dice.below(seeds.len())];
                let from = dice.below(other.len() + 1);
                let to = from + dice.below((other.len() - from).min(64) + 1);
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            3 => drop(bytes.splice(at..end, PIECES[dice.below(PIECES.len())].iter().copied())),
            4 => bytes.truncate(at),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
        }
    }
    bytes
}

#[test]
fn every_reader_has_a_target_and_a_small_corpus() {
    let readers: BTreeSet<String> = READERS.iter().map(|reader| reader.name.to_owned()).collect();
    assert_eq!(names("fuzz_targets", ".rs"), readers);
    assert_eq!(names("corpus", ""), readers);
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    let mut all = 0;
    for reader in READERS {
        assert!(manifest.contains(&format!("name = \"{}\"\n", reader.name)), "{}", reader.name);
        let seeds = seeds(reader);
        assert!((1..=30).contains(&seeds.len()), "{}: {} files", reader.name, seeds.len());
        all += seeds.iter().map(Vec::len).sum::<usize>();
    }
    assert!(all <= 200_000, "{all} bytes");
}

/// Number of changed copies of each reader that calls a server or writes stores, and of the others.
const FEW: usize = 150;
const MANY: usize = 3_000;

#[test]
fn kept_and_changed_inputs_end_no_reader() {
    std::thread::scope(|scope| {
        for reader in READERS {
            // The name of the thread is in the message of a panic.
            let run = move || {
                let seeds = seeds(reader);
                seeds.iter().for_each(|seed| (reader.read)(seed));
                let is_slow = ["chat", "export", "plan", "serve", "store", "town"].contains(&reader.name);
                let mut dice = Dice(1);
                (0..if is_slow { FEW } else { MANY })
                    .for_each(|_| (reader.read)(&changed(&seeds, &mut dice)));
            };
            std::thread::Builder::new().name(reader.name.to_owned()).spawn_scoped(scope, run).unwrap();
        }
    });
}
