//! Themes as rows: one for each theme and night.

use std::collections::BTreeSet;

use nightfold_memory::{MemorySnapshot, StoreError, Theme, ThemeHistory, ThemeId, ThemeNight, ThemePoint};
use rusqlite::{Connection, params};

use super::{
    fault::SqliteError,
    read::{query_all, query_one},
    row::{self, Cells},
};

/// Writes the themes that a night saw. The row of the night must exist.
pub(super) fn write(
    file: &Connection,
    key: i64,
    version: u64,
    themes: &[ThemeNight],
) -> rusqlite::Result<()> {
    let mut insert = file.prepare_cached(
        "INSERT INTO theme (npc, id, seq, tonight, importance, new, words, centre, tightness, memories, nights,
         first_at, last_at, recent)
         SELECT npc, ?3, seq, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
         FROM night WHERE npc = ?1 AND version = ?2",
    )?;
    for ThemeNight { theme, tonight, importance, new } in themes {
        insert.execute(params![
            key,
            version,
            theme.id.as_str(),
            tonight,
            importance,
            new,
            row::json(&theme.words)?,
            theme.centre.to_bytes(),
            theme.tightness,
            theme.memories,
            theme.nights,
            theme.first_at.to_string(),
            theme.last_at.to_string(),
            row::json(&theme.recent)?,
        ])?;
    }
    Ok(())
}

/// Deletes the themes that a night saw; must run before the night is deleted.
pub(super) const DELETE_OF_NIGHT: &str = "DELETE FROM theme WHERE npc = ?1 AND seq IN \
     (SELECT seq FROM night WHERE npc = ?1 AND version = ?2)";

const IDS_BY_LAST_NIGHT: &str = "SELECT id FROM theme WHERE npc = ?1 ORDER BY seq DESC, id";

const LATEST: &str =
    "SELECT id, words, centre, tightness, memories, nights, first_at, last_at, recent FROM theme
     WHERE npc = ?1 AND id = ?2 ORDER BY seq DESC LIMIT 1";

/// Returns the most recently seen themes, as of their last night.
pub(super) fn latest(file: &Connection, key: i64) -> Result<Vec<Theme>, SqliteError> {
    let mut themes = Vec::new();
    for id in last_seen(file, key, MemorySnapshot::MAX_THEMES)? {
        themes.extend(query_one(file, LATEST, params![key, id.as_str()], theme)?);
    }
    Ok(themes)
}

/// Returns up to `most` theme ids, each once, the most recently seen first.
fn last_seen(file: &Connection, key: i64, most: usize) -> Result<Vec<ThemeId>, SqliteError> {
    let mut statement = file.prepare_cached(IDS_BY_LAST_NIGHT)?;
    let mut rows = statement.query([key])?;
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    while order.len() < most
        && let Some(row) = rows.next()?
    {
        let id: ThemeId = Cells::of(row).parsed("name of a theme")?;
        if seen.insert(id.clone()) {
            order.push(id);
        }
    }
    Ok(order)
}

fn theme(cells: &mut Cells<'_, '_>) -> Result<Theme, StoreError> {
    Ok(Theme {
        id: cells.parsed("name of a theme")?,
        words: cells.json("words of a theme")?,
        centre: cells.vector("centre of a theme")?,
        tightness: cells.get("tightness of a theme")?,
        memories: cells.get("count of memories of a theme")?,
        nights: cells.get("count of nights of a theme")?,
        first_at: cells.parsed("first time of a theme")?,
        last_at: cells.parsed("last time of a theme")?,
        recent: cells.json("last nights of a theme")?,
    })
}

/// Returns the themes that a night saw, by id.
pub(super) fn of_night(file: &Connection, key: i64, version: u64) -> Result<Vec<ThemeNight>, SqliteError> {
    let sql = "SELECT id, words, centre, tightness, memories, nights, first_at, last_at, recent, tonight, importance, new
         FROM theme WHERE npc = ?1 AND seq IN (SELECT seq FROM night WHERE npc = ?1 AND version = ?2) ORDER BY id";
    query_all(file, sql, params![key, version], |cells| {
        Ok(ThemeNight {
            theme: theme(cells)?,
            tonight: cells.get("count of memories of a night")?,
            importance: cells.get("importance of a night")?,
            new: cells.get("mark of a new theme")?,
        })
    })
}

/// True if the theme was ever seen.
pub(super) fn exists(file: &Connection, key: i64, id: &ThemeId) -> Result<bool, SqliteError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM theme WHERE npc = ?1 AND id = ?2)";
    Ok(file.prepare_cached(sql)?.query_row(params![key, id.as_str()], |row| row.get(0))?)
}

const HISTORY: &str =
    "SELECT t.id, t.words, t.memories, t.nights, t.first_at, t.last_at, night.label, night.at,
     t.tonight, t.importance
     FROM theme AS t JOIN night ON night.seq = t.seq WHERE t.npc = ?1 AND t.id = ?2 ORDER BY t.seq";

/// Returns all themes with their nights, the most recently seen first.
pub(super) fn histories(file: &Connection, key: i64) -> Result<Vec<ThemeHistory>, SqliteError> {
    let mut histories = Vec::new();
    for id in last_seen(file, key, usize::MAX)? {
        let mut nights = query_all(file, HISTORY, params![key, id.as_str()], |cells| {
            let history = ThemeHistory {
                id: cells.parsed("name of a theme")?,
                words: cells.json("words of a theme")?,
                memories: cells.get("count of memories of a theme")?,
                nights: cells.get("count of nights of a theme")?,
                first_at: cells.parsed("first time of a theme")?,
                last_at: cells.parsed("last time of a theme")?,
                history: Vec::new(),
            };
            let point = ThemePoint {
                night: cells.parsed("night")?,
                at: cells.parsed("time of a night")?,
                memories: cells.get("count of memories of a night")?,
                importance: cells.get("importance of a theme")?,
            };
            Ok((history, point))
        })?;
        // The theme as of its last night.
        if let Some((last, _)) = nights.last_mut() {
            let mut last = last.clone();
            last.history = nights.into_iter().map(|(_, point)| point).collect();
            histories.push(last);
        }
    }
    Ok(histories)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{
        open::{StoreOptions, open},
        schema::STEPS,
    };

    #[test]
    fn theme_queries_use_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(&folder.path().join("minds.db"), &StoreOptions::default(), STEPS).unwrap();
        let by_id = "USING INDEX sqlite_autoindex_theme_1 (npc=? AND id=?)";
        for (sql, expected) in [
            (IDS_BY_LAST_NIGHT, &["SEARCH theme USING COVERING INDEX theme_seen (npc=?)".to_owned()][..]),
            (LATEST, &[format!("SEARCH theme {by_id}")]),
            (
                HISTORY,
                &[format!("SEARCH t {by_id}"), "SEARCH night USING INTEGER PRIMARY KEY (rowid=?)".to_owned()],
            ),
        ] {
            let mut statement = file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let plan = statement.raw_query().mapped(|row| row.get::<_, String>("detail"));
            assert_eq!(plan.map(Result::unwrap).collect::<Vec<_>>(), expected, "{sql}");
        }
        let mut statement = file.prepare(&format!("EXPLAIN QUERY PLAN {DELETE_OF_NIGHT}")).unwrap();
        let plan = statement.raw_query().mapped(|row| row.get::<_, String>("detail"));
        assert!(plan.map(Result::unwrap).all(|step| !step.starts_with("SCAN")));
    }
}
