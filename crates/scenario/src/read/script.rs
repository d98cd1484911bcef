//! Reading `scenario.toml`.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use nightfold_memory::{ReplayConfig, ValidConfig};
use toml::{
    Table, Value,
    de::{DeTable, DeValue},
};

use super::{Scenario, days, expect, lived::Lived, name_of, nights, worded::worded};
use crate::{
    format::{FORMAT, ScenarioFile},
    mistake::{Mistake, Mistakes, Source},
};

/// The file that makes a folder a scenario.
pub const SCENARIO_FILE: &str = "scenario.toml";

/// A `scenario.toml` that was read; its days were not yet.
#[derive(Debug)]
pub struct Script {
    pub(super) folder: PathBuf,
    pub(super) source: Source,
    pub(super) file: ScenarioFile,
    settings: Table,
}

impl Script {
    /// Reads the `scenario.toml` of a folder, or that file itself.
    ///
    /// # Errors
    /// [`Mistakes`] with the first thing that is wrong with it.
    pub fn read(path: &Path, limits: &ReplayConfig) -> Result<Self, Mistakes> {
        let path = if path.is_dir() { path.join(SCENARIO_FILE) } else { path.to_owned() };
        let text = read_bounded(&path, limits.max_scenario_bytes, "replay.max_scenario_bytes")?;
        let folder = path.parent().filter(|f| *f != Path::new("")).unwrap_or(Path::new(".")).to_owned();
        let source = Source { path, text };
        let wrong = |error: &toml::de::Error| of_toml(&source, error);
        let mut file: ScenarioFile = toml::from_str(&source.text).map_err(|e| wrong(&e))?;
        let mut whole: Table = toml::from_str(&source.text).map_err(|e| wrong(&e))?;
        let settings = match whole.remove("config") {
            Some(Value::Table(settings)) => settings,
            _ => Table::new(),
        };
        check_head(&source, &mut file)?;
        Ok(Self { folder, source, file, settings })
    }

    /// The name of its folder.
    pub fn name(&self) -> String {
        name_of(&self.folder)
    }

    /// The folder it lies in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The keys of the configuration that it sets, section by section: these go over those of a user's own file.
    pub fn settings(&self) -> &Table {
        &self.settings
    }

    /// Reads the days, splits them into nights, and holds the expectations to what is there.
    ///
    /// # Errors
    /// [`Mistakes`] with everything that is wrong.
    pub fn stage(self, config: &ValidConfig) -> Result<Scenario, Mistakes> {
        let mut mistakes = Vec::new();
        let read = days::read(&self, config, &mut mistakes);
        // What is not read cannot be held to anything.
        if !mistakes.is_empty() {
            return Err(Mistakes(mistakes));
        }
        let nights = nights::split(&self, &read, config, &mut mistakes);
        if !mistakes.is_empty() {
            return Err(Mistakes(mistakes));
        }
        let lived = Lived::of(&nights);
        let expectations = expect::all(&self, &nights, &lived, &mut mistakes);
        if !mistakes.is_empty() {
            return Err(Mistakes(mistakes));
        }
        let ScenarioFile { title, story, lesson, upkeep_every, npcs, .. } = self.file;
        Ok(Scenario {
            folder: self.folder,
            title,
            story,
            lesson,
            npcs,
            nights,
            upkeep_every: upkeep_every.map(|n| n.into_inner() as usize),
            expectations,
            config: config.clone(),
        })
    }
}

/// Reads a file of text that must not be larger than this.
pub(super) fn read_bounded(path: &Path, most: u64, key: &str) -> Result<String, Mistake> {
    let wrong = |what: String| Mistake::of_file(path, what);
    let file = fs::File::open(path).map_err(|e| {
        let mistake = wrong(format!("cannot be read: {e}"));
        mistake.help(format!("a scenario is a folder with a {SCENARIO_FILE}; `nightfold init` writes one"))
    })?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(wrong("is a folder, not a file".to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    if bytes.len() as u64 > most {
        return Err(wrong(format!("is larger than {most} bytes ({key})")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        Source { path: path.to_owned(), text }.mistake(valid..valid + 1, "is not UTF-8 from here on")
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

fn of_toml(source: &Source, error: &toml::de::Error) -> Mistake {
    let worded = worded(error.message());
    let mistake = match error.span() {
        Some(span) => source.mistake(span, worded.what()),
        None => Mistake::of_file(&source.path, worded.what()),
    };
    worded.give(mistake)
}

/// What types do not say: version, somebody to sleep, nights, values in their ranges.
fn check_head(source: &Source, file: &mut ScenarioFile) -> Result<(), Mistake> {
    let format = &file.format;
    if *format.get_ref() != FORMAT {
        let what = format!("format {} is not one this version reads", format.get_ref());
        return Err(source.mistake(format.span(), what).label(format!("this version reads format {FORMAT}")));
    }
    if let Some(every) = file.upkeep_every.as_ref().filter(|every| *every.get_ref() == 0) {
        let what = "upkeep_every is 0; it must be 1 or more";
        return Err(source.mistake(every.span(), what).help("leave the key out where no upkeep is wanted"));
    }
    let missing = |what: &str, help: &str| Mistake::of_file(&source.path, what).help(help);
    if file.npcs.is_empty() {
        return Err(missing(
            "[npcs] names nobody",
            "write each name with who that is: \"Mara\" = \"innkeeper\"",
        ));
    }
    if file.days.is_empty() {
        return Err(missing(
            "there are no [[days]]",
            "write a [[days]] table with its `file` for each night",
        ));
    }
    std::mem::take(&mut file.config).check().map(drop).map_err(|error| {
        let mistake = match place_of(&source.text, &["config"], error.key) {
            Some(span) => source.mistake(span, error.to_string()),
            None => Mistake::of_file(&source.path, error.to_string()),
        };
        mistake.help("`nightfold config` prints every key with its meaning, default and range")
    })
}

/// Where the value of a key such as `budget.storage` stands under these tables.
fn place_of(text: &str, under: &[&str], key: &str) -> Option<std::ops::Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let mut at = table.get_ref();
    let mut span = None;
    let path = key.split(' ').next().unwrap_or(key);
    for part in under.iter().copied().chain(path.split('.')) {
        let (_, value) = at.iter().find(|(name, _)| name.get_ref().as_ref() == part)?;
        span = Some(value.span());
        if let DeValue::Table(inner) = value.get_ref() {
            at = inner;
        }
    }
    span
}
