//! Readers of whole data sets: that of this project, and optional ones that are not part of it.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
};

use nightfold_evaluate::data::{self, LabelledTexts};

fn beside_this_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the folder of the optional data if it holds this set; otherwise prints a note.
fn folder_with(data: &str) -> Option<PathBuf> {
    let dir = env::var_os("NIGHTFOLD_DATA")
        .map_or_else(|| beside_this_crate("../../../shared/data"), PathBuf::from);
    if dir.join(data).is_dir() {
        return Some(dir);
    }
    eprintln!("skipped: there is no {data} in {}; NIGHTFOLD_DATA says where it is", dir.display());
    None
}

fn sizes(texts: &LabelledTexts) -> (usize, usize) {
    (texts.items.len(), texts.labels().collect::<BTreeSet<_>>().len())
}

#[test]
fn banking77_has_77_intents() {
    let Some(dir) = folder_with("clustering/banking77") else { return };
    assert_eq!(sizes(&data::banking77(&dir).unwrap()), (3_080, 77));
}

#[test]
fn clinc150_has_150_intents_in_10_domains() {
    let Some(dir) = folder_with("clustering/clinc150") else { return };
    assert_eq!(sizes(&data::clinc150(&dir).unwrap()), (4_500, 150));
    assert_eq!(sizes(&data::clinc150_domains(&dir).unwrap()), (4_500, 10));
}

#[test]
fn tweets_are_on_89_topics() {
    let Some(dir) = folder_with("clustering/gsdmm") else { return };
    assert_eq!(sizes(&data::tweets(&dir).unwrap()), (2_472, 89));
}

#[test]
fn riverbend_has_six_npcs_on_five_days() {
    let days = data::scenario(&beside_this_crate("../../scenarios/riverbend")).unwrap();
    assert_eq!(days.len(), 30);
    assert_eq!(days.iter().map(|day| day.memories.len()).sum::<usize>(), 1_132);
    let names: Vec<_> = days.iter().map(|day| (day.day.as_str(), day.npc.as_str())).collect();
    assert!(names.is_sorted() && names[0] == ("1", "Bran Holt"), "{names:?}");
    assert!(days.iter().all(|day| day.memories.iter().all(|m| m.memory.npc == day.npc)));
}
