//! Reading `scenario.toml`.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use nightfold_memory::{NpcId, config::InputConfig};
use toml::{
    Spanned, Table, Value,
    de::{DeTable, DeValue},
};

use super::files::{SCENARIO_FILE, check_inside, read_bounded};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, SourceFile},
    format::{FORMAT, ScenarioFile},
    scenario::name_of,
};

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
    pub fn read(path: &Path, limits: &InputConfig) -> Result<Self, Diagnostics> {
        let path = if path.is_dir() { path.join(SCENARIO_FILE) } else { path.to_owned() };
        let folder = path.parent().filter(|f| *f != Path::new("")).unwrap_or(Path::new(".")).to_owned();
        check_inside(&folder, &path)?;
        let text = read_bounded(&path, limits)?;
        let source = SourceFile { path, text };
        let wrong = |error: toml::de::Error| source.at(error.span(), error.message()).rephrased();
        let mut file: ScenarioFile = toml::from_str(&source.text).map_err(wrong)?;
        let mut whole: Table = toml::from_str(&source.text).map_err(wrong)?;
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

    /// Returns the diagnostic of a name that no NPC of the scenario has.
    pub(super) fn unknown_npc(&self, named: &Spanned<String>) -> Diagnostic {
        let names: Vec<&str> = self.file.npcs.keys().map(NpcId::as_str).collect();
        let what = format!("the scenario has no NPC of the name `{}`", named.get_ref());
        self.source.diagnostic(named.span(), what).suggest(named.get_ref(), &names).allowed(&names)
    }
}

/// Checks constraints that types do not express: version, NPCs, nights, values in their ranges.
fn check_head(source: &SourceFile, file: &mut ScenarioFile) -> Result<(), Diagnostic> {
    let format = file.format.get_ref();
    if *format != FORMAT {
        let diagnostic =
            source.diagnostic(file.format.span(), format!("format {format} is not one this version reads"));
        return Err(diagnostic.label(format!("this version reads format {FORMAT}")));
    }
    if let Some(every) = file.upkeep_every.as_ref().filter(|every| *every.get_ref() == 0) {
        let diagnostic = source.diagnostic(every.span(), "upkeep_every is 0; it must be 1 or more");
        return Err(diagnostic.help("leave the key out where no upkeep is wanted"));
    }
    let missing = |what: &str, help: &str| Err(Diagnostic::of_file(&source.path, what).help(help));
    if file.npcs.is_empty() {
        return missing("[npcs] names nobody", "write each name with who that is: \"Mara\" = \"innkeeper\"");
    }
    if file.days.is_empty() {
        return missing("there are no [[days]]", "write a [[days]] table with its `file` for each night");
    }
    std::mem::take(&mut file.config).check().map(drop).map_err(|error| {
        source
            .at(place_of(&source.text, &error.key()), error.to_string())
            .help("`nightfold generate config` prints every key with its meaning, default and range")
    })
}

/// Returns the place of the value of a key such as `budget.storage` under `[config]`.
fn place_of(text: &str, key: &str) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let mut at = table.get_ref();
    let mut span = None;
    let path = key.split(' ').next().unwrap_or(key);
    for part in std::iter::once("config").chain(path.split('.')) {
        let (_, value) = at.iter().find(|(name, _)| name.get_ref().as_ref() == part)?;
        span = Some(value.span());
        if let DeValue::Table(inner) = value.get_ref() {
            at = inner;
        }
    }
    span
}
