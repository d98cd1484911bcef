//! Questions through the front door.

use crate::support::{Toy, day_of, npc};
use nightfold::{
    Nightfold, RecallError,
    memory::{State, StoreError},
};
use nightfold_store::SqliteStore;

#[test]
fn question_of_another_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = |embedder: Toy| {
        let store = SqliteStore::open(folder.path().join("minds.db")).unwrap();
        Nightfold::builder().embedder(embedder).store(store).build().unwrap()
    };
    let ours = open(Toy::new());
    ours.apply(&ours.plan(day_of("Bran", 1)).unwrap()).unwrap();
    let entries = ours.store().entries(&npc("Bran")).unwrap();
    let kept = entries.into_iter().find(|entry| entry.state == State::Active).unwrap().entry;
    assert_eq!(ours.recall("Bran", &kept.text).unwrap()[0].id, kept.id);

    let other = open(Toy::named("other@1"));
    let error = other.recall("Bran", &kept.text).unwrap_err();
    let RecallError::Store(StoreError::Model { stored, given }) = error else { panic!("{error:?}") };
    assert_eq!((stored.to_string().as_str(), given.to_string().as_str()), ("toy@1", "other@1"));
}
