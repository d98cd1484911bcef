//! Ratings of a sheet by its readers, beside each other.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result, ensure};

use super::sheet::{KEY, KeyLine};
use crate::{
    data::TextFile,
    rank::spearman,
    report::{Cell, Report, Section, row},
};

/// Rating of a text: true, grounded, grammatical, sayable and worth saying, 0 to 2 each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rating([u8; 5]);

impl Rating {
    fn of(cells: &[&str]) -> Option<(usize, Self)> {
        let (number, given) = cells.split_first()?;
        let given: Vec<u8> = given.get(..5)?.iter().map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
        let rating = given.iter().all(|rated| *rated <= 2).then(|| given.try_into().ok())??;
        Some((number.parse().ok()?, Self(rating)))
    }

    fn is_false(self) -> bool {
        self.0[0] == 0
    }

    /// Returns the sum of the five, or 0 if the text is false, groundless or no sentence.
    fn sum(self) -> u32 {
        let Self([truth, grounded, grammatical, ..]) = self;
        if [truth, grounded, grammatical].contains(&0) {
            0
        } else {
            self.0.iter().copied().map(u32::from).sum()
        }
    }
}

/// Reads the key of a sheet and every table of ratings beside it; returns means and shares of false texts of each reader, by
/// form, by origin and by kind.
///
/// # Errors
/// The key or a table has another shape, or a reader left a text out.
pub fn ratings(dir: &Path) -> Result<Report> {
    let key: Vec<KeyLine> = TextFile::read(&dir.join(KEY))?.some_lines()?;
    let entries = fs::read_dir(dir).with_context(|| dir.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "tsv"));
    files.sort();
    ensure!(
        !files.is_empty(),
        "{}: there are no ratings, such as {}",
        dir.display(),
        dir.join("anna.tsv").display()
    );
    let mut readers: Vec<(String, Vec<Rating>)> = Vec::new();
    for file in &files {
        let given: BTreeMap<usize, Rating> = TextFile::read(file)?.cells(Rating::of)?.into_iter().collect();
        let of_line = |line: &KeyLine| {
            given
                .get(&line.number)
                .copied()
                .with_context(|| format!("{}: text {} is missing", file.display(), line.number))
        };
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        readers.push((name, key.iter().map(of_line).collect::<Result<_>>()?));
    }
    Ok(Report { sections: vec![table(&key, &readers)], ..Report::default() })
}

fn table(key: &[KeyLine], readers: &[(String, Vec<Rating>)]) -> Section {
    let columns = readers.iter().flat_map(|(name, _)| [name.clone(), format!("{name}: false")]);
    let columns = ["", "texts"].map(str::to_owned).into_iter().chain(columns).chain(["spearman".to_owned()]);
    let mut section = Section::new("ratings, 0 to 2", columns);
    let mut rows: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, KeyLine { form, origin, kind, .. }) in key.iter().enumerate() {
        let kind = (!kind.is_empty()).then(|| format!("{form}: {kind}"));
        for name in [form.clone(), format!("{form}, {origin}")].into_iter().chain(kind) {
            rows.entry(name).or_default().push(at);
        }
    }
    for (name, rows) in rows {
        let mut cells = row![name, rows.len()];
        for (_, ratings) in readers {
            let of_row = || rows.iter().map(|&at| ratings[at]);
            // As it is: nothing is rounded up to an aim.
            let mean = f64::from(of_row().map(Rating::sum).sum::<u32>()) / (5 * rows.len()) as f64;
            cells.extend(row![
                mean.to_string(),
                Cell::Of(of_row().filter(|r| r.is_false()).count(), rows.len())
            ]);
        }
        let agreement = match readers {
            [(_, one), (_, other), ..] => {
                let sum = |ratings: &[Rating], at: usize| f64::from(ratings[at].sum());
                spearman(&rows.iter().map(|&at| (sum(one, at), sum(other, at))).collect::<Vec<_>>())
            }
            _ => None,
        };
        cells.push(agreement.into());
        section.row(cells);
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fixture::folder;

    const KEYS: &str = r#"{"number":1,"origin":"talk","form":"reflection","kind":"social","wording":"w","npc":"Bo","title":"","text":"a","occurrences":1,"sources":[]}
{"number":2,"origin":"stories","form":"reflection","kind":"self","wording":"w","npc":"Bo","title":"","text":"b","occurrences":1,"sources":[]}"#;

    fn read(anna: &str, bert: &str) -> Result<Report> {
        ratings(folder(&[(KEY, KEYS), ("anna.tsv", anna), ("bert.tsv", bert)]).path())
    }

    #[test]
    fn readers_stand_beside_each_other_unrounded() {
        let report = read(
            "1\t2\t2\t2\t2\t1\tstiff\n2\t0\t2\t2\t2\t2\tno\n",
            "# mine\n2\t2\t2\t2\t2\t2\n1\t1\t1\t1\t1\t1",
        )
        .unwrap();
        let rows = &report.json()["sections"][0]["rows"];
        let all = rows.as_array().unwrap().iter().find(|row| row[""] == "reflection").unwrap();
        assert_eq!((&all["anna"], &all["bert"]), (&"0.9".into(), &"1.5".into()));
        assert_eq!((&all["anna: false"], &all["bert: false"]), (&[1, 2].into(), &[0, 2].into()));
        assert!(report.tables(0).contains("\nreflection: social"), "{}", report.tables(0));
    }

    #[test]
    fn text_without_a_rating_and_other_ratings_are_refused() {
        for (given, said) in [
            ("1\t2\t2\t2\t2\t1", "text 2 is missing"),
            ("1\t3\t2\t2\t2\t1\n2\t2\t2\t2\t2\t2", "no row"),
            ("1\t2\t2\t2\t2", "no row"),
        ] {
            let error = format!("{:#}", read(given, given).unwrap_err());
            assert!(error.contains(said), "{error}");
        }
        assert!(ratings(folder(&[(KEY, KEYS)]).path()).is_err());
    }
}
