//! Random sequences of operations on a folder: nothing is ever lost or overwritten.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::Path,
};

use nightfold_store::folder::Listing;
use proptest::prelude::*;

use crate::place::{Place, assert_closed, at, mode, set_mode};

/// A step in the life of a folder of insights.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A new insight is written, under one of few names; an existing one is rewritten.
    Write { name: usize },
    /// An insight is touched, before or after the listing.
    Touch { lot: usize },
    /// An archived insight is moved back by a user.
    Restore { lot: usize },
    /// The folder is listed, for a later archiving.
    List,
    /// The insights selected by the bits are archived.
    Archive { choice: u64 },
    /// A run is interrupted after a number of the insights selected by the bits; possibly with a placeholder
    /// left, possibly before write-protecting them.
    Interrupt { choice: u64, after: usize, kept_free: bool, protected: bool },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..8_usize).prop_map(|name| Step::Write { name }),
        2 => any::<usize>().prop_map(|lot| Step::Touch { lot }),
        1 => any::<usize>().prop_map(|lot| Step::Restore { lot }),
        2 => Just(Step::List),
        4 => any::<u64>().prop_map(|choice| Step::Archive { choice }),
        2 => (any::<u64>(), 0..4_usize, any::<bool>(), any::<bool>()).prop_map(
            |(choice, after, kept_free, protected)| Step::Interrupt { choice, after, kept_free, protected }
        ),
    ];
    prop::collection::vec(step, 1..40)
}

fn selected<T: Clone>(of: &[T], choice: u64) -> Vec<T> {
    of.iter().enumerate().filter(|(n, _)| choice >> (n % 64) & 1 == 1).map(|(_, one)| one.clone()).collect()
}

/// Expected contents: everything that was written and not rewritten by its author, wherever it is now.
#[derive(Default)]
struct Model {
    contents: BTreeSet<String>,
    clock: u64,
}

impl Model {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

fn take(place: &Place, model: &mut Model, listing: &mut Listing, step: Step) {
    match step {
        Step::Write { name } => {
            let name = format!("a-b-{name}.md");
            if let Ok(old) = fs::read_to_string(place.path().join(&name)) {
                model.contents.remove(&old);
                // As restored from the archive: write-protected.
                set_mode(&place.path().join(&name), 0o644);
            }
            let now = model.tick();
            let content = format!("{name} at {now}");
            place.write(&name, &content, now);
            model.contents.insert(content);
        }
        Step::Touch { lot } => {
            let active = place.list().insights;
            if let Some(insight) = active.get(lot % active.len().max(1)) {
                let file = File::open(place.path().join(insight.name())).unwrap();
                file.set_modified(at(model.tick())).unwrap();
            }
        }
        Step::Restore { lot } => {
            let mut archived = place.files();
            archived.retain(|path, content| path.starts_with("archive") && !content.is_empty());
            let archived: Vec<_> = archived.into_keys().collect();
            let Some(path) = archived.get(lot % archived.len().max(1)) else { return };
            let target = place.path().join(path.file_name().unwrap());
            if !target.exists() {
                let shelf = place.path().join(path.parent().unwrap());
                let rights = mode(&shelf);
                set_mode(&shelf, 0o755);
                fs::rename(place.path().join(path), target).unwrap();
                set_mode(&shelf, rights);
            }
        }
        Step::List => *listing = place.list(),
        Step::Archive { choice } => {
            let chosen = selected(&listing.insights, choice);
            let unfinished = place.open().unfinished().unwrap();
            let before = place.files();
            let archived = place.archive(&chosen, "now");
            let after = place.files();
            assert_eq!(archived.resumed, unfinished.is_some());
            assert!(archived.folder.is_none() || unfinished.is_none() || archived.folder == unfinished);
            assert_eq!(archived.moved.len() + archived.not_moved.len(), chosen.len());
            assert_eq!(place.open().unfinished().unwrap(), None);
            assert!(archived.writable.is_empty());
            for name in &archived.moved {
                let now = &after[&archived.folder.clone().unwrap().join(name)];
                assert_eq!(*now, before[Path::new(name)]);
                assert!(!after.contains_key(Path::new(name)));
            }
            for (name, _) in &archived.not_moved {
                // A file that is listed no more may be another one now, or gone.
                assert_eq!(after.get(Path::new(name)), before.get(Path::new(name)));
            }
            for shelf in fs::read_dir(place.path().join("archive")).into_iter().flatten() {
                assert_closed(&shelf.unwrap().path());
            }
        }
        Step::Interrupt { choice, after, kept_free, protected } => {
            let chosen = selected(&place.list().insights, choice);
            let shelf = place.unfinished_archive_folder(&format!("cut-{}", model.tick()));
            for insight in chosen.iter().take(after) {
                let moved = shelf.join(insight.name());
                fs::rename(place.path().join(insight.name()), &moved).unwrap();
                set_mode(&moved, if protected { 0o444 } else { 0o644 });
            }
            if let Some(next) = chosen.get(after).filter(|_| kept_free) {
                fs::write(shelf.join(next.name()), "").unwrap();
                set_mode(&shelf.join(next.name()), 0);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_ever_lost_or_overwritten(steps in steps()) {
        let place = Place::new();
        let mut model = Model::default();
        let mut listing = Listing::default();
        for step in steps {
            take(&place, &mut model, &mut listing, step);
            // Names kept free by an interrupted run hold nothing.
            let files: Vec<_> = place.files().into_iter().filter(|(_, content)| !content.is_empty()).collect();
            let contents: BTreeSet<_> = files.iter().map(|(_, content)| content.clone()).collect();
            prop_assert_eq!(files.len(), contents.len());
            prop_assert_eq!(&contents, &model.contents);
            for (path, content) in files {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                prop_assert!(content.starts_with(&name), "{content:?} has its name");
            }
        }
        place.archive(&[], "last");
        prop_assert_eq!(place.files().into_values().collect::<BTreeSet<_>>(), model.contents.clone());
    }
}
