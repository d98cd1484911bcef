//! Reading what users hand in, with errors that say where and what.

mod error;
mod not_lines;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader},
    ops::Range,
    path::{Path, PathBuf},
};

use nightfold::memory::{Memory, ModelId, Shard, ValidConfig};
#[cfg(feature = "parquet")]
use nightfold_formats::parquet::RowLines;
use nightfold_formats::{
    generative_agents::{SaveReader, is_save},
    is_parquet,
    jsonl::{self, JsonlError, MemoryLines, VectorRule},
    pack::Pack,
};
use nightfold_scenario::{SCENARIO_FILE, nearest};

pub(crate) use self::error::InputError;
#[cfg(not(feature = "parquet"))]
use crate::missing_feature::MissingFeature;
use crate::{
    args::{Common, MemoryArgs, OnBadLine},
    error::{CliError, Exit, message},
    models::models,
    output,
    show::count,
    terminal::clean,
};

/// Number of names of files that a note lists.
const LISTED: usize = 8;

/// Consumer of memories that may stop their reading.
type Take<'a> = &'a mut dyn FnMut(Memory) -> Result<(), CliError>;

/// Reader of the memories that a call names.
#[derive(Debug)]
pub(crate) struct MemoryReading<'a> {
    args: &'a MemoryArgs,
    config: &'a ValidConfig,
    /// Model of this call.
    model: ModelId,
}

impl<'a> MemoryReading<'a> {
    pub(crate) fn new(args: &'a MemoryArgs, config: &'a ValidConfig, common: &Common) -> Self {
        Self { args, config, model: models(common, config).model_id().clone() }
    }

    /// Identity of the model of this call.
    pub(crate) fn model(&self) -> &ModelId {
        &self.model
    }

