//! Language packs: [`English`], the rules and wordings of English, and [`Neutral`], for text in any other
//! language; [`Packs`] chooses between them by the language of the texts.

mod assertions;
mod coverage;
mod lexicon;
mod meaning;
mod packs;
mod stance;
mod synthesize;
mod text;

mod english;
mod neutral;

pub use english::English;
pub use neutral::Neutral;
pub use packs::Packs;
