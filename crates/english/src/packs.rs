//! The packs of this crate, and the choice between them.

use nightfold_memory::{LanguagePack, LanguagePacks};

use crate::English;

/// The language packs that come with Nightfold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Packs;

impl LanguagePacks for Packs {
    fn named(&self, name: &str) -> Option<&dyn LanguagePack> {
        match name {
            "english" => Some(&English),
            _ => None,
        }
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["english"]
    }

    fn detect(&self, _: &mut dyn Iterator<Item = &str>) -> &dyn LanguagePack {
        &English
    }
}
