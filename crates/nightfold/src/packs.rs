//! Choice of the language pack of a night, or of an NPC's entries.

use nightfold_memory::{Day, Kind, LanguagePack, LanguagePacks, MemoryRecord, UnknownPack, ValidConfig};

/// Returns the language pack that reads and words a day: the one named by `language.pack`, or the one for the
/// language of the day's memories. Status lines are used to detect the language only if there are no other texts.
///
/// # Errors
/// [`UnknownPack`] if there is no pack of the configured name.
pub fn pack_for<'p>(
    day: &Day,
    packs: &'p dyn LanguagePacks,
    config: &ValidConfig,
) -> Result<&'p dyn LanguagePack, UnknownPack> {
    let prose = |kind: Kind| kind != Kind::Status;
    let any_prose = day.memories.iter().any(|memory| prose(memory.kind) && !memory.is_blank());
    let told = day.memories.iter().filter(|memory| !any_prose || prose(memory.kind));
    packs.resolve(&config.language.pack, &mut told.map(|memory| memory.text.as_str()))
}

/// Returns the language pack that reads an NPC's entries: the one named by `language.pack`, or the one for the
/// language of their texts.
///
/// # Errors
/// [`UnknownPack`] if there is no pack of the configured name.
pub fn pack_for_entries<'p>(
    entries: &[MemoryRecord],
    packs: &'p dyn LanguagePacks,
    config: &ValidConfig,
) -> Result<&'p dyn LanguagePack, UnknownPack> {
    packs.resolve(&config.language.pack, &mut entries.iter().map(|memory| memory.entry.text.as_str()))
}