    fn vectors(&self) -> VectorRule<'_> {
        VectorRule {
            given: self.args.vector_model.as_deref(),
            model: &self.model,
            dimensions: nightfold_embed::DIMENSIONS,
        }
    }

    /// Reads the memories of a text: one JSON object per line, or one JSON array of objects, whose items count as
    /// lines. `name` is the name of the text in errors.
    #[cfg(feature = "mcp")]
    pub(crate) fn text(&self, name: &str, text: &str) -> Result<Vec<Memory>, InputError> {
        let memories = jsonl::read_text(name, text, &self.config.input, Some(self.vectors()))?;
        if memories.is_empty() { Err(InputError::Empty { path: name.into() }) } else { Ok(memories) }
    }

    /// Reads the memories of all files, save folders and packs into memory.
    pub(crate) fn all(&self) -> Result<Vec<Memory>, CliError> {
        let mut memories = Vec::new();
        self.each(&self.args.inputs, None, &mut |memory| {
            memories.push(memory);
            Ok(())
        })?;
        Ok(memories)
    }

    /// Reads the memories of all files, save folders and packs one by one; with `shard` those of its NPCs alone. Returns the
    /// files with a skipped line.
    pub(crate) fn each(
        &self,
        paths: &[PathBuf],
        shard: Option<Shard>,
        take: Take<'_>,
    ) -> Result<Vec<PathBuf>, CliError> {
        let (mut all, mut damaged, mut has_part) = (LineCounts::default(), Vec::new(), false);
        let mut take = |memory: Memory| {
            if shard.is_none_or(|shard| shard.has(&memory.npc)) { take(memory) } else { Ok(()) }
        };
        let paths = paths.iter().map(|path| days_of(path)).collect::<Result<Vec<_>, _>>()?.concat();
        for path in &paths {
            let read = match open_pack(path)? {
                Some(pack) => {
                    let shards = pack.notes().shard_count();
                    let parts = shard.and_then(|shard| shard.parts(shards)).unwrap_or(0..shards);
                    // A part may have no NPC.
                    has_part |= pack.notes().memories() > 0 && shard.is_some();
                    self.shards(&pack, parts, &mut take)?
                }
                None if path.is_dir() => self.save(path, &mut take)?,
                None => self.lines(path, &mut take)?,
            };
            if read.memories + read.skipped == 0 && !has_part {
                return Err(InputError::Empty { path: path.clone() }.into());
            }
            damaged.extend((read.skipped > 0).then(|| path.clone()));
            all.memories += read.memories;
            all.skipped += read.skipped;
        }
        if all.memories == 0 && !has_part {
            let lines = count(all.skipped, "line was", "lines were");
            return Err(message(Exit::Input, format!("there is no memory: {lines} skipped")));
        }
        Ok(damaged)
    }

    /// Reads the memories of shards of a pack one by one.
    pub(crate) fn shards(
        &self,
        pack: &Pack,
        shards: Range<u32>,
        take: Take<'_>,
    ) -> Result<LineCounts, CliError> {
        let packed_with = pack.notes().vectors.as_ref().map(ModelId::as_str);
        let rule = self.vectors();
        if let (Some(given), Some(packed_with)) = (rule.given, packed_with)
            && given != packed_with
        {
            let folder = pack.folder().display();
            let text = format!("{folder}: its vectors are of {packed_with}, not of {given}");
            return Err(message(Exit::Usage, text).hint("leave --vector-model out"));
        }
        let rule = VectorRule { given: rule.given.or(packed_with), ..rule };
        let mut all = LineCounts::default();
        for shard in shards {
            let lines = pack.memories(shard, &self.config.input, Some(rule)).map_err(InputError::from)?;
            let read = self.pass(lines, take)?;
            all.memories += read.memories;
            all.skipped += read.skipped;
        }
        Ok(all)
    }

    /// Reads the memories of a file or of standard input, and tells of fields that are misspelt.
    fn lines(&self, path: &Path, take: Take<'_>) -> Result<LineCounts, CliError> {
        let mut reader = open_memories(path)?;
        // What cannot be read yields its error with the first line.
        if let (OnBadLine::Stop, Ok(head)) = (self.args.on_bad_line, reader.fill_buf())
            && let Some(found) = not_lines::named(head)
        {
            let not_lines::Found { what, hint } = found;
            return Err(InputError::NotLines { path: path.to_owned(), what, hint }.into());
        }
        let mut lines = MemoryLines::new(path, reader, &self.config.input).with_vectors(self.vectors());
        let read = self.pass(lines.by_ref(), take);
        for (field, unread) in lines.unread() {
            let Some(meant) = misspelt(field) else { continue };
            let (place, lines) = (path.display(), count(unread.lines, "line", "lines"));
            let text = format!(
                "warning: {place}:{}: the field `{field}` is not read ({lines}); did you mean `{meant}`?",
                unread.line
            );
            output::note(&format!("{}\n", clean(&text)));
        }
        read
    }

    fn save(&self, folder: &Path, take: Take<'_>) -> Result<LineCounts, CliError> {
        let mut save = SaveReader::open(folder, &self.config.input).map_err(InputError::from)?;
        let read = self.pass(save.by_ref(), take)?;
        if let Some(note) = unread_files(folder, save.unread()) {
            output::note(&format!("note: {}\n", clean(&note)));
        }
        Ok(read)
    }

    /// Passes memories on. A line that is none is an error, or is skipped with a warning.
    fn pass<E: Into<InputError>>(
        &self,
        lines: impl Iterator<Item = Result<Memory, E>>,
        take: Take<'_>,
    ) -> Result<LineCounts, CliError> {
        let mut read = LineCounts::default();
        for line in lines {
            match line.map_err(Into::into) {
                Ok(memory) => {
                    read.memories += 1;
                    take(memory)?;
                }
                Err(error) if self.args.on_bad_line == OnBadLine::Skip && error.affects_one_row() => {
                    read.skipped += 1;
                    output::note(&format!("warning: skipped {}\n", clean(&error.to_string())));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(read)
    }
}

/// Fields that a memory may leave out, so that a slip in their names is no error.
const OPTIONAL_FIELDS: [&str; 9] =
    ["actors", "emotion", "importance", "npc_tags", "pinned", "place", "sources", "tags", "vector"];

/// Returns the field that was probably meant by one that is not read, and not one of the game's own.
fn misspelt(field: &str) -> Option<&'static str> {
    let field = field.to_lowercase();
    let meant = *nearest(&field, &OPTIONAL_FIELDS)?;
    // Short words are near many others.
    (meant.len() > 5 || meant.starts_with(&field) || field.starts_with(meant)).then_some(meant)
}

/// Ends of the names of files of days.
const DAYS: [&str; 2] = ["jsonl", "parquet"];

/// Returns the files of days of a folder by name; a path that is a file, a pack or a save stands for itself.
fn days_of(path: &Path) -> Result<Vec<PathBuf>, InputError> {
    let itself = || vec![path.to_owned()];
    if !path.is_dir() || Pack::is_at(path) || is_save(path) {
        return Ok(itself());
    }
    let days = files_of_days(path).map_err(|source| JsonlError::Read { file: path.to_owned(), source })?;
    if days.is_empty() {
        return Err(InputError::NoDays { path: path.to_owned(), hint: hint_of_folder(path) });
    }
    Ok(days)
}

/// Returns the files of days that lie in a folder, by name.
fn files_of_days(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut days = Vec::new();
    for file in folder.read_dir()? {
        let file = file?.path();
        let end = file.extension().and_then(|end| end.to_str());
        if end.is_some_and(|end| DAYS.contains(&end)) && file.is_file() {
            days.push(file);
        }
    }
    days.sort_unstable();
    Ok(days)
}

/// Returns what to do with a folder that holds no days itself.
fn hint_of_folder(path: &Path) -> Option<String> {
    let shown = |path: &Path| clean(&path.display().to_string()).into_owned();
    if path.join(SCENARIO_FILE).is_file() {
        let days = path.join("days");
        let days = if days.is_dir() { format!("; its days are in {}", shown(&days)) } else { String::new() };
        return Some(format!("it is a scenario: `nightfold replay {}` lives through it{days}", shown(path)));
    }
    let below = path.read_dir().ok()?.flatten().map(|inner| inner.path());
    let below = below.filter(|inner| files_of_days(inner).is_ok_and(|days| !days.is_empty()));
    below.min().map(|inner| format!("there are some in {}", shown(&inner)))
}

/// Numbers of lines that were read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineCounts {
    memories: usize,
    skipped: usize,
}

