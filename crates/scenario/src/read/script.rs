//! Reading `scenario.toml`.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use nightfold_memory::{ValidConfig, config::ReplayConfig};
use toml::{
    Table, Value,
    de::{DeTable, DeValue},
};

use super::{Scenario, days, expectations, name_of, nights, owners::MemoryOwners, parser_message::rephrase};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, SourceFile},
    format::{FORMAT, ScenarioFile},
};

/// Name of the file that makes a folder a scenario.
pub const SCENARIO_FILE: &str = "scenario.toml";

/// Contents of a `scenario.toml`; its days are not read yet.
#[derive(Debug)]
pub struct Script {
    pub(super) folder: PathBuf,
    pub(super) source: SourceFile,
    pub(super) file: ScenarioFile,
    settings: Table,
}

impl Script {
    /// Reads the `scenario.toml` of a folder, or that file itself.
    ///
    /// # Errors
    /// [`Diagnostics`] with the first error in it.
    pub fn read(path: &Path, limits: &ReplayConfig) -> Result<Self, Diagnostics> {
        let path = if path.is_dir() { path.join(SCENARIO_FILE) } else { path.to_owned() };
        let folder = path.parent().filter(|f| *f != Path::new("")).unwrap_or(Path::new(".")).to_owned();
        check_inside(&folder, &path)?;
        let text = read_bounded(&path, limits.max_file_bytes, "replay.max_file_bytes")?;
        let source = SourceFile { path, text };
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

    /// Returns the name of its folder.
    pub fn name(&self) -> String {
        name_of(&self.folder)
    }

    /// Returns the folder that contains it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the configuration keys that it sets, section by section: they override those of a user's own
    /// file.
    pub fn settings(&self) -> &Table {
        &self.settings
    }

    /// Reads the days, splits them into nights, and checks the expectations against them.
    ///
    /// # Errors
    /// [`Diagnostics`] with all errors.
    pub fn stage(self, config: &ValidConfig) -> Result<Scenario, Diagnostics> {
        let mut diagnostics = Vec::new();
        let read = days::read(&self, config, &mut diagnostics);
        // Expectations cannot be checked against days that were not read.
        if !diagnostics.is_empty() {
            return Err(Diagnostics(diagnostics));
        }
        let nights = nights::split(&self, &read, config, &mut diagnostics);
        if !diagnostics.is_empty() {
            return Err(Diagnostics(diagnostics));
        }
        let owners = MemoryOwners::of(&nights);
        let expected = expectations::all(&self, &nights, &owners, &mut diagnostics);
        if !diagnostics.is_empty() {
            return Err(Diagnostics(diagnostics));
        }
        let days = read.into_iter().flatten().map(|day| day.source.path);
        let files = std::iter::once(self.source.path).chain(days).collect();
        let ScenarioFile { title, story, lesson, upkeep_every, npcs, .. } = self.file;
        Ok(Scenario {
            folder: self.folder,
            files,
            title,
            story,
            lesson,
            npcs,
            nights,
            upkeep_every: upkeep_every.map(|n| n.into_inner() as usize),
            expectations: expected,
            config: config.clone(),
        })
    }
}

/// Refuses a file that a link leads out of the scenario's folder to. What is not there is left to whoever opens it.
pub(crate) fn check_inside(folder: &Path, path: &Path) -> Result<(), Diagnostic> {
    match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(whole)) if !whole.starts_with(&folder) => {
            let what = "is a link, or lies behind one, that leads out of the scenario's folder";
            Err(Diagnostic::of_file(path, what).help("copy the file into the folder"))
        }
        _ => Ok(()),
    }
}

/// Reads a text file of bounded size.
pub(super) fn read_bounded(path: &Path, most: u64, key: &str) -> Result<String, Diagnostic> {
    let wrong = |what: String| Diagnostic::of_file(path, what);
    // Looked at before it is opened: opening a pipe waits for its writer.
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(wrong("is a folder, not a file".to_owned())),
        Ok(found) if !found.is_file() => {
            return Err(wrong("is a pipe, a socket or a device, not a file".to_owned()));
        }
        _ => {}
    }
    let file = fs::File::open(path).map_err(|e| {
        let diagnostic = wrong(format!("cannot be read: {e}"));
        diagnostic.help(format!("a scenario is a folder with a {SCENARIO_FILE}; `nightfold init` writes one"))
    })?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    if bytes.len() as u64 > most {
        return Err(wrong(format!("is larger than {most} bytes ({key})")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        SourceFile { path: path.to_owned(), text }.diagnostic(valid..valid + 1, "is not UTF-8 from here on")
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

fn of_toml(source: &SourceFile, error: &toml::de::Error) -> Diagnostic {
    let message = rephrase(error.message());
    let diagnostic = match error.span() {
        Some(span) => source.diagnostic(span, message.what()),
        None => Diagnostic::of_file(&source.path, message.what()),
    };
    message.apply_to(diagnostic)
}

/// Checks constraints that types do not express: version, NPCs, nights, values in their ranges.
fn check_head(source: &SourceFile, file: &mut ScenarioFile) -> Result<(), Diagnostic> {
    let format = &file.format;
    if *format.get_ref() != FORMAT {
        let what = format!("format {} is not one this version reads", format.get_ref());
        return Err(source
            .diagnostic(format.span(), what)
            .label(format!("this version reads format {FORMAT}")));
    }
    if let Some(every) = file.upkeep_every.as_ref().filter(|every| *every.get_ref() == 0) {
        let what = "upkeep_every is 0; it must be 1 or more";
        return Err(source
            .diagnostic(every.span(), what)
            .help("leave the key out where no upkeep is wanted"));
    }
    let missing = |what: &str, help: &str| Diagnostic::of_file(&source.path, what).help(help);
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
        let diagnostic = match place_of(&source.text, &["config"], &error.key()) {
            Some(span) => source.diagnostic(span, error.to_string()),
            None => Diagnostic::of_file(&source.path, error.to_string()),
        };
        diagnostic.help("`nightfold generate config` prints every key with its meaning, default and range")
    })
}

/// Returns the place of the value of a key such as `budget.storage` under these tables.
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
