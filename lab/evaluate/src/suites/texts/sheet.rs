//! Sample of texts for blind readers: a sheet that does not say where a text comes from, and the key to it.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result};
use nightfold_memory::GameTime;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::written::{WrittenForm, WrittenSource, WrittenText};

/// File of the sheet, and of its key.
pub(super) const SHEET: &str = "sheet.md";
pub(super) const KEY: &str = "key.jsonl";

/// Number of texts that are drawn from each origin: reflections, syntheses, and records with names of themes.
const DRAWN: usize = 20;
/// Greatest number of records among the latter.
const RECORDS: usize = 10;

const HEAD: &str = "# Texts to rate

Read each text beside its sources, without guessing where it comes from. Rate 0, 1 or 2: true, grounded, grammatical, sayable,
worth saying, as the book's page on rating says. Write your ratings to NAME.tsv beside this file, one text a line, with tabs:
number, the five ratings, and if one is below 2 a few words why. A theme has a name alone.
";

/// Text of a sheet, as it is known to the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeyLine {
    /// Number in the sheet.
    pub(super) number: usize,
    /// Origin of the memories.
    pub(super) origin: String,
    /// Form of the text.
    pub(super) form: String,
    /// Kind of a reflection or record; empty for other texts.
    pub(super) kind: String,
    /// Rule or form of conclusion that worded it.
    pub(super) wording: String,
    npc: String,
    title: String,
    text: String,
    occurrences: u32,
    sources: Vec<WrittenSource>,
}

impl KeyLine {
    fn new(origin: &str, text: WrittenText) -> Self {
        let (form, kind) = match text.form {
            WrittenForm::Synthesis => ("synthesis", ""),
            WrittenForm::Summary => ("summary", ""),
            WrittenForm::Reflection(kind) => ("reflection", kind.as_str()),
            WrittenForm::Record(kind) => ("record", kind.as_str()),
            WrittenForm::Theme => ("theme", ""),
        };
        Self {
            number: 0,
            origin: origin.to_owned(),
            form: form.to_owned(),
            kind: kind.to_owned(),
            wording: text.wording,
            npc: text.npc,
            title: text.title,
            text: text.text,
            occurrences: text.occurrences,
            sources: text.sources,
        }
    }

    /// Writes the text as its readers see it.
    fn show(&self, sheet: &mut String) {
        let Self { number, form, npc, .. } = self;
        let shown = if self.form == "theme" { &self.title } else { &self.text };
        _ = writeln!(sheet, "\n## {number} · {form}, {npc}\n\n> {}\n", one_line(shown));
        if self.form == "synthesis" && self.occurrences > 1 {
            _ = writeln!(sheet, "Shown with it: {} times.\n", self.occurrences);
        }
        let mut times: BTreeMap<String, Vec<GameTime>> = BTreeMap::new();
        for source in &self.sources {
            times.entry(one_line(&source.text)).or_default().push(source.at);
        }
        let mut told: Vec<_> =
            times.iter().filter_map(|(text, times)| Some((times.iter().min()?, text, times.len()))).collect();
        told.sort();
        for (at, text, count) in told {
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            _ = writeln!(sheet, "- {at} {text}{times}");
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Draws from each origin's texts, and writes the sheet and its key to a folder. A text is drawn for its words and the
/// seed alone, so that a sample changes only where texts do.
pub(super) fn write_sheet(dir: &Path, seed: u64, origins: BTreeMap<&str, Vec<WrittenText>>) -> Result<()> {
    let mut drawn = Vec::new();
    for (origin, texts) in origins {
        let is_named = |line: &KeyLine| line.form != "theme" || !line.title.is_empty();
        let texts = texts.into_iter().map(|text| KeyLine::new(origin, text));
        let mut texts: Vec<KeyLine> = texts.filter(is_named).collect();
        texts.sort_by_cached_key(|line| draw(seed, line));
        let mut take = |form: &str, most: usize| {
            let of_form: Vec<KeyLine> =
                texts.iter().filter(|line| line.form == form).take(most).cloned().collect();
            let taken = of_form.len();
            drawn.extend(of_form);
            taken
        };
        take("reflection", DRAWN);
        take("synthesis", DRAWN);
        let records = take("record", RECORDS);
        take("theme", DRAWN - records);
    }
    // Another order than that of the draw, which is by origin.
    drawn.sort_by_cached_key(|line| draw(seed.wrapping_add(1), line));
    let (mut sheet, mut key) = (HEAD.to_owned(), String::new());
    for (number, line) in (1..).zip(&mut drawn) {
        line.number = number;
        line.show(&mut sheet);
        key.push_str(&serde_json::to_string(line)?);
        key.push('\n');
    }
    fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    for (name, text) in [(SHEET, sheet), (KEY, key)] {
        let path = dir.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn draw(seed: u64, line: &KeyLine) -> [u8; 32] {
    let KeyLine { npc, title, text, sources, .. } = line;
    let first = sources.first().map(|source| source.text.as_str());
    Sha256::digest(format!("{seed}\n{npc}\n{title}\n{text}\n{}", first.unwrap_or_default())).into()
}

#[cfg(test)]
mod tests {
    use nightfold_memory::ReflectionKind;

    use super::*;
    use crate::data::TextFile;

    fn texts(origin: &str, form: WrittenForm, most: usize) -> Vec<WrittenText> {
        let text = |n: usize| WrittenText {
            npc: "Bo".to_owned(),
            title: format!("{origin} {n}"),
            text: format!("I saw {n} crows\nover {origin}."),
            form,
            wording: "concluded".to_owned(),
            importance: 3,
            occurrences: 2,
            sources: vec![WrittenSource { at: GameTime::ZERO, text: format!("Crow {n}") }],
        };
        (0..most).map(text).collect()
    }

    fn drawn(seed: u64) -> (String, Vec<KeyLine>) {
        let dir = tempfile::tempdir().unwrap();
        let village = [
            texts("village", WrittenForm::Reflection(ReflectionKind::Social), 30),
            texts("village", WrittenForm::Record(ReflectionKind::Skill), 30),
            texts("village", WrittenForm::Theme, 30),
        ];
        let talk = texts("talk", WrittenForm::Synthesis, 5);
        write_sheet(dir.path(), seed, [("village", village.concat()), ("talk", talk)].into()).unwrap();
        let key = TextFile::read(&dir.path().join(KEY)).unwrap().lines().unwrap();
        (fs::read_to_string(dir.path().join(SHEET)).unwrap(), key)
    }

    #[test]
    fn sample_has_its_share_of_each_origin_in_one_order_for_one_seed() {
        let (sheet, key) = drawn(7);
        let of = |form: &str| key.iter().filter(|line| line.form == form).count();
        assert_eq!([of("reflection"), of("record"), of("theme"), of("synthesis")], [20, 10, 10, 5]);
        assert!(key.iter().zip(1..).all(|(line, number)| line.number == number));
        assert_eq!((sheet, key.clone()), drawn(7));
        assert_ne!(key, drawn(8).1);
    }

    #[test]
    fn sheet_shows_text_and_sources_and_no_origin() {
        let (sheet, key) = drawn(7);
        let line = key.iter().find(|line| line.form == "synthesis").unwrap();
        let shown = line.text.replace('\n', " ");
        let block =
            format!("## {} · synthesis, Bo\n\n> {shown}\n\nShown with it: 2 times.\n\n- 0 ", line.number);
        assert!(sheet.contains(&block), "{sheet}");
        assert!(!sheet.contains("social") && !sheet.contains("concluded"), "{sheet}");
    }
}
