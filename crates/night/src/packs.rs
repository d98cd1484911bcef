//! Choice of the language pack of a night.

use nightfold_memory::{Day, Kind, LanguagePack, LanguagePacks, UnknownPack, ValidConfig};

/// Returns the language pack that reads and words a day: the one that `language.pack` names, or by the language that the
/// day is told in. Status lines tell of a language only where there is nothing else.
///
/// # Errors
/// [`UnknownPack`] when there is no pack of the name that is set.
pub fn pack_for<'p>(
    day: &Day,
    packs: &'p dyn LanguagePacks,
    config: &ValidConfig,
) -> Result<&'p dyn LanguagePack, UnknownPack> {
    let prose = |kind: Kind| kind != Kind::Status;
    let any_prose = day.memories.iter().any(|memory| prose(memory.kind) && !memory.is_blank());
    let told = day.memories.iter().filter(|memory| !any_prose || prose(memory.kind));
    packs.chosen(&config.language.pack, &mut told.map(|memory| memory.text.as_str()))
}