/// Opens a folder as a pack, if it is one.
pub(crate) fn open_pack(path: &Path) -> Result<Option<Pack>, InputError> {
    Ok(Pack::is_at(path).then(|| Pack::open(path)).transpose()?)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, JsonlError> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    Ok(Box::new(jsonl::open(path)?))
}

/// Opens a file of memories: the rows of a Parquet file are read as lines.
fn open_memories(path: &Path) -> Result<Box<dyn BufRead>, InputError> {
    // A pipe is opened once, by those who read lines, and they name what cannot be opened.
    let file = path.is_file().then(|| File::open(path).ok()).flatten();
    match file {
        Some(file) if is_parquet(&file).unwrap_or(false) => rows(path, file),
        _ => Ok(open(path)?),
    }
}

#[cfg(feature = "parquet")]
fn rows(path: &Path, file: File) -> Result<Box<dyn BufRead>, InputError> {
    let rows = RowLines::open(file);
    Ok(Box::new(rows.map_err(|source| InputError::Parquet { path: path.to_owned(), source })?))
}

#[cfg(not(feature = "parquet"))]
fn rows(path: &Path, _: File) -> Result<Box<dyn BufRead>, InputError> {
    Err(InputError::Parquet { path: path.to_owned(), source: MissingFeature::PARQUET })
}

/// Returns a note on the files of a save that contain no memories; `None` if there are none.
fn unread_files(folder: &Path, unread: &BTreeMap<String, usize>) -> Option<String> {
    let files = count(unread.values().sum::<usize>(), "file", "files");
    let named: Vec<String> = unread
        .iter()
        .take(LISTED)
        .map(|(name, n)| if *n == 1 { name.clone() } else { format!("{name} ({n})") })
        .collect();
    let more = unread.len().saturating_sub(LISTED);
    let more = if more == 0 { String::new() } else { format!(" and {more} other names") };
    let told = format!("{}: skipped {files} without memories: {}{more}", folder.display(), named.join(", "));
    (!unread.is_empty()).then_some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_fields_are_told_from_the_games_own() {
        for (given, meant) in
            [("importence", "importance"), ("Importance", "importance"), ("actor", "actors"), ("tag", "tags")]
        {
            assert_eq!(misspelt(given), Some(meant));
        }
        for own in ["hp", "type", "face", "mood", "x", "quest", "scene"] {
            assert_eq!(misspelt(own), None, "{own}");
        }
    }

    #[test]
    fn fields_that_may_be_misspelt_are_all_that_a_memory_may_leave_out() {
        let whole = serde_json::json!({
            "id": "m", "npc": "Mara", "at": 0, "kind": "event", "text": "t", "importance": 5, "actors": ["a"],
            "tags": ["t"], "npc_tags": ["n"], "pinned": true, "place": "p",
            "emotion": {"valence": 0.5, "intensity": 0.5}, "sources": ["s"], "vector": [1.0]
        });
        let memory: Memory = serde_json::from_value(whole).unwrap();
        let fields = serde_json::to_value(memory).unwrap();
        let fields: Vec<&String> = fields.as_object().unwrap().keys().collect();
        let required = ["at", "id", "kind", "npc", "text"];
        let optional: Vec<_> =
            fields.into_iter().filter(|field| !required.contains(&field.as_str())).collect();
        assert_eq!(optional, OPTIONAL_FIELDS);
    }
}
