//! Language packs: [`English`], the rules and wordings of English.

mod belief;
mod packs;
mod retold;
mod stance;
mod synthesize;
mod text;

mod english;

pub use english::English;
pub use packs::Packs;
pub use stance::{FEATURES, measured};
